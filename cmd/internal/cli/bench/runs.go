package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/scenarios"
)

// selectScenarios reads the scenarios that words name: of the library, files, or
// all files of a directory. Without words it is the library.
func selectScenarios(s *ui.Env, words []string, project *loading.Project) (*selection, error) {
	x := &selection{words: words, whole: true, on: map[*scenarios.File]*loading.Loaded{}}
	if len(words) == 0 {
		for _, name := range scenarios.Names() {
			if err := x.add(s, name, project); err != nil {
				return nil, err
			}
		}
		return x, nil
	}
	for _, w := range words {
		info, err := os.Stat(w)
		if err != nil || !info.IsDir() || !loading.LooksLikePath(w) && slices.Contains(scenarios.Names(), w) {
			x.whole = false
			if err := x.add(s, w, project); err != nil {
				return nil, err
			}
			continue
		}
		names, err := yamlFiles(w)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := x.add(s, name, project); err != nil {
				return nil, err
			}
		}
	}
	return x, nil
}

// yamlFiles lists the scenarios that lie in a directory, by name.
func yamlFiles(dir string) (out []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, ui.Failf(ui.Operating, "%s: cannot read the directory: %w", dir, err)
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && e.Name() != loading.SettingsFile && (ext == ".yaml" || ext == ".yml") {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	if out == nil {
		return nil, ui.Failf(ui.Operating, "%s: no scenarios in it: a scenario is a file that ends in .yaml; agentsim check is the gate over what a repository puts in front of agents", dir)
	}
	return out, nil
}

func (x *selection) add(s *ui.Env, name string, project *loading.Project) error {
	on, err := project.Scenario(s, name, project.Sets(nil))
	if err != nil {
		return err
	}
	f := on.File
	if len(x.words) > 0 {
		loading.NoteSweep(s, f, name)
	}
	x.on[f] = on
	for _, g := range x.files {
		switch {
		case g.Path == f.Path:
			return ui.Failf(ui.Usage, "%s: given twice", name)
		case g.Name == f.Name:
			return ui.Failf(ui.Usage, "%s and %s are both named %s: a baseline knows scenarios by their names", g.Path, f.Path, f.Name)
		}
	}
	x.files = append(x.files, f)
	return nil
}

// runBench runs everything, and takes what came of it in the order of the runs.
func runBench(s *ui.Env, b *bench) error {
	runs := &harness.Bench{Files: b.set.files, Seeds: b.o.seeds, Fronts: b.keepsFronts, Maker: b.set.maker}
	h := harness.New(s, "running", runs.Len())
	defer h.Close()
	leave, err := b.o.server.Join(s, h)
	if err != nil {
		return err
	}
	done := map[string]*metrics.Run{}
	err = h.Bench(runs, func(m *harness.Measured) error {
		b.take(m)
		if m.First {
			done[m.Spec.Variant] = m.Metrics
		}
		if m.Last {
			b.expect(m.File, done)
			clear(done)
		}
		return nil
	})
	leave(err == nil && !h.Stop.Has())
	return loading.Ended(s, h, err, "nothing was compared or written")
}

// maker makes the specs of a file on its project.
func (x *selection) maker(f *scenarios.File) *harness.Maker {
	if on := x.on[f]; on != nil {
		return on.Maker(nil)
	}
	return &harness.Maker{File: f}
}

// take keeps a run's entry, and notes the first invariant that is broken.
func (b *bench) take(m *harness.Measured) {
	b.now.Runs = append(b.now.Runs, m.Kept)
	b.providers[m.Kept.Name()] = &m.Spec.Scenario.Provider
	if b.set.on[m.File] != nil && b.specs[m.File] == nil {
		b.specs[m.File] = m.Spec
	}
	if b.base == nil && m.First {
		b.found = append(b.found, report.Row{Variant: m.Kept.Name(), Run: m.Metrics})
	}
	if err := harness.Broken(m.Result); err != nil && b.broken == nil {
		b.broken = m.Broke(err)
	}
}

// updating is the command line that writes the baseline.
func (b *bench) updating() string {
	words := slices.Concat([]string{"agentsim", "bench"}, b.set.words, b.o.project.Words(), ui.Flags("--profile", b.o.project.Profile))
	if b.o.seeds > 1 {
		words = append(words, "--seeds", fmt.Sprint(b.o.seeds))
	}
	return ui.QuoteAll(append(append(words, ui.Flags("--guard", b.o.guard, "--baseline", b.o.baseline)...), "--update"))
}

// steadied says what of the directories is in no prompt of the gate; "" for nothing.
func (x *selection) steadied() string {
	for _, f := range x.files {
		if text := loading.Steadied(x.on[f]); text != "" {
			return text
		}
	}
	return ""
}
