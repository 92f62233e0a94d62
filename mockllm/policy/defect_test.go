package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/shell"
	"agentsim/sim/workspace"

	"pgregory.net/rapid"
)

// equip gives the front of every request the tools that a test names beside Read.
func (h *house) equip(n *llm.Node) *llm.Node {
	for _, name := range h.tools {
		n = h.builder.Append(n, llm.NoRole, &llm.Block{Kind: llm.ToolDef, Name: name, Content: llm.NewJSON(`{"name":"` + name + `"}`)})
	}
	return n
}

// programs are the project's tests as the root of a run makes them.
func (h *house) programs() (out []shell.Program) {
	for _, x := range h.sc.Project.Tests {
		out = append(out, shell.Program{Words: x.Command, Took: x.Takes, Test: &shell.Test{Files: x.Files, Check: h.check}})
	}
	return append(out, shell.Programs()...)
}

func (h *house) check(_ *workspace.FS, line string) (what string) {
	h.marks.Scan(line, func(m mark.Mark) {
		if m.Verb != mark.Defect {
			return
		}
		what = line
		for _, it := range h.sc.Work {
			for _, p := range it.Pitfalls {
				for _, f := range h.sc.Project.Facts {
					if it.ID == m.Args[0] && p == m.Args[1] && f.Name == p {
						what += " " + h.marks.Text(mark.At, p, fmt.Sprintf("%s:%d", f.File, f.Line))
					}
				}
			}
		}
	})
	return what
}

// defective lists the defects that stand in files, a line each.
func (h *house) defective() string {
	var b strings.Builder
	for _, p := range h.fs.Paths() {
		content, _ := h.fs.Content(p)
		h.marks.Scan(content, func(m mark.Mark) {
			if m.Verb == mark.Defect {
				fmt.Fprintf(&b, "%s has the defect of %s: %s\n", p, m.Args[0], m.Args[1])
			}
		})
	}
	if b.Len() == 0 {
		return "no defects\n"
	}
	return b.String()
}

// The worlds in which work goes wrong and is put right, and in which findings
// stand in pads.
const erring = `
project:
  tests: [{command: go test ./..., files: "src/*.go", takes: 5s}]
  files:
    src/auth.go: {text: "// alpha of auth\n// bravo of auth\n// charlie of auth\n// delta of auth\n"}
    src/store.go: {text: "// alpha of store\n// bravo of store\n// charlie of store\n// delta of store\n"}
    docs/old.md: {text: "alpha of old\nbravo of old\ncharlie of old\n"}
  facts:
    - {name: auth.null-user, file: src/auth.go, line: 3}
    - {name: store.no-lock, file: src/store.go, line: 2}
    - {name: old.theory, file: docs/old.md, line: 2}
structure: coordinator
agents:
  coordinator: {corrections: 2, approaches: 2}
work:
  - {id: look, kind: research, found_in: [src/auth.go, docs/old.md], knows: [summaries], yields: [auth.null-user, old.theory]}
  - {id: fix-a, kind: implement, after: [look], knows: [auth.null-user], edits: [{file: src/auth.go, tokens: 12}], runs: [go test ./...], pitfalls: [store.no-lock]}
  - {id: fix-b, kind: implement, after: [look], edits: [{file: src/store.go, tokens: 12}, {file: src/auth.go, tokens: 9}], misled_by: [old.theory]}
  - {id: check, kind: verify, after: [fix-a, fix-b], runs: [go test ./...]}
`

