package scenarios

import (
	"slices"
	"strings"
	"testing"

	"agentsim/metrics"
	"agentsim/scenarios/document"
)

func TestOldForm(t *testing.T) {
	t.Run("LANG-06 a path of before is written with dots, its elements counted from 1", func(t *testing.T) {
		for old, want := range map[string]string{
			"work[3].after": "work.4.after", "roots.0.at": "roots.1.at", "work[fix-auth].prompting": "work.fix-auth.prompting", "model.prompting": "model.prompting",
			"scripts[0].turns[2].text": "scripts.1.turns.3.text", "project.files.docs/1.md": "project.files.docs/1.md", "gates.FORK_SUBAGENT": "gates.FORK_SUBAGENT",
		} {
			if got := NewPath(old); got != want {
				t.Errorf("%s is written %s, want %s", old, got, want)
			}
		}
	})
	t.Run("LANG-08 an expectation of before is written as paths, a line for each variant that it listed", func(t *testing.T) {
		in := metrics.Known{Variants: []string{"fork", "three-seconds", "a"}, Types: []string{"Explore", "fork"}, Roots: []string{"main", "second"}}
		for old, want := range map[string]string{
			"every variant: items.done == items.total":            "all.items.done == all.items.total",
			"fork, a: cost < $1.60":                               "fork.cost < $1.60; a.cost < $1.60",
			"fork.cost < a.cost":                                  "fork.cost < a.cost",
			"fork, a: fork.cost < a.cost":                         "fork.cost < a.cost",
			"fork/Explore.calls <= 4":                             "fork.Explore.calls <= 4",
			"/fork.calls <= 4":                                    "all.fork.calls <= 4",
			"Explore.calls <= 4":                                  "all.Explore.calls <= 4",
			"three-seconds: second#1.tokens.read >= 10000":        "three-seconds.second.1.tokens.read >= 10000",
			"time<= 95 %":                                         "all.time <= 95 %",
			"three-seconds: second#1.tokens.read == a/main.calls": "three-seconds.second.1.tokens.read == a.main.calls",
		} {
			if got := strings.Join(NewExpect(old, in), "; "); got != want {
				t.Errorf("%s is written %s, want %s", old, got, want)
			}
		}
		in.Variants = []string{""}
		if got := NewExpect("main#2.calls == 1", in); len(got) != 1 || got[0] != "main.2.calls == 1" {
			t.Errorf("without variants: %s", got)
		}
	})
	t.Run("LANG-08 every expectation of the library is read alike in either form", func(t *testing.T) {
		for _, name := range Names() {
			f, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			s, _ := f.decode(f.base, new(document.Problems))
			in := s.known(f.plainNames())
			for _, x := range f.Expect {
				var variants []string
				for _, line := range NewExpect(x.Text, in) {
					now, bad := ParseExpect(line, in)
					if bad != nil {
						t.Fatalf("%s: %s is written %s: %s", name, x.Text, line, bad.Msg)
					}
					if variants = append(variants, now.Variants...); len(now.Variants) == 0 && len(x.Variants) > 0 {
						variants = append(variants, now.Left.Variant)
					}
					if now.Op != x.Op || now.Left.Metric != x.Left.Metric || now.Left.Subject != x.Left.Subject || now.Right.Metric != x.Right.Metric || now.Right.Value != x.Right.Value {
						t.Errorf("%s: %s is read as another than %s", name, line, x.Text)
					}
				}
				if !slices.Equal(variants, x.Variants) && !x.Left.Constant {
					t.Errorf("%s: %s is checked in %s, before in %s", name, x.Text, variants, x.Variants)
				}
			}
		}
	})
}
