package oracle

import (
	"flag"
	"os"
	"testing"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
	"agentsim/sim/vtime"
)

// TestMain makes the sequences long and many enough that each clause of the
// engine, left out by hand, was caught. Flags on the command line win.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.checks": "800", "rapid.steps": "100"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// agree runs a random sequence of timed requests through both.
func agree(t *rapid.T, w *world) {
	t.Repeat(map[string]func(*rapid.T){
		"wait":  w.wait,
		"write": w.write,
		"fork":  w.fork,
		"send":  w.send,
		"sends": w.send,
		"begin": w.begin,
		"end":   w.end,
	})
}

func TestConformance(t *testing.T) {
	t.Run("CACHE-22 CON-10 the engine, which walks no history, agrees with lists that are walked whole", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			agree(t, newWorld(cachemodel.AnthropicOptions{
				LookbackCrossesLevels: rapid.Bool().Draw(t, "crosses"),
				LateExpiry:            rapid.SampledFrom([]vtime.Duration{0, 0, vtime.Second}).Draw(t, "late"),
			}))
		})
	})
}
