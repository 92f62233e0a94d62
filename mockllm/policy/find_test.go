package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"agentsim/mockllm"
	"agentsim/sim/llm"
	"agentsim/sim/mark"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

func narrowed(t *testing.T) {
	for _, form := range []string{"f%03d.go", "Order%03d.go", "test_%03d.go", "f%03d", "éa%03d.go"} {
		var b strings.Builder
		b.WriteString("project:\n  files:\n")
		for i := range 230 {
			fmt.Fprintf(&b, "    "+form+": {text: \"the only line of %d\"}\n", i, i)
		}
		last := fmt.Sprintf(form, 229)
		fmt.Fprintf(&b, "structure: inline\nwork:\n  - {id: look, kind: research, found_in: [%s], knows: [summaries]}\n", last)
		a := newHouse(t, b.String()).run()
		for _, use := range a.tools {
			if strings.HasPrefix(use, "Glob") && strings.Contains(use, strings.TrimSuffix(last, path.Ext(last))) {
				t.Errorf("%s names the file", use)
			}
		}
		if got := a.tools[len(a.tools)-1]; got != "Read "+last || len(a.tools) > 80 {
			t.Errorf("%d tool uses, the last is %s", len(a.tools), got)
		}
	}
}

// TestFamilies holds the searches to what they are for: each name is found by
// exactly one of those that another is divided into.
func TestFamilies(t *testing.T) {
	t.Run("CON-12 narrower searches find between them what the broader one finds, each name once", rapid.MakeCheck(func(t *rapid.T) {
		var names []string
		var rests []unsplit
		for range rapid.IntRange(1, 60).Draw(t, "files") {
			name := rapid.StringMatching(`[a-cM-O_0-9é.]{0,4}`).Draw(t, "name")
			dir := rapid.SampledFrom([]string{"", "a", "ab/b", "b", "c/ab"}).Draw(t, "directory")
			if slices.Contains(names, path.Join(dir, name+".go")) {
				continue
			}
			names, rests = append(names, path.Join(dir, name+".go")), append(rests, unsplit{name, dir, true})
		}
		table := &Table{searchIndex: map[string]int{}}
		d := divider{t: table}
		d.begun(anywhere, ".go", rests)
		pattern := func(i int) string {
			raw := table.searches[d.out[i].search].input.Raw()
			return strings.TrimSuffix(strings.TrimPrefix(raw, `{"pattern":"`), `"}`)
		}
		for i, s := range d.out {
			for _, name := range names {
				hits := 0
				for _, f := range s.finer {
					if doublestar.MatchUnvalidated(pattern(f), name) {
						hits++
					}
				}
				if len(s.finer) > 0 && doublestar.MatchUnvalidated(pattern(i), name) && hits != 1 {
					var by []string
					for _, f := range s.finer {
						by = append(by, pattern(f))
					}
					t.Fatalf("%s is found by %s and by %d narrower searches of %q", name, pattern(i), hits, by)
				}
			}
		}
	}))
}

// previewed: a preview shows lines 1 to 3 of a version, and the page from line 4
// on is of another.
func previewed(t *testing.T) {
	h := newHouse(t, standard)
	numbered := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, "%6d\tline %d\n", i, i)
		}
		return b.String()
	}
	read := func(id byte) llm.Block {
		return llm.Block{Kind: llm.ToolUse, Name: "Read", ID: llm.ToolUseID{id}, Content: h.table.readInput(readKey{file: 0})}
	}
	result := func(id byte, text string) llm.Block {
		return llm.Block{Kind: llm.ToolResult, ID: llm.ToolUseID{id}, Content: llm.NewText(llm.Prose, text)}
	}
	page := func(from, to int) string {
		return numbered(from, to) + h.marks.Text(mark.File, h.table.files[0], "0123abcd", fmt.Sprintf("%d-%d/5", from, to))
	}
	a := h.start("probe", nil)
	for i, text := range []string{numbered(1, 3) + "[result of 900 bytes replaced by this preview]", page(4, 5), page(1, 3)} {
		a.append(llm.Assistant, read(byte(i+1)))
		a.append(llm.User, result(byte(i+1), text))
		if k := New(h.table).memo.state(a.head).files.at(0); k.current() != (i == 2) {
			t.Errorf("after result %d: %+v", i, k)
		}
	}
}

