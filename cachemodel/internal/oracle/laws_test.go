package oracle

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
	"agentsim/cachemodel/laws"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// timed is a request of a fixed timed sequence.
type timed struct {
	at, begin vtime.Instant
	talk      conversation
	marks     int // breakpoints: the last block, and the one so many before it
	child     bool
}

// timeline draws a parent's append-only conversation and its children's, whose
// chains begin with the parent's.
func timeline(t *rapid.T) []timed {
	var out []timed
	talk := conversation{{llm.System, llm.Text, 0}, {llm.System, llm.Text, 1}, {llm.System, llm.Text, 0}}
	var now vtime.Instant
	for range rapid.IntRange(2, 8).Draw(t, "turns") {
		talk = longer(t, talk)
		now = now.Add(rapid.SampledFrom(steps).Draw(t, "wait"))
		out = append(out, request(t, now, talk, false))
		for range rapid.IntRange(0, 3).Draw(t, "children") {
			child := longer(t, talk[:rapid.IntRange(1, len(talk)).Draw(t, "fork at")])
			at := now.Add(rapid.SampledFrom(steps).Draw(t, "after"))
			out = append(out, request(t, at, child, true))
		}
	}
	slices.SortStableFunc(out, func(a, b timed) int { return int(min(1, max(-1, a.at.Sub(b.at)))) })
	return out
}

func longer(t *rapid.T, c conversation) conversation {
	c = c[:len(c):len(c)]
	for range rapid.SampledFrom([]int{1, 2, 3, 18, 19}).Draw(t, "blocks") {
		c = append(c, spec{llm.Messages, llm.Text, rapid.IntRange(0, 1).Draw(t, "content")})
	}
	return c
}

func request(t *rapid.T, at vtime.Instant, talk conversation, child bool) timed {
	return timed{at: at, begin: at.Add(rapid.SampledFrom(steps[:6]).Draw(t, "first byte")), talk: talk,
		marks: rapid.IntRange(0, 3).Draw(t, "mark before"), child: child}
}

// play runs a sequence: at one instant, first bytes come before admissions.
func play(e cachemodel.Engine, seq []timed, ttl llm.TTL, check func(a *cachemodel.Admission, i int)) {
	var open []*cachemodel.Admission
	var due []vtime.Instant
	begin := func(until vtime.Instant) {
		for i := range open {
			if a := open[i]; a != nil && due[i] <= until {
				e.Begin(due[i], a)
				e.End(due[i], a, cachemodel.Completed, nil, 10)
				open[i] = nil
			}
		}
	}
	for i := range seq {
		for _, at := range sorted(due, seq[i].at) {
			begin(at)
		}
		head := seq[i].talk.head()
		req := &llm.Request{Head: head, MaxTokens: 1}
		if n := back(head, seq[i].marks); n != head && n.Level == llm.Messages {
			req.Breakpoints = append(req.Breakpoints, llm.Breakpoint{Node: n, TTL: ttl})
		}
		req.Breakpoints = append(req.Breakpoints, llm.Breakpoint{Node: head, TTL: ttl})
		a := &cachemodel.Admission{}
		if err := e.Admit(seq[i].at, &cachemodel.Request{Request: req, Profile: profile, Counts: bytesAre{}}, a); err != nil {
			panic(err)
		}
		check(a, i)
		open, due = append(open, a), append(due, seq[i].begin)
	}
}

func sorted(due []vtime.Instant, until vtime.Instant) []vtime.Instant {
	var out []vtime.Instant
	for _, d := range due {
		if d <= until {
			out = append(out, d)
		}
	}
	slices.Sort(out)
	return out
}

func back(n *llm.Node, steps int) *llm.Node {
	for ; steps > 0 && n.Parent != nil && !n.Parent.IsBorder(); steps-- {
		n = n.Parent
	}
	return n
}

// reads plays the sequence and returns what each request reads; with children
// left out, those of the parent only.
func reads(e cachemodel.Engine, seq []timed, ttl llm.TTL, children bool) []int64 {
	var mine []timed
	for _, r := range seq {
		if children || !r.child {
			mine = append(mine, r)
		}
	}
	var out []int64
	play(e, mine, ttl, func(a *cachemodel.Admission, _ int) { out = append(out, a.Usage.Read) })
	return out
}

