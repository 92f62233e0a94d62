package scenarios

import (
	"cmp"
	"slices"
)

// PlanTools are the tools without which no lead plans.
var PlanTools = []string{"EnterPlanMode", "ExitPlanMode", "Write"}

// planning holds a scenario whose lead is to plan against what that needs.
func planning(c *checker) {
	s := c.s
	switch {
	case !s.Plan.Set:
		return
	case s.minimal():
		c.bad("plan", "take it away", "stack minimal has no plan mode")
	case s.Strategy() == "coordinator" || s.Coordinates():
		c.bad("plan", "take it away", "a coordinator has none of the tools of plan mode")
	}
}

// planRoot misses the tools that a lead plans by.
func planRoot(c *checker, at string, r *Root) {
	for _, name := range PlanTools {
		if c.s.Plan.Set && r.Tools != nil && !slices.Contains(*r.Tools, name) {
			c.bad(at+".tools", "add "+name+", or leave tools out", "a lead that plans needs the tool %s, which root %s has not got", name, cmp.Or(r.Name, "main"))
		}
	}
}
