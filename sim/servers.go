package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/audit"
	"agentsim/sim/client"
	"agentsim/sim/definition"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/mcp"
	"agentsim/sim/memo"
	"agentsim/sim/tool"
	"agentsim/sim/vtime"
)

// What is assumed of MCP servers of which nothing is known: our own guesses.
const (
	serverTools  = scenarios.ServerTools
	serverBytes  = 900 // of one tool's definition
	serverTakes  = vtime.Second
	serverOutput = 400 // tokens
)

// serverMaker makes the MCP servers of a run.
type serverMaker struct{ run *run }

// session are those servers, and which tools they list: those that the scenario names,
// and those of whose tools parts tell.
func (r serverMaker) session(all []*tool.Tool, definitions []*agent.Definition) *mcp.Session {
	sc := r.run.spec.Scenario
	specs := map[string]*mcp.Spec{}
	var list []*mcp.Spec
	spec := func(name string) *mcp.Spec {
		if specs[name] == nil {
			specs[name] = &mcp.Spec{Name: name, Comes: mcp.Connected, Answer: r.answers(name, &scenarios.ServerCalls{})}
			list = append(list, specs[name])
		}
		return specs[name]
	}
	for i := range sc.Project.Parts {
		x := &sc.Project.Parts[i]
		server, name := client.Split(x.Name)
		if !ofServer(x) {
			continue
		}
		t := mcp.Tool{Name: name, InFront: inFront(sc, x), Own: tool.Find(all, x.Name) != nil}
		if s := spec(server); !slices.ContainsFunc(s.Tools, func(o mcp.Tool) bool { return o.Name == name }) {
			if !t.Own {
				t.Definition = r.serverTool(x)
			}
			s.Tools = append(s.Tools, t)
		}
	}
	for i := range sc.Project.Servers {
		x := &sc.Project.Servers[i]
		drawn := !sc.Project.HasTools(x.Name)
		for _, name := range named(x) {
			r.serve(spec(name), x, drawn)
		}
	}
	for _, d := range definitions {
		for _, name := range d.Inline {
			if specs[name] == nil {
				r.serve(spec(name), &scenarios.ServerSpec{Name: name, Opens: scenarios.ByAgents}, true)
			}
		}
	}
	return mcp.New(list, searchPolicy(sc), layoutOf(sc).KeepsLost, all)
}

// ofServer reports whether a part is a tool of an MCP server.
func ofServer(x *scenarios.FrontPart) bool {
	server, _ := client.Split(x.Name)
	kind := client.Kind(x.Kind)
	return server != "" && (kind == client.MCPTool || kind == client.Deferred || kind == client.Tool)
}

// searchPolicy is how tools of servers stand in front: where nothing is said of it by
// name as soon as one does.
func searchPolicy(sc *scenarios.Scenario) mcp.Policy {
	drawn := func(x scenarios.ServerSpec) bool { return searches(sc) && !sc.Project.HasTools(x.Name) }
	part := func(x scenarios.FrontPart) bool { return client.Kind(x.Kind) == client.Deferred }
	switch {
	case sc.Project.ToolSearch != "":
		return mcp.Policy(sc.Project.ToolSearch)
	case slices.ContainsFunc(sc.Project.Servers, drawn) || slices.ContainsFunc(sc.Project.Parts, part):
		return mcp.Deferred
	}
	return mcp.Front
}

// auditedServers tells an auditor how tools of servers stand in front.
func auditedServers(sc *scenarios.Scenario, all []*tool.Tool) *audit.Servers {
	if !sc.Project.HasServers() {
		return nil
	}
	out := &audit.Servers{Search: string(searchPolicy(sc)), Keeps: layoutOf(sc).KeepsLost, Finds: tool.Find(all, tool.SearchName) != nil}
	for i := range sc.Project.Parts {
		if x := &sc.Project.Parts[i]; ofServer(x) && inFront(sc, x) {
			out.Front = append(out.Front, x.Name)
		}
	}
	return out
}

// named are the names of a server, or of several alike.
func named(x *scenarios.ServerSpec) (out []string) {
	if x.Count == nil {
		return []string{x.Name}
	}
	for i := range *x.Count {
		out = append(out, x.Name+"-"+strconv.Itoa(i+1))
	}
	return out
}

// serve fills in what a scenario says of a server.
func (r serverMaker) serve(s *mcp.Spec, x *scenarios.ServerSpec, drawn bool) {
	s.ByAgents, s.Connects, s.Answer = x.Opens == scenarios.ByAgents, x.Connects, r.answers(s.Name, &x.Calls)
	switch {
	case x.Fails:
		s.Comes = mcp.Failed
	case x.NeedsAuth:
		s.Comes = mcp.NeedsAuth
	}
	s.ReadOnly = x.ReadOnly
	has := func(n *int) []mcp.Tool {
		if n == nil {
			return nil
		}
		if !drawn {
			return s.Tools[:*n]
		}
		return r.drawnTools(s.Name, *n, x.Definition)
	}
	if drawn {
		n := serverTools
		s.Tools = has(cmp.Or(x.Tools, &n))
	}
	for _, k := range x.Changes {
		s.Changes = append(s.Changes, mcp.Change{At: k.At, To: mcp.Status(k.Is), Tools: has(k.Tools)})
	}
}

// drawnTools are so many tools of a server, the same first ones however many there are.
func (r serverMaker) drawnTools(server string, n int, size scenarios.Size) []mcp.Tool {
	out := make([]mcp.Tool, n)
	for i := range out {
		name := "tool_" + strconv.Itoa(i+1)
		x := scenarios.FrontPart{Kind: string(client.MCPTool), Name: client.Qualified(server, name), Text: scenarios.Content{Bytes: serverBytes, Class: "prose"}}
		if size.Set {
			x.Text = scenarios.Content{Tokens: size, Class: "prose"}
		}
		out[i] = mcp.Tool{Name: name, Definition: r.serverTool(&x), InFront: !searches(r.run.spec.Scenario)}
	}
	return out
}

