package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// reviews is a lead that gives out n reviews of a file each, by a strategy.
func reviews(strategy string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: reviews\ninteractive: true\ngates: {FORK_SUBAGENT: %t}\n", strategy == "fork")
	b.WriteString("provider: {model: claude-sonnet-4-5-20250929}\nstrategy: " + strategy + "\nproject:\n  files:\n")
	for i := range n {
		fmt.Fprintf(&b, "    f%d.go: {tokens: 300, class: code}\n", i)
	}
	b.WriteString("main: {user: Review it.}\nwork:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: r%d, kind: research, reads: [f%d.go]}\n", i, i)
	}
	return b.String()
}

func TestAssumed(t *testing.T) {
	t.Run("CON-13 how many children begin in one answer is assumed, and when all at once would be out of the look-back's reach", spawnsAssumed)
	t.Run("SUB-09 which model each type of child has is assumed, and that forks keep their parent's", modelsAssumed)
}

// assumes holds what a run assumes against what it must and must not say.
func assumes(t *testing.T, text string, sets []string, want string, not ...string) {
	t.Helper()
	got := runOf(t, specOf(t, text, "", sets...)).Assumed
	if !slices.Contains(got, want) {
		t.Errorf("%q is not among %q", want, got)
	}
	for _, no := range not {
		if strings.Contains(strings.Join(got, "\n"), no) {
			t.Errorf("%q is among %q", no, got)
		}
	}
}

func spawnsAssumed(t *testing.T) {
	const out = ": all in one answer would be out of the look-back's reach (--set model.spawns_per_turn="
	assumes(t, reviews("fork", 9), nil, "8 spawns a turn for 9 items"+out+"9)")
	assumes(t, reviews("subagent", 9), nil, "8 spawns a turn for 9 items")
	assumes(t, reviews("subagent", 10), nil, "8 spawns a turn for 10 items"+out+"10)")
	assumes(t, reviews("fork", 9), []string{"model.spawns_per_turn=9"}, "9 spawns a turn")
	assumes(t, reviews("fork", 9), []string{"provider.fourth_mark=true"}, "8 spawns a turn for 9 items")
	assumes(t, reviews("fork", 4), []string{"model.spawns_per_turn=2"}, "2 spawns a turn for 4 items")
	assumes(t, reviews("inline", 9), nil, "2 reads a turn", "spawns a turn")
	chained := strings.ReplaceAll(reviews("fork", 9), "{id: r8,", "{id: r8, after: [r0],")
	assumes(t, chained, nil, "8 spawns a turn")
}

func modelsAssumed(t *testing.T) {
	haiku := []string{"provider.subagent_model=claude-haiku-4-5-20251001"}
	assumes(t, reviews("subagent", 2), haiku, "general-purpose on claude-haiku-4-5-20251001")
	assumes(t, reviews("fork", 2), nil, "forks on claude-sonnet-4-5-20250929, the model of their parent", "main on")
}
