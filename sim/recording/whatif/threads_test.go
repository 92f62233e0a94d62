package whatif

import (
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// coldSiblings are three sub-agents of one answer, 0.4 and 0.8 s apart, that read
// nothing; a fourth of their type, later, shows that they share 9,000 tokens.
func coldSiblings(later bool) *recording.Session {
	threads := []recording.Thread{main1(), agent("a", 0), agent("b", 0), agent("c", 0)}
	reqs := []told{
		{pred: -1, at: 0, write: 30_000, output: 300},
		{thread: 1, pred: -1, at: 3_000, write: 24_500}, {thread: 2, pred: -1, at: 3_400, write: 24_500}, {thread: 3, pred: -1, at: 3_800, write: 24_500},
		{thread: 1, pred: 1, at: 8_000, read: 24_500, write: 500}, {thread: 2, pred: 2, at: 8_400, read: 24_500, write: 500},
		{thread: 3, pred: 3, at: 8_800, read: 24_500, write: 500},
		{pred: 0, at: 20_000, read: 30_000, write: 700, output: 50},
	}
	if later {
		threads = append(threads, agent("d", 7))
		reqs = append(reqs, told{thread: 4, pred: -1, at: 25_000, read: 9_000, write: 15_500})
	}
	return session(threads, reqs...)
}

func TestThreads(t *testing.T) {
	t.Run("IMP-07 IMP-08 cold siblings 0.4 and 0.8 s apart read 0, 0, 0; held until the first response begins they read what the first one wrote", func(t *testing.T) {
		a := ask(t, coldSiblings(true), &Question{Stagger: true})
		usage(t, "model", a.Model[recording.SubAgent].Usage, a.Recorded[recording.SubAgent].Usage)
		was := a.Model[recording.SubAgent].Usage
		usage(t, "what if", a.If[recording.SubAgent].Usage,
			llm.Usage{Input: was.Input, Read: was.Read + 18_000, Write5m: was.Write5m - 18_000})
		usage(t, "main", a.If[recording.Main].Usage, a.Model[recording.Main].Usage)
		if a.Held != 2 || a.Longest != 600*vtime.Millisecond {
			t.Errorf("held %d, the longest for %s", a.Held, a.Longest)
		}
		if got, want := a.Saved(), at(6250-500, 18_000); got != want {
			t.Errorf("saved %d, want %d", got, want)
		}
	})
	t.Run("IMP-08 what cold siblings share is not guessed: without it told, staggering is refused", func(t *testing.T) {
		refused(t, coldSiblings(false), &Question{Stagger: true}, "--static gives it")
		a := ask(t, coldSiblings(false), &Question{Stagger: true, Static: 9_000})
		if got, want := a.Saved(), at(6250-500, 18_000); got != want {
			t.Errorf("saved %d, want %d", got, want)
		}
		assumes(t, a, "where it shows none for a sub-agent: 9000 tokens")
	})
	t.Run("IMP-08 a hold moves all that waits for it, and no more: the siblings' requests, and the spawner's if it waited", func(t *testing.T) {
		s := coldSiblings(true)
		p, err := prepare(s, &Question{Stagger: true}, plainly)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int64{0, 0, 600, 200, 0, 600, 200, 200, 200} { // the third came back last
			if got := p.session.Requests[i].Start.Sub(s.Requests[i].Start); got != vtime.Duration(want)*vtime.Millisecond {
				t.Errorf("request %d waits %s, want %d ms", i, got, want)
			}
		}
		for i := range s.Threads {
			s.Threads[i].Async = true
		}
		if p, err = prepare(s, &Question{Stagger: true}, plainly); err != nil {
			t.Fatal(err)
		}
		if got := p.session.Requests[7].Start; got != s.Requests[7].Start {
			t.Error("a spawner that did not wait was held up")
		}
	})
	t.Run("IMP-08 siblings of another type, of another answer or of an unknown one are not held", func(t *testing.T) {
		s := coldSiblings(true)
		s.Threads[2].Type, s.Threads[3].Type = "Plan", "Review"
		refused(t, s, &Question{Stagger: true}, "no sibling began before")
		s = coldSiblings(true)
		for i := range s.Threads {
			s.Threads[i].SpawnedBy = -1
		}
		refused(t, s, &Question{Stagger: true}, "which requests spawned its sub-agents is not in the recording")
		s = coldSiblings(false)
		s.Threads[2].SpawnedBy, s.Threads[3].SpawnedBy = -1, -1
		refused(t, s, &Question{Stagger: true}, "no answer in the recording spawned more than one")
	})
	t.Run("IMP-08 a sub-agent as a fork begins with its spawner's prompt and answer instead of its own tools and system prompt", testAsForks)
	t.Run("IMP-08 a fork as a sub-agent begins with tools and system prompt instead of its parent's prompt and answer", testAsSubagents)
	t.Run("IMP-08 threads that cannot be changed are left as they are and named, each with the reason", testLeft)
}

// helper is a sub-agent of two requests with 9,000 tokens of tools and system
// prompt, spawned behind 50,000 tokens by an answer of 400.
func helper() *recording.Session {
	return session([]recording.Thread{main1(), agent("a", 0)},
		told{pred: -1, at: 0, write: 50_000, output: 400},
		told{thread: 1, pred: -1, at: 3_000, read: 9_000, write: 3_000, output: 60},
		told{thread: 1, pred: 1, at: 8_000, read: 12_000, write: 1_000, output: 60},
		told{pred: 0, at: 20_000, read: 50_000, write: 700, output: 50})
}

func testAsForks(t *testing.T) {
	a := ask(t, helper(), &Question{AsForks: true})
	usage(t, "model", a.Model[recording.SubAgent].Usage, llm.Usage{Input: 6, Read: 21_000, Write5m: 4_000, Output: 120})
	// 50,000 of the spawner's prompt are read, its answer and the sub-agent's own
	// 3,000 are written, then 1,000 more behind all that.
	usage(t, "what if", a.If[recording.SubAgent].Usage, llm.Usage{Input: 6, Read: 50_000 + 53_400, Write5m: 3_400 + 1_000, Output: 120})
	usage(t, "main", a.If[recording.Main].Usage, a.Model[recording.Main].Usage)
	if a.Changed != 1 {
		t.Errorf("%d threads changed", a.Changed)
	}
	told := ask(t, helper(), &Question{AsForks: true, Static: 4_000})
	usage(t, "what the recording tells counts", told.If.Total().Usage, a.If.Total().Usage)
	testForkSettings(t)
	s := helper() // a sub-agent of the sub-agent goes on from where that one now stands
	s.Threads = append(s.Threads, recording.Thread{Name: "b", Kind: recording.SubAgent, Type: "Explore", Parent: 1, SpawnedBy: 2})
	s.Requests = append(s.Requests, recording.Request{Thread: 2, Pred: -1, Model: opus45, Start: ms(21_000), First: ms(22_000), Last: ms(23_000),
		Usage: llm.Usage{Input: 3, Read: 9_000, Write5m: 2_000}, OutputKnown: true, WritesKnown: true, Billed: true})
	b := ask(t, s, &Question{AsForks: true})
	u := b.If[recording.SubAgent].Usage
	usage(t, "nested", llm.Usage{Read: u.Read - 103_400, Write5m: u.Write5m - 4_400}, llm.Usage{Read: 54_400, Write5m: 60 + 2_000})
}

// testForkSettings: a fork has its spawner's model, prices and lifetime, and what
// others keep alive of its spawner's tools and system prompt.
func testForkSettings(t *testing.T) {
	s := helper()
	for i := range s.Requests {
		u := &s.Requests[i].Usage
		if s.Requests[i].Thread == 1 {
			s.Requests[i].Model = sonnet
			continue
		}
		u.Write5m, u.Write1h = 0, u.Write5m
	}
	a := ask(t, s, &Question{AsForks: true})
	b := a.If[recording.SubAgent]
	usage(t, "what if", b.Usage, llm.Usage{Input: 6, Read: 50_000 + 53_400, Write1h: 3_400 + 1_000, Output: 120})
	if want := at(5000, 6) + at(500, 103_400) + at(10_000, 4_400) + at(25_000, 120); b.Cost != want {
		t.Errorf("it costs %d, want %d", b.Cost, want)
	}
	assumes(t, a, "of 1 thread that model is another one")

	s = helper() // the spawner's prompt has expired, its tools and system prompt too
	for i := 1; i < len(s.Requests); i++ {
		r := &s.Requests[i]
		r.Start, r.First, r.Last = r.Start+ms(400_000), r.First+ms(400_000), r.Last+ms(400_000)
	}
	s.Requests[3].Usage = llm.Usage{Input: 3, Read: 7_000, Write5m: 43_700}
	usage(t, "expired", ask(t, s, &Question{AsForks: true}).If[recording.SubAgent].Usage, llm.Usage{Input: 6, Read: 53_400, Write5m: 54_400, Output: 120})
}

func testAsSubagents(t *testing.T) {
	s := session([]recording.Thread{main1(), {Name: "f", Kind: recording.Fork, SpawnedBy: 0}},
		told{pred: -1, at: 0, write: 50_000, output: 400},
		told{thread: 1, pred: 0, at: 3_000, read: 50_000, write: 3_400, output: 60},
		told{thread: 1, pred: 1, at: 8_000, read: 53_400, write: 1_000, output: 60})
	refused(t, s, &Question{AsSubagents: true}, "--static gives it")
	a := ask(t, s, &Question{AsSubagents: true, Static: 9_000})
	usage(t, "model", a.Model[recording.Fork].Usage, llm.Usage{Input: 6, Read: 103_400, Write5m: 4_400, Output: 120})
	usage(t, "what if", a.If[recording.Fork].Usage, llm.Usage{Input: 6, Read: 12_000, Write5m: 12_000 + 1_000, Output: 120})
	s.Threads[1].Kind = recording.Compact
	refused(t, s, &Question{AsSubagents: true, Static: 9_000}, "which they cannot do without it")
}

func testLeft(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(s *recording.Session)
	}{
		{"which request spawned it is not in the recording", func(s *recording.Session) { s.Threads[1].SpawnedBy = -1 }},
		{"(--answer gives it)", func(s *recording.Session) { s.Requests[0].OutputKnown = false }},
		{"(--static gives it)", func(s *recording.Session) {
			s.Requests[1].Usage.Read, s.Requests[1].Usage.Write5m = 0, 12_000
		}},
		{"counts tokens otherwise", func(s *recording.Session) { s.Requests[1].Model, s.Requests[2].Model = opus48, opus48 }},
		{"was compacted", func(s *recording.Session) { s.Requests[2].Compacted = true }},
	} {
		s := helper()
		c.change(s)
		refused(t, s, &Question{AsForks: true}, c.why)
		// Beside one that can be changed it is left and named.
		n := int32(len(s.Requests))
		s.Threads = append(s.Threads, agent("b", 3))
		s.Requests = append(s.Requests, recording.Request{Thread: 2, Pred: -1, Model: opus45, Start: ms(30_000), First: ms(31_000), Last: ms(32_000),
			Usage: llm.Usage{Input: 3, Read: 9_500, Write5m: 2_000}, OutputKnown: true, WritesKnown: true, Billed: true, Version: "other"})
		a := ask(t, s, &Question{AsForks: true})
		if len(a.Left) != 1 || a.Left[0].Thread != "a" || !strings.Contains(a.Left[0].Why, c.why) || a.Changed != 1 || n != 4 {
			t.Errorf("%s: left %+v, changed %d", c.why, a.Left, a.Changed)
		}
	}
	s := helper()
	s.Requests[0].OutputKnown = false
	a := ask(t, s, &Question{AsForks: true, Answer: 400})
	usage(t, "told answer", a.If[recording.SubAgent].Usage, llm.Usage{Input: 6, Read: 103_400, Write5m: 4_400, Output: 120})
	assumes(t, a, "has 400 tokens where the recording does not tell")
}
