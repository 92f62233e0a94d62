package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/mcp"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// unmet lists, by their paths, the parts of a scenario that a run met nothing for.
func unmet(r *run) []string { return slices.Concat(unruled(r), r.late, uncome(r)) }

// came is what a run came to of that which a scenario says of it.
type came struct {
	servers           []string // that connected, or failed to
	replaced, evicted bool
	tested            map[int]bool     // project.tests, by their places
	injected          map[string]bool  // injections that somebody read, by their names
	above             map[string]int64 // sizes that cannot be had, by path: tokens that there are already
	histories         map[string]int64 // the most tokens of a request and its answer, by model; nil where no setting asks
}

// note keeps what an event says of that.
func (c *came) note(b transcript.Body) {
	switch b := b.(type) {
	case *transcript.Server:
		if b.Status != string(mcp.Connecting) && !slices.Contains(c.servers, b.Name) {
			c.servers = append(c.servers, b.Name)
		}
	case *transcript.Response:
		if c.histories != nil {
			c.histories[b.Model] = max(c.histories[b.Model], b.Resp.Usage.Total())
		}
	case *transcript.Replace:
		c.replaced = true
	case *transcript.Output:
		c.evicted = c.evicted || b.Op == "evicted"
	}
}

// ran notes that a test ran.
func (c *came) ran(i int) {
	c.tested[i] = true
}

// exceeds notes of a size that so many tokens are there already.
func (c *came) exceeds(path string, tokens int64) {
	c.above[path] = max(c.above[path], tokens)
}

// uncome lists the settings that a run did not come to, nor to what holds without them.
func uncome(r *run) (out []string) {
	sc, c, end := r.spec.Scenario, &r.observer.came, r.kernel.Now()
	out = make([]string, 0, 64)
	add := func(met bool, path string, args ...any) {
		if !met && len(args) > 0 {
			path = fmt.Sprintf(path, args...)
		}
		if !met {
			out = append(out, path)
		}
	}
	if r.book != nil {
		for _, place := range r.book.Behind() {
			add(false, place.Path())
		}
	}
	for _, path := range scenarios.Decisive() {
		sizes := path == "gates.AGENT_SWARMS" && len(sc.Heads) > 0 // heads are filled up by the tools that there are
		add(sizes || agent.Decided(r.world, path) || r.table != nil && r.table.Decided(path), path)
	}
	touched := r.engine.Options()
	for _, path := range scenarios.Touchable() {
		name, _ := strings.CutPrefix(path, "provider.options.")
		is := func(x string) bool { rest, ok := strings.CutPrefix(x, name); return ok && rest[0] == '=' }
		add(len(sc.Recorded) > 0 || slices.ContainsFunc(touched, is), path) // a told session brings the options that its provider has
	}
	add(agent.Decided(r.world, "permissions.mode"), "permissions.mode")
	after := evictAfter(sc)
	add(c.evicted || after > agent.DefaultEvictAfter && end >= vtime.Instant(agent.DefaultEvictAfter), "limits.evict_after")
	add(r.observer.compacted || full(r), "compaction")
	add(c.replaced, "tools.replace_over")
	for i := range sc.ReplaceFlips {
		add(c.replaced, "replace_flips[%d].over", i)
	}
	for i := range sc.Project.Tests {
		add(c.tested[i], "project.tests[%d]", i)
	}
	for i := range sc.Project.Agents.Hooks {
		ran, there := agent.Acted(r.world, i)
		add(ran, "project.agents.hooks[%d]", i)
		add(there, "project.agents.hooks[%d].command", i)
	}
	for i := range sc.Injections {
		add(c.injected[sc.Injections[i].Name], "injections[%d]", i)
	}
	add(slices.ContainsFunc(r.world.Agents(), agent.Linked), "remote")
	for i := range sc.Project.Servers {
		x := &sc.Project.Servers[i]
		add(slices.ContainsFunc(named(x), func(name string) bool { return slices.Contains(c.servers, name) }), "project.servers[%d]", i)
		for j := range x.Changes {
			add(vtime.Instant(x.Changes[j].At) <= end, "project.servers[%d].changes[%d]", i, j)
		}
	}
	return out
}

// watched are the gates that are not as they are where nobody says so.
func watched(sc *scenarios.Scenario) (out []string) {
	for _, g := range gate.All() {
		if sc.Gate(g.Name) != g.Default {
			out = append(out, g.Name)
		}
	}
	return out
}

// full reports whether a history came to where it is summed up without a setting.
func full(r *run) bool {
	for model, n := range r.observer.came.histories { // order: whether there is any
		if p, err := r.profile(model); err == nil && p.Window > 0 && n >= p.Window*scenarios.FullShare/100 {
			return true
		}
	}
	return false
}

// reached are figures of what settings are not met by, in tokens, by path: the largest
// history, and what there is already of a head.
func reached(r *run) map[string]int64 {
	out := maps.Clone(r.observer.came.above)
	for _, n := range r.observer.came.histories { // order: the largest
		out["compaction"] = max(out["compaction"], n)
	}
	return out
}
