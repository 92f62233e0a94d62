package toscenario

import (
	"path/filepath"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/recording"
	"agentsim/sim/recording/player"
)

// BenchmarkRun runs the session of the sample that has the median number of calls of
// recorded ones, and the longest.
func BenchmarkRun(b *testing.B) {
	t := &testing.T{}
	sessions := read(t, filepath.Join("..", "..", "..", "testdata", "validation"), "sample.jsonl.gz", false)
	pick := map[string]*recording.Session{}
	for _, s := range sessions {
		if player.Playable(s) != nil {
			continue
		}
		if n := len(s.Requests); n >= 45 && n <= 55 {
			pick["median"] = s
		}
		if p := pick["longest"]; p == nil || len(p.Requests) < len(s.Requests) {
			pick["longest"] = s
		}
	}
	for _, name := range []string{"median", "longest"} {
		b.Run(name, func(b *testing.B) {
			told, err := Of(pick[name], Options{Slack: slack})
			if err != nil {
				b.Fatal(err)
			}
			f, err := scenarios.Parse("told.yaml", told.Text("told", "a test", slack))
			if err != nil {
				b.Fatal(err)
			}
			sc, err := f.Effective(f.VariantNames()[0], nil)
			if err != nil {
				b.Fatal(err)
			}
			spec, err := sim.NewSpec(sc, "")
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := sim.Run(spec, sim.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(pick[name].Requests)), "calls")
		})
	}
}
