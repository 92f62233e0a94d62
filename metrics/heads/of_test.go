package heads

import (
	"fmt"
	"testing"

	"agentsim/sim/client"
	"agentsim/sim/project"
)

func defined(t *testing.T) {
	const text = `{"name":"Read","description":"as the client sends it"}`
	servers := func(file string, bytes int) project.Part {
		definition := project.Part{Kind: client.MCPTool, Name: "mcp__a__b", From: file, Bytes: bytes}
		return project.Part{Kind: client.Deferred, Name: "mcp__a__b", From: "x.json:1", Text: "mcp__a__b", Defined: &definition}
	}
	for _, c := range []struct {
		server  project.Part
		assumed bool
	}{{servers(".agentsim/mcp/a.json:3", 0), false}, {servers(".agentsim/mcp/a.json:3", 900), true}, {servers(".mcp.json:3", 0), true}} {
		h := of(own("Read, Agent(own), mcp__a__b"), []string{"Plan"}, project.Part{Kind: client.Tool, Name: "Read", From: "body.json", Text: text},
			project.Part{Kind: client.Tool, Name: "mcp__a__b", From: "body.json"}, c.server)
		var got []string
		for _, i := range h.agent("own").Parts {
			p := h.Parts[i]
			if p.Place == client.Tools && p.Kind != kindHidden {
				got = append(got, fmt.Sprintf("%s %s:%d %v", p.Name, p.File, p.Line, p.Assumed))
			}
			if p.Name == "Read" && p.text != text {
				t.Error(p.text)
			}
		}
		if want := fmt.Sprintf("[Read body.json:0 false Agent :0 true mcp__a__b %s %v]", c.server.Defined.From, c.assumed); fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

func defaulted(t *testing.T) {
	for fields, want := range map[string]string{"": "claude-sonnet-5-5  ", "model: haiku\n": "claude-haiku-5-5  ", "model: nobodys-9\n": "claude-sonnet-5-5  ",
		"experimental: {cacheTtl: 1h}\n": "claude-sonnet-5-5 1h .claude/agents/own.md:4", "experimental: {cacheTtl: 5m}\n": "claude-sonnet-5-5  .claude/agents/own.md:4"} { // order: each is a case of its own
		a := of(fielded(fields), nil).agent("own")
		if got := a.Model + " " + a.TTL + " " + a.ttlFrom; got != want {
			t.Errorf("%q: %s, want %s", fields, got, want)
		}
	}
}

// renamed has a part in another file, or a request under another name.
func renamed(t *testing.T) {
	named := func(file string) map[string]string {
		return map[string]string{file: own("Read")[".claude/agents/own.md"]}
	}
	request := func(file, text string) project.Part {
		return project.Part{Kind: client.Prompt, From: file, Text: text}
	}
	memory := func(file string) project.Part {
		return project.Part{Kind: client.Memory, From: file + ":1", Text: "a\nb"}
	}
	for _, c := range []struct {
		what    string
		was, is *Heads
		again   bool
	}{
		{"a definition in another file", of(named(".claude/agents/a.md"), nil), of(named(".claude/agents/b.md"), nil), false},
		{"a request under another name", of(nil, nil, request("a.json", "You.")), of(nil, nil, request("b.json", "You.")), false},
		{"another request of the same size", of(nil, nil, request("a.json", "You.")), of(nil, nil, request("a.json", "I am")), true},
		{"a memory file, whose name is in the request", of(nil, nil, memory("a.md")), of(nil, nil, memory("b.md")), true},
	} {
		r := compare(c.was, c.is, "2%", "")
		for _, g := range r.Agents {
			if g.Agent != "own" && g.Agent != Main {
				continue
			}
			if g.Again > 0 != c.again {
				t.Errorf("%s: %d tokens of %s again, from %s", c.what, g.Again, g.Agent, g.From)
			}
		}
	}
}
