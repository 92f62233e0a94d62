package forks

import (
	"regexp"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/metrics/report"
	"agentsim/sim/crossover"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

// parent is a session in which one child was started by a prompt of 100,000 tokens.
func parent() *recording.Session {
	call := func(thread int32, u llm.Usage) recording.Request {
		return recording.Request{Thread: thread, Pred: -1, Model: "claude-sonnet-5-5", Usage: u, OutputKnown: true, WritesKnown: true, Billed: true}
	}
	return &recording.Session{ID: "s", Threads: []recording.Thread{{Name: "main", Parent: -1, SpawnedBy: -1}, {Name: "a", Kind: recording.SubAgent}},
		Requests: []recording.Request{call(0, llm.Usage{Write5m: 100_000, Output: 100}), call(1, llm.Usage{Write5m: 20_000, Output: 100})}}
}

func TestHolds(t *testing.T) {
	t.Run("TRI-09 a map that is more than a quarter off, or on the other side of 1, is told and marks no answer", func(t *testing.T) {
		in := &crossover.Inputs{}
		in.Add(parent())
		q := in.Settled()
		mapped := crossover.Estimate(q)
		for _, c := range []struct {
			thousandths int64 // of what the map gives for forks
			holds       bool
		}{{1000, true}, {1200, true}, {1500, false}, {700, false}} {
			p := &Point{In: in, How: "billed", Pair: mapped}
			p.Pair.Fork = p.Pair.Fork / 1000 * cachemodel.Picodollars(c.thousandths)
			d := &report.Document{}
			p.Tell(d)
			var b strings.Builder
			if err := d.Write(&b, "table", report.Style{}); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			for pattern, is := range map[string]bool{`\nforks .*\n +the map does not hold here: `: !c.holds, `\[f`: c.holds, `the ranking `: c.holds, `not known`: !c.holds} {
				if regexp.MustCompile(pattern).MatchString("\n"+text) != is {
					t.Errorf("%d: %s: found is not %v in\n%s", c.thousandths, pattern, is, text)
				}
			}
		}
	})
}

func TestKnown(t *testing.T) {
	t.Run("TRI-09 a share says of how many children it was measured, and where they are too few", func(t *testing.T) {
		for _, c := range []struct {
			n, all int64
			sample bool
			want   string
		}{
			{0, 37, true, "1.9 % is assumed here"},
			{2, 37, true, "here 1.9 % (n 2 of 37, thin)"},
			{30, 37, true, "here 1.9 % (n 30 of 37)"},
			{7, 7, true, "here 1.9 % (n 7, thin)"},
			{37, 37, true, "here 1.9 %"},
			{8, 8, false, "here 1.9 %"},
			{2, 8, false, "here 1.9 % (n 2 of 8, thin)"},
		} {
			if got := known(19, c.n, c.all, c.sample); got != c.want {
				t.Errorf("%d of %d: %q, want %q", c.n, c.all, got, c.want)
			}
		}
	})
}
