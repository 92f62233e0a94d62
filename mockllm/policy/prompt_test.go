package policy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentsim/sim/llm"
)

func TestPrompts(t *testing.T) {
	t.Run("CRD-09 CON-13 a prompt says what the user asked for, what its item is about and what the result is for", standsForItself)
	t.Run("LOOP-07 what the user asked for outlives a summary", goalSummed)
	t.Run("CON-12 what a prompt says of a fact is what stands at its place, and stood in the writer's own request", saysWhatStands)
	t.Run("CON-12 WAN-03 who writes a prompt names only places that stand in its own request", namesWhatItSaw)
	t.Run("WAN-03 what the user names spares the search, whoever does the work", userNames)
	t.Run("WAN-03 where files tell items apart, the lead lists them and names each item's own", listsFirst)
	t.Run("CON-12 CON-14 the goal is the user's first message, or its first sentence, and nothing that the client or others say", goals)
}

func standsForItself(t *testing.T) {
	for _, sets := range [][]string{
		{"structure=subagent", "model.prompting=full"}, {"structure=subagent", "model.prompting=pointers"}, {"structure=subagent", "model.prompting=lazy"},
		{"structure=fork"}, {"structure=coordinator"},
	} {
		h := newHouse(t, standard, append(sets, "work.3.about=Auth asks the store under its lock")...)
		h.run()
		prompts := slices.DeleteFunc(h.prompts(), func(p string) bool { return !strings.Contains(p, "[[do ") })
		if len(prompts) == 0 {
			t.Errorf("%v: no prompts", sets)
		}
		for _, p := range prompts {
			fix := strings.Contains(p, " fix-a ")
			for _, x := range []struct {
				words string
				want  bool
			}{
				{`\"fix a\"`, fix},
				{"Auth asks the store under its lock.", fix},
				{`The user's goal: \"Do the work.\"`, sets[0] != "structure=fork" && !strings.Contains(p, "SendMessage")},
				{"Purpose: ", true},
			} {
				if strings.Contains(p, x.words) != x.want {
					t.Errorf("%v: %q is there: %t\n%s", sets, x.words, !x.want, p)
				}
			}
		}
	}
}

func goalSummed(t *testing.T) {
	for _, strategy := range []string{"structure=subagent", "structure=coordinator"} {
		h := newHouse(t, standard, strategy)
		h.compact = "main 1"
		h.run()
		prompts := h.prompts()
		if last := prompts[len(prompts)-1]; !strings.Contains(last, `The user's goal: \"Do the work.\"`) {
			t.Errorf("%s: %s", strategy, last)
		}
	}
}

// quoted is what a prompt says of a fact.
var quoted = regexp.MustCompile(`\[\[f [a-z.-]+ [0-9a-f]+\]\] \\"(.*?)(?: …)?\\"`)

func saysWhatStands(t *testing.T) {
	for _, strategy := range []string{"structure=subagent", "structure=coordinator"} {
		h := newHouse(t, standard, strategy)
		h.run()
		said := 0
		for _, r := range h.said {
			if r.query.Stream.Lineage != "main" {
				continue
			}
			request := string(llm.AppendRequest(nil, r.query.Head))
			for _, m := range quoted.FindAllStringSubmatch(r.answer, -1) {
				said++
				if !strings.Contains(m[1], "line of") || !strings.Contains(request, m[1]) {
					t.Errorf("%s: %q does not stand in the request", strategy, m[1])
				}
			}
		}
		if said == 0 {
			t.Errorf("%s: nothing is said of facts", strategy)
		}
	}
}

func goals(t *testing.T) {
	h := newHouse(t, standard)
	long := strings.Repeat("and so on ", 60)
	for _, c := range []struct{ first, want string }{
		{"Mend it.\nThen [[f auth.null-user 12ab]] rest.", "Mend it. Then rest."},
		{"Mend a.go. " + long, "Mend a.go."},
		{long + "stop. More.", strings.TrimSpace(strings.Repeat("and so on ", 40)) + " …"},
		{"<system-reminder>\nNever push.\n</system-reminder>", "Do the work."},
		{"<task-notification>\n<status>completed</status>\n</task-notification>", "Do the work."},
	} {
		a := h.start("main", nil, c.first, "Do the work.")
		if got := New(h.table).memo.state(a.head).goal; got != c.want {
			t.Errorf("%q: %q, want %q", c.first[:min(len(c.first), 40)], got, c.want)
		}
	}
}