func TestDefects(t *testing.T) {
	t.Run("CON-11 LLM-11 what is known of defects, tests and pads follows from the bytes alone, also behind a summary", func(t *testing.T) {
		inline := strings.NewReplacer("structure: coordinator", "structure: inline", "agents:\n  coordinator: {corrections: 2, approaches: 2}\n", "").Replace(erring)
		for n, world := range []string{erring, inline, erring} {
			sets := []string{"gates.tengu_scratch=true"}[:n/2]
			for _, where := range []string{"", "main 3", "main 5", "main/0.1 2", "main/0.1 3", "main/0.1 4"} {
				h := newHouse(t, world, sets...)
				h.tools, h.compact = []string{"Bash", "Write"}, where
				h.after = func(a *agent) {
					r := h.said[len(h.said)-1]
					carried := h.model.(*Model).memo.state(r.head)
					flat := New(h.table).memo.state(h.reread(t, r.head))
					if got, want := h.table.describe(carried), h.table.describe(flat); got != want {
						t.Errorf("%v %s: %s call %d: carried\n%s\nfrom bytes\n%s", sets, where, a.lineage, a.calls, got, want)
					}
				}
				h.run()
				replayed(t, h)
				if got := h.defective(); got != "no defects\n" && where == "" && world != inline {
					t.Errorf("%v %s: %s\n%s", sets, where, got, h.log.String())
				}
			}
		}
	})
	t.Run("LLM-12 a pitfall's fact taken out of one prompt makes exactly that item's edits wrong", rapid.MakeCheck(onePitfallLess))
	t.Run("LLM-04 a verifier says done if and only if no defect stands in what it tested", rapid.MakeCheck(verified))
	t.Run("LLM-04 a verifier whose tests fail has failed, also where no defect can be read in what they print", redUnseen)
	t.Run("CON-14 a defect's mark reopens an item in an assignment of it only", reopened)
	t.Run("CON-13 a report names every defect that tests showed, however small its budget", func(t *testing.T) {
		h := newHouse(t, erring, "model.report_budget=1", "model.prompting=pointers", "coordinator.workers=continue")
		h.tools = []string{"Bash"}
		h.run()
		if !strings.Contains(h.log.String(), "[failed check defect:old.theory; defect fix-b old.theory") {
			t.Errorf("%s", h.log.String())
		}
	})
}

// redUnseen takes the defect out of whatever is printed.
func redUnseen(t *testing.T) {
	h := newHouse(t, story(t, "CRD-12-recovery.txt"))
	h.tools = []string{"Bash"}
	h.result = func(p *llm.Payload) string {
		return strings.ReplaceAll(p.Raw(), h.marks.Text(mark.Defect, "fix-auth", "store.no-lock"), "")
	}
	h.run()
	failed := h.marks.Text(mark.Failed, "check", runName)
	for _, r := range h.said {
		if strings.Contains(r.query.Stream.Lineage, "/") && strings.Contains(r.answer, h.marks.Text(mark.Done, "check")) {
			t.Errorf("%s says that it is verified: %s", r.query.Stream.Lineage, r.answer)
		}
	}
	if !slices.ContainsFunc(h.said, func(r asked) bool { return strings.Contains(r.answer, failed) }) {
		t.Errorf("nobody says %s\n%s", failed, h.log.String())
	}
}

// onePitfallLess tells each of some workers its own pitfall, but for one.
func onePitfallLess(rt *rapid.T) {
	n := rapid.IntRange(2, 5).Draw(rt, "items")
	gone := rapid.IntRange(0, n-1).Draw(rt, "gone")
	var files, facts, names, work strings.Builder
	for i := range n {
		fmt.Fprintf(&files, "    f%d.go: {text: \"line one of %d\\nline two of %d\\n\"}\n    p%d.md: {text: \"note one\\nnote two\\n\"}\n", i, i, i, i)
		fmt.Fprintf(&facts, "  - {name: fact.%d, file: p%d.md, line: 2}\n", i, i)
		fmt.Fprintf(&names, "fact.%d, ", i)
		fmt.Fprintf(&work, "  - {id: item-%d, kind: implement, after: [look], edits: [{file: f%d.go, tokens: 8}], pitfalls: [fact.%d]}\n", i, i, i)
	}
	text := "project:\n  files:\n" + files.String() + "  facts:\n" + facts.String() +
		"structure: subagent\nwork:\n  - {id: look, kind: research, by: lead, knows: [summaries], found_in: [{glob: \"p*.md\"}], yields: [" + names.String() + "]}\n" + work.String()
	h := newHouse(currentT, text)
	h.prompt = func(p string) string {
		return strings.ReplaceAll(p, h.marks.Text(mark.Fact, fmt.Sprintf("fact.%d", gone)), "")
	}
	h.run()
	if got, want := h.defective(), fmt.Sprintf("f%d.go has the defect of item-%d: fact.%d\n", gone, gone, gone); got != want {
		rt.Fatalf("without fact.%d: %s\n%s", gone, got, h.log.String())
	}
}

