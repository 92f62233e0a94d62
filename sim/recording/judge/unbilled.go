package judge

import (
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// Band is a range of gaps between a request and the one before it in its thread.
type Band uint8

// The bands.
const (
	UnderMinute Band = iota
	UnderFive
	UnderTen
	UnderHour
	OverHour
	Bands
)

func (b Band) String() string {
	return [...]string{"under 1 min", "1 to 5 min", "5 to 10 min", "10 to 60 min", "over 60 min"}[b]
}

func band(gap vtime.Duration) Band {
	for b, limit := range [...]vtime.Duration{vtime.Minute, 5 * vtime.Minute, 10 * vtime.Minute, vtime.Hour} {
		if gap < limit {
			return Band(b)
		}
	}
	return OverHour
}

// The borders between a full hit, a partial one and a collapse, in tokens.
const (
	fullWithin  = 512
	collapsedTo = 12_000
	cacheStep   = 128 // what OpenAI rounds cached tokens down to (CACHE-59)
)

// BestEffort is what sessions say that no model predicts: their API promises no
// lifetime and bills no writes.
type BestEffort struct {
	Sessions, Requests int64
	Rounded            int64 // requests whose read is a multiple of 128 tokens
	Steps              [Bands]Steps
	Forks              []ForkStart // first requests of forked threads, in the sessions' order
}

// Steps counts requests that follow another one by how much of its prompt they
// read: all of it within 512 tokens, some, or 12,000 tokens or less.
type Steps struct{ N, Full, Partial, Collapsed int64 }

// ForkStart is the first request of a fork: what it sent and what it read.
type ForkStart struct{ Prompt, Read int64 }

// Observe counts the sessions whose API bills no writes.
func Observe(sessions []*recording.Session) (b BestEffort) {
	for _, s := range sessions {
		if !unwritten(s) {
			continue
		}
		b.Sessions++
		for i := range s.Requests {
			b.add(s, i)
		}
	}
	return b
}

// unwritten reports whether the session's API bills no writes.
func unwritten(s *recording.Session) bool {
	return len(s.Requests) > 0 && s.Requests[0].Billed && !s.Requests[0].WritesKnown
}

func (b *BestEffort) add(s *recording.Session, i int) {
	r := &s.Requests[i]
	b.Requests++
	if r.Usage.Read%cacheStep == 0 {
		b.Rounded++
	}
	if r.Pred < 0 {
		if s.Threads[r.Thread].Kind == recording.Fork {
			b.Forks = append(b.Forks, ForkStart{r.Usage.Prompt(), r.Usage.Read})
		}
		return
	}
	p := &s.Requests[r.Pred]
	st := &b.Steps[band(r.Last.Sub(p.Last))]
	st.N++
	switch read := r.Usage.Read; {
	case read+fullWithin >= p.Usage.Prompt():
		st.Full++
	case read <= collapsedTo:
		st.Collapsed++
	default:
		st.Partial++
	}
}
