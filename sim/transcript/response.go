package transcript

import (
	"encoding/binary"

	"agentsim/sim/llm"
)

// Response is the answer, complete.
type Response struct {
	Call, Attempt int
	Resp          *llm.Response
	Head          *llm.Node // the conversation with the answer appended
	Model         string    // the request's; not recorded here
}

func (*Response) Kind() Kind { return KindResponse }

// appendForm puts what the answer says into the head's hash, and leaves the causes of
// its tool uses to the tool calls.
func (b *Response) appendForm(dst []byte) []byte {
	a := b.Resp
	dst = putInt(dst, 1, b.Call)
	dst = putInt(dst, 2, b.Attempt)
	dst = putInt(dst, 3, a.Stop)
	dst = putUsage(dst, 4, &a.Usage)
	if len(a.Iterations) > 0 {
		dst = binary.AppendUvarint(append(dst, 5), uint64(len(a.Iterations)))
		for i := range a.Iterations {
			dst = appendUsageForm(dst, &a.Iterations[i])
		}
	}
	dst = putCache(dst, 6, &a.Cache)
	dst = putInt(dst, 14, a.Started)
	dst = putInt(dst, 15, a.Began)
	dst = putInt(dst, 16, a.Ended)
	return putNode(dst, 17, b.Head)
}

func responseText(dst []byte, r *reader) []byte {
	dst = appendInt(dst, " call=", r.int(1))
	dst = optInt(dst, " attempt=", r.int(2))
	dst = optStr(dst, " stop=", llm.StopReason(r.int(3)).String())
	u := r.usage(4)
	dst = appendUsage(dst, &u)
	for i := range r.count(5) {
		u = r.nextUsage()
		dst = appendInt(dst, " iteration=", i+1)
		dst = appendUsage(dst, &u)
	}
	dst = cacheText(dst, 6, r)
	dst = appendInstant(dst, " started=", r.int(14))
	dst = appendInstant(dst, " began=", r.int(15))
	dst = appendInstant(dst, " ended=", r.int(16))
	return optHash(dst, " head=", r.node(17))
}

// putCache puts positions and, for a miss, its diagnosis: eight fields, from number on.
func putCache(dst []byte, number byte, c *llm.CacheReport) []byte {
	dst = putPos(dst, number, c.ReadTo)
	dst = putPos(dst, number+1, c.WrittenTo)
	dst = putInt(dst, number+2, c.Undecided)
	m := &c.Miss
	if m.Reason == llm.NotMissed {
		return dst
	}
	dst = putInt(dst, number+3, m.Reason)
	dst = putInt(dst, number+4, m.Expected)
	dst = putInt(dst, number+5, m.Lost)
	dst = putInt(dst, number+6, m.Pos)
	return putInt(dst, number+7, max(m.Byte, noByte)-noByte)
}

// noByte is llm.Miss.Byte where no byte differs.
const noByte = -1

func cacheText(dst []byte, number byte, r *reader) []byte {
	dst = optPos(dst, " read_to=", r.pos(number))
	dst = optPos(dst, " written_to=", r.pos(number+1))
	dst = optInt(dst, " undecided=", r.int(number+2))
	reason := llm.MissReason(r.int(number + 3))
	if reason == llm.NotMissed {
		return dst
	}
	dst = appendStr(dst, " miss=", reason.String())
	dst = appendInt(dst, " expected=", r.int(number+4))
	dst = appendInt(dst, " lost=", r.int(number+5))
	dst = optInt(dst, " miss_pos=", r.int(number+6))
	if at := r.int(number+7) + noByte; at != noByte {
		dst = appendInt(dst, " miss_byte=", at)
	}
	return dst
}
