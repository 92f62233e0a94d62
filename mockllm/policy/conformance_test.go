package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentsim/mockllm"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/rng"
	"agentsim/sim/wire"

	"pgregory.net/rapid"
)

// standard is a world in which everything happens: research, edits of one file
// by two items, verification and a question.
const standard = `
project:
  files:
    src/auth.go:
      text: |
        // the first line of auth
        // the second line of auth
        // the third line of auth
        // the fourth line of auth
        // the fifth line of auth
    src/store.go:
      text: |
        // the first line of store
        // the second line of store
        // the third line of store
        // the fourth line of store
        // the fifth line of store
  facts:
    - {name: auth.null-user, file: src/auth.go, line: 3}
    - {name: store.no-lock, file: src/store.go, line: 2}
structure: inline
model: {report_tokens: {uniform: [100, 600]}}
work:
  - {id: look, kind: research, by: lead, found_in: [src/auth.go], knows: [summaries]}
  - {id: dig, kind: research, found_in: [src/store.go], knows: [summaries], yields: [store.no-lock]}
  - {id: fix-a, kind: implement, after: [look, dig], knows: [store.no-lock], edits: [{file: src/auth.go, tokens: {uniform: [20, 60]}}]}
  - {id: fix-b, kind: implement, after: [look, dig], knows: [auth.null-user], edits: [{file: src/auth.go, tokens: 30}, {file: src/store.go, tokens: 10}]}
  - {id: check, kind: verify, after: [fix-a, fix-b]}
  - {id: tell, kind: answer, after: [check], knows: [auth.null-user, store.no-lock]}
`

// worlds are the ways to do it.
var worlds = [][]string{
	{"structure=inline"},
	{"structure=subagent", "model.prompting=full"},
	{"structure=subagent-background", "model.prompting=lazy"},
	{"structure=fork"},
	{"structure=coordinator"},
	{"structure=coordinator", "coordinator.workers=continue", "model.prompting=lazy"},
}

func TestConformance(t *testing.T) {
	t.Run("LLM-11 recorded requests fed back out of order to a fresh model get their answers again", func(t *testing.T) {
		for _, sets := range worlds {
			replayed(t, played(t, sets...))
		}
	})
	t.Run("CON-11 the state carried along a conversation is the state folded from flat bytes", func(t *testing.T) {
		for _, sets := range worlds {
			refolded(t, sets)
		}
	})
	t.Run("CON-11 a state at a fork point serves the parent and all its forks", func(t *testing.T) { sharedForkPoint(t) })
	t.Run("CON-11 forks of a parent that another source answers fold its history once for all", scriptedParent)
	t.Run("CON-11 conversations that end without a word are forgotten, and one that goes on is not", forgotten)
	t.Run("LLM-01 the world may change behind the model's back: the same request gets the same answer", func(t *testing.T) {
		h := played(t, "structure=inline")
		for _, p := range slices.Clone(h.fs.Paths()) {
			if _, err := h.fs.Write(p, "something else\n", 9); err != nil {
				t.Fatal(err)
			}
		}
		replayed(t, h)
	})
	t.Run("LLM-12 a fact taken out of one prompt changes the reads of the items that need it and of no other", rapid.MakeCheck(oneFactLess))
	t.Run("CON-12 a name is no knowledge, and a foreign tag means nothing", func(t *testing.T) { namesAreNothing(t) })
	t.Run("CON-12 a mark survives JSON and XML escaping whole", func(t *testing.T) {
		h := newHouse(t, standard)
		text := h.marks.Text(mark.Fact, "auth.null-user") + `<&">`
		xml := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
		for _, s := range []string{text, xml, string(llm.AppendQuoted(nil, string(llm.AppendQuoted(nil, xml))))} {
			if s := h.learned(llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, s)}); !s.facts.has(0) {
				t.Errorf("the fact is lost")
			}
			if s := h.learned(llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, s[:len(s)-len(s)/2])}); s.facts.has(0) {
				t.Errorf("half a mark is a fact")
			}
		}
	})
	t.Run("CON-12 CON-15 a file that a cut list of names leaves out is found by narrower searches, none of which names it", narrowed)
	t.Run("CON-12 a pattern that stands in the item is searched for first", func(t *testing.T) {
		h := newHouse(t, standard, `work.1.found_in=[{glob: "src/au*.go"}]`)
		h.run()
		if !strings.Contains(h.log.String(), "main 0: words · Glob src/au*.go") {
			t.Errorf("%s", h.log.String())
		}
	})
	t.Run("CON-15 lines of a version that a preview left unknown do not count for a later one", previewed)
	t.Run("CON-16 what the lead draws belongs to what it gives out, whatever the call and the request", leadDraws)
	t.Run("LLM-03 who has no tool to search with searches in the shell", inTheShell)
	t.Run("CON-16 who skips a step draws the same sizes for the later ones", skipsAStep)
	t.Run("CON-14 who may say what", func(t *testing.T) { whoMaySay(t) })
	t.Run("TSK-11 a read that ended with another one's error tells nothing of its file, one that failed itself does", cancelledRead)
	t.Run("CON-16 the same item has the same words whatever structure does it", func(t *testing.T) { sameWords(t) })
	t.Run("LLM-05 every structure finishes every item of the same work", func(t *testing.T) {
		for _, sets := range worlds {
			h := played(t, sets...)
			if got := h.outcomes(); got != "done check dig fix-a fix-b look tell" {
				t.Errorf("%v: %s\n%s", sets, got, h.log.String())
			}
		}
	})
	t.Run("LLM-09 stop reasons and blocks have the API's shapes", func(t *testing.T) { shapes(t) })
}

