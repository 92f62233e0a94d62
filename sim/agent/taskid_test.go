package agent_test

import (
	"regexp"
	"testing"
)

func TestTaskIDs(t *testing.T) {
	t.Run("TSK-01 an agent's id is a and 16 hex digits, its task has the same one, and a command's begins with b", func(t *testing.T) {
		s := newStory(t)
		s.cfg.Mode, s.offered = "bypassPermissions", []string{"Bash"}
		s.script("main", `use Agent {"description":"d","prompt":"p","run_in_background":true}; use Bash {"command":"sleep 3","run_in_background":true}`,
			"text waiting", "text waiting", "text done")
		s.root("go")
		s.run()
		all := s.world.Tasks().All()
		if len(all) != 2 {
			t.Fatal(all)
		}
		for i, want := range []string{`^a[0-9a-f]{16}$`, `^b[0-9a-f]{16}$`} {
			if !regexp.MustCompile(want).MatchString(all[i].ID) {
				t.Errorf("task %d has the id %s", i, all[i].ID)
			}
		}
		if id := s.agent("main/1.1").Context().ID.String(); id != all[0].ID {
			t.Errorf("agent %s, task %s", id, all[0].ID)
		}
	})
	t.Run("TSK-01 ids come from lineage: what else runs changes none, another seed all", func(t *testing.T) {
		ids := func(seed uint64, more string) map[string]string {
			s := newStory(t)
			s.seed = seed
			s.script("main", "use Agent "+plain+"; use Agent "+plain+more, "text done")
			if more != "" { // an agent that comes before all others
				s.root("go").Lineage = "side"
			}
			s.root("go")
			s.run()
			out := map[string]string{}
			for _, e := range s.eventsOf("agent_start") {
				out[e["lineage"]] = e["id"]
			}
			return out
		}
		few, many, other := ids(1, ""), ids(1, "; use Agent "+plain), ids(2, "")
		for lineage, id := range few {
			if many[lineage] != id || other[lineage] == id {
				t.Errorf("%s: %s, among more agents %s, of another seed %s", lineage, id, many[lineage], other[lineage])
			}
		}
		if len(few) != 3 || len(many) != 5 {
			t.Error(few, many)
		}
	})
}
