package run

import (
	"testing"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/scenarios"
	"agentsim/sim"
)

func TestLines(t *testing.T) {
	t.Run("CLU-02 an interrupted population goes on from what was done where workers did it, and elsewhere does not say so", goesOn)
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

func goesOn(t *testing.T) {
	p := &harness.Population{Scenario: &scenarios.Scenario{Population: &scenarios.Population{Sessions: 40_000, Shard: 25, Workspace: 1}}, Sessions: 6_150, Stopped: true}
	p.Totals.Runs = 246
	a := &populations{options: &options{}, done: []*harness.Population{p}}
	for url, more := range map[string]string{"": "", "nats://queue:4222": "; the same command goes on from what workers have done"} { // order: each is a case of its own
		a.server.URL = url
		if got := a.verdict().Error(); got != "interrupted after 246 of 1,600 shards"+more {
			t.Error(got)
		}
		if got := a.open(p); len(got) != 1 || got[0] != "interrupted: these are the first 6,150 of 40,000 sessions, 246 of 1,600 shards"+more {
			t.Error(got)
		}
	}
	if got := a.auditedOf(p); got != "none of 246 shards" {
		t.Error(got)
	}
	if got := inShards(a.done); got != "6,150 of 40,000 sessions · 246 of 1,600 shards of 25" {
		t.Error(got)
	}
	dear := *p
	dear.Variant, p.Stopped = "dear", false
	if got := inShards([]*harness.Population{p, &dear}); got != "40,000 sessions, dear: 6,150 of 40,000 sessions · 1,600 shards of 25" {
		t.Error(got)
	}
}