// played is a house after its lead has ended.
func played(t *testing.T, sets ...string) *house {
	t.Helper()
	h := newHouse(t, standard, sets...)
	h.set.Thinking = llm.ThinkingEnabled
	h.run()
	return h
}

// reread builds the request's chain anew from its flat bytes.
func (h *house) reread(t *testing.T, head *llm.Node) *llm.Node {
	t.Helper()
	body, err := wire.Read(&llm.Builder{}, llm.AppendRequest(nil, head), wire.Options{Scope: h.scope})
	if err != nil {
		t.Fatal(err)
	}
	return body.Head
}

// replayed asks a fresh model every recorded request, in an order of its own.
func replayed(t *testing.T, h *house) {
	t.Helper()
	fresh := New(h.table)
	order := make([]int, len(h.said))
	rng.Root(3).Perm(order)
	for _, i := range order {
		r := h.said[i]
		q := r.query
		q.Head = h.reread(t, r.head)
		var a mockllm.Answer
		a.Reset()
		if err := fresh.Answer(&q, &a); err != nil {
			t.Fatal(err)
		}
		if got := render(&a); got != r.answer {
			t.Errorf("%s call %d:\n%s\nrecorded:\n%s", q.Stream.Lineage, q.Stream.Call, got, r.answer)
		}
	}
}

func refolded(t *testing.T, sets []string) {
	h := newHouse(t, standard, sets...)
	h.after = func(a *agent) {
		r := h.said[len(h.said)-1]
		carried := h.model.(*Model).memo.state(r.head)
		flat := New(h.table).memo.state(h.reread(t, r.head))
		if got, want := h.table.describe(carried), h.table.describe(flat); got != want {
			t.Errorf("%s call %d: carried\n%s\nfrom bytes\n%s", a.lineage, a.calls, got, want)
		}
	}
	h.run()
}

// sharedForkPoint lets the parent go on before its forks make their first call.
func sharedForkPoint(t *testing.T) {
	h := newHouse(t, standard, "structure=fork")
	h.run()
	m := h.model.(*Model)
	var forks int
	for _, r := range h.said {
		if r.query.Stream.Call == 0 && strings.Contains(r.query.Stream.Lineage, "/") {
			forks++
			if steps := m.memo.unfolded(r.head); steps > 8 {
				t.Errorf("%s folds %d blocks at its first call", r.query.Stream.Lineage, steps)
			}
		}
	}
	if forks == 0 {
		t.Error("nobody forked")
	}
}

