package transcript

import (
	"encoding/binary"
	"strconv"

	"agentsim/sim/llm"
)

// Request is a call of the model, sent.
type Request struct {
	Call, Attempt   int
	Head            *llm.Node // its hash and position are recorded
	Model           string
	Breakpoints     []llm.Breakpoint
	Automatic       bool
	Expect          *llm.Expectation // not recorded
	Settings        llm.Settings     // likewise: the salts stand in the head's hash
	MaxTokens       int64            // likewise
	InvokingRequest llm.ToolUseID    // only on the first after a spawn or resume (SUB-15)
}

func (*Request) Kind() Kind { return KindRequest }

// appendForm puts of a breakpoint its position and its lifetime: with the head's hash
// that says all.
func (b *Request) appendForm(dst []byte) []byte {
	dst = putInt(dst, 1, b.Call)
	dst = putInt(dst, 2, b.Attempt)
	dst = putNode(dst, 3, b.Head)
	dst = putText(dst, 4, b.Model)
	if len(b.Breakpoints) > 0 {
		dst = binary.AppendUvarint(append(dst, 5), uint64(len(b.Breakpoints)))
		for i := range b.Breakpoints {
			m := &b.Breakpoints[i]
			dst = append(binary.LittleEndian.AppendUint32(dst, uint32(m.Node.Pos)), byte(m.TTL), m.Batch)
		}
	}
	dst = putFlag(dst, 6, b.Automatic)
	return putToolUse(dst, 7, b.InvokingRequest)
}

func requestText(dst []byte, r *reader) []byte {
	dst = appendInt(dst, " call=", r.int(1))
	dst = optInt(dst, " attempt=", r.int(2))
	head := r.node(3)
	dst = optHash(dst, " head=", head)
	dst = optPos(dst, " blocks=", head)
	dst = optStr(dst, " model=", r.text(4))
	for i := range r.count(5) {
		key := ","
		if i == 0 {
			key = " marks="
		}
		dst = strconv.AppendInt(append(dst, key...), int64(int32(r.half())), 10)
		if ttl := llm.TTL(r.take(1)[0]); ttl != llm.TTL5m { // the default
			dst = append(append(dst, ':'), ttl.String()...)
		}
		if batch := r.take(1)[0]; batch != 0 {
			dst = strconv.AppendInt(append(dst, '#'), int64(batch), 10)
		}
	}
	dst = optFlag(dst, " automatic=", r.flag(6))
	return optToolUse(dst, " invoking=", r.toolUse(7))
}
