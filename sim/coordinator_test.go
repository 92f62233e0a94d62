package sim_test

import (
	"strings"
	"testing"

	"agentsim/sim/transcript"
)

const coordinated = `agentsim: 1
name: my
provider: {model: claude-sonnet-4-5-20250929}
project: {files: {a.go: "package a"}}
script:
  main: {user: hello TOOLS}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: do it now, prompt: "Do it.", subagent_type: worker}}]
        - text: started
        - text: done
    - agent: main/*
      turns:
        - tools:
            - {name: Write, input: {file_path: pads/a.md, content: found}}
            - {name: Write, input: {file_path: .scratchpad/a.md, content: found}}
            - {name: Read, input: {file_path: pads/a.md}}
        - text: fine
lab:
  gates: {COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true GATES}
  permissions: {mode: default}
`

func TestCoordinator(t *testing.T) {
	run := func(gates, tools, rest string) *kept {
		t.Helper()
		k, err := runText(t, strings.NewReplacer("GATES", gates, "TOOLS", tools).Replace(coordinated)+rest, transcript.KindAgentStart, transcript.KindPermission)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	t.Run("CRD-01 CRD-04 a scenario's coordinator holds three tools and those it may name, its workers the whole set or the simple one", func(t *testing.T) {
		plain := run("", "", "")
		for _, want := range []string{
			" lineage=main parent=- type=coordinator ", " tools=Agent,TaskStop,SendMessage ",
			" tools=Read,Grep,Glob,Edit,Write,NotebookEdit,Bash,Skill,TodoWrite ",
		} {
			if !plain.has(want) {
				t.Errorf("no %q in\n%s", want, strings.Join(plain.lines, "\n"))
			}
		}
		named := run(", CLAUDE_CODE_SIMPLE: true", ", tools: [Agent, subscribe_pr_activity]", "")
		if !named.has(" tools=Agent,subscribe_pr_activity ") || !named.has(" tools=Read,Edit,Bash ") {
			t.Error(strings.Join(named.lines, "\n"))
		}
	})
	t.Run("CRD-10 how many workers there were is assumed, and what has fewer", func(t *testing.T) {
		const text = `
agentsim: 1
name: crew
provider: {model: claude-sonnet-4-6}
project: {files: {a.go: "one\ntwo\n", b.go: "one\n"}}
script: {main: {user: Mend a.}}
structure: coordinator
work:
  - {id: look, kind: research, reads: [a.go]}
  - {id: mend, kind: implement, after: [look], edits: [{file: a.go, tokens: 20}]}
  - {id: check, kind: verify, after: [mend]}
variants:
  table: {}
  continue: {agents: {coordinator: {workers: continue}}}
  spawn: {agents: {coordinator: {workers: spawn}}}
  inline: {structure: inline}
`
		for variant, want := range map[string]string{
			"table": "2 workers for 3 items by workers: table (continue may have fewer)",
			"spawn": "3 workers for 3 items by workers: spawn (table and continue may have fewer)", "continue": "", "inline": "",
		} {
			got := ""
			for _, a := range runOf(t, specOf(t, text, variant)).Assumed {
				if strings.Contains(a, "workers for") {
					got = a
				}
			}
			if got != want {
				t.Errorf("%s: %q", variant, got)
			}
		}
	})
	t.Run("CRD-07 what implementations wait for is assumed where a coordinator has research and implementations", func(t *testing.T) {
		const text = `
agentsim: 1
name: waits
provider: {model: claude-sonnet-4-6}
project: {files: {a.go: "one\ntwo\n"}}
script:
  main: {user: Go on.}
structure: coordinator
work:
  - {id: look, kind: research, found_in: [a.go], knows: [summaries]}
  - {id: mend, kind: implement, edits: [{file: a.go, tokens: 10}]}
lab:
  gates: {COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true}
variants:
  strict: {}
  needed: {set: {coordinator.synthesis: needed}}
  alone: {agents: {scope: [look]}}
  inline: {structure: inline, lab: {gates: {COORDINATOR_MODE: false, CLAUDE_CODE_COORDINATOR_MODE: false}}}
`
		for variant, want := range map[string]string{"strict": "implementations wait for all research", "needed": "implementations wait for the research that they need", "alone": "", "inline": ""} {
			got := ""
			for _, a := range runOf(t, specOf(t, text, variant)).Assumed {
				if strings.HasPrefix(a, "implementations") {
					got = a
				}
			}
			if got != want {
				t.Errorf("%s: %q", variant, got)
			}
		}
	})
	t.Run("CRD-08 the scratchpad is where the scenario says, and nowhere without its gate", func(t *testing.T) {
		decisions := func(k *kept) string {
			var out []string
			for _, l := range k.lines {
				if strings.Contains(l, " permission ") && strings.Contains(l, " tool=Write ") {
					_, rest, _ := strings.Cut(l, " decision=")
					out = append(out, rest)
				}
			}
			return strings.Join(out, "; ")
		}
		for _, c := range []struct{ gates, rest, want string }{
			{"", "", `deny why="prompts are avoided"; deny why="prompts are avoided"`},
			{", tengu_scratch: true", "", `deny why="prompts are avoided"; allow why=scratchpad`},
			{", tengu_scratch: true", "agents:\n  coordinator: {scratchpad: pads}\n", `allow why=scratchpad; deny why="prompts are avoided"`},
		} {
			if got := decisions(run(c.gates, "", c.rest)); got != c.want {
				t.Errorf("%+v: %s", c, got)
			}
		}
	})
}
