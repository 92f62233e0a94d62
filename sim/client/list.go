package client

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Bounds on what is read of a server.
const (
	MaxTools = 500
	TextCut  = 2_048 // bytes of a description or an instruction that a client sends
)

// List is what an MCP server said of itself: a result of tools/list, alone or as the
// answer's.
type List struct {
	Instructions string   `json:"instructions"`
	Tools        []Listed `json:"tools"`
	Result       *List    `json:"result"`
}

// Listed is a tool in it.
type Listed struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"`
}

// Usable is the list with the tools that a request can hold, the first of those of one
// name; bad hears of each other one and of what it lacks: why it cannot be, and what is done then.
func (l *List) Usable(bad func(name, why, then string)) *List {
	if l.Result != nil {
		l = l.Result
	}
	out, seen := &List{Instructions: cut(l.Instructions)}, map[string]bool{}
	for _, t := range l.Tools {
		switch {
		case len(out.Tools) == MaxTools:
			bad(t.Name, fmt.Sprintf("%d tools", len(l.Tools)), fmt.Sprintf("the first %d are read, %s and those after it are left out", MaxTools, t.Name))
			return out
		case !Plain(t.Name):
			bad(t.Name, fmt.Sprintf("the name of tool %q has more in it than letters, digits, - and _", t.Name), "it is left out")
			continue
		case seen[t.Name]:
			bad(t.Name, fmt.Sprintf("tool %q is listed twice", t.Name), "the first is taken")
			continue
		}
		seen[t.Name] = true
		if t.Description = cut(t.Description); !strings.HasPrefix(strings.TrimSpace(string(t.Schema)), "{") {
			if len(t.Schema) > 0 && string(t.Schema) != "null" {
				bad(t.Name, fmt.Sprintf("the inputSchema of tool %q is no object", t.Name), "it has no properties here")
			}
			t.Schema = json.RawMessage(`{"type":"object"}`)
		}
		out.Tools = append(out.Tools, t)
	}
	return out
}

// Definition is a tool as it stands in a request, under a name.
func (t *Listed) Definition(name string) string {
	out, _ := json.Marshal(struct { // what was read as JSON is written as JSON
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
	}{name, t.Description, t.Schema})
	return string(out)
}

// Qualified is the name under which a model calls a server's tool.
func Qualified(server, tool string) string { return "mcp__" + server + "__" + tool }

// Split is a qualified name in its parts, "" where it is none.
func Split(name string) (server, tool string) {
	rest, is := strings.CutPrefix(name, "mcp__")
	server, tool, two := strings.Cut(rest, "__")
	if !is || !two {
		return "", ""
	}
	return server, tool
}

// Plain reports whether a name can be part of a qualified one.
func Plain(name string) bool {
	return name != "" && len(name) <= 64 && strings.IndexFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
	}) < 0
}

// PlainServer is Plain for a server: two underscores end its name in a qualified one.
func PlainServer(name string) bool { return Plain(name) && !strings.Contains(name, "__") }

func cut(s string) string {
	if len(s) <= TextCut {
		return s
	}
	return strings.ToValidUTF8(s[:TextCut], "")
}
