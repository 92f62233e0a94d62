package permission

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConformance(t *testing.T) {
	t.Run("PRM-01 the table gives one verdict for every mode and class of tool", func(t *testing.T) {
		want := `
default           allow ask ask allow allow
acceptEdits       allow allow ask allow allow
bypassPermissions allow allow allow allow allow
auto              allow ask ask allow allow
plan              allow deny ask allow allow
bubble            allow ask ask allow allow
unheard           allow ask ask allow allow
`
		if d := cmp.Diff(want, render(false)); d != "" {
			t.Error(d)
		}
	})
	t.Run("PRM-02 where prompts are avoided every question is a denial that says so, and nothing else changes", func(t *testing.T) {
		if d := cmp.Diff(strings.ReplaceAll(render(false), "ask", "deny"), render(true)); d != "" {
			t.Error(d)
		}
		if d := Decide(Default, Write, true); d.Why != WhyAvoided {
			t.Errorf("the reason is %q", d.Why)
		}
		if d := Decide(Plan, Write, true); d.Why == WhyAvoided {
			t.Error("plan mode denies a write by itself, not for want of prompts")
		}
	})
}

func render(avoid bool) string {
	b := "\n"
	for _, m := range append(Modes(), "unheard") {
		b += fmt.Sprintf("%-17s", m)
		for c := Read; c < numClasses; c++ {
			b += " " + Decide(m, c, avoid).Verdict.String()
		}
		b += "\n"
	}
	return b
}
