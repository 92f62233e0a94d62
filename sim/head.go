package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/client"
	"agentsim/sim/permission"
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
	return r.text(x.Text, "parts/"+x.From+"/"+x.Name)
}

// headTools puts the client's own tools, as its parts define them, in front of all
// others. Those of the catalogue do what they do there; the rest stand in the bytes
// alone.
func headTools(sc *scenarios.Scenario, all []*tool.Tool, text func(*scenarios.FrontPart) string) []*tool.Tool {
	var out []*tool.Tool
	for _, x := range headParts(sc, client.Tool) {
		if deferred(x) {
			continue
		}
		t := partTool(x, text(x))
		if i := slices.IndexFunc(all, func(o *tool.Tool) bool { return o.Name == t.Name }); i >= 0 {
			all[i].Raw = tool.Definition(t)
			t = all[i]
		} else {
			t.Raw = tool.Definition(t)
		}
		out = append(out, t)
	}
	for _, t := range all {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
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