// oneFactLess: n items need one fact each, every file holds one fact, and the
// lead tells them all. One fact is taken out of its prompt.
func oneFactLess(rt *rapid.T) {
	n := rapid.IntRange(2, 5).Draw(rt, "items")
	gone := rapid.IntRange(0, n-1).Draw(rt, "gone")
	var b strings.Builder
	b.WriteString("project:\n  files:\n")
	for i := range n {
		fmt.Fprintf(&b, "    f%d.go: {text: \"line one of %d\\nline two of %d\\n\"}\n", i, i, i)
	}
	b.WriteString("  facts:\n")
	var names []string
	for i := range n {
		fmt.Fprintf(&b, "  - {name: fact.%d, file: f%d.go, line: 2}\n", i, i)
		names = append(names, fmt.Sprintf("fact.%d", i))
	}
	fmt.Fprintf(&b, "structure: subagent\nwork:\n  - {id: look, kind: research, by: lead, found_in: [\"f*.go\"], knows: [summaries], yields: [%s]}\n", strings.Join(names, ", "))
	text := strings.Replace(b.String(), `found_in: ["f*.go"]`, `found_in: [{glob: "f*.go"}]`, 1)
	for i := range n {
		text += fmt.Sprintf("  - {id: item-%d, kind: answer, after: [look], knows: [fact.%d]}\n", i, i)
	}
	t := currentT
	whole, less := newHouse(t, text), newHouse(t, text)
	less.prompt = func(p string) string {
		return strings.ReplaceAll(p, less.marks.Text(mark.Fact, names[gone]), "")
	}
	before, after := toolsByItem(whole), toolsByItem(less)
	for i := range n {
		id := fmt.Sprintf("item-%d", i)
		if changed := before[id] != after[id]; changed != (i == gone) {
			rt.Fatalf("without fact.%d, %s goes from %q to %q", gone, id, before[id], after[id])
		}
	}
}

// toolsByItem plays a house and says for each item which tools its worker used.
func toolsByItem(h *house) map[string]string {
	out := map[string]string{}
	h.after = func(a *agent) {
		s := h.model.(*Model).memo.state(h.said[len(h.said)-1].head)
		if s.assign != nil {
			out[h.table.items[s.assign.items[0]].id] = strings.Join(a.tools, ",")
		}
	}
	h.run()
	return out
}

// learned is the state after one block behind the shared front.
func (h *house) learned(role llm.Role, blocks ...llm.Block) *state {
	a := h.start("probe", nil)
	for _, b := range blocks {
		a.append(role, b)
	}
	return New(h.table).memo.state(a.head)
}

func namesAreNothing(t *testing.T) {
	h := newHouse(t, standard)
	foreign := mark.NewKey(8)
	say := func(s string) llm.Block { return llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, s)} }
	for _, s := range []string{"auth.null-user", "the fact auth.null-user is missing", h.marks.Text(mark.At, "auth.null-user", "src/auth.go:3"),
		h.marks.Text(mark.Failed, "fix-b", "auth.null-user"), foreign.Text(mark.Fact, "auth.null-user"), "[[f auth.null-user 0000]]"} {
		if h.learned(llm.User, say(s)).facts.has(0) {
			t.Errorf("%q taught a fact", s)
		}
	}
	if h.learned(llm.User, say(foreign.Text(mark.Do, "fix-b"))).assign != nil {
		t.Error("a foreign tag gave an assignment")
	}
	page := h.marks.Text(mark.File, "src/auth.go", "0123abcd", "1-5/5")
	if h.learned(llm.User, say(page)).files.at(0).hash != "" {
		t.Error("a quoted file mark passed for the file's content")
	}
}

func whoMaySay(t *testing.T) {
	h := newHouse(t, standard)
	do, fact := h.marks.Text(mark.Do, "fix-a"), h.marks.Text(mark.Fact, "auth.null-user")
	text := func(s string) *llm.Payload { return llm.NewText(llm.Prose, s) }
	for _, c := range []struct {
		what     string
		role     llm.Role
		block    llm.Block
		assigned bool
		knows    bool
	}{
		{"user text", llm.User, llm.Block{Kind: llm.Text, Content: text(do + fact)}, true, true},
		{"a tool result", llm.User, llm.Block{Kind: llm.ToolResult, Content: text(do + fact)}, false, true},
		{"a notification", llm.User, llm.Block{Kind: llm.Text, Content: text("<task-notification>" + do + fact)}, false, true},
		{"one's own text", llm.Assistant, llm.Block{Kind: llm.Text, Content: text(do + fact)}, false, true},
		{"one's own thinking", llm.Assistant, llm.Block{Kind: llm.Thinking, Content: text(do + fact)}, false, false},
		{"one's own tool use", llm.Assistant, llm.Block{Kind: llm.ToolUse, Name: "Agent", Content: llm.NewJSON(`{"prompt":"` + do + fact + `"}`)}, false, true},
	} {
		s := h.learned(c.role, c.block)
		if (s.assign != nil) != c.assigned || s.facts.has(0) != c.knows {
			t.Errorf("%s: assigned %t, knows %t", c.what, s.assign != nil, s.facts.has(0))
		}
	}
	user := func(s string) llm.Block { return llm.Block{Kind: llm.Text, Content: text(s)} }
	if s := h.learned(llm.User, user(do), user(h.marks.Text(mark.Do, "tell"))); h.table.items[s.assign.items[0]].id != "tell" {
		t.Error("the last assignment does not win")
	}
	if s := h.learned(llm.User, user(do), user(forkTag+"\n"+h.marks.Text(mark.Do, "dig"))); !s.assign.fork || h.table.items[s.assign.items[0]].id != "dig" {
		t.Error("a fork's directive does not beat what came before")
	}
}

