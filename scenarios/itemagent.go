package scenarios

import (
	"cmp"
	"slices"

	"agentsim/scenarios/document"
)

// typeOf is the agent type that an item's child is started with, "" for none.
func (s *Scenario) typeOf(it *Item) string { return cmp.Or(it.Agent.Type, s.Type) }

// itemAgent checks the child that an item names. Whether a type that the
// scenario's files may define is there, the run finds out.
func (c *checker) itemAgent(path string, it *Item) {
	a, s := &it.Agent, c.s
	if *a == (ItemAgent{}) {
		return
	}
	if it.By == "lead" {
		c.bad(path, "take it away, or by: lead", "work item %q is the lead's own, and names an agent", it.ID)
	}
	types, readOnly := c.agentTypes()
	if knowsTypes(c.file, s) {
		c.oneOf(path+".type", "agent type", a.Type, types...)
	}
	if slices.Contains(readOnly, a.Type) && len(it.Edits) > 0 {
		c.bad(path+".type", "type: "+s.defaultType(), "work item %q edits, which type %s cannot", it.ID, a.Type)
	}
	c.itemModel(path, it)
}

// itemModel checks the model of an item's child: the call takes the three names
// alone, and each must stand for a model.
func (c *checker) itemModel(path string, it *Item) {
	model, at, what := it.Agent.Model, path+".model", "alias %q stands for no model"
	switch {
	case model != "" && c.s.Stack == MinimalStack:
		c.bad(at, "take it away", "stack minimal starts agents without naming a model")
		return
	case model != "" && !slices.Contains(Aliases, model):
		c.bad(at, document.DidYouMeanOr(model, Aliases)+"; provider: {aliases: {haiku: MODEL}} says which model that is", "an agent is given a model by its family's name, not as %q", model)
		return
	case model == "" && c.s.onHaiku(it.Agent.Type):
		model, at, what = "haiku", path+".type", "type Explore runs on %s, an alias that stands for no model"
	}
	if model != "" && c.s.Provider.Aliases[model] == "" {
		c.bad(at, "provider: {aliases: {"+model+": "+Newest(model)+"}}", what, model)
	}
}

// Start is what a scenario says of an agent that is started in its run.
type Start struct {
	Path        string // of the place that says it
	Type, Model string // Model is "" for the type's own
	Scripted    bool   // an exact turn starts it, which may be a mistake of the model's
}

// Starts are the agents that the scenario has started by their type, forks aside.
func (s *Scenario) Starts() (out []Start) {
	if s.Strategy() == "coordinator" && s.hasWork() {
		out = append(out, Start{Path: "structure", Type: "worker"})
	}
	if s.teams() {
		at := "structure"
		if s.Type != "" {
			at = "type"
		}
		out = append(out, Start{Path: at, Type: cmp.Or(s.Type, s.defaultType())})
	}
	for i := range s.Work {
		it, at := &s.Work[i], "structure"
		if it.By == "lead" || s.Strategy() != "subagent" {
			continue
		}
		switch {
		case it.Agent.Type != "":
			at = "work[" + itoa(i) + "].agent.type"
		case s.Type != "":
			at = "type"
		}
		out = append(out, Start{Path: at, Type: cmp.Or(s.typeOf(it), s.defaultType()), Model: it.Agent.Model})
	}
	for i, sc := range s.Scripts {
		for j, t := range sc.Turns {
			for k := range t.Tools {
				if in := s.call(&t.Tools[k]); in != nil && in.Type != "" {
					out = append(out, Start{"answers[" + itoa(i) + "].turns[" + itoa(j) + "].tools[" + itoa(k) + "]", in.Type, in.Model, true})
				}
			}
		}
	}
	return out
}

// AgentsUnused is why the agents that items name are not used, "" where they are,
// and the items.
func (s *Scenario) AgentsUnused() (why string, items []string) {
	switch s.Strategy() {
	case "fork":
		why = "forks keep their parent's type and model"
	case "coordinator":
		why = "a coordinator starts only agents of type worker; a definition worker under project.agents.policy, or of --managed-dir, gives them other tools and another model"
	case "team":
		why = "a teammate takes any item"
	case "inline":
		why = "nobody is spawned"
	default:
		return "", nil
	}
	for i := range s.Work {
		if s.Work[i].Agent != (ItemAgent{}) {
			items = append(items, s.Work[i].ID)
		}
	}
	return why, items
}