// verified plays work with random defects: each item is tripped up or misled by
// facts that research yields, that nobody tells, or that it reads by the way.
func verified(rt *rapid.T) {
	n := rapid.IntRange(1, 3).Draw(rt, "items")
	var files, facts, yields, work strings.Builder
	for i := range n {
		fmt.Fprintf(&files, "    f%d.go: {text: \"line one of %d\\nline two of %d\\nline three of %d\\n\"}\n    p%d.md: {text: \"note one\\nnote two\\n\"}\n", i, i, i, i, i)
		where := rapid.SampledFrom([]string{fmt.Sprintf("p%d.md", i), fmt.Sprintf("f%d.go", i)}).Draw(rt, "where")
		fmt.Fprintf(&facts, "  - {name: fact.%d, file: %s, line: 2}\n", i, where)
		if rapid.Bool().Draw(rt, "yielded") {
			fmt.Fprintf(&yields, "fact.%d, ", i)
		}
		runs := ""
		if rapid.Bool().Draw(rt, "runs") {
			runs = ", runs: [go test]"
		}
		how := rapid.SampledFrom([]string{"pitfalls", "misled_by"}).Draw(rt, "how")
		fmt.Fprintf(&work, "  - {id: item-%d, kind: implement, after: [look], edits: [{file: f%d.go, tokens: 8}], %s: [fact.%d]%s}\n", i, i, how, i, runs)
	}
	var after []string
	for i := range n {
		after = append(after, fmt.Sprintf("item-%d", i))
	}
	text := "project:\n  tests: [{command: go test, files: \"*.go\", takes: 1s}]\n  files:\n" + files.String() + "  facts:\n" + facts.String() +
		"structure: coordinator\nagents: {coordinator: {workers: " + rapid.SampledFrom([]string{"table", "continue", "spawn"}).Draw(rt, "workers") + "}}\n" +
		"work:\n  - {id: look, kind: research, knows: [summaries], found_in: [{glob: \"p*.md\"}], yields: [" + yields.String() + "]}\n" + work.String() +
		"  - {id: check, kind: verify, after: [" + strings.Join(after, ", ") + "], runs: [go test]}\n"
	h := newHouse(currentT, text)
	h.tools = []string{"Bash"}
	last := ""
	h.after = func(a *agent) {
		h.marks.Scan(a.said, func(m mark.Mark) {
			if a.lineage != "main" && m.Args[0] == "check" && (m.Verb == mark.Done || m.Verb == mark.Failed) {
				if last = string(m.Verb); (last == "done") != (h.defective() == "no defects\n") {
					rt.Fatalf("check is %s, and there are: %s\n%s", last, h.defective(), h.log.String())
				}
			}
		})
	}
	h.run()
}

// reopened says to an agent that an item is defective, in ways of which one
// counts.
func reopened(t *testing.T) {
	h := newHouse(t, erring)
	do, other := h.marks.Text(mark.Do, "fix-a"), h.marks.Text(mark.Do, "fix-b")
	bad := h.marks.Text(mark.Defect, "fix-a", "store.no-lock")
	for _, x := range []struct {
		what string
		role llm.Role
		b    llm.Block
		want bool
	}{
		{"in its assignment", llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, do+" "+bad)}, true},
		{"in that of another item", llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, other+" "+bad)}, false},
		{"in a tool's result", llm.User, llm.Block{Kind: llm.ToolResult, Content: llm.NewText(llm.Prose, do+" "+bad)}, false},
		{"by itself", llm.Assistant, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, do+" "+bad)}, false},
		{"of no item", llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, do+" "+h.marks.Text(mark.Defect, "fix-a", "old.theory"))}, false},
	} {
		s := h.learned(x.role, x.b)
		if got := s.proof.fixing.len() > 0; got != x.want {
			t.Errorf("%s: reopened is %v", x.what, got)
		}
	}
}
