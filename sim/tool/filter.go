package tool

import (
	"slices"
	"strings"

	"agentsim/sim/permission"
)

// Layer names what took a tool out of a pool; "" is none of them.
type Layer string

// The layers, in the order in which they are asked.
const (
	LayerAll        Layer = "layer 1" // every sub-agent
	LayerCustom     Layer = "layer 2" // definitions that are not built in
	LayerAsync      Layer = "layer 3" // asynchronous agents
	LayerDefinition Layer = "layer 4" // the definition's tools, then its disallowedTools
	LayerWorker     Layer = "internal tools"
)

// deniedToAll is layer 1: tools that steer the session itself (FLT-01).
var deniedToAll = []string{"TaskOutput", "EnterPlanMode", "ExitPlanMode", "AskUserQuestion", StopName}

// deniedToCustom is layer 2: layer 1's and the internal tools, by which agents lead
// others (FLT-02).
var deniedToCustom = append(slices.Clone(deniedToAll), TeamCreateName, TeamDeleteName, SendName, "SyntheticOutput")

// allowedToAsync is layer 3 (FLT-03): nothing that needs the user at hand.
var allowedToAsync = []string{"Read", "Grep", "Glob", "Edit", "Write", "NotebookEdit", "Bash", "Skill",
	"WebFetch", "WebSearch", "TodoWrite", "SyntheticOutput"}

// Subject is the agent whose pool is made.
type Subject struct {
	BuiltIn bool // its definition is built in
	Async   bool
	Worker  bool // works for a coordinator, who alone has the internal tools (FLT-11)
	Fork    bool // takes the given tools exactly (FLT-10)
	Mate    bool // is a member of a team (FLT-07)
	Main    bool // a main agent or coordinator is no sub-agent (FLT-10)
	RunMode permission.Mode
}

// Pool is the tools that an agent holds, in order, and what took the others
// away. It does not change and may be shared.
type Pool struct {
	Tools   []*Tool
	removed []removal
}

type removal struct {
	tool *Tool
	by   Layer
}

// Find is the pool's tool with the name or alias, or nil.
func (p *Pool) Find(name string) *Tool { return Find(p.Tools, name) }

// RemovedBy is the layer that took the tool with the name or alias; "" when the
// pool holds it or it was never offered.
func (p *Pool) RemovedBy(name string) Layer {
	for _, r := range p.removed {
		if r.tool.Is(name) {
			return r.by
		}
	}
	return ""
}

// Filter makes an agent's pool from the tools at hand. allow is the
// definition's `tools`: nil is no list and lets all pass, as does "*"; an empty
// list lets none. deny is its `disallowedTools`. Both take aliases. A fork and
// a main agent get the very slice all.
func Filter(all []*Tool, who Subject, allow, deny []string) *Pool {
	if who.Fork || who.Main {
		return &Pool{Tools: all}
	}
	p := &Pool{Tools: make([]*Tool, 0, len(all))}
	for _, t := range all {
		if by := removedBy(t, who, allow, deny); by != "" {
			p.removed = append(p.removed, removal{t, by})
		} else {
			p.Tools = append(p.Tools, t)
		}
	}
	return p
}

// removedBy asks the layers in order.
func removedBy(t *Tool, who Subject, allow, deny []string) Layer {
	if who.Worker && t.Internal {
		return LayerWorker
	}
	if !passes(t, who) {
		switch {
		case slices.Contains(deniedToAll, t.Name):
			return LayerAll
		case !who.BuiltIn && slices.Contains(deniedToCustom, t.Name):
			return LayerCustom
		case who.Async && !slices.Contains(allowedToAsync, t.Name):
			return LayerAsync
		}
	}
	if allow != nil && !namesTool(allow, t) || namesTool(deny, t) {
		return LayerDefinition
	}
	return ""
}

// passes says whether layers 1 to 3 do not apply: to tools of MCP servers
// (FLT-05), to ExitPlanMode for one who plans (FLT-06), and to what teammates keep.
func passes(t *Tool, who Subject) bool {
	if who.Mate && slices.Contains(keptByMates, t.Name) {
		return true
	}
	return t.MCP || strings.HasPrefix(t.Name, "mcp__") || t.Name == "ExitPlanMode" && who.RunMode == permission.Plan
}

// namesTool reports whether a list names the tool, by name, alias or "*".
func namesTool(list []string, t *Tool) bool {
	return slices.ContainsFunc(list, func(n string) bool { return n == "*" || t.Is(n) })
}
