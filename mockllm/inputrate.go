package mockllm

import (
	"fmt"

	"agentsim/mockllm/fault"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// InputRate is a limit on input tokens: a bucket of so many tokens that fills up
// all the time, one token each Refill (CACHE-44). 30,000 tokens a minute are a
// refill of 2 ms.
//
// It is kept as the instant at which the bucket will be full again, which tokens
// that are taken move on by Refill each. So nothing is divided, and scaling every
// duration by k scales every wait by exactly k.
type InputRate struct {
	Tokens int64          // most tokens at once, > 0
	Refill vtime.Duration // time in which one token comes back, > 0
}

// Check says which field cannot stand.
func (r *InputRate) Check() error {
	switch {
	case r.Tokens <= 0:
		return fmt.Errorf("input rate of %d tokens: give a number greater than zero", r.Tokens)
	case r.Refill <= 0:
		return fmt.Errorf("input rate refill is %s: give a duration greater than zero, such as 2ms for 30,000 tokens a minute", r.Refill)
	case r.Tokens > int64(vtime.Duration(1<<62)/r.Refill):
		return fmt.Errorf("input rate of %d tokens each %s: a full bucket takes longer than time is counted; give less", r.Tokens, r.Refill)
	}
	return nil
}

// bucket is the limit of one model.
type bucket struct {
	rate *InputRate
	full vtime.Instant // when it is full again
}

// bucketOf is a model's bucket, nil without a limit.
func (s *Server) bucketOf(id string) *bucket {
	if s.cfg.InputRate == nil {
		return nil
	}
	if s.buckets == nil {
		s.buckets = map[string]*bucket{}
	}
	if s.buckets[id] == nil {
		s.buckets[id] = &bucket{rate: s.cfg.InputRate}
	}
	return s.buckets[id]
}

// wait is how long n tokens have to wait for room; 0 is not at all.
func (b *bucket) wait(now vtime.Instant, n int64) vtime.Duration {
	room := b.rate.Refill * vtime.Duration(b.rate.Tokens-n)
	return max(0, max(b.full, now).Sub(now)-room)
}

// take takes n tokens out, whatever room there is.
func (b *bucket) take(now vtime.Instant, n int64) {
	b.full = max(b.full, now).Add(b.rate.Refill * vtime.Duration(n))
}

// metered is what counts towards the limit: input and cache creation, and on
// models that say so what was read.
func (m *model) metered(u *llm.Usage) int64 {
	n := u.Input + u.Written()
	if m.profile.LimitsReads {
		n += u.Read
	}
	return n
}

// meter holds an admitted call against the limit. One that finds no room is
// answered 429, with the time after which there will be room; one that is larger
// than the whole bucket never finds any, so no time is given. A refused call takes
// nothing (CON-09).
func (c *call) meter(now vtime.Instant) {
	b, n := c.model.bucket, c.model.metered(&c.adm.Usage)
	wait := b.wait(now, n)
	if wait == 0 {
		b.take(now, n)
		return
	}
	if n > b.rate.Tokens {
		wait = 0
	}
	c.limited = fault.Rule{Kind: fault.RateLimited, RetryAfter: wait}
	c.rule = &c.limited
	c.s.refused = true
}

// Options lists the undocumented points of the limit that touched a figure.
func (s *Server) Options() []string {
	if !s.refused {
		return nil
	}
	return []string{"input_rate_scope=model", "input_rate_of_aborted_calls=counted"}
}
