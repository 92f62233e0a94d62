package whatif

import (
	"slices"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/scenarios"
	"agentsim/sim/crossover"
	"agentsim/sim/recording"
)

func restructured(t *testing.T, s *recording.Session, structure scenarios.Structure) *Structured {
	t.Helper()
	in := &crossover.Inputs{}
	in.Add(s)
	a, err := Restructure(s, structure, in, plainly)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// costs are prices of Opus 4.5, in millionths of a dollar a token: 5 plain, 0.5 read,
// 6.25 written for 5m, 25 of output.
func costs(plain, read, written, output int64) cachemodel.Picodollars {
	return at(5000, plain) + at(500, read) + at(6250, written) + at(25_000, output)
}

func TestStructure(t *testing.T) {
	t.Run("IMP-08 TRI-06 a sub-agent as a fork goes on from its spawner's prompt and answer, with its task and what overlap leaves to be read", func(t *testing.T) {
		a := restructured(t, helper(), scenarios.Fork)
		if want := costs(6, 21_000, 4_000, 120); a.Told.Children != want {
			t.Errorf("as it was it cost %d, want %d", a.Told.Children, want)
		}
		// 50,000 are read, then the answer, the task and 943 that were read (1,000 less the
		// child's answer and plain tokens) are written, and its answer of 60.
		for _, r := range a.Rows {
			first := 50_003 + 400 + int64(crossover.TaskTokens)
			read := (1_000 - 60) * (1000 - r.Overlap) / 1000
			want := costs(6, 50_000+first, first-50_000+read+60, 120)
			if r.Children != want {
				t.Errorf("overlap %d: %d, want %d", r.Overlap, r.Children, want)
			}
			if r.Session-r.Children != a.Told.Session-a.Told.Children {
				t.Errorf("overlap %d: the parent's bill changed by %d", r.Overlap, r.Session-r.Children-a.Told.Session+a.Told.Children)
			}
		}
		if len(a.Rows) != len(Unknown)+2 || !slices.IsSortedFunc(a.Rows, func(a, b Row) int { return int(a.Overlap - b.Overlap) }) || a.Point().Overlap != Unknown[1] {
			t.Errorf("%+v", a.Rows)
		}
	})
	t.Run("IMP-08 TRI-06 a fork as a sub-agent begins with a head of its own instead of its parent's conversation", func(t *testing.T) {
		s := session([]recording.Thread{main1(), {Name: "f", Kind: recording.Fork, SpawnedBy: 0}, agent("a", 0)},
			told{pred: -1, at: 0, write: 50_000, output: 400},
			told{thread: 1, pred: 0, at: 3_000, read: 50_000, write: 3_400, output: 60},
			told{thread: 2, pred: -1, at: 3_100, write: 12_000, output: 60},
			told{thread: 1, pred: 1, at: 8_000, read: 53_400, write: 1_000, output: 60})
		a := restructured(t, s, scenarios.Subagent)
		first := int64(12_000 + crossover.TaskTokens)
		if got, want := a.Rows[0].Children, costs(6, first, first+1_000, 120)+costs(3, 0, 12_000, 60); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	})
	t.Run("TRI-06 inline the parent makes the calls, and what they add stays in its conversation; a coordinator is re-invoked by each report that was waited for", func(t *testing.T) {
		s := helper()
		inline, told := restructured(t, s, scenarios.Inline), restructured(t, s, scenarios.Coordinated)
		// The parent's last call reads the child's answers and results as well.
		if got := inline.Rows[0]; got.Session-got.Children != inline.Told.Session-inline.Told.Children || got.Session == inline.Told.Session {
			t.Errorf("%+v, as it was %+v", got, inline.Told)
		}
		more := told.Rows[0].Session - told.Told.Session
		if least := costs(0, 50_000, 0, 100); more < least || more > 2*least {
			t.Errorf("a re-invocation of a prompt of 50,000 costs %d more, want %d or little more", more, least)
		}
	})
	t.Run("TRI-06 a conversation that goes back to an earlier call, and a thread that goes on from one, hold of children's work what was there before it", func(t *testing.T) {
		calls := []told{
			{pred: -1, at: 0, write: 50_000, output: 400},
			{thread: 1, pred: -1, at: 3_000, write: 12_000, output: 60},
			{thread: 1, pred: 1, at: 8_000, read: 12_000, write: 1_000, output: 60},
			{pred: 0, at: 20_000, read: 50_000, write: 2_000, output: 100},
		}
		threads := []recording.Thread{main1(), agent("a", 0), {Name: "c", Kind: recording.Compact, SpawnedBy: 3}}
		bill := func(calls ...told) cachemodel.Picodollars {
			return restructured(t, session(threads, calls...), scenarios.Inline).Rows[0].Session
		}
		back := told{pred: 0, at: 30_000, read: 50_000, write: 1_000, output: 100}
		less, more := bill(calls...), bill(append(calls, back)...)
		if got, want := more-less, costs(3, 50_000, 1_000, 100); got != want {
			t.Errorf("the call that goes back costs %d, want %d", got, want)
		}
		on := told{thread: 2, pred: 3, at: 30_000, read: 52_000, write: 1_000, output: 100}
		more = bill(append(calls, on)...)
		if got, least := more-less, costs(3, 52_000+1_000, 1_000, 100); got < least {
			t.Errorf("the thread that goes on costs %d, want at least %d", got, least)
		}
	})
	t.Run("TRI-05 TRI-06 a miss of the parent stays one: what it found before is found where the calls before it now end", func(t *testing.T) {
		calls := []told{
			{pred: -1, at: 0, write: 50_000, output: 400},
			{thread: 1, pred: -1, at: 3_000, write: 12_000, output: 60},
			{thread: 1, pred: 1, at: 8_000, read: 12_000, write: 1_000, output: 60},
			{pred: 0, at: 20_000, read: 50_000, write: 2_000, output: 100},
			{pred: 3, at: 25_000, read: 52_000, write: 2_000, output: 100},
		}
		missed := told{pred: 4, at: 30_000, read: 52_000, write: 3_000, output: 100} // 2,000 of them again
		for _, structure := range []scenarios.Structure{scenarios.Inline, scenarios.Coordinated} {
			bill := func(calls ...told) (*Structured, cachemodel.Picodollars) {
				a := restructured(t, session([]recording.Thread{main1(), agent("a", 0)}, calls...), structure)
				return a, a.Rows[0].Session
			}
			_, less := bill(calls...)
			a, more := bill(append(calls, missed)...)
			gained := int64(1_000) // of the child's answer and what it read, inline
			if structure == scenarios.Coordinated {
				gained = crossover.TaskTokens
			}
			if got, want := more-less, costs(3, 52_000+gained, 3_000, 100); got != want || len(a.Fell) > 0 {
				t.Errorf("%s: the call that misses costs %d, want %d; fell away: %q", structure, got, want, a.Fell)
			}
		}
	})
	t.Run("TRI-05 what was told of a thread that is another one then falls away and is listed", func(t *testing.T) {
		s := helper()
		s.Requests[1].Usage.Read, s.Requests[1].Usage.Write5m = 9_000, 3_000 // nobody in the session left them
		a := restructured(t, s, scenarios.Fork)
		if !slices.ContainsFunc(a.Fell, func(x string) bool { return strings.Contains(x, "warm heads 1") }) {
			t.Errorf("fell away: %q", a.Fell)
		}
		s.Requests[2].Compacted = true
		if a := restructured(t, s, scenarios.Fork); len(a.Left) != 1 || !strings.Contains(a.Left[0], "begins anew") || a.Rows[0].Session != a.Told.Session {
			t.Errorf("left %q, %+v as it was %+v", a.Left, a.Rows[0], a.Told)
		}
	})
	t.Run("TRI-06 a child on another model is answered for on its parent's as well; a session without children is refused", func(t *testing.T) {
		s := helper()
		s.Requests[1].Model, s.Requests[2].Model = sonnet, sonnet
		a := restructured(t, s, scenarios.Fork)
		if r := a.Rows[0]; r.Structure != scenarios.Subagent || !strings.HasPrefix(r.Model, "claude-opus-4-5") || r.Children <= a.Told.Children {
			t.Errorf("%+v, as it was %+v", r, a.Told)
		}
		if _, err := Restructure(pause(), scenarios.Fork, &crossover.Inputs{}, plainly); err == nil || !strings.Contains(err.Error(), "has no sub-agent and no fork") {
			t.Error(err)
		}
	})
}
