package transcript

import "agentsim/sim/llm"

// Handoff is the classifier's judgement of a child's transcript, ahead of the
// delivery of its result (TSK-06).
type Handoff struct {
	Activation int       `text:"activation,opt"` // of the child
	Head       *llm.Node `text:"head,opt"`       // the conversation that was judged; its hash stands in the text
	Taint      string    `text:"taint,opt"`      // what the verdict is about; "" where nothing spoke against the child
	Verdict    Verdict   `text:"verdict"`
	Why        string    `text:"why,opt"`
}

func (*Handoff) Kind() Kind { return KindHandoff }
