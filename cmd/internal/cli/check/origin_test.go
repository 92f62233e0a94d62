package check

import (
	"testing"

	"agentsim/metrics/heads"
	"agentsim/sim/definition"
)

func TestOrigin(t *testing.T) {
	t.Run("REPO-05 what is wrong is named beside a change's place where it is another", func(t *testing.T) {
		at := func(file string, line int) *definition.Problem { return &definition.Problem{File: file, Line: line} }
		for want, x := range map[string]heads.Change{
			"CLAUDE.md:1 (see CLAUDE.md:4)":   {Now: &heads.Part{File: "CLAUDE.md", Line: 1}, Why: at("CLAUDE.md", 4)},
			"CLAUDE.md:1":                     {Now: &heads.Part{File: "CLAUDE.md", Line: 1}, Why: at("CLAUDE.md", 1)},
			"a.md:1 (see CLAUDE.md:4, @b.md)": {Now: &heads.Part{File: "a.md", Line: 1}, Why: &definition.Problem{File: "CLAUDE.md", Line: 4, Msg: "@b.md names no file: it is not imported"}},
			".mcp.json:1 (assumed)":           {Now: &heads.Part{File: ".mcp.json", Line: 1, Assumed: true}, Why: at(".mcp.json", 1)},
			".claude/settings.json:2":         {Now: &heads.Part{File: ".claude/settings.json"}, Why: at(".claude/settings.json", 2)},
		} { // order: each is a case of its own
			if got := origin(x); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
}
