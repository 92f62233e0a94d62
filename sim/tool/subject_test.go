package tool

import (
	"slices"
	"testing"

	"agentsim/sim/llm"
)

func TestSubjects(t *testing.T) {
	t.Run("PRM-01 rules speak of commands one by one, of paths below the root, of types and of domains", func(t *testing.T) {
		for _, c := range []struct {
			tool, input string
			want        []string
		}{
			{"Bash", `{"command":"git log && rm x","timeout":5}`, []string{"git log", "rm x"}},
			{"Edit", `{"file_path":"/work/project/docs/../a.md"}`, []string{"a.md"}},
			{"Edit", `{"file_path":"docs/a.md"}`, []string{"docs/a.md"}},
			{"Edit", `{"file_path":"/work/projects/a.md"}`, []string{"/work/projects/a.md"}},
			{"Agent", `{"prompt":"p","subagent_type":"Explore"}`, []string{"Explore"}},
			{"Agent", `{"prompt":"p"}`, nil},
			{"WebFetch", `{"url":"https://example.com/a/b","prompt":"p"}`, []string{"domain:example.com"}},
			{"TodoWrite", `{"todos":[]}`, nil},
			{"Edit", `{"file_path":7}`, nil},
			{"Edit", `nonsense`, nil},
		} {
			if got := Find(Catalogue(), c.tool).Subjects(llm.NewJSON(c.input), "/work/project"); !slices.Equal(got, c.want) {
				t.Errorf("%s %s: %q, want %q", c.tool, c.input, got, c.want)
			}
		}
	})
}
