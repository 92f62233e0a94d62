package policy

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"
)

func TestPrompts(t *testing.T) {
	t.Run("CRD-09 CON-13 a prompt says what the user asked for, what its item is about and what the result is for", standsForItself)
	t.Run("LOOP-07 what the user asked for outlives a summary", goalSummed)
	t.Run("CON-12 what a prompt says of a fact is what stands at its place, and stood in the writer's own request", saysWhatStands)
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
				{`Implement \"fix a\"`, fix},
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