// namesWhatItSaw: every file that an order names, in a mark or in words, stands in
// the request of whoever gives it.
func namesWhatItSaw(t *testing.T) {
	named := 0
	for _, by := range []string{"lead", "", "6", "8"} { // who looks around first, or the lead's call behind which its history is summed up
		for _, world := range append(worlds, []string{"structure=subagent", "model.prompting=pointers"}) {
			h := newHouse(t, standard, world...)
			if by == "" {
				h = newHouse(t, standard, append(slices.Clone(world), `work.1.by=""`)...)
			} else if by != "lead" {
				h.compact = "main " + by
			}
			h.run()
			for _, r := range h.said {
				request := string(llm.AppendRequest(nil, r.query.Head))
				for line := range strings.SplitSeq(r.answer, "\n") {
					if !strings.HasPrefix(line, "tool_use ") || !strings.Contains(line, "[[do ") {
						continue
					}
					for _, f := range h.table.files {
						switch {
						case !strings.Contains(line, f):
						case !strings.Contains(request, f):
							t.Errorf("%v %q, %s call %d: %s is named and stands nowhere in the request", world, by, r.query.Stream.Lineage, r.query.Stream.Call, f)
						default:
							named++
						}
					}
				}
			}
		}
	}
	if named == 0 {
		t.Error("no prompt names a file")
	}
	h := newHouse(t, standard)
	check := &h.table.items[h.table.itemIndex["check"]]
	if got := (mind{h.table, &blank}).changes(check); got != "" {
		t.Errorf("changes that nobody told of: %s", got)
	}
	if got := (mind{h.table, filled(state{seen: check.checks})}).changes(check); !strings.Contains(got, "src/store.go") {
		t.Errorf("changes that reports told of: %q", got)
	}
}

// first is the tool uses of the first answer of an agent.
func (h *house) first(lineage string) string {
	for _, r := range h.said {
		if r.query.Stream.Lineage == lineage {
			return r.answer
		}
	}
	return ""
}

func userNames(t *testing.T) {
	for _, world := range []struct{ sets, who string }{{"structure=inline", "main"}, {"structure=fork", "main/0.1"}, {"structure=subagent", "main/0.1"}} {
		for text, searches := range map[string]bool{"Do the work.": true, "Do the work; begin in src/auth.go, then \"src/store.go\".": false} { // order: each is a run of its own
			h := newHouse(t, standard, world.sets, `work.1.by=""`, "script.main.user="+text)
			h.run()
			if got := h.first(world.who); strings.Contains(got, " Glob ") != searches || strings.Contains(got, " Read ") == searches {
				t.Errorf("%s, %q: %s", world.sets, text, got)
			}
		}
	}
}

const reviews = `
project: {files: {a.go: "package a\n", b.go: "package b\n", c.md: "words\n"}}
structure: subagent
work:
  - {id: one, kind: research, reads: [a.go]}
  - {id: two, kind: research, reads: [b.go]}
`

func listsFirst(t *testing.T) {
	for _, c := range []struct {
		sets  []string
		lists bool
		child string
	}{
		{nil, true, "Read"},
		{[]string{"structure=fork"}, true, "Read"},
		{[]string{"model.prompting=lazy"}, false, "Glob"},
		{[]string{"structure=coordinator"}, false, "Glob"},
	} {
		h := newHouse(t, reviews, c.sets...)
		h.run()
		if got := h.first("main"); strings.Contains(got, ` Glob {"pattern":"**/*.go"}`) != c.lists {
			t.Errorf("%v: the lead begins with %s", c.sets, got)
		}
		orders := slices.DeleteFunc(h.prompts(), func(p string) bool { return !strings.Contains(p, "[[do ") })
		call := 0
		if c.lists {
			call = 1
		}
		for i, own := range []string{"a.go", "b.go"} {
			who := "main/" + strconv.Itoa(call) + "." + strconv.Itoa(i+1)
			if got := h.first(who); !strings.Contains(got, " "+c.child+" ") || c.lists && !strings.Contains(got, own) {
				t.Errorf("%v: %s begins with %s", c.sets, who, got)
			}
			if prompt := orders[i]; c.lists != strings.Contains(prompt, "[[at file:"+own) {
				t.Errorf("%v: %s is told %s", c.sets, who, prompt)
			}
		}
	}
}