type engines func(late vtime.Duration) cachemodel.Engine

func sound(late vtime.Duration) cachemodel.Engine {
	return cachemodel.NewAnthropic(cachemodel.AnthropicOptions{LookbackCrossesLevels: true, LateExpiry: late})
}

// l4 is the law that children never lower what their parent reads.
func l4(make engines, seq []timed) error {
	alone, i := reads(make(0), seq, llm.TTL5m, false), 0
	for k, got := range reads(make(0), seq, llm.TTL5m, true) {
		if seq[k].child {
			continue
		}
		if got < alone[i] {
			return fmt.Errorf("CACHE-L4: the parent's request %d reads %d alone and %d with children", i, alone[i], got)
		}
		i++
	}
	return nil
}

// l5 is the law that a longer life never reads less, and that no cache never
// costs less than one whose writes are free of a surcharge.
func l5(make engines, seq []timed) error {
	least := reads(make(0), seq, llm.TTL5m, true)
	for name, more := range map[string][]int64{
		"expiry a minute later": reads(make(vtime.Minute), seq, llm.TTL5m, true),
		"a life of an hour":     reads(make(0), seq, llm.TTL1h, true),
	} {
		for i := range least {
			if more[i] < least[i] {
				return fmt.Errorf("CACHE-L5: with %s request %d reads %d, otherwise %d", name, i, more[i], least[i])
			}
		}
	}
	free := cachemodel.Profile{Rates: cachemodel.Rates{Input: 100, Write5m: 100, Write1h: 100, Read: 10, Output: 500}}
	var err error
	play(make(0), seq, llm.TTL5m, func(a *cachemodel.Admission, i int) {
		if c, u := free.Cost(a.Usage), free.CostUncached(a.Usage); c > u {
			err = fmt.Errorf("CACHE-L5: request %d costs %d with free writes and %d with no cache", i, c, u)
		}
	})
	return err
}

// forgetful is a cache that loses everything now and then: it breaks L4 and,
// because it does so only when it should remember longer, L5.
type forgetful struct {
	cachemodel.Engine
	every, seen int
	late        vtime.Duration
}

func forgets(every int, when func(late vtime.Duration) bool) engines {
	return func(late vtime.Duration) cachemodel.Engine {
		if !when(late) {
			return sound(late)
		}
		return &forgetful{Engine: sound(late), every: every, late: late}
	}
}

func (f *forgetful) Admit(now vtime.Instant, req *cachemodel.Request, a *cachemodel.Admission) error {
	if f.seen++; f.seen%f.every == 0 {
		old := f.Engine
		f.Engine = sound(f.late)
		return old.Admit(now, req, a)
	}
	return f.Engine.Admit(now, req, a)
}

func TestLaws(t *testing.T) {
	for name, law := range map[string]func(engines, []timed) error{
		"CACHE-L4 children never lower what their parent reads":                                   l4,
		"CACHE-L5 a longer life never reads less, and no cache never costs less than free writes": l5,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				if err := law(sound, timeline(t)); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
	t.Run("CACHE-L4 CACHE-L5 a cache that forgets is caught by both", func(t *testing.T) {
		for name, broken := range map[string]func([]timed) error{
			"L4": func(s []timed) error { return l4(forgets(4, func(vtime.Duration) bool { return true }), s) },
			"L5": func(s []timed) error { return l5(forgets(4, func(l vtime.Duration) bool { return l > 0 }), s) },
		} {
			caught := 0
			for seed := range 50 {
				if broken(rapid.Custom(timeline).Example(seed)) != nil {
					caught++
				}
			}
			if caught == 0 {
				t.Errorf("%s: fifty sequences and none breaks it", name)
			}
		}
	})
	t.Run("CACHE-L1 CACHE-L2 CACHE-L3 hold on every call of random sequences", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			seq := timeline(t)
			play(sound(0), seq, llm.TTL5m, func(a *cachemodel.Admission, i int) {
				if err := laws.Check(a); err != nil {
					t.Fatalf("request %d: %v", i, err)
				}
			})
		})
	})
}
