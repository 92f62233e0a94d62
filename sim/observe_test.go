package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/mark"
	"agentsim/sim/transcript"
	"agentsim/sim/workspace"
)

// outcomes is a sink that keeps every item told: agent, item, outcome.
type outcomes struct {
	lineage map[int32]string
	told    []string
}

func (o *outcomes) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		o.lineage[e.Agent] = b.Lineage
	case *transcript.Item:
		told := o.lineage[e.Agent] + " " + b.Item + " " + string(b.Outcome)
		if m := strings.Join(b.Missing, ","); strings.HasPrefix(m, "unread:") || strings.HasPrefix(m, "unrun:") || strings.HasPrefix(m, "timeout:") {
			told += " for want of " + strings.Join(b.Missing, ",")
		}
		if len(b.Unread) > 0 {
			told += fmt.Sprintf(", %v of %d unread", b.Unread, b.Reads)
		}
		o.told = append(o.told, told)
	}
}

// observed runs scripts over two files, f.go and g.go, and lists the items told.
// In the text «verb word …» is a mark, and f0 the version of f.go at the start.
func observed(t *testing.T, head, scripts string) []string {
	t.Helper()
	const content = "package f\nvar a = 1\nvar b = 2\n"
	s, err := workspace.NewSnapshot(map[string]string{"f": content})
	if err != nil {
		t.Fatal(err)
	}
	v, _ := s.Stat("f")
	speaks := "script:\n  main: {user: Go.}\n"
	if strings.Contains(head, "roots:") {
		speaks = "script:\n"
	}
	text := fmt.Sprintf("agentsim: 1\nname: observed\nprovider: {model: claude-sonnet-4-5-20250929}\n"+
		"project: {files: {f.go: %q, g.go: %q}}\n%s\n%s", content, content, head, strings.ReplaceAll(strings.Replace(scripts, "script:\n", speaks, 1), "f0", v.Hash))
	key := mark.NewKey(42)
	for strings.Contains(text, "«") {
		from, to := strings.Index(text, "«"), strings.Index(text, "»")
		words := strings.Fields(text[from+len("«") : to])
		text = text[:from] + key.Text(mark.Verb(words[0]), words[1:]...) + text[to+len("»"):]
	}
	o := &outcomes{lineage: map[int32]string{}}
	runOf(t, specOf(t, text, "", "interactive=true"), o)
	return o.told
}

// One agent looks at f.go and takes long to report; another changes it in the
// meantime.
const twoAtOnce = `
script:
  answers:
    - agent: main
      turns:
        - tools:
            - {name: Agent, input: {description: look, prompt: Look., subagent_type: general-purpose, run_in_background: true}}
            - {name: Agent, input: {description: change, prompt: Change., subagent_type: general-purpose, run_in_background: true}}
        - {text: Wait.}
        - {text: Noted.}
        - {text: Noted.}
        - {text: Noted.}
    - agent: main/1.1
      turns:
        - {tools: [{name: Read, input: {file_path: f.go}}]}
        - {text: {tokens: 3_000}, tools: [%SECOND%]}
        - {text: "«done look» «on f.go f0»"}
    - agent: main/1.2
      turns:
        - {tools: [{name: Read, input: {file_path: f.go}}]}
        - {tools: [{name: Edit, input: {file_path: f.go, old_string: "a = 1", new_string: "a = 3"}}]}
        - {text: "«done change»"}
`

// twoReviews are two items that children report done: a needs both files by a
// glob, b only says that it reads them.
const twoReviews = `structure: %STRUCTURE%
work:
  - {id: look, kind: research, by: lead, knows: [summaries], found_in: [g.go]}
  - {id: a, kind: research, after: [look], reads: ["[fg].go"]}
  - {id: b, kind: research, after: [look], knows: [summaries], found_in: [f.go, g.go]}`

// readers are the children; the first one reads %READS%.
const readers = `script:
  answers:
    - agent: "*/*.1"
      turns:
        - {tools: [%READS%]}
        - {text: "«done a»"}
    - {agent: "*/*.2", turns: [{text: "«done b»"}]}`

