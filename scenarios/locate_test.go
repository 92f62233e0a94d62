package scenarios

import (
	"strings"
	"testing"
)

func TestLocate(t *testing.T) {
	t.Run("CON-15 what only a run finds out has its place in the file, also under --set", func(t *testing.T) {
		f, err := Parse("my.yaml", []byte(baseWork+"work:\n  - {id: a, kind: research}\n  - {id: b, kind: research}\n"))
		if err != nil {
			t.Fatal(err)
		}
		for _, sets := range [][]string{nil, {"seed=7"}, {"seed=7", "interactive=true"}} {
			err := f.Locate("", sets, "work[1].id", "nobody can do it")
			if err == nil || !strings.Contains(err.Error(), "nobody can do it") || !strings.Contains(err.Error(), "  - {id: b, kind: research}") {
				t.Errorf("%v: %v", sets, err)
			}
		}
		if err := f.Locate("", []string{"sed=7"}, "work[1]", "nobody can do it"); err == nil || !strings.Contains(err.Error(), "sed") {
			t.Errorf("a --set that is wrong itself: %v", err)
		}
	})
}
