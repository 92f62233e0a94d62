package cli

import (
	"os"
	"strings"
	"testing"

	"agentsim/scenarios"
)

func TestChangelog(t *testing.T) {
	t.Run("SCN-01 the changelog names every scenario of the library", func(t *testing.T) {
		text, err := os.ReadFile("../../../CHANGELOG.md")
		if err != nil {
			t.Fatal(err)
		}
		_, list, found := strings.Cut(string(text), "\n- Scenario library: ")
		list, _, _ = strings.Cut(list, "\n")
		entries, err := scenarios.Library()
		if err != nil || !found || len(entries) == 0 {
			t.Fatalf("%d scenarios, list %q: %v", len(entries), list, err)
		}
		for _, e := range entries {
			if !strings.Contains(list, "`"+e.Name+"`") {
				t.Errorf("CHANGELOG.md does not name %s in its scenario library", e.Name)
			}
		}
	})
}