// behindWords is what stands behind the words of an outcome.
var behindWords = regexp.MustCompile(`\n(?:Findings:|Relied on:|Key files:|Where to look:|Left out|\[|text |tool_use |[0-9]+ of )|$`)

// sameWords compares how many words stand behind each item's outcome: which they are
// depends on what whoever writes them has seen.
func sameWords(t *testing.T) {
	var first map[string]int64
	for _, sets := range worlds {
		h := played(t, sets...)
		words := map[string]int64{}
		for _, r := range h.said {
			for i := range h.table.items {
				id := h.table.items[i].id
				if _, after, ok := strings.Cut(r.answer, h.marks.Text(mark.Done, id)+" "); ok {
					words[id] = h.table.filler.Tokens(measureOf(after[:behindWords.FindStringIndex(after)[0]]))
				}
			}
		}
		if first == nil {
			first = words
		}
		for id, w := range words {
			if w != first[id] || w < 100 {
				t.Errorf("%v: %s has %d tokens of words, %d in the first structure", sets, id, w, first[id])
			}
		}
	}
	sizes := map[int64]bool{}
	for _, w := range first {
		sizes[w] = true
	}
	if len(sizes) < 4 {
		t.Errorf("%d sizes for %d items", len(sizes), len(first))
	}
	a, b := newHouse(t, standard), newHouse(t, strings.Replace(standard, "work:\n", "work:\n  - {id: more, kind: answer}\n", 1))
	k, l := a.table.items[a.table.itemIndex["tell"]].key, b.table.items[b.table.itemIndex["tell"]].key
	if k != l {
		t.Error("an added item moved another one's sizes")
	}
}

// outcomes are the items that agents reported, by outcome.
func (h *house) outcomes() string {
	got := map[string]bool{}
	for _, r := range h.said {
		h.marks.Scan(r.answer, func(m mark.Mark) {
			if m.Verb == mark.Done || m.Verb == mark.Failed {
				got[string(m.Verb)+" "+m.Args[0]] = true
			}
		})
	}
	out := "done"
	var names []string
	for k := range got {
		if !strings.HasPrefix(k, "done ") {
			out = "some failed"
		}
		names = append(names, strings.SplitN(k, " ", 2)[1])
	}
	slices.Sort(names)
	return out + " " + strings.Join(names, " ")
}

func shapes(t *testing.T) {
	h := newHouse(t, standard)
	h.set.Thinking = llm.ThinkingEnabled
	a := h.start("main", nil, "Do the work.")
	q := mockllm.Query{Head: a.head, Model: "m", Settings: h.set, MaxTokens: 1, Stream: llm.StreamName{Lineage: "main", Key: a.key}}
	var ans mockllm.Answer
	ans.Reset()
	if err := h.model.Answer(&q, &ans); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	ids := map[llm.ToolUseID]bool{}
	for _, b := range ans.Blocks {
		kinds = append(kinds, b.Kind.String())
		ids[b.ID] = true
	}
	if got := strings.Join(kinds, " "); got != "thinking text tool_use tool_use" && got != "thinking text tool_use" {
		t.Errorf("blocks: %s", got)
	}
	if uses := strings.Count(strings.Join(kinds, " "), "tool_use"); len(ids) != uses+1 {
		t.Errorf("%d ids for %d tool uses", len(ids)-1, uses)
	}
}

// currentT serves rapid laws, whose houses need a *testing.T.
var currentT = new(testing.T)

func cancelledRead(t *testing.T) {
	h := newHouse(t, standard)
	for text, absent := range map[string]int{siblingError: 0, "src/auth.go does not exist": 1} { // order: two cases, each on its own
		a, id := h.start("probe", nil), llm.ToolUseID{1}
		a.append(llm.Assistant, llm.Block{Kind: llm.ToolUse, ID: id, Name: "Read", Content: llm.NewJSON(`{"file_path":"src/auth.go"}`)})
		a.append(llm.User, llm.Block{Kind: llm.ToolResult, ID: id, IsError: true, Content: llm.NewText(llm.Prose, text)})
		if s := New(h.table).memo.state(a.head); s.absent.len() != absent {
			t.Errorf("%s: %d files are taken for absent", text, s.absent.len())
		}
	}
}
