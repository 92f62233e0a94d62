package whatif

import (
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
