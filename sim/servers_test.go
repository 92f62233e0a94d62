package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"

	"github.com/cockroachdb/datadriven"
)

// served writes down what became of servers, tools in front and calls.
type served struct {
	strings.Builder
	at  map[int32]string
	own []string // tools that are no server's
	pos int32    // of the last request
}

func (s *served) Emit(e *transcript.Event) {
	who := cmpOr(s.at[e.Agent], "-")
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		s.at[e.Agent] = b.Lineage
		s.tell(e, b.Lineage, "starts with %s", s.short(b.Tools))
	case *transcript.Server:
		s.tell(e, who, "%s is %s, tools %d", b.Name, b.Status, len(b.Tools))
	case *transcript.Rebase:
		s.tell(e, who, "%s (%s): %s", b.Why, b.Detail, s.short(b.Tools))
	case *transcript.ToolResult:
		s.tell(e, who, "%s: error %v, %d bytes after %s", b.Name, b.IsError, b.Bytes, b.Took)
	case *transcript.Finding:
		s.tell(e, who, "%s: %s", b.Rule, b.Detail)
	case *transcript.AgentEnd:
		s.tell(e, who, "%s", b.Status)
	case *transcript.Request:
		for n := b.Head; n != nil && n.Pos > s.pos; n = n.Parent {
			if n.Block != nil && n.Block.Kind == llm.Text {
				if _, told, ok := strings.Cut(n.Block.Content.Raw(), "these MCP servers: "); ok {
					told, _, _ = strings.Cut(told, "\n")
					s.tell(e, who, "is told that its workers have the servers %s", told)
				}
			}
			if n.Block != nil && n.Block.Kind == llm.ToolResult && n.Block.IsError && strings.Contains(n.Block.Content.Raw(), "MCP server") {
				s.tell(e, who, "is told: %s", n.Block.Content.Raw())
			}
			if n.Block != nil && n.Block.Kind == llm.ToolReference {
				s.tell(e, who, "request %d holds the definition of %s behind results", b.Call, n.Block.Name)
			}
		}
		s.pos = b.Head.Pos
	case *transcript.Response:
		u := b.Resp.Usage
		why := ""
		if m := b.Resp.Cache.Miss; m.Reason != llm.NotMissed {
			why = ", miss: " + m.Reason.String()
		}
		s.tell(e, who, "call %d reads %d, writes %d%s", b.Call, u.Read, u.Write5m, why)
	}
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (s *served) tell(e *transcript.Event, who, format string, args ...any) {
	fmt.Fprintf(s, "%-14s %-8s %s\n", e.At, who, fmt.Sprintf(format, args...))
}

// short is a list of tools by the server: github 1-20.
func (s *served) short(tools []string) string {
	var out []string
	for _, name := range tools {
		rest, is := strings.CutPrefix(name, "mcp__")
		server, tool, _ := strings.Cut(rest, "__")
		switch k := len(out) - 1; {
		case !is:
			out = append(out, name)
		case k >= 0 && strings.HasPrefix(out[k], server+":"):
			out[k] += " " + strings.TrimPrefix(tool, "tool_")
		default:
			out = append(out, server+": "+strings.TrimPrefix(tool, "tool_"))
		}
	}
	return strings.Join(slices.DeleteFunc(out, func(n string) bool { return slices.Contains(s.own, n) }), ", ")
}

// TestServers runs the scenarios of testdata/servers: what servers do, and what it costs.
func TestServers(t *testing.T) {
	datadriven.Walk(t, "testdata/servers", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			f, err := scenarios.Parse("servers.yaml", []byte("agentsim: 1\nname: servers\n"+d.Input))
			if err != nil {
				return err.Error()
			}
			out := &served{at: map[int32]string{}, own: []string{"Agent", "TaskStop", "Read", "Grep", "Glob", "Edit"}}
			for _, variant := range f.VariantNames() {
				sc, err := f.Effective(variant, nil)
				if err != nil {
					return err.Error()
				}
				spec, err := sim.NewSpec(sc, variant)
				if err != nil {
					return err.Error()
				}
				if out.pos = 0; variant != "" {
					fmt.Fprintf(out, "%s:\n", variant)
				}
				res, err := sim.Run(spec, sim.Options{Sinks: []transcript.Sink{out}})
				if err != nil {
					return err.Error()
				}
				if err := res.Audit.Err(); err != nil {
					fmt.Fprintf(out, "%v\n", err)
				}
				if d.HasArg("assumed") {
					for _, line := range res.Assumed {
						if strings.Contains(line, "MCP") {
							fmt.Fprintf(out, "assumed: %s\n", line)
						}
					}
				}
			}
			return out.String()
		})
	})
}

