// Package latency is how long a call of the model takes on virtual time.
//
// Rules:
//   - Everything is whole nanoseconds, and every wait is greater than zero.
//   - The formulas add and multiply, and divide by nothing, so scaling each
//     duration of a profile by k scales every instant by exactly k.
//   - A named profile says where its figures come from; invented ones say so.
package latency

import (
	"fmt"
	"strings"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// Latency is the timing of one call. With u prompt tokens neither read from the
// cache nor anywhere else, r tokens read from the cache, and o output tokens:
//
//	first byte = admission + queue + Prefill·u + Read·r + jitter
//	token n    = first byte + Decode·n
//	last byte  = first byte + Decode·max(o, 1)
//	queue      = Queue, or drawn from Queued
//	jitter     = (Jitter/1000)·d, d drawn from 0 … 1000, or drawn from Jittered
//
// Draws belong to the call and its attempt.
//
// A token read from the cache costs Read instead of Prefill, which is how a
// cache hit shortens the wait for the first byte.
type Latency struct {
	Queue   vtime.Duration // from admission to the start of prefill
	Prefill vtime.Duration // per prompt token that is not read from the cache
	Read    vtime.Duration // per prompt token read from the cache
	Decode  vtime.Duration // per output token
	Jitter  vtime.Duration // upper bound of the keyed delay before the first byte; whole microseconds, 0 is none

	Queued, Jittered *rng.Span // in place of Queue and Jitter; nil: those
}

// jitterSteps is the number of steps from no jitter to all of it. A bound in
// whole microseconds has a step of whole nanoseconds.
const jitterSteps = 1000

// Check says which field cannot stand: all but Jitter must be greater than
// zero, and Jitter must be whole microseconds.
func (l Latency) Check() error {
	for _, f := range [...]struct {
		name string
		d    vtime.Duration
	}{{"queue", l.Queue}, {"prefill", l.Prefill}, {"read", l.Read}, {"decode", l.Decode}} {
		if f.d <= 0 {
			return fmt.Errorf("latency %s is %s: give a duration greater than zero, such as 1ms", f.name, f.d)
		}
	}
	if l.Queued != nil && l.Queued.Lo <= 0 {
		return fmt.Errorf("latency queue may be drawn as 0s: give min, such as min: 1ms, or draw from more than 0s on")
	}
	if l.Jitter < 0 || l.Jitter%vtime.Microsecond != 0 {
		return fmt.Errorf("latency jitter is %s: give whole microseconds, such as 50ms, or 0s", l.Jitter)
	}
	return nil
}

// FirstByte is the wait from admission to the first byte of the response. key
// names the call and its attempt.
func (l *Latency) FirstByte(uncached, read int64, key rng.Key) vtime.Duration {
	d := l.Wait(key) + l.Prefill*vtime.Duration(uncached) + l.Read*vtime.Duration(read)
	switch {
	case l.Jittered != nil:
		d += vtime.Duration(l.Jittered.Draw(key.Sub("jitter")))
	case l.Jitter > 0:
		d += l.Jitter / jitterSteps * vtime.Duration(key.Sub("jitter").Between(0, jitterSteps))
	}
	return d
}

// Wait is the wait from admission to the start of prefill. key names the call and
// its attempt.
func (l *Latency) Wait(key rng.Key) vtime.Duration {
	if l.Queued == nil {
		return l.Queue
	}
	return vtime.Duration(l.Queued.Draw(key.Sub("queue")))
}

// Stream is the wait from the first byte to the one that ends output token n;
// an empty response takes as long as one token.
func (l *Latency) Stream(n int64) vtime.Duration { return l.Decode * vtime.Duration(max(n, 1)) }

// Profile is a named Latency and where its figures come from.
type Profile struct {
	Name    string
	Latency Latency
	Source  string
}

// Default is the profile of a scenario that names none.
const Default = "opus-4-recorded"

func figures(queue, prefill, read, decode, jitter vtime.Duration) Latency {
	return Latency{Queue: queue, Prefill: prefill, Read: read, Decode: decode, Jitter: jitter}
}

var profiles = [...]Profile{
	{"opus-4-recorded", figures(1504*vtime.Millisecond, 25*vtime.Microsecond, 1120*vtime.Nanosecond, 12250*vtime.Microsecond, 800*vtime.Millisecond),
		"fitted (least absolute error) on the 2,511 requests of Claude Opus 4.5 to 4.8 with a final output count in sessions recorded under MIT licences; half of them within 0.8s of the formula, which is the jitter"},
	{"round", figures(200*vtime.Millisecond, 100*vtime.Microsecond, 2*vtime.Microsecond, 15*vtime.Millisecond, 50*vtime.Millisecond),
		"invented, round figures"},
	{"steady", figures(200*vtime.Millisecond, 100*vtime.Microsecond, 2*vtime.Microsecond, 15*vtime.Millisecond, 0),
		"invented, round figures: round without jitter"},
	{"instant", figures(1, 1, 1, 1, 0),
		"invented: one nanosecond each, for worlds in which only order matters"},
}

// All lists the profiles in a fixed order.
func All() []Profile { return append([]Profile(nil), profiles[:]...) }

// Named is the profile of that name, Default for "". An unknown name is an
// error that lists the known ones.
func Named(name string) (Profile, error) {
	if name == "" {
		name = Default
	}
	known := make([]string, len(profiles))
	for i, p := range profiles {
		if p.Name == name {
			return p, nil
		}
		known[i] = p.Name
	}
	return Profile{}, fmt.Errorf("unknown latency profile %q: the profiles are %s", name, strings.Join(known, ", "))
}