func TestObserved(t *testing.T) {
	same := func(t *testing.T, got []string, want ...string) {
		t.Helper()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	main := ""
	reviewed := func(structure, reads string) []string {
		head := strings.Replace(twoReviews, "%STRUCTURE%", structure, 1)
		return slices.DeleteFunc(observed(t, head, strings.Replace(readers, "%READS%", reads, 1)), func(s string) bool { return strings.HasPrefix(s, "main ") })
	}
	const f, g = "{name: Read, input: {file_path: f.go}}", "{name: Read, input: {file_path: g.go}}"
	t.Run("LLM-05 without the content of a file that it needs an item is not done, however it is reported; what it only reads is told as unread", func(t *testing.T) {
		same(t, reviewed("subagent", f+", "+g), "main/3.1 a done", "main/3.2 b done, [f.go g.go] of 2 unread")
		same(t, reviewed("subagent", f), "main/3.1 a failed for want of unread:g.go", "main/3.2 b done, [f.go g.go] of 2 unread")
		same(t, reviewed("fork", f), "main/3.1 a done", "main/3.2 b done, [f.go] of 2 unread")
	})
	t.Run("CON-11 FRK-08 what others write after an agent looked makes its report no wrong one", func(t *testing.T) {
		same(t, observed(t, main, strings.Replace(twoAtOnce, "%SECOND%", "{name: Read, input: {file_path: g.go}}", 1)),
			"main/1.1 look done", "main/1.2 change done")
	})
	t.Run("CON-11 FRK-08 a report on a version that the agent has seen replaced is wrong", func(t *testing.T) {
		same(t, observed(t, main, strings.Replace(twoAtOnce, "%SECOND%", "{name: Read, input: {file_path: f.go}}", 1)),
			"main/1.1 look wrong", "main/1.2 change done")
	})
	t.Run("CON-13 FRK-08 a fork that relies on a version which was old when it began is wrong, one that began before the change is not", func(t *testing.T) {
		same(t, observed(t, "lab:\n  gates: {FORK_SUBAGENT: true}\n"+main, `
script:
  answers:
    - agent: main
      turns:
        - {tools: [{name: Read, input: {file_path: f.go}}]}
        - tools:
            - {name: Agent, input: {description: change, prompt: Change.}}
            - {name: Agent, input: {description: early, prompt: Early.}}
        - {text: Wait.}
        - {tools: [{name: Agent, input: {description: late, prompt: Late.}}]}
        - {text: Noted.}
        - {text: Noted.}
        - {text: Noted.}
    - agent: main/2.1
      turns:
        - {tools: [{name: Edit, input: {file_path: f.go, old_string: "a = 1", new_string: "a = 3"}}]}
        - {text: "Scope: change «done change»"}
    - agent: main/2.2
      turns:
        - {text: {tokens: 3_000}, tools: [{name: Read, input: {file_path: g.go}}]}
        - {text: "Scope: early «done early» «on f.go f0»"}
    - agent: main/4.1
      turns: [{text: "Scope: late «done late» «on f.go f0»"}]
`), "main/2.1 change done", "main/2.2 early done", "main/4.1 late wrong")
	})
	t.Run("CON-11 an item told twice counts once, and keeps what it was told as unless it turns out wrong", func(t *testing.T) {
		same(t, observed(t, main, `
script:
  answers:
    - agent: main
      turns:
        - {text: "«done a»", tools: [{name: Read, input: {file_path: f.go}}]}
        - {text: "«done b» «failed c x.y»", tools: [{name: Read, input: {file_path: g.go}}]}
        - {text: "«done b» «done a» «done b» «failed c x.y»", tools: [{name: Read, input: {file_path: g.go}}]}
        - {text: "«done c» «done a» «on f.go 00000000»"}
`), "main a done", "main a wrong", "main b done", "main c failed", "main c wrong")
	})
	t.Run("CRD-12 an item that failed and is done by whoever tries again is done with rework, one that verifies is done", func(t *testing.T) {
		same(t, observed(t, main+`
structure: coordinator
work:
  - {id: fix, kind: implement, edits: [{file: f.go, tokens: 50}]}
  - {id: check, kind: verify, after: [fix]}`, `
script:
  answers:
    - {agent: main/1.1, turns: [{text: "«failed fix x.y»"}, {text: "«done fix»"}]}
    - {agent: main/*, turns: [{text: "«failed check x.y»"}, {text: "«done check»"}]}
`), "main/1.1 fix failed", "main/1.1 fix rework", "main/5.1 check done", "main/5.1 check failed")
	})
	t.Run("CON-11 an old version of a file makes those items wrong that use it, by path, by pattern or as what they verify", func(t *testing.T) {
		same(t, observed(t, main+`
structure: subagent
work:
  - {id: f-path, kind: implement, edits: [{file: f.go, tokens: 50}]}
  - {id: g-path, kind: implement, edits: [{file: g.go, tokens: 50}], found_in: [g.go]}
  - {id: f-glob, kind: research, found_in: [{glob: "f*", count: 1}], knows: [summaries]}
  - {id: f-gist, kind: answer, knows: ["summary:f.go"]}
  - {id: f-check, kind: verify, after: [f-path]}
  - {id: g-check, kind: verify, after: [g-path]}`, `
script:
  answers:
    - agent: main/1.1
      turns:
        - {tools: [{name: Read, input: {file_path: f.go}}, {name: Read, input: {file_path: g.go}}]}
        - {text: "«done f-path» «done g-path» «done f-glob» «done f-gist» «done f-check» «done g-check» «on f.go 00000000» «on g.go f0»"}
    - {agent: main/*, turns: [{text: Nothing.}, {text: Nothing.}, {text: Nothing.}]}
`), "main/1.1 f-check wrong", "main/1.1 f-gist wrong", "main/1.1 f-glob wrong", "main/1.1 f-path wrong", "main/1.1 g-check done", "main/1.1 g-path done")
	})
}
