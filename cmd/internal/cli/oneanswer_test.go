package cli

import (
	"encoding/json"
	"math"
	"testing"

	"agentsim/cmd/internal/ui"
)

// TestOneAnswer asks three commands one question: what forks cost of what fresh
// sub-agents cost on the flagship's work.
func TestOneAnswer(t *testing.T) {
	t.Run("TRI-07 the flagship's run, crossover's simulation and whatif agree within 5 %, over seeds, and each prints its map", oneAnswer)
}

func oneAnswer(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, seed := range []string{"42", "1", "7"} {
		var run struct {
			Ratio    float64 `json:"fork_to_fresh"`
			Map      []any   `json:"fork_or_fresh"`
			Variants []struct{ Variant, Run string }
		}
		answered(t, &run, "run", "fork-vs-subagent", "--seed", seed, "--variant", "subagent-background", "--variant", "fork")
		ids := map[string]string{}
		for _, v := range run.Variants {
			ids[v.Variant] = v.Run
		}
		type ratio struct {
			Ratio float64 `json:"fork_to_fresh"`
			Map   []any   `json:"fork_or_fresh"`
		}
		var crossed, played ratio
		answered(t, &crossed, "crossover", ids["subagent-background"], ids["fork"])
		answered(t, &played, "whatif", ids["subagent-background"], "--structure", "fork", "--forks", ids["fork"])
		for _, other := range []ratio{crossed, played} {
			if off := math.Abs(other.Ratio/run.Ratio - 1); !(off <= 0.05) || len(other.Map) < 4 || len(run.Map) < 4 {
				t.Errorf("seed %s: billed %.3f, crossover %.3f, whatif %.3f", seed, run.Ratio, crossed.Ratio, played.Ratio)
			}
		}
	}
}

func answered(t *testing.T, into any, args ...string) {
	t.Helper()
	code, out, errs := try(nil, append(args, "-o", "json")...)
	if code != ui.Pass {
		t.Fatal(args, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatal(args, err)
	}
}
