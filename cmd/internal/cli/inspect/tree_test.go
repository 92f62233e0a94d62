package inspect

import (
	"slices"
	"strings"
	"testing"

	"agentsim/sim/transcript/sqlite"
)

func TestTree(t *testing.T) {
	t.Run("CLI-01 a tree's children stand below their parents, in the order of the record", func(t *testing.T) {
		agents := []sqlite.AgentInfo{{Agent: 0, Parent: -1, Lineage: "main"}}
		for i, name := range []string{"main/5.2", "main/agent-b", "main/1.10", "main/1.2~2", "main/agent-a", "main/1.2"} {
			agents = append(agents, sqlite.AgentInfo{Agent: int32(i + 1), Lineage: name})
		}
		agents = append(agents, sqlite.AgentInfo{Agent: 7, Parent: 3, Lineage: "main/1.10/2.1"})
		var got []string
		for _, l := range treeLines(agents) {
			got = append(got, l.indent+l.agent.Lineage)
		}
		want := []string{"main", "  main/5.2", "  main/agent-b", "  main/1.10", "    main/1.10/2.1", "  main/1.2~2", "  main/agent-a", "  main/1.2"}
		if !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
	t.Run("CLI-01 a tree tells how each activation of an agent ended, and the reason of the last one", func(t *testing.T) {
		for _, c := range []struct{ ends, why, want string }{
			{"completed", "", "completed"},
			{"killed", "task-stop", "killed: task-stop"},
			{"", "", "(not yet)"},
			{"completed completed completed", "", "completed × 3"},
			{"killed killed completed", "", "killed × 2, completed"},
			{"killed completed failed", "no model", "killed, completed, failed: no model"},
		} {
			if got := ended(&sqlite.AgentInfo{Why: c.why}, strings.Split(c.ends, " ")); got != c.want {
				t.Errorf("%q: %q, want %q", c.ends, got, c.want)
			}
		}
	})
}
