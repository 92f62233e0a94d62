package transcript

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// APIError is a call that failed.
type APIError struct {
	Call, Attempt int
	Err           *llm.APIError
	RetryIn       vtime.Duration // 0 when it is not retried
	GivesUp       bool
	Model         string // the request's; not in the text
}

func (*APIError) Kind() Kind { return KindAPIError }

func (b *APIError) AppendText(dst []byte) []byte {
	dst = appendInt(dst, " call=", b.Call)
	dst = optInt(dst, " attempt=", b.Attempt)
	e := b.Err
	dst = appendInt(dst, " status=", e.Status)
	dst = optStr(dst, " type=", e.Type)
	dst = optStr(dst, " message=", e.Message)
	dst = optDuration(dst, " retry_after=", e.RetryAfter)
	if e.Usage != (llm.Usage{}) {
		dst = appendUsage(dst, &e.Usage)
	}
	dst = appendCache(dst, &e.Cache)
	dst = optDuration(dst, " started=", vtime.Duration(e.Started))
	dst = optDuration(dst, " began=", vtime.Duration(e.Began))
	dst = optDuration(dst, " retry_in=", b.RetryIn)
	return optFlag(dst, " gives_up=", b.GivesUp)
}
