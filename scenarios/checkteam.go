package scenarios

import (
	"cmp"
	"slices"
)

// swarmsGate turns teams on.
const swarmsGate = "AGENT_SWARMS"

// teamTools are what the lead of a team and its teammates work by.
var teamTools = []string{"Agent", "SendMessage", "TeamCreate", "TeamDelete", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"}

// teams reports whether the work is a team's.
func (s *Scenario) teams() bool { return s.Strategy() == string(Teamed) && s.hasWork() }

// team holds the scenario against what a team needs.
func team(c *checker) {
	s := c.s
	switch {
	case s.Stack == MinimalStack:
		c.bad("structure", "structure: subagent or inline", "stack minimal has no teams")
	case s.Gate(swarmsGate) != "true":
		c.bad("gates."+swarmsGate, "take it away: the structure sets it", "gate %s is off, which contradicts structure team", swarmsGate)
	}
	for i, g := range s.GateFlips {
		if g.Gate == swarmsGate && g.Value != "true" {
			c.bad("gate_flips["+itoa(i)+"].gate", "take it away", "gate %s goes off, which contradicts structure team", swarmsGate)
		}
	}
	if s.Plan.Set {
		c.bad("plan", "take it away", "the lead of a team starts it at once, and plans nothing first")
	}
	s.eachRoot(func(at string, r *Root) {
		for _, name := range teamTools {
			if s.teams() && r.Tools != nil && !slices.Contains(*r.Tools, name) && !(name == "Agent" && slices.Contains(*r.Tools, "Task")) {
				c.bad(at+".tools", "add "+name+", or leave tools out", "structure team works with the tool %s, which root %s has not got", name, cmp.Or(r.Name, "main"))
			}
		}
	})
}
