package run

import (
	"strings"
	"testing"
	"unicode/utf8"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

func TestCourse(t *testing.T) {
	t.Run("CLI-01 a command that an agent waited for is cut between characters", func(t *testing.T) {
		for pad := range 3 {
			id := llm.ToolUseID{1}
			c := &course{open: map[llm.ToolUseID]string{id: strings.Repeat("x", pad) + strings.Repeat("日", 30)}}
			a := &life{allowed: map[llm.ToolUseID]vtime.Duration{}}
			c.result(a, &transcript.ToolResult{ID: id, Name: "Bash", Took: vtime.Minute})
			if what := a.gap.what; !utf8.ValidString(what) || !strings.HasSuffix(what, "日…") {
				t.Errorf("%q", what)
			}
		}
	})
}