func leadDraws(t *testing.T) {
	h := newHouse(t, standard, "structure=subagent", `work.1.by=""`)
	answer := func(call int, said ...string) string {
		a := h.start("main", nil, "Do the work.")
		for _, s := range said {
			a.append(llm.Assistant, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, s)})
			a.append(llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "Go on.")})
		}
		q := mockllm.Query{Head: a.head, Model: "m", MaxTokens: 1, Stream: llm.StreamName{Lineage: "main", Key: a.key, Call: call}}
		var ans mockllm.Answer
		ans.Reset()
		if err := New(h.table).Answer(&q, &ans); err != nil {
			t.Fatal(err)
		}
		return ans.Blocks[0].Content.Raw()
	}
	want := answer(3)
	if answer(4) != want || answer(3, "one", "two", "three") != want {
		t.Error("the same items are given out with another preamble")
	}
	if answer(3, h.marks.Text(mark.Done, "look")) == want {
		t.Error("other items are given out with the same preamble")
	}
}

// inTheShell: whoever has no tool to search with makes the same searches by commands,
// and learns the same from them.
func inTheShell(t *testing.T) {
	plain, shell := newHouse(t, standard, "structure=subagent"), newHouse(t, standard, "structure=subagent")
	shell.tools = []string{"no searches", "Bash"}
	a, b := plain.run(), shell.run()
	if got := strings.Join(b.tools, " "); len(a.tools) != len(b.tools) || strings.Contains(got, "Glob") || strings.Contains(got, "Grep") || !strings.Contains(got, "find . -name '*.go'") {
		t.Errorf("%v\n%v", a.tools, b.tools)
	}
	for glob, want := range map[string]string{"**/*.go": "find . -name '*.go'", "pkg/**/*.go": "find . -path './pkg/*.go'", "*.md": "find . -path './*.md'"} {
		if got := inShell("Glob", glob); got != want {
			t.Errorf("%s: %s, want %s", glob, got, want)
		}
	}
	if got := inShell("Grep", `auth\.null`); got != `grep -rlE 'auth\.null' .` {
		t.Error(got)
	}
}

// skipsAStep: a worker that is told where its file is reads it at once, with the
// words of one that had to look for it first.
func skipsAStep(t *testing.T) {
	steps := func(told string) (out []string) {
		h := newHouse(t, standard, "structure=subagent", `work.1.by=""`)
		h.prompt = func(p string) string { return p + told }
		h.run()
		for _, s := range h.said {
			if q := s.query.Stream; q.Lineage == "main/0.2" && strings.Contains(s.answer, "src/store.go") && strings.Contains(s.answer, " Read ") {
				words, _, _ := strings.Cut(s.answer, "\n")
				out = append(out, words)
				if first := q.Call == 0; first != (told != "") {
					t.Errorf("told %q: %s reads at call %d", told, q.Lineage, q.Call)
				}
				return out
			}
		}
		return nil
	}
	h, keys := newHouse(t, standard), map[uint64]bool{}
	for _, a := range []action{{read: readKey{file: 0}}, {read: readKey{file: 1}}, {read: readKey{file: 0, offset: 9}}, {kind: searchAction}, {kind: searchAction, search: 1},
		{kind: editAction}, {kind: editAction, edit: 2}} {
		for i := range h.table.items {
			k := h.table.stepKey(&h.table.items[i], &a).Uint64()
			if keys[k] {
				t.Errorf("%+v of item %d draws as another step does", a, i)
			}
			keys[k] = true
		}
	}
	if a, b := steps(""), steps(" It is in src/store.go."); len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("%q, %q", a, b)
	}
}
