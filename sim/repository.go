package sim

import (
	"agentsim/scenarios"
	"agentsim/sim/agent"
)

// remote is what the scenario's remote environments are like.
func remote(sc *scenarios.Scenario) agent.Remote {
	r := sc.Remote
	if r == nil {
		return agent.Remote{}
	}
	return agent.Remote{Offered: true, Latency: *r.Latency, Loss: r.Loss, Reconnect: *r.Reconnect, Scope: sc.Provider.Scope}
}

// linked are the directories that git does not track where a scenario names none.
var linked = []string{"node_modules"}

// repository is what the scenario's project is in.
func repository(sc *scenarios.Scenario) agent.Repository {
	p := &sc.Project
	r := agent.Repository{None: p.Repository == scenarios.NoRepository, Empty: p.Repository == scenarios.Uncommitted, Linked: p.Linked}
	if r.Linked == nil {
		r.Linked = linked
	}
	return r
}
