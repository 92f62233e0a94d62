package transcript

import "agentsim/sim/llm"

// Handoff is the classifier's judgement of a child's transcript, ahead of the
// delivery of its result (TSK-06).
type Handoff struct {
	Activation int       // of the child
	Head       *llm.Node // the conversation that was judged; its hash stands in the text
	Taint      string    // what the verdict is about; "" where nothing spoke against the child
	Verdict    string    // flagged, clean or error
	Why        string
}

func (*Handoff) Kind() Kind { return KindHandoff }

func (b *Handoff) AppendText(dst []byte) []byte {
	dst = optInt(dst, " activation=", b.Activation)
	dst = optHash(dst, " head=", b.Head)
	dst = optStr(dst, " taint=", b.Taint)
	dst = appendStr(dst, " verdict=", b.Verdict)
	return optStr(dst, " why=", b.Why)
}
