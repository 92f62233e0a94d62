package loading

import (
	"fmt"
	"maps"
	"slices"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/workspace"
)

// aliasing gives aliases of models that a project asks for, and that stand for none,
// the models that check takes them for.
type aliasing struct{ said []string }

// definitions does so for the definitions of a project.
func (a *aliasing) definitions(sc *scenarios.Scenario, project *workspace.Snapshot) {
	if set, err := sim.Definitions(sc, sim.DefinitionSources(sc, project)); err == nil { // the run says what is wrong
		for _, d := range set.Definitions {
			if !d.BuiltIn() {
				a.resolve(&sc.Provider, d.Model)
			}
		}
	}
}

// resolve takes an alias for the newest model of that name.
func (a *aliasing) resolve(p *scenarios.Provider, name string) {
	model := Aliases()[name]
	if model == "" || p.Aliases[name] != "" {
		return
	}
	to := map[string]string{name: model}
	maps.Copy(to, p.Aliases)
	p.Aliases = to
	line := fmt.Sprintf("alias %s is %s, the newest of that name: provider: {aliases: {%s: MODEL}} says another", name, to[name], name)
	if !slices.Contains(a.said, line) {
		a.said = append(a.said, line)
	}
}

// Aliases are the models that a directory's aliases stand for where nothing says
// another: the newest of each name.
func Aliases() map[string]string {
	out := map[string]string{}
	for _, name := range scenarios.Aliases {
		out[name] = scenarios.Newest(name)
	}
	return out
}
