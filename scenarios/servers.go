package scenarios

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/client"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// ServerSpec is an MCP server: what project.parts hold of its tools, and what is drawn.
type ServerSpec struct {
	Name       string         `yaml:"name"`
	Count      *int           `yaml:"count"` // so many alike, NAME-1 and so on; none without tools of their own is listed
	Opens      string         `yaml:"opens"` // session (default) or agents
	Tools      *int           `yaml:"tools"`
	Definition Size           `yaml:"definition"` // tokens of one tool's
	List       string         `yaml:"list"`       // a file; what it holds becomes project.parts
	Connects   vtime.Duration `yaml:"connects"`
	Fails      bool           `yaml:"fails"`
	NeedsAuth  bool           `yaml:"needs_auth"`
	ReadOnly   bool           `yaml:"read_only"` // it marks its tools so
	Changes    []ServerChange `yaml:"changes"`
	Calls      ServerCalls    `yaml:"calls"`
}

// ServerChange is what becomes of a server at an instant of the run.
type ServerChange struct {
	At    vtime.Duration `yaml:"at"`
	Is    string         `yaml:"is"`    // dropped, connected or listed
	Tools *int           `yaml:"tools"` // that it lists from then on
}

// ServerCalls is what calls of a server's tools come to.
type ServerCalls struct {
	Takes  *rng.Span `yaml:"takes"`
	Output Size      `yaml:"output"` // tokens
}

// By whom a server is opened.
const (
	BySession = "session"
	ByAgents  = "agents"
)

// maxServers bounds how many servers alike there are.
const maxServers = 200

// listed makes what files of tools/list hold part of the scenario, so that neither a
// run nor its replay depends on the files.
func listed(f *File, s *Scenario, d *document.Decoder) {
	for i := range s.Project.Servers {
		x := &s.Project.Servers[i]
		if x.List == "" {
			continue
		}
		at := &document.Node{Kind: document.String, Text: x.List, Pos: d.Where("project.servers[" + itoa(i) + "].list")}
		text, ok := f.fileBeside(d, at)
		if !ok {
			continue
		}
		list := &client.List{}
		if err := json.Unmarshal([]byte(text), list); err != nil {
			d.Fail(at, "a saved answer of tools/list, as agentsim project mcp --save writes it", "file %q is no list of tools: %v", x.List, err)
			continue
		}
		from := x.List + ":1"
		list = list.Usable(func(_, why, _ string) {
			d.Fail(at, "take it out of the file", "file %q: %s", x.List, why)
		})
		if len(list.Tools) == 0 {
			d.Fail(at, `such as {"tools": [{"name": "search", "description": "…", "inputSchema": {"type": "object"}}]}`, "file %q lists no tool", x.List)
		}
		if list.Instructions != "" {
			s.Project.Parts = append(s.Project.Parts, FrontPart{Kind: string(client.ServerText), Name: x.Name, From: from, Text: Content{Text: list.Instructions}})
		}
		for _, t := range list.Tools {
			name := client.Qualified(x.Name, t.Name)
			s.Project.Parts = append(s.Project.Parts, FrontPart{Kind: string(client.MCPTool), Name: name, From: from, Text: Content{Text: t.Definition(name)}})
		}
		x.List = ""
	}
}

// HasTools reports whether parts hold tools of a server.
func (p *Project) HasTools(server string) bool { return p.toolsOf(server) > 0 }

// Fronts reports whether it is said what agents find in front of their task: files of
// a directory, or text in their place.
func (p *Project) Fronts() bool {
	return p.Client != "" || p.ClaudeMd != nil || p.GitStatus != nil || slices.ContainsFunc(p.Parts, func(x FrontPart) bool {
		switch client.Kind(x.Kind) {
		case client.Git, client.Memory, client.AutoMemory, client.Skills:
			return true
		}
		return false
	})
}

// HasServers reports whether agents may have tools of MCP servers.
func (p *Project) HasServers() bool {
	for i := range p.Parts {
		if k := client.Kind(p.Parts[i].Kind); k == client.MCPTool || k == client.Deferred {
			return true
		}
	}
	return len(p.Servers) > 0
}

// checkServers checks MCP servers.
func checkServers(c *checker) {
	p := &c.s.Project
	if len(p.Servers) > 0 && c.s.Stack == MinimalStack {
		c.badKey("project.servers", "leave it out", "stack minimal has no MCP servers")
	}
	seen := map[string]bool{}
	for i := range p.Servers {
		checkServer(c, "project.servers["+itoa(i)+"]", &p.Servers[i], seen)
	}
}

