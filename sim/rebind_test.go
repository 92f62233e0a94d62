package sim

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim/rng"
	"agentsim/sim/workspace"
)

// rebound is a run whose scenario names paths that its project may lack.
func rebound(t *testing.T, seed uint64, files, named []string) *run {
	t.Helper()
	texts := map[string]string{}
	for _, f := range files {
		texts[f] = "one line of " + f + "\n"
	}
	project, err := workspace.NewSnapshot(texts)
	if err != nil {
		t.Fatal(err)
	}
	sc := &scenarios.Scenario{}
	for i, p := range named {
		it := scenarios.Item{ID: fmt.Sprint(i)}
		switch i % 3 {
		case 0:
			it.FoundIn = []scenarios.Selector{{Path: p}}
		case 1:
			it.Edits = []scenarios.Edit{{File: scenarios.Selector{Path: p}}}
		case 2:
			it.Knows = []string{"summary:" + p}
		}
		sc.Work = append(sc.Work, it)
	}
	r := &run{spec: &Spec{Scenario: sc}, scenario: sc, key: rng.Root(seed), fs: project.Open()}
	r.rebind()
	return r
}

func TestRebind(t *testing.T) {
	t.Run("CLI-04 SCN-01 paths that a project lacks stand for different files of it, none of which the scenario names, while there are enough", func(t *testing.T) {
		files := []string{"a.go", "b.go", "c.go", "d.md", "e.md", "f.txt", "named.go"}
		missing := []string{"x1.go", "x2.go", "x3.go", "y1.py", "z1.md", "z2.md"}
		for seed := range uint64(50) {
			r := rebound(t, seed, files, append([]string{"named.go"}, missing...))
			seen := map[string]string{"named.go": "itself"}
			for _, p := range missing {
				to := r.stands[p]
				if other, twice := seen[to]; twice || to == "" {
					t.Errorf("seed %d: %s stands for %q, as does %s", seed, p, to, other)
				}
				seen[to] = p
			}
			if r.stands["y1.py"] != "f.txt" {
				t.Errorf("seed %d: y1.py stands for %s, which others need", seed, r.stands["y1.py"])
			}
		}
	})
	t.Run("CLI-04 SCN-01 with fewer files than paths each still stands for one, of its own extension first", func(t *testing.T) {
		r := rebound(t, 42, []string{"a.go", "b.md"}, []string{"x1.go", "x2.go", "x3.go", "y.md"})
		for p, want := range map[string]string{"x1.go": "a.go", "x2.go": "a.go", "x3.go": "a.go", "y.md": "b.md"} {
			if r.stands[p] != want {
				t.Errorf("%s stands for %q", p, r.stands[p])
			}
		}
	})
	t.Run("REPO-01 in a project of many files the work is in one directory whose files one search finds, of the extension that most have, and not among tests", func(t *testing.T) {
		files := []string{"README.md", "web/package.json"}
		for i := range 120 {
			files = append(files, fmt.Sprintf("db/migrations/%d/migration.sql", i), fmt.Sprintf("web/tests/t%d.ts", i), fmt.Sprintf("lib/%d/index.ts", i))
		}
		for i := range 40 {
			files = append(files, fmt.Sprintf("web/src/page/p%d.ts", i), fmt.Sprintf("server/api/a%d.ts", i), fmt.Sprintf("server/api/a%d.css", i))
		}
		named := []string{"README.md"}
		for i := range 20 {
			named = append(named, fmt.Sprintf("x%d.go", i))
		}
		places := map[string]bool{}
		for seed := range uint64(20) {
			r, seen := rebound(t, seed, files, named), map[string]bool{}
			places[r.within] = true
			for _, p := range named {
				to := r.stands[p]
				if seen[to] || !strings.HasPrefix(to, r.within+"/") || path.Ext(to) != ".ts" {
					t.Errorf("seed %d: %s stands for %q in %q", seed, p, to, r.within)
				}
				seen[to] = true
			}
			if about := r.scenario.Work[1].About; !strings.HasSuffix(about, "(in "+r.within+")") {
				t.Errorf("seed %d: an item is about %q", seed, about)
			}
		}
		if got := slices.Sorted(maps.Keys(places)); !slices.Equal(got, []string{"server", "web/src"}) {
			t.Errorf("the work is in %v", got)
		}
	})
}
