package sim

import (
	"slices"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// TestLimits tells what calls ran into by whose calls they were.
func TestLimits(t *testing.T) {
	t.Run("LOOP-03 WAN-02 a command of a detour that reached the limit is told as the profile's", func(t *testing.T) {
		l := limits{}
		for i, cause := range []string{"", "detour", "detour", "lazy"} {
			id := llm.ToolUseID{byte(i)}
			l.call(&transcript.ToolCall{ID: id, Name: "Bash", Cause: cause})
			l.ended("main/"+cause, &transcript.ToolResult{ID: id, Name: "Bash", IsError: true, Took: 2 * vtime.Minute})
		}
		want := []string{"2 Bash calls (main/, main/lazy) reached the time limit of 2m0s: write timeout: 600000, in milliseconds, in the input",
			"Bash calls on detours reached the time limit of 2m0s: detours, and how long their commands take, are the profile's (model.wander)"}
		if got := append(l.kept(nil), l.strays()...); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	})
}
