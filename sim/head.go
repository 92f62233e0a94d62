package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/tool"
)

// headParts are a scenario's parts of a kind.
func headParts(sc *scenarios.Scenario, kind client.Kind) (out []*scenarios.FrontPart) {
	for i := range sc.Project.Parts {
		if x := &sc.Project.Parts[i]; client.Kind(x.Kind) == kind {
			out = append(out, x)
		}
	}
	return out
}

// headPrompt is the client's own system prompt, nil where no part gives it.
func (r *run) headPrompt() (out []string) {
	for i, x := range headParts(r.spec.Scenario, client.Prompt) {
		out = append(out, r.text(x.Text, fmt.Sprintf("parts/%s/%d", x.Kind, i)))
	}
	return out
}

// toolText is the text of a part that defines a tool.
func (r *run) toolText(x *scenarios.FrontPart) string {
	if x.Text.Text == "" && x.Text.Tokens.Set { // of the whole definition, which is JSON
		return toolFiller(r, x, toolTokens(r, x))
	}
	return r.text(x.Text, partKey(x))
}

// toolTokens is the size of such a definition.
func toolTokens(r *run, x *scenarios.FrontPart) int64 {
	return script.Draw(x.Text.Tokens, r.key.Sub("content").Sub(partKey(x)), 0)
}

// toolFiller is the text with which such a definition measures n tokens.
func toolFiller(r *run, x *scenarios.FrontPart, n int64) string {
	return r.filler.Whole(n, func(text string) llm.Measure {
		return llm.NewJSON(tool.Definition(partTool(x, text))).Measure()
	})
}

func partKey(x *scenarios.FrontPart) string { return "parts/" + x.From + "/" + x.Name }

// headTools puts the client's own tools, as its parts define them, in front of all
// others. Those of the catalogue do what they do there; the rest stand in the bytes
// alone.
func headTools(sc *scenarios.Scenario, all []*tool.Tool, text func(*scenarios.FrontPart) string) []*tool.Tool {
	parts := headParts(sc, client.Tool)
	if len(parts) == 0 {
		return all
	}
	var out []*tool.Tool
	for _, x := range parts {
		if deferred(x) {
			continue
		}
		t := partTool(x, text(x))
		raw := tool.Definition(t)
		if i := slices.IndexFunc(all, isNamed(t.Name)); i >= 0 {
			own := *all[i]
			t = &own
		}
		t.Raw = raw
		out = append(out, t)
	}
	for _, t := range all {
		if !slices.ContainsFunc(out, isNamed(t.Name)) {
			out = append(out, t)
		}
	}
	return out
}

// isNamed finds a tool by the name that it has now.
func isNamed(name string) func(*tool.Tool) bool {
	return func(t *tool.Tool) bool { return t.Name == name }
}

// deferred reports whether a part says of a tool that its definition is in no prefix:
// it has no text.
func deferred(x *scenarios.FrontPart) bool {
	return x.Text.Text == "" && x.Text.Bytes == 0 && !x.Text.Tokens.Set
}

// withoutDeferred is all less the tools that the client does not put in front, unless
// they are named.
func withoutDeferred(sc *scenarios.Scenario, all []*tool.Tool, named []string) []*tool.Tool {
	parts := headParts(sc, client.Tool)
	return slices.DeleteFunc(slices.Clone(all), func(t *tool.Tool) bool {
		return !slices.Contains(named, t.Name) && slices.ContainsFunc(parts, func(x *scenarios.FrontPart) bool { return x.Name == t.Name && deferred(x) })
	})
}

// partTool is a tool as a part defines it: by its definition in JSON, or by a
// description.
func partTool(x *scenarios.FrontPart, text string) *tool.Tool {
	t := &tool.Tool{Name: x.Name, MCP: strings.HasPrefix(x.Name, "mcp__"), Class: permission.Meta, Schema: `{"type":"object"}`}
	if client.Kind(x.Kind) == client.MCPTool {
		t.MCP, t.Class = true, permission.Exec
	}
	var def struct {
		Name, Description string
		Schema            json.RawMessage `json:"input_schema"`
	}
	switch is := x.Text.Text != "" && json.Unmarshal([]byte(text), &def) == nil; {
	case is && client.Kind(x.Kind) == client.Tool && def.Name == x.Name:
		t.Raw = text
	case is && def.Schema != nil:
		t.Description, t.Schema = def.Description, string(def.Schema)
	default: // its size is that of the whole definition
		t.Description = text[:max(len(text)-len(tool.Definition(t)), 0)]
	}
	return t
}