func checkServer(c *checker, at string, x *ServerSpec, seen map[string]bool) {
	switch {
	case x.Name == "":
		c.bad(at, "name: github", "a server without its name")
	case !client.PlainServer(x.Name):
		c.bad(at+".name", "such as github", "a server's name has letters, digits, - and single _ alone, not %q: it is part of mcp__NAME__TOOL", x.Name)
	case seen[x.Name]:
		c.bad(at+".name", "another name", "two servers have the name %q", x.Name)
	}
	seen[x.Name] = true
	own := c.s.Project.HasTools(x.Name)
	switch {
	case x.Count != nil && (*x.Count < 0 || *x.Count > maxServers):
		c.bad(at+".count", "such as 3", "count is at most %d", maxServers)
	case x.Count != nil && own:
		c.bad(at+".count", "leave it out", "server %q has tools of its own, so there are not several alike", x.Name)
	case (x.Tools != nil || x.Definition.Set) && own:
		c.bad(at, "leave tools and definition out", "server %q has tools of its own: how many and how large they are follows from them", x.Name)
	case x.Tools != nil && (*x.Tools < 0 || *x.Tools > client.MaxTools):
		c.bad(at+".tools", "such as 12", "a server has at most %d tools", client.MaxTools)
	}
	if x.Fails && x.NeedsAuth {
		c.bad(at+".needs_auth", "take one of the two away", "server %q fails and needs authentication: connecting comes to one of the two", x.Name)
	}
	if len(x.Changes) > 0 && x.Opens == ByAgents {
		c.bad(at+".changes", "leave it out", "server %q is opened by agents, each time anew, and has no instants of its own", x.Name)
	}
	for i := range x.Changes {
		checkChange(c, at+".changes["+itoa(i)+"]", x, i, own)
	}
}

func checkChange(c *checker, at string, x *ServerSpec, i int, own bool) {
	k, before := &x.Changes[i], x.Connects
	if i > 0 {
		before = x.Changes[i-1].At
	}
	switch {
	case k.Is == "":
		c.bad(at, "is: dropped, connected or listed", "a change that does not say what becomes of the server")
	case k.At <= before:
		c.bad(at, "a later instant", "changes are in order, behind connecting: %s is not after %s", k.At, before)
	case (k.Is == "listed") != (k.Tools != nil):
		c.bad(at, "such as {at: 2m, is: listed, tools: 14}", "tools says how many a server lists anew, and goes with is: listed")
	case k.Tools != nil && (*k.Tools < 0 || *k.Tools > client.MaxTools):
		c.bad(at+".tools", "such as 14", "a server has at most %d tools", client.MaxTools)
	case k.Tools != nil && own && *k.Tools > c.s.Project.toolsOf(x.Name):
		c.bad(at+".tools", "at most as many as it has", "server %q has no %d tools", x.Name, *k.Tools)
	case (x.Fails || x.NeedsAuth) && k.Is == "dropped" && i == 0:
		c.bad(at+".is", "is: connected", "server %q is not connected, so it cannot drop", x.Name)
	}
}

// unopened are servers that definitions open, where there are none.
func unopened(s *Scenario) (out []section) {
	for i := range s.Project.Servers {
		if x := &s.Project.Servers[i]; x.Opens == ByAgents && !s.DefinesAgents() {
			out = append(out, section{"project.servers." + step(x.Name, i), "only definitions open it, and there are none", warned})
		}
	}
	return out
}

// toolsOf is how many tools of a server parts hold.
func (p *Project) toolsOf(server string) (n int) {
	for i := range p.Parts {
		if strings.HasPrefix(p.Parts[i].Name, client.Qualified(server, "")) {
			n++
		}
	}
	return n
}

// ServerTools is how many tools a server has of which nothing else is said.
const ServerTools = 10

// mostTools is how many tools a server has at most, now or later.
func (x *ServerSpec) mostTools() int {
	n := ServerTools
	if x.Tools != nil {
		n = *x.Tools
	}
	for _, k := range x.Changes {
		if k.Tools != nil {
			n = max(n, *k.Tools)
		}
	}
	return n
}

// numbered reports whether a tool is one of the first n of a server, tool_1 and so on.
func numbered(short string, n int) bool {
	for i := range n {
		if short == "tool_"+itoa(i+1) {
			return true
		}
	}
	return false
}

// checkCall checks a tool that an item calls: that there is a server of it. What a
// directory's servers list the run finds out.
func checkCall(c *checker, at, name string) {
	server, short := client.Split(name)
	if server == "" || short == "" {
		c.bad(at, "mcp__SERVER__TOOL, such as mcp__github__tool_1", "calls are of tools of MCP servers, not %q", name)
		return
	}
	var known []string
	for i := range c.s.Project.Servers {
		x := &c.s.Project.Servers[i]
		if known = append(known, x.Name); x.Name == server || x.Count != nil && strings.HasPrefix(server, x.Name+"-") {
			if n := x.mostTools(); !c.s.Project.HasTools(server) && !numbered(short, n) {
				c.bad(at, "tool_1 to tool_"+itoa(n), "server %q has no tool %q", server, short)
			}
			return
		}
	}
	if !c.s.Project.HasTools(server) && !c.file.foreign {
		c.bad(at, cmp.Or(document.DidYouMean(server, known), "project: {servers: [{name: "+server+"}]}"), "there is no MCP server %q", server)
	}
}
