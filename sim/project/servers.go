package project

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/client"
)

// Where MCP servers are named, and where the lists of their tools are kept.
const (
	serversFile = ".mcp.json"
	savedDir    = ".agentsim/mcp/"
)

// What is assumed of a server whose tools nobody has saved: our own guess.
const (
	assumedTools = 10
	assumedBytes = 900 // of one tool's definition
	textCut      = 2_048
)

// server is one of .mcp.json.
type server struct {
	AlwaysLoad bool `json:"alwaysLoad"`
}

// saved is what a server said of itself.
type saved struct {
	Instructions string      `json:"instructions"`
	Tools        []savedTool `json:"tools"`
}

type savedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"`
}

// servers reads which servers the project has, and from what was saved beside it what
// their tools are.
func (r *reader) servers() {
	p := r.project()
	text, ok := r.text(p, serversFile, maxSettings)
	if !ok {
		return
	}
	var f struct {
		Servers map[string]server `json:"mcpServers"`
	}
	if !r.unmarshal(p, serversFile, text, &f) {
		return
	}
	for i, name := range slices.Sorted(maps.Keys(f.Servers)) {
		line := lineOf(text, name)
		n, _ := strconv.Atoi(line)
		switch {
		case i >= maxServers:
			r.problem(p, serversFile, n, 1, text, "more than %d servers: %s and those after it are left out", maxServers, name)
			return
		case slices.Contains(r.Settings.disabled, name), r.Settings.enabled != nil && !slices.Contains(r.Settings.enabled, name):
			r.aside("MCP server %s (%s:%s): turned off by the settings", name, p.called(serversFile), line)
		case !plain(name):
			r.problem(p, serversFile, n, 1, text, "a server's name has letters, digits, - and _ alone: %s is left out", name)
		default:
			r.server(name, line, f.Servers[name])
		}
	}
}

func plain(name string) bool {
	return name != "" && len(name) <= 64 && strings.IndexFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
	}) < 0
}

func (r *reader) server(name, line string, s server) {
	p := r.project()
	declared := p.called(serversFile) + ":" + line
	file := savedDir + name + ".json"
	list, from := r.saved(p, file)
	deferred := r.deferred() && !s.AlwaysLoad
	if list == nil {
		r.Assumed = append(r.Assumed, fmt.Sprintf("MCP server %s (%s) has %d tools of %d bytes: no %s says what it has", name, declared, assumedTools, assumedBytes, p.called(file)))
		for i := range assumedTools {
			tool := fmt.Sprintf("mcp__%s__tool_%d", name, i+1)
			r.tool(tool, declared, deferred, Part{Bytes: assumedBytes})
		}
		return
	}
	if list.Instructions != "" {
		r.add(Part{Kind: client.ServerText, Name: name, From: from, Text: cut(list.Instructions, textCut)})
	}
	for _, t := range list.Tools {
		r.tool("mcp__"+name+"__"+t.Name, from, deferred, Part{Text: t.definition("mcp__" + name + "__" + t.Name)})
	}
}

// tool adds a tool, by its name alone where it is deferred.
func (r *reader) tool(name, from string, deferred bool, p Part) {
	p.Kind, p.Name, p.From = client.MCPTool, name, from
	if deferred {
		p.Kind, p.Text, p.Bytes = client.Deferred, name, 0
	}
	r.add(p)
}

// definition is a tool as it stands in a request.
func (t *savedTool) definition(name string) string {
	out, _ := json.Marshal(struct { // what was read as JSON is written as JSON
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
	}{name, cut(t.Description, textCut), t.Schema})
	return string(out)
}

// deferred reports whether tools of servers stand in requests by name alone.
func (r *reader) deferred() bool {
	if r.Layout.Row(client.Deferred).Main == client.Nowhere {
		return false
	}
	return r.Settings.environment["ENABLE_TOOL_SEARCH"] != "false"
}

// saved reads a list of tools as tools/list answers it; nil where there is none.
func (r *reader) saved(p place, file string) (list *saved, from string) {
	text, ok := r.text(p, file, maxMemory)
	if !ok {
		return nil, ""
	}
	var f struct {
		saved
		Result *saved `json:"result"`
	}
	if !r.unmarshal(p, file, text, &f) {
		return nil, ""
	}
	list = &f.saved
	if f.Result != nil {
		list = f.Result
	}
	kept := list.Tools[:0]
	for _, t := range list.Tools {
		if bad := !plain(t.Name); bad || len(kept) == maxTools {
			n, _ := strconv.Atoi(lineOf(text, t.Name))
			if !bad {
				r.problem(p, file, n, 1, "", "%d tools: the first %d are read, %s and those after it are left out", len(list.Tools), maxTools, t.Name)
				break
			}
			r.problem(p, file, n, 1, "", "a tool's name has letters, digits, - and _ alone: %q is left out", t.Name)
			continue
		}
		if !strings.HasPrefix(strings.TrimSpace(string(t.Schema)), "{") {
			t.Schema = json.RawMessage(`{"type":"object"}`)
		}
		kept = append(kept, t)
	}
	list.Tools = kept
	return list, p.called(file) + ":1"
}
