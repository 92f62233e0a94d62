package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"agentsim/sim/client"
	"agentsim/sim/definition"
)

// Where MCP servers are named, and where the lists of their tools are kept.
const (
	serversFile = ".mcp.json"
	SavedDir    = ".agentsim/mcp/" // of lists of tools, NAME.json each
)

// What is assumed of a server whose tools nobody has saved: our own guess.
const (
	assumedTools = 10
	assumedBytes = 900 // of one tool's definition
)

// Server is one of .mcp.json.
type Server struct {
	Name       string            `json:"-"`
	Line       int               `json:"-"` // of .mcp.json
	AlwaysLoad bool              `json:"alwaysLoad"`
	Command    string            `json:"command"` // "" of one that is reached in another way
	Args       []string          `json:"args"`
	Env        map[string]string `json:"env"`
}

// Servers lists the servers that a directory's .mcp.json names, by name.
func Servers(from Source) ([]Server, []*definition.Problem) {
	r := &reader{from: from, Found: &Found{}}
	return r.named(), r.Problems
}

// servers reads which servers the project has, and from what was saved beside it what
// their tools are.
func (r *reader) servers() {
	for _, s := range r.named() {
		if from := r.Settings.turnedOff(s.Name); from != "" {
			r.Settings.Servers = append(r.Settings.Servers, Setting{"mcp__" + s.Name, from})
			r.aside("MCP server %s (%s:%d): turned off by the settings", s.Name, serversFile, s.Line)
		} else {
			r.server(s)
		}
	}
}

// turnedOff is where settings turn a server off, "" where they do not.
func (s *Settings) turnedOff(name string) string {
	is := func(x Setting) bool { return x.Value == name }
	if i := slices.IndexFunc(s.disabled, is); i >= 0 {
		return s.disabled[i].From
	}
	if slices.ContainsFunc(s.enabled, is) {
		return ""
	}
	return s.enabling
}

// named reads .mcp.json.
func (r *reader) named() (out []Server) {
	p := r.project()
	text, ok := r.text(p, serversFile, maxSettings)
	if !ok {
		return nil
	}
	var f struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if !r.unmarshal(p, serversFile, text, &f) {
		return nil
	}
	for i, name := range slices.Sorted(maps.Keys(f.Servers)) {
		s := Server{Name: name}
		s.Line, _ = strconv.Atoi(lineOf(text, name))
		var typ *json.UnmarshalTypeError
		switch {
		case errors.As(json.Unmarshal(f.Servers[name], &s), &typ):
			r.problem(p, serversFile, s.Line, 1, text, "server %s: %s: it is left out", name, mistyped(typ))
		case i >= maxServers:
			r.problem(p, serversFile, s.Line, 1, text, "more than %d servers: %s and those after it are left out", maxServers, name)
			return out
		case !client.PlainServer(name):
			r.problem(p, serversFile, s.Line, 1, text, "a server's name has letters, digits, - and single _ alone: %s is left out", name)
		default:
			out = append(out, s)
		}
	}
	return out
}

func (r *reader) server(s Server) {
	p, name := r.project(), s.Name
	declared := serversFile + ":" + strconv.Itoa(s.Line)
	file := SavedDir + name + ".json"
	list, from := r.saved(p, file)
	deferred := r.deferred() && !s.AlwaysLoad
	if list == nil {
		r.Assumed = append(r.Assumed, fmt.Sprintf("MCP server %s (%s) has %d tools of %d bytes: no %s says what it has", name, declared, assumedTools, assumedBytes, p.called(file)))
		for i := range assumedTools {
			r.tool(client.Qualified(name, fmt.Sprintf("tool_%d", i+1)), declared, deferred, Part{Bytes: assumedBytes})
		}
		return
	}
	if list.Instructions != "" {
		r.add(Part{Kind: client.ServerText, Name: name, From: from, Text: list.Instructions})
	}
	for _, t := range list.Tools {
		tool := client.Qualified(name, t.Name)
		r.tool(tool, from, deferred, Part{Text: t.Definition(tool)})
	}
}

// tool adds a tool, by its name alone where it is deferred.
func (r *reader) tool(name, from string, deferred bool, p Part) {
	p.Kind, p.Name, p.From = client.MCPTool, name, from
	if deferred {
		p = Part{Kind: client.Deferred, Name: name, From: from, Text: name, Defined: &p}
	}
	r.add(p)
}

// deferred reports whether tools of servers stand in requests by name alone.
func (r *reader) deferred() bool {
	if r.Layout.Row(client.Deferred).Main == client.Nowhere {
		return false
	}
	return r.Settings.searches()
}

// saved reads a list of tools as tools/list answers it; nil where there is none.
func (r *reader) saved(p place, file string) (list *client.List, from string) {
	text, ok := r.text(p, file, maxMemory)
	if !ok {
		return nil, ""
	}
	list = &client.List{}
	if !r.unmarshal(p, file, text, list) {
		return nil, ""
	}
	return list.Usable(func(name, why, then string) {
		n, _ := strconv.Atoi(lineOf(text, name))
		r.problem(p, file, n, 1, "", "%s: %s", why, then)
	}), p.called(file) + ":1"
}
