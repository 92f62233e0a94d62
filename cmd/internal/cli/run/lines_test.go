package run

import (
	"testing"

	"agentsim/cmd/internal/loading"
	"agentsim/scenarios"
	"agentsim/sim"
)

func TestLines(t *testing.T) {
	t.Run("CLI-04 the line that repeats a run is quoted for a shell", quoting)
}

func quoting(t *testing.T) {
	o := &options{name: "my scenario.yaml", sets: []string{"main.user=it's $HOME"}, project: loading.Project{Dir: "a b"}}
	got := o.repeat(&sim.Spec{Scenario: &scenarios.Scenario{Seed: 7}, Variant: "fork[prompting=lazy]", Policy: "random"})
	want := `agentsim run 'my scenario.yaml' --seed 7 --policy random --variant 'fork[prompting=lazy]' --set 'main.user=it'\''s $HOME' --project 'a b'`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