// serverTool is a tool's definition as a part gives it, or of assumed size.
func (r serverMaker) serverTool(x *scenarios.FrontPart) string {
	of := *x
	if client.Kind(x.Kind) == client.Deferred {
		if of.Kind, of.Text = string(client.MCPTool), x.Definition; deferred(&of) {
			of.Text = scenarios.Content{Bytes: serverBytes, Class: "prose"}
		}
	}
	if of.Text.Text != "" || !of.Text.Tokens.Set {
		return tool.Definition(partTool(&of, r.run.toolText(&of)))
	}
	n, provider := toolTokens(r.run, &of), &r.run.spec.Scenario.Provider
	return filled.Get(filledOf{of.Kind, of.Name, n, tokens.FamilyOf(provider.ModelID(provider.Model))}, func() (string, int) {
		d := tool.Definition(partTool(&of, toolFiller(r.run, &of, n)))
		return d, len(d)
	})
}

// filledOf is what decides the definition of a tool that is filler of so many tokens,
// which is dear to make.
type filledOf struct {
	kind, name string
	tokens     int64
	family     tokens.Family
}

// filled are those that runs of this process made, which mostly have the same ones: a
// megabyte of them.
var filled = memo.Some[filledOf, string]{Most: 1 << 20}

// searches reports whether tools of servers stand in front by name where nothing else
// is said of them.
func searches(sc *scenarios.Scenario) bool {
	if sc.Project.ToolSearch != "" {
		return sc.Project.ToolSearch != string(mcp.Front)
	}
	return layoutOf(sc).Row(client.Deferred).Main != client.Nowhere
}

// inFront reports whether a part is a tool with its definition in front.
func inFront(sc *scenarios.Scenario, x *scenarios.FrontPart) bool {
	if sc.Project.ToolSearch != "" {
		return !searches(sc)
	}
	return client.Kind(x.Kind) != client.Deferred
}

// answers is what calls of a server come to.
func (r serverMaker) answers(server string, x *scenarios.ServerCalls) func(name, input string) (string, vtime.Duration) {
	return func(name, input string) (string, vtime.Duration) {
		key, took := r.run.key.Sub("servers").Sub(server).Sub(name).Sub(input), serverTakes
		if x.Takes != nil {
			took = vtime.Duration(x.Takes.Draw(key.Sub("takes")))
		}
		return r.run.filler.Raw(llm.Prose, script.Draw(x.Output, key.Sub("output"), serverOutput)), took
	}
}

// pluginsOnly reports whether those who manage the machine leave what agents bring of
// MCP servers to plugins.
func pluginsOnly(sc *scenarios.Scenario) bool {
	if sc.Gate(gate.StrictPlugins) == "true" {
		return true
	}
	for name, text := range sc.Project.Agents.Policy { // order: any will do
		var settings struct {
			Strict json.RawMessage `json:"strictPluginOnlyCustomization"`
		}
		var which []string
		switch {
		case path.Ext(name) != ".json" || json.Unmarshal([]byte(text), &settings) != nil:
		case string(settings.Strict) == "true", json.Unmarshal(settings.Strict, &which) == nil && slices.Contains(which, "mcp"):
			return true
		}
	}
	return false
}

// serversAssumed says what nobody has measured of MCP servers, as far as a scenario does
// not say it of all, or definitions bring some.
func serversAssumed(sc *scenarios.Scenario, defined *definition.Set) []string {
	none := scenarios.ServerSpec{}
	all := slices.DeleteFunc(slices.Clone(sc.Project.Servers), func(x scenarios.ServerSpec) bool { return x.Fails || x.NeedsAuth })
	for i := range sc.Project.Parts {
		x := &sc.Project.Parts[i]
		server, _ := client.Split(x.Name)
		if ofServer(x) && !slices.ContainsFunc(sc.Project.Servers, func(s scenarios.ServerSpec) bool { return s.Name == server }) {
			all = append(all, scenarios.ServerSpec{Name: server})
		}
	}
	if defined != nil && slices.ContainsFunc(defined.Definitions, func(d *agent.Definition) bool { return len(d.Inline) > 0 }) {
		all = append(all, none)
	}
	unsaid := func(of func(x *scenarios.ServerSpec) bool) bool {
		return slices.ContainsFunc(all, func(x scenarios.ServerSpec) bool { return of(&x) })
	}
	drawn := func(x *scenarios.ServerSpec) bool { return x.Name == none.Name || !sc.Project.HasTools(x.Name) }
	var list []string
	if unsaid(func(x *scenarios.ServerSpec) bool { return drawn(x) && x.Tools == nil }) {
		list = append(list, fmt.Sprintf("%d tools", serverTools))
	}
	if unsaid(func(x *scenarios.ServerSpec) bool { return drawn(x) && !x.Definition.Set }) {
		list = append(list, fmt.Sprintf("%d bytes a tool", serverBytes))
	}
	if unsaid(func(x *scenarios.ServerSpec) bool { return x.Calls.Takes == nil }) {
		list = append(list, fmt.Sprintf("%s a call", serverTakes))
	}
	if unsaid(func(x *scenarios.ServerSpec) bool { return !x.Calls.Output.Set }) {
		list = append(list, fmt.Sprintf("%d tokens a result", serverOutput))
	}
	if len(list) > 0 {
		return []string{"MCP servers, where nothing else is said: " + strings.Join(list, ", ")}
	}
	return nil
}
