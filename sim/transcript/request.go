package transcript

import (
	"strconv"

	"agentsim/sim/llm"
)

// Request is a call of the model, sent.
type Request struct {
	Call, Attempt   int
	Head            *llm.Node // its hash stands in the text
	Model           string
	Breakpoints     []llm.Breakpoint
	Automatic       bool
	Expect          *llm.Expectation // not in the text
	Settings        llm.Settings     // likewise: the salts stand in the head's hash
	MaxTokens       int64            // likewise
	InvokingRequest llm.ToolUseID    // only on the first after a spawn or resume (SUB-15)
}

func (*Request) Kind() Kind { return KindRequest }

// AppendText appends the canonical fields. A breakpoint is its position and,
// unless it is the default, its lifetime: with the head's hash that says all.
func (b *Request) AppendText(dst []byte) []byte {
	dst = appendInt(dst, " call=", b.Call)
	dst = optInt(dst, " attempt=", b.Attempt)
	dst = optHash(dst, " head=", b.Head)
	dst = optPos(dst, " blocks=", b.Head)
	dst = optStr(dst, " model=", b.Model)
	for i := range b.Breakpoints {
		dst = appendBreakpoint(dst, i, &b.Breakpoints[i])
	}
	dst = optFlag(dst, " automatic=", b.Automatic)
	return optToolUse(dst, " invoking=", b.InvokingRequest)
}

func appendBreakpoint(dst []byte, i int, m *llm.Breakpoint) []byte {
	if i == 0 {
		dst = append(dst, " marks="...)
	} else {
		dst = append(dst, ',')
	}
	dst = strconv.AppendInt(dst, int64(m.Node.Pos), 10)
	if m.TTL != llm.TTL5m {
		dst = append(dst, ':')
		dst = append(dst, m.TTL.String()...)
	}
	if m.Batch != 0 {
		dst = strconv.AppendInt(append(dst, '#'), int64(m.Batch), 10)
	}
	return dst
}
