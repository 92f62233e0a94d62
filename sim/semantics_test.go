package sim

import (
	"strings"
	"testing"
)

func TestSemantics(t *testing.T) {
	t.Run("LANG-13 each version of the semantics says in one sentence what it changed", func(t *testing.T) {
		if len(changes) != Semantics+1 {
			t.Fatalf("semantics %d and sentences up to %d: add to changes what the new version changed", Semantics, len(changes)-1)
		}
		for v := 2; v <= Semantics; v++ {
			if changes[v] == "" || strings.HasSuffix(changes[v], ".") || strings.Contains(changes[v], "\n") {
				t.Errorf("version %d: %q is no half sentence", v, changes[v])
			}
			if since := ChangedSince(v - 1); !strings.Contains(since, changes[v]) || !strings.Contains(since, changes[Semantics]) {
				t.Errorf("since %d: %q", v-1, since)
			}
		}
		if ChangedSince(Semantics) != "" || !strings.Contains(ChangedSince(Semantics+1), "newer than this program's") {
			t.Error("what did not change, or is newer, is told as a change")
		}
	})
}
