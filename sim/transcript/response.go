package transcript

import "agentsim/sim/llm"

// Response is the answer, complete.
type Response struct {
	Call, Attempt int
	Resp          *llm.Response
	Head          *llm.Node // the conversation with the answer appended
	Model         string    // the request's; not in the text
}

func (*Response) Kind() Kind { return KindResponse }

// AppendText appends the canonical fields. The answer's content is in the head's
// hash; the causes of its tool uses stand with the tool calls.
func (b *Response) AppendText(dst []byte) []byte {
	dst = appendInt(dst, " call=", b.Call)
	dst = optInt(dst, " attempt=", b.Attempt)
	r := b.Resp
	dst = optStr(dst, " stop=", r.Stop.String())
	dst = appendUsage(dst, &r.Usage)
	for i := range r.Iterations {
		dst = appendInt(dst, " iteration=", i+1)
		dst = appendUsage(dst, &r.Iterations[i])
	}
	dst = appendCache(dst, &r.Cache)
	dst = appendInstant(dst, " started=", r.Started)
	dst = appendInstant(dst, " began=", r.Began)
	dst = appendInstant(dst, " ended=", r.Ended)
	return optHash(dst, " head=", b.Head)
}

// appendCache prints positions and, for a miss, its diagnosis.
func appendCache(dst []byte, c *llm.CacheReport) []byte {
	dst = optPos(dst, " read_to=", c.ReadTo)
	dst = optPos(dst, " written_to=", c.WrittenTo)
	dst = optInt(dst, " undecided=", c.Undecided)
	if c.Miss.Reason == llm.NotMissed {
		return dst
	}
	dst = appendStr(dst, " miss=", c.Miss.Reason.String())
	dst = appendInt(dst, " expected=", c.Miss.Expected)
	dst = appendInt(dst, " lost=", c.Miss.Lost)
	dst = optInt(dst, " miss_pos=", c.Miss.Pos)
	if c.Miss.Byte >= 0 {
		dst = appendInt(dst, " miss_byte=", c.Miss.Byte)
	}
	return dst
}
