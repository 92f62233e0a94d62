package policy

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/mark"
	"agentsim/sim/tool"

	"pgregory.net/rapid"
)

func TestBudgets(t *testing.T) {
	t.Run("CON-13 what a prompt passes on counts no more than its budget, and what found no room is said", rapid.MakeCheck(promptBudget))
	t.Run("CON-13 what a report passes on counts no more than its budget, and what found no room is said", rapid.MakeCheck(reportBudget))
}

// knowing is a house whose one item needs n facts and the gists of as many
// files, with a state in which some of each are known.
func knowing(rt *rapid.T, budget int64, more string) (*house, *state) {
	n := rapid.IntRange(1, 8).Draw(rt, "facts")
	var b, work, facts strings.Builder
	b.WriteString("project:\n  files:\n")
	var names, files []string
	for i := range n {
		name := rapid.StringMatching(`[a-z]{2,9}\.[a-z0-9-]{2,20}`).Draw(rt, "name") + fmt.Sprint(i)
		file := fmt.Sprintf("src/%s%d.go", rapid.StringMatching(`[a-z0-9]{1,12}`).Draw(rt, "file"), i)
		fmt.Fprintf(&b, "    %s: {text: \"line one of %d\\nline two of %d\\n\"}\n", file, i, i)
		fmt.Fprintf(&facts, "  - {name: %s, file: %s, line: 1, gist: %d}\n", name, file, rapid.IntRange(1, 60).Draw(rt, "gist"))
		names, files = append(names, name), append(files, file)
	}
	fmt.Fprintf(&work, "work:\n  - {id: one, kind: research, found_in: [%s], knows: [summaries], yields: [%s]}\n", strings.Join(files, ", "), strings.Join(names, ", "))
	h := newHouse(currentT, b.String()+"  facts:\n"+facts.String()+"structure: subagent\n"+more+work.String(), fmt.Sprintf("model.prompt_budget=%d", budget), fmt.Sprintf("model.report_budget=%d", budget))
	s := filled(state{})
	for i := range n { // where it all is, the writer knows
		f := h.table.fileIndex[files[i]]
		s.seen, s.places = s.seen.with(f), &place{fact: i, file: f, line: 1, next: s.places}
		if rapid.Bool().Draw(rt, "fact known") {
			s.facts = s.facts.with(i)
		}
		if rapid.Bool().Draw(rt, "gist known") {
			s.gists = s.gists.with(h.table.fileIndex[files[i]])
		}
	}
	return h, s
}

// relayed counts a text from one of the titles on, and which names it tells,
// points to or lists.
func (h *house) relayed(text string, titles ...string) (count int64, told, named map[string]bool, number string) {
	from := len(text)
	for _, t := range titles {
		if i := strings.Index(text, t); i >= 0 {
			from = min(from, i)
		}
	}
	text = text[from:]
	told, named = map[string]bool{}, map[string]bool{}
	h.marks.Scan(text, func(m mark.Mark) {
		if m.Verb == mark.Fact || m.Verb == mark.At {
			told[m.Args[0]] = true
		}
	})
	if _, rest, ok := strings.Cut(text, leftTitle); ok {
		list, _, _ := strings.Cut(rest, "\n")
		if number, ok = strings.CutSuffix(list, leftNumber); ok {
			return h.count(text), told, named, number
		}
		for _, name := range strings.Split(strings.TrimSuffix(list, "."), ", ") {
			named[name] = true
		}
		number = ""
	}
	return h.count(text), told, named, number
}

func (h *house) count(text string) int64 {
	return tokens.Approx("claude-sonnet-4-5").Tokens(llm.NewText(llm.Prose, text).Measure())
}

// accounted holds a section to its budget and to saying what it left out; fixed
// is what part of it costs that is always said.
func accounted(rt *rapid.T, h *house, budget, fixed int64, text string, want []string, titles ...string) {
	count, told, named, number := h.relayed(text, titles...)
	if count > budget {
		rt.Fatalf("%d tokens in a budget of %d:\n%s", count, budget, text)
	}
	missing := 0
	for _, name := range want {
		if !told[name] && !named[name] {
			missing++
		}
	}
	least := fixed + h.count(leftTitle+"88"+leftNumber) + 1
	said, _ := strconv.Atoi(number) // with those that were pointed to instead of told
	if missing > 0 && (said < missing || said > len(want)) && (number != "" || budget >= least) {
		rt.Fatalf("%d of %v are neither told nor named in a budget of %d, said to be %q:\n%s", missing, want, budget, number, text)
	}
	if number != "" && len(named) > 0 {
		rt.Fatal("names and their number")
	}
}

func promptBudget(rt *rapid.T) {
	budget := rapid.Int64Range(0, 900).Draw(rt, "budget")
	h, s := knowing(rt, budget, "model: {prompting: "+rapid.SampledFrom([]string{"full", "pointers"}).Draw(rt, "prompting")+"}\n")
	m := New(h.table)
	m.s = s
	it := &h.table.items[0]
	var want []string
	for _, f := range it.needs {
		want = append(want, h.table.facts[f].name)
	}
	for _, f := range it.gists {
		want = append(want, gistName(h.table.files[f]))
	}
	accounted(rt, h, budget, 0, m.mind().prompt(0), want, "\nWhat is known:", leftTitle, lookTitle)
}

func reportBudget(rt *rapid.T) {
	budget := rapid.Int64Range(0, 900).Draw(rt, "budget")
	h, s := knowing(rt, budget, "")
	m := New(h.table)
	m.s = s
	m.done = m.done.with(0)
	it := &h.table.items[0]
	var want []string
	for _, f := range it.yields {
		if s.facts.has(f) {
			want = append(want, h.table.facts[f].name)
		}
	}
	for _, f := range it.gists {
		if s.gists.has(f) {
			want = append(want, gistName(h.table.files[f]))
		}
	}
	a := &assignment{items: []int{0}, fork: rapid.Bool().Draw(rt, "fork")}
	if rapid.Bool().Draw(rt, "files read") {
		h.readAll(m)
	}
	text := m.report(a)
	versions, _, _, _ := h.relayed(text, "\nRelied on:", "\nKey files:")
	if versions > budget { // they are said in any case, and nothing else
		if _, told, _, _ := h.relayed(text, "\nFindings:", leftTitle); len(told) > 0 {
			rt.Fatalf("%v are told in a budget of %d", told, budget)
		}
		return
	}
	accounted(rt, h, budget, versions, text, want, "\nFindings:", leftTitle, "\nRelied on:", "\nKey files:")
}

// readAll lets the model have read every file of the table.
func (h *house) readAll(m *Model) {
	c := h.start("main", nil)
	env := &tool.Env{FS: h.fs, Cache: &tool.Cache{}, Marks: h.marks, Root: root}
	for i := range h.table.files {
		in := h.table.readInput(readKey{file: i})
		id := llm.ToolUseID{byte(i + 1)}
		c.append(llm.Assistant, llm.Block{Kind: llm.ToolUse, Name: "Read", ID: id, Content: in})
		c.append(llm.User, llm.Block{Kind: llm.ToolResult, ID: id, Content: tool.Find(tool.Catalogue(), "Read").Run(env, in).Content})
	}
	before := m.s
	read := *New(h.table).memo.state(c.head)
	read.facts, read.gists = before.facts, before.gists
	m.s = &read
}
