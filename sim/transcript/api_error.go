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
	Model         string // the request's; not recorded here
}

func (*APIError) Kind() Kind { return KindAPIError }

func (b *APIError) appendForm(dst []byte) []byte {
	e := b.Err
	dst = putInt(dst, 1, b.Call)
	dst = putInt(dst, 2, b.Attempt)
	dst = putInt(dst, 3, e.Status)
	dst = putText(dst, 4, e.Type)
	dst = putText(dst, 5, e.Message)
	dst = putInt(dst, 6, e.RetryAfter)
	dst = putUsage(dst, 7, &e.Usage)
	dst = putCache(dst, 8, &e.Cache)
	dst = putInt(dst, 16, e.Started)
	dst = putInt(dst, 17, e.Began)
	dst = putInt(dst, 18, b.RetryIn)
	return putFlag(dst, 19, b.GivesUp)
}

func apiErrorText(dst []byte, r *reader) []byte {
	dst = appendInt(dst, " call=", r.int(1))
	dst = optInt(dst, " attempt=", r.int(2))
	dst = appendInt(dst, " status=", r.int(3))
	dst = optStr(dst, " type=", r.text(4))
	dst = optStr(dst, " message=", r.text(5))
	dst = optDuration(dst, " retry_after=", r.int(6))
	if u := r.usage(7); u != (llm.Usage{}) {
		dst = appendUsage(dst, &u)
	}
	dst = cacheText(dst, 8, r)
	dst = optDuration(dst, " started=", r.int(16))
	dst = optDuration(dst, " began=", r.int(17))
	dst = optDuration(dst, " retry_in=", r.int(18))
	return optFlag(dst, " gives_up=", r.flag(19))
}
