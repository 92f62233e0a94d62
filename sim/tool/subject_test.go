package tool

import (
	"slices"
	"testing"

	"agentsim/sim/llm"
)

func TestSubjects(t *testing.T) {
	t.Run("PRM-01 a rule speaks of a file however its path is written", func(t *testing.T) {
		edit := Find(Catalogue(), "Edit")
		for _, p := range []string{"docs/a.md", "./docs/a.md", "docs//a.md", "docs/b/../a.md", "/work/docs/a.md", "/work/./docs/a.md"} {
			got := edit.Subjects(llm.NewJSON(`{"file_path":"`+p+`"}`), "/work")
			if !slices.Equal(got, []string{"docs/a.md"}) {
				t.Errorf("%s: %q", p, got)
			}
		}
	})
}
