package mockllm

import (
	"agentsim/mockllm/fault"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Rate is a token bucket: room for so many, which fills up all the time, one each
// Refill. 30,000 a minute are a refill of 2 ms.
//
// It is kept as the instant at which the bucket will be full again, which what is
// taken moves on by Refill each. So nothing is divided, and scaling every duration
// by k scales every wait by exactly k (KRN-09).
type Rate struct {
	Most   int64          // at once, > 0
	Refill vtime.Duration // time in which one comes back, > 0
}

// RateLimits are the rate limits of each model by itself; nil is none (CACHE-44).
//
// Input counts what is sent and not read from the cache: plain input and cache
// creation, and on models that say so what was read. A call that finds no room is
// refused at its admission. Output counts what is generated, as it has been: no
// max_tokens is reserved, so a call is refused only while earlier answers have
// taken more than there was.
//
// Source: Claude API documentation, "Rate limits": token bucket for requests,
// input and output tokens per minute; cache reads are no input but on models
// marked so; output is counted in real time, whatever max_tokens is; a 429 names
// the limit and carries retry-after. Read in 2026-11.
type RateLimits struct {
	Requests *Rate // calls that were not refused
	Input    *Rate // tokens
	Output   *Rate // tokens
}

// limitNames say what a bucket counts, in the order of RateLimits.
var limitNames = [...]string{"requests", "input tokens", "output tokens"}

func (l *RateLimits) rates() [len(limitNames)]*Rate {
	return [...]*Rate{l.Requests, l.Input, l.Output}
}

// bucket is one limit of one model.
type bucket struct {
	rate *Rate
	full vtime.Instant // when it is full again
}

// meters are a model's buckets, those without a limit nil.
type meters [len(limitNames)]*bucket

// metersOf are a model's meters, nil without any limit.
func (s *Server) metersOf(id string) *meters {
	if s.cfg.Limits == (RateLimits{}) {
		return nil
	}
	if s.meters == nil {
		s.meters = map[string]*meters{}
	}
	if s.meters[id] == nil {
		m := &meters{}
		for i, r := range s.cfg.Limits.rates() {
			if r != nil {
				m[i] = &bucket{rate: r}
			}
		}
		s.meters[id] = m
	}
	return s.meters[id]
}

// wait is how long n have to wait for room; 0 is not at all.
func (b *bucket) wait(now vtime.Instant, n int64) vtime.Duration {
	room := b.rate.Refill * vtime.Duration(b.rate.Most-n)
	return max(0, max(b.full, now).Sub(now)-room)
}

// take takes n out, whatever room there is.
func (b *bucket) take(now vtime.Instant, n int64) {
	b.full = max(b.full, now).Add(b.rate.Refill * vtime.Duration(n))
}

// metered is what counts towards the limit of input: input and cache creation, and
// on models that say so what was read.
func (m *model) metered(u *llm.Usage) int64 {
	n := u.Input + u.Written()
	if m.profile.LimitsReads {
		n += u.Read
	}
	return n
}

// meter holds an admitted call against the limits. One that finds no room is
// answered 429, with the time after which there will be room in every bucket; one
// that is larger than a whole bucket never finds any, so no time is given. A
// refused call takes nothing (CON-09).
func (c *call) meter(now vtime.Instant) {
	needs := [...]int64{1, c.model.metered(&c.adm.Usage), 1}
	longest, which, never := vtime.Duration(0), 0, false
	for i, b := range c.model.meters {
		if b == nil {
			continue
		}
		if wait := b.wait(now, needs[i]); wait > longest && !never {
			longest, which = wait, i
		}
		if needs[i] > b.rate.Most {
			which, never = i, true
		}
	}
	if longest == 0 {
		c.model.meters.takeIn(now, needs[:2])
		return
	}
	if never {
		longest = 0
	}
	c.limited, c.limit = fault.Rule{Kind: fault.RateLimited, RetryAfter: longest}, limitNames[which]
	c.rule = &c.limited
	c.s.refused[which] = true
}

// takeIn takes what a call needs as it comes in.
func (m *meters) takeIn(now vtime.Instant, needs []int64) {
	for i, n := range needs {
		if m[i] != nil {
			m[i].take(now, n)
		}
	}
}

// takeOut takes what a call has generated.
func (m *meters) takeOut(now vtime.Instant, output int64) {
	if m != nil && m[2] != nil {
		m[2].take(now, output)
	}
}

// Options lists the undocumented points of the limits that touched a figure.
func (s *Server) Options() (out []string) {
	if s.refused[1] {
		out = append(out, "input_rate_scope=model", "input_rate_of_aborted_calls=counted")
	}
	if s.refused[0] {
		out = append(out, "request_rate_of_aborted_calls=counted")
	}
	if s.refused[2] {
		out = append(out, "output_rate_taken=when-the-answer-ends")
	}
	return out
}
