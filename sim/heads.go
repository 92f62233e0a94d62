package sim

import (
	"cmp"
	"slices"
	"strings"

	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/tool"
)

// Of what agents of a type share, tool definitions are so many of toolParts parts; the
// rest is the system prompt. Nobody has recorded the two apart.
const (
	toolShare = 3
	toolParts = 4
)

// heads make what stands in front of agents as large as the scenario says, with text of
// which all agents have the same.
type heads struct {
	agents *scenarios.Agents
	filler *script.Filler
	key    rng.Key
	tools  map[string]string // what definitions say besides, by tool

	measured bool // by a profile
	stated   bool // what a project has in front stands for what recorded ones had
	tooled   bool // by the head of a request
}

var _ agent.Heads = (*heads)(nil)

// newHeads makes the heads of a scenario's agents with these tools, nil where it says
// nothing of them.
func newHeads(sc *scenarios.Scenario, offered []*tool.Tool, filler *script.Filler, key rng.Key) agent.Heads {
	if len(sc.Heads) == 0 || sc.Stack == scenarios.MinimalStack {
		return nil
	}
	h := &heads{agents: &sc.Agents, filler: filler, key: key, tools: map[string]string{}, measured: sc.Profile.GivesHeads(),
		stated: sc.Profile.GivesHeads() && sc.Project.Fronts(), tooled: headParts(sc, client.Tool) != nil}
	child := sc.Head("", false)
	if child == nil || h.tooled {
		return h
	}
	total := int64(0)
	for _, t := range tool.Filter(offered, tool.Subject{BuiltIn: true}, nil, nil).Tools {
		total += filler.Tokens(llm.NewJSON(tool.Definition(t)).Measure())
	}
	more := child.Shared*toolShare/toolParts - total
	for _, t := range offered {
		if n := filler.Tokens(llm.NewJSON(tool.Definition(t)).Measure()) * more / max(total, 1); n > 0 {
			h.tools[t.Name] = "\n\n" + filler.String(llm.Prose, n)
		}
	}
	return h
}

// of is the head of an agent's type, an empty one where there is none.
func (h *heads) of(typ string, root bool) *scenarios.Head {
	return cmp.Or(h.agents.Head(typ, root), &scenarios.Head{})
}

// Tool implements agent.Heads.
func (h *heads) Tool(name string) string { return h.tools[name] }

// System implements agent.Heads. What a request's head has is as large as it is there,
// and servers' tools stand beside what a profile knows of heads.
func (h *heads) System(typ string, root bool, tools []llm.Block, system []string) string {
	n := h.of(typ, root).Shared
	if h.tooled {
		n -= n * toolShare / toolParts
	} else {
		n -= h.weigh(slices.DeleteFunc(slices.Clone(tools), func(b llm.Block) bool { return h.measured && strings.HasPrefix(b.Name, "mcp__") }))
	}
	for _, s := range system {
		n -= h.filler.Tokens(llm.NewText(llm.Prose, s).Measure())
	}
	return h.text(n)
}

// Context implements agent.Heads. What recorded sessions had behind their heads is not
// known but in size: it gives way to what a project has there.
func (h *heads) Context(typ string, root bool, lineage string, prefix *agent.Prefix, said []llm.Block) string {
	if h.stated {
		return ""
	}
	of := h.of(typ, root)
	front := of.Shared
	if !h.measured {
		front = h.weigh(prefix.Tools) + h.weigh(prefix.System)
	}
	return h.text(script.Draw(of.Prompt, h.key.Sub("prompt").Sub(lineage), 0) - front - h.weigh(said))
}

func (h *heads) weigh(blocks []llm.Block) (n int64) {
	for i := range blocks {
		n += h.filler.Tokens(blocks[i].Content.Measure())
	}
	return n
}

func (h *heads) text(n int64) string {
	if n <= 0 {
		return ""
	}
	return h.filler.String(llm.Prose, n)
}
