package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentsim/metrics"
)

func TestScale(t *testing.T) {
	t.Run("LEAN-03 tokens of a period are told for one start and one request, and every variant by what it sends more than the first", testExtrapolate)
	t.Run("LEAN-03 of a type that never ran it is told that nothing is said", testNobodyStarted)
	t.Run("PRM-04 SUB-14 how agents were steered is told in one line, and nothing of one that nobody steered", testSteered)
}

// exploring is a run of so many agents, requests and prompt tokens.
func exploring(starts, requests, prompt int64) *metrics.Run {
	r := &metrics.Run{Types: []metrics.Type{{Name: "Explore", Agents: starts}}}
	r.Types[0].Tally.Calls = requests
	r.Types[0].Tally.Usage.Input = prompt
	return r
}

func testExtrapolate(t *testing.T) {
	rows := []Row{{Variant: "without", Run: exploring(2, 5, 4_000)}, {Variant: "with", Run: exploring(2, 5, 4_400)}, {Variant: "more", Run: exploring(1, 3, 2_800)}, {Variant: "less", Run: exploring(2, 4, 3_998)}}
	got, _ := Extrapolate(rows, Scale{Type: "Explore", Spawns: 1_000_000, Period: "day", Low: 100_000_000, High: 500_000_000})
	want := []string{
		"100 M to 500 M tok a day ÷ 1.00 M starts of Explore = 100 to 500 tok a start; a start makes 2.5 requests here: 40 to 200 tok a request",
		"with sends +200 tok a start (2.5 requests, +80 a request): × 1.00 M = 200 M tok a day, within the bounds",
		"more sends +800 tok a start (3 requests, +133 a request): × 1.00 M = 800 M tok a day, above the bounds",
		"less sends -1 tok a start (2 requests, +199 a request): × 1.00 M = -1.00 M tok a day, below the bounds",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got, ok := Extrapolate(rows[:2], Scale{Type: "Explore", Spawns: 10, Period: "day"}); !ok || len(got) != 1 || got[0] != "with sends +200 tok a start (2.5 requests, +80 a request): × 10 = 2.00 k tok a day" {
		t.Errorf("without bounds: %q", got)
	}
}

func testNobodyStarted(t *testing.T) {
	rows := []Row{{Variant: "without", Run: exploring(2, 5, 4_000)}, {Variant: "nobody", Run: &metrics.Run{}}}
	s := Scale{Type: "Explore", Spawns: 10, Period: "day"}
	for _, want := range []string{"lab.scale says nothing: it has no bounds, and no other variant starts agents of type Explore",
		"lab.scale says nothing: in what comes first no agent of type Explore is started"} {
		if got, ok := Extrapolate(rows, s); ok || len(got) != 1 || got[0] != want {
			t.Errorf("%q", got)
		}
		rows[0], rows[1] = rows[1], rows[0]
	}
}

func testSteered(t *testing.T) {
	var busy, calm metrics.Run
	busy.Total.Prompts, busy.Total.Denials, busy.Total.Backgrounded, busy.Total.Killed = 2, 1, 1, 3
	want := []string{"busy asked for permission 2 times, had 1 tool use denied, moved 1 agent to the background, lost 3 agents to aborts"}
	if d := cmp.Diff(want, Steered([]Row{{Variant: "busy", Run: &busy}, {Variant: "calm", Run: &calm}})); d != "" {
		t.Error(d)
	}
}

func TestPointed(t *testing.T) {
	t.Run("TTY-02 figures of a column have their points below one another, however many decimals and whichever unit each has", func(t *testing.T) {
		table := NewTable("WHAT", " FIGURE", "WORD")
		for _, cell := range []string{"$0.15", "1,474 k", "27.9 k", "-5", "+0.874", "12.3 %", "1.03×", "9m12s", "–"} {
			table.Row("x", cell, "1.0")
		}
		want := `WHAT     FIGURE  WORD
x        $0.15   1.0
x     1,474 k    1.0
x        27.9 k  1.0
x        -5      1.0
x        +0.874  1.0
x        12.3 %  1.0
x         1.03×  1.0
x         9m12s  1.0
x             –  1.0
`
		if got := written(t, table, 0); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}