// Head says, a line each, how well the parts of the client's own head are known:
// measured from a request, or assumed. There are none where a scenario has the
// layout of the design documents and no parts of a head.
func (s *Spec) Head() []string {
	sc := s.Scenario
	prompt, tools := headParts(sc, client.Prompt), headParts(sc, client.Tool)
	if sc.Project.Client == "" && prompt == nil && tools == nil || sc.Stack == scenarios.MinimalStack {
		return nil
	}
	tiny := "assumed (tiny: the simulated client's own)"
	if len(sc.Heads) > 0 {
		of := "agents.heads"
		if sc.Profile.GivesHeads() {
			of = "profile " + sc.Profile.Name
		}
		tiny = "as large as " + of + " has them, in the simulated client's words"
	}
	if prompt == nil && tools == nil {
		return []string{"system prompts and tools " + tiny}
	}
	system, defined := "system prompt "+tiny, "tools "+tiny
	switch {
	case slices.ContainsFunc(Roots(sc), func(r scenarios.Root) bool { return r.System != nil }):
		system = "system prompt as the scenario has it"
	case prompt != nil:
		system = "system prompt " + graded(prompt)
	}
	if tools = slices.DeleteFunc(tools, deferred); len(tools) > 0 {
		defined = counted(len(tools)) + " " + graded(tools)
	}
	line := system + ", " + defined
	if prompt, ok := strings.CutSuffix(system, defined[strings.Index(defined, " measured")+1:]); ok && len(tools) > 0 {
		line = prompt + "and " + defined
	}
	return append([]string{line + ", system prompts of sub-agents " + tiny}, s.unlike(tools)...)
}

// graded says how well parts are known.
func graded(parts []*scenarios.FrontPart) string {
	if parts[0].From == "" {
		return "as project.parts has it"
	}
	return "measured from " + parts[0].From
}

func counted(n int) string {
	if n == 1 {
		return "1 tool"
	}
	return fmt.Sprintf("%d tools", n)
}

// unlike says which tools that the simulation serves the client's own are without, and
// how many of these it does not serve.
func (s *Spec) unlike(tools []*scenarios.FrontPart) (out []string) {
	gates, err := gatesOf(s.Scenario)
	if err != nil || len(tools) == 0 {
		return nil // the run says so
	}
	all := tool.Catalogue()
	offered, err := sessionTools(s.Scenario, &gates, all, false)
	if err != nil {
		return nil
	}
	has := func(name string) bool {
		return slices.ContainsFunc(tools, func(x *scenarios.FrontPart) bool { return x.Name == name })
	}
	var added []string
	for _, t := range offered {
		if t.Implemented() && !has(t.Name) {
			added = append(added, t.Name)
		}
	}
	if added != nil {
		out = append(out, "tools that it lacks and simulated agents use, as the simulated client defines them: "+strings.Join(added, ", "))
	}
	idle := 0
	for _, x := range tools {
		if t := tool.Find(all, x.Name); t == nil || !t.Implemented() {
			idle++
		}
	}
	if idle > 0 {
		out = append(out, counted(idle)+" of it nothing serves: a call is an error")
	}
	return out
}

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
	tools  map[string]string               // what definitions say besides, by tool
	above  func(path string, tokens int64) // hears of heads that are larger than the scenario says

	marks    mark.Key
	measured bool // by a profile
	stated   bool // what a project has in front stands for what recorded ones had
	tooled   bool // by the head of a request
}

var _ agent.Heads = (*heads)(nil)

// newHeads makes the heads of a scenario's agents with these tools, nil where it says
// nothing of them.
func newHeads(sc *scenarios.Scenario, offered []*tool.Tool, filler *script.Filler, key rng.Key, marks mark.Key, above func(path string, tokens int64)) agent.Heads {
	if len(sc.Heads) == 0 || sc.Stack == scenarios.MinimalStack {
		return nil
	}
	h := &heads{agents: &sc.Agents, filler: filler, key: key, marks: marks, above: above, tools: map[string]string{}, measured: sc.Profile.GivesHeads(),
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
	of := h.of(typ, root)
	there := of.Shared * toolShare / toolParts
	if !h.tooled {
		there = h.weigh(slices.DeleteFunc(slices.Clone(tools), func(b llm.Block) bool { return h.measured && strings.HasPrefix(b.Name, "mcp__") }))
	}
	for _, s := range system {
		there += h.filler.Tokens(llm.NewText(llm.Prose, s).Measure())
	}
	return h.text(of, "shared", of.Shared, there)
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
	return h.text(of, "prompt", script.Draw(of.Prompt, h.key.Sub("prompt").Sub(cmp.Or(h.work(root, said), lineage)), 0), front+h.weigh(said))
}

// work names what an agent that somebody starts is given to do, "" where it is none of
// the scenario's items: who does the same work has the same draws in every structure.
func (h *heads) work(root bool, said []llm.Block) (items string) {
	for i := range said {
		h.marks.Scan(said[i].Content.Raw(), func(m mark.Mark) {
			if m.Verb == mark.Do && !root {
				items += "do " + m.Args[0] + "\n"
			}
		})
	}
	return items
}

func (h *heads) weigh(blocks []llm.Block) (n int64) {
	for i := range blocks {
		n += h.filler.Tokens(blocks[i].Content.Measure())
	}
	return n
}

// text is what a head lacks to be of a size, "" where more is there already.
func (h *heads) text(of *scenarios.Head, key string, size, there int64) string {
	if size > there {
		return h.filler.String(llm.Prose, size-there)
	}
	for i := range h.agents.Heads {
		if of == &h.agents.Heads[i] && size < there && !h.measured {
			h.above(fmt.Sprintf("heads[%d].%s", i, key), there)
		}
	}
	return ""
}