// TestServersRace runs what servers do under drawn orders: two agents whose server drops
// while both call it and a third waits for another one, and agents with servers of their
// own that are killed.
func TestServersRace(t *testing.T) {
	const text = `agentsim: 1
name: race
provider: {model: claude-sonnet-5-5, latency: {profile: steady}}
project:
  files:
    a.go: "package a\n"
    .claude/agents/own.md: "---\nname: own\ndescription: d\nmcpServers: [db, {mine: {command: m}}]\n---\nYou.\n"
    .claude/agents/needy.md: "---\nname: needy\ndescription: d\nrequiredMcpServers: [late]\n---\nYou.\n"
  servers:
    - {name: db, tools: 2, definition: 200, calls: {takes: 2s, output: 60}, changes: [{at: 6s, is: dropped}, {at: 9s, is: connected}]}
    - {name: late, tools: 1, definition: 200, connects: 6s}
    - {name: mine, opens: agents, tools: 1, definition: 200, connects: 1s}
script:
  main: {user: Look., system: {tokens: 3_000}, then: [{at: 10s, interrupt: true}, {at: 12s, message: And?}]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: a b c, prompt: p, subagent_type: own}}, {name: Agent, input: {description: a b c, prompt: p, subagent_type: own}}, {name: Agent, input: {description: a b c, prompt: p, subagent_type: needy}}]
        - tools: [{name: mcp__db__tool_1, input: {q: a}}]
        - text: done
    - {agent: main/*, turns: [{tools: [{name: mcp__db__tool_1, input: {q: a}}, {name: mcp__db__tool_2, input: {q: a}}]}, {tools: [{name: mcp__db__tool_1, input: {q: b}}]}, {text: done}]}
lab: {permissions: {mode: bypassPermissions}}
`
	seeds := 1000
	if testing.Short() {
		seeds = 50
	}
	f, err := scenarios.Parse("race.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"fifo", "random", "pct:3"} {
		t.Run("MCP-05 ISO-10 a server that drops during calls, and agents that are killed, "+policy, func(t *testing.T) {
			seeds := seeds
			if policy == "fifo" {
				seeds = 2 // others are the same again
			}
			var of [2]*sim.Template
			for i, search := range []string{"front", "deferred"} {
				sc, err := f.Effective("", []string{"project.tool_search=" + search})
				if err != nil {
					t.Fatal(err)
				}
				spec, err := sim.NewSpec(sc, "")
				if err != nil {
					t.Fatal(err)
				}
				spec.Policy = policy
				of[i] = sim.NewTemplate(spec)
			}
			for seed := range seeds {
				spec, err := of[seed%2].Spec(uint64(seed))
				if err != nil {
					t.Fatal(err)
				}
				res, err := sim.Run(spec, sim.Options{})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if err := res.Audit.Err(); err != nil || res.Outcome != sim.Completed {
					t.Fatalf("seed %d: %s, %v", seed, res.Outcome, err)
				}
			}
		})
	}
}

func TestServersAssumed(t *testing.T) {
	t.Run("CON-13 of servers only that is assumed which the scenario does not say", func(t *testing.T) {
		const head = "agentsim: 1\nname: my\nprovider: {model: claude-sonnet-5-5}\nstructure: inline\nscript: {main: {user: Go.}}\nwork: [{id: a, kind: research, reads: [a.go]}]\nproject: {files: {a.go: x}, servers: [%s]}\n"
		const line = "MCP servers, where nothing else is said: "
		for servers, want := range map[string]string{
			"{name: db, tools: 3}": line + "900 bytes a tool, 1s a call, 400 tokens a result",
			"{name: db, tools: 3, definition: 90}, {name: b, fails: true}":         line + "1s a call, 400 tokens a result",
			"{name: db, definition: 90, calls: {takes: 2s}}":                       line + "10 tools, 400 tokens a result",
			"{name: db, tools: 3, definition: 90, calls: {takes: 2s, output: 30}}": "",
		} {
			got := slices.DeleteFunc(runOf(t, specOf(t, fmt.Sprintf(head, servers), "")).Assumed, func(s string) bool { return !strings.Contains(s, "MCP servers") })
			if strings.Join(got, "\n") != want {
				t.Errorf("%s: %q, want %q", servers, got, want)
			}
		}
	})
}
