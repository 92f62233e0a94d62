package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/fronts"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
)

// selectScenarios reads the scenarios that words name: of the library, files, or
// all files of a directory. Without words it is the library.
func selectScenarios(words []string) (*selection, error) {
	x := &selection{words: words, whole: true}
	if len(words) == 0 {
		for _, name := range scenarios.Names() {
			if err := x.add(name); err != nil {
				return nil, err
			}
		}
		return x, nil
	}
	for _, w := range words {
		info, err := os.Stat(w)
		if err != nil || !info.IsDir() || !looksLikePath(w) && slices.Contains(scenarios.Names(), w) {
			x.whole = false
			if err := x.add(w); err != nil {
				return nil, err
			}
			continue
		}
		if holdsDefinitions(w) {
			if err := x.addDefinitions(w); err != nil {
				return nil, err
			}
			continue
		}
		names, err := yamlFiles(w)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := x.add(name); err != nil {
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
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	if out == nil {
		return nil, ui.Failf(ui.Operating, "%s: no scenarios in it: a scenario is a file that ends in .yaml", dir)
	}
	return out, nil
}

func (x *selection) add(name string) error {
	f, err := loadScenario(name)
	if err != nil {
		return err
	}
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

// plainSpec is run n of a variant, by seeds from its own on.
func plainSpec(file *scenarios.File, variant string, n int) (*sim.Spec, error) {
	sc, err := file.Effective(variant, nil)
	if err != nil {
		return nil, err
	}
	sc.Seed += uint64(n)
	return sim.NewSpec(sc, variant)
}

// benchJob is one run of a bench on its way.
type benchJob struct {
	*job
	file     *scenarios.File
	variant  string
	nth      int // of the seeds
	trace    baseline.Trace
	prefixes metrics.Prefixes
	fronts   *fronts.Sink // nil where the guard needs none
}

// jobs lists the jobs, all variants of a seed side by side.
func (b *bench) jobs() (out []*benchJob) {
	for _, f := range b.set.files {
		variants := f.VariantNames()
		if b.set.variants != nil {
			variants = b.set.variants
		}
		for i := range b.o.seeds {
			for _, v := range variants {
				out = append(out, &benchJob{file: f, variant: v, nth: i})
			}
		}
	}
	return out
}

// runBench runs everything on all cores. Results stand in the order of the jobs.
func runBench(s *ui.Env, b *bench) error {
	jobs := b.jobs()
	stop, bar := listen(s), ui.NewProgress(s, "running", "runs", len(jobs))
	defer stop.stop()
	defer bar.Finish()
	var done []executed
	q := queue{
		begin: func(i int) error {
			j := jobs[i]
			spec, err := plainSpec(j.file, j.variant, j.nth)
			if err != nil {
				return err
			}
			if j.job, err = begin(s, spec, &recorder{}, watched(j.file), nil); err != nil {
				return err
			}
			j.sinks = append(append(j.sinks, bar.Pulse()...), &j.prefixes)
			if j.nth == 0 {
				j.sinks = append(j.sinks, &j.trace)
			}
			if j.nth == 0 && b.keepsFronts(j.file.Name) {
				j.fronts = &fronts.Sink{}
				j.sinks = append(j.sinks, j.fronts)
			}
			return nil
		},
		work: func(i int) { jobs[i].run(stop, s.CommandLine(), false) },
		end: func(i int) error {
			j := jobs[i]
			jobs[i] = nil
			x, err := end(s, j.job, &recorder{})
			if err != nil {
				return located(j.file, j.spec, nil, err)
			}
			bar.Add(1)
			b.take(j, x)
			if err := b.set.started(b.now.Runs[len(b.now.Runs)-1]); err != nil {
				return err
			}
			if j.nth == 0 {
				done = append(done, x)
			}
			if last := i+1 == len(jobs) || jobs[i+1].file != j.file; last {
				b.expect(j.file, done)
				done = nil
			}
			return nil
		},
		more: func() bool { return !stop.has() },
	}
	if err := q.run(len(jobs), cores()); err != nil {
		return err
	}
	if stop.has() {
		return ui.Failf(ui.Interrupted, "interrupted; nothing was compared or written")
	}
	return nil
}

// take makes a run's entry, and notes the first invariant that is broken.
func (b *bench) take(j *benchJob, x executed) {
	extra := baseline.Extra{Cut: j.prefixes.Cut(), Unfinished: int64(len(unfinishedRoots(x)))}
	for _, c := range x.result.Audit.Counts {
		extra.Broken += c.Broken
	}
	r := &baseline.Run{Scenario: j.file.Name, Variant: x.spec.Variant, Seed: x.spec.Seed(), ID: x.result.RunID,
		Digest: x.result.Digest, Outcome: x.result.Outcome, Events: int(x.result.Events), Figures: baseline.Figures(x.metrics, extra),
		Siblings: j.prefixes.Siblings(), Parted: j.prefixes.Parted(), Lines: j.trace.Lines, Spec: x.spec.Hash()[:16], Prices: pricesOf(x)}
	if j.nth == 0 {
		r.Outline = &j.trace.Outline
	}
	if j.fronts != nil {
		r.Requests = j.fronts.Record()
	}
	b.now.Runs = append(b.now.Runs, r)
	if b.base == nil && j.nth == 0 {
		b.found = append(b.found, report.Row{Variant: r.Name(), Run: x.metrics})
	}
	if err := auditErr(x.result.Audit); err != nil && b.broken == nil {
		b.broken = fmt.Errorf("%s with seed %d: an invariant is broken\n%w", title(x), x.spec.Seed(), err)
	}
}

// pricesOf are the list prices of the models that a run used.
func pricesOf(x executed) (out []baseline.Price) {
	for _, id := range x.result.Models {
		if p, err := cachemodel.Lookup(id); err == nil {
			out = append(out, baseline.Price{Model: id, Day: x.spec.Scenario.Provider.PricedOn(), Rates: p.Words()})
		}
	}
	return out
}

// updating is the command line that writes the baseline.
func (b *bench) updating() string {
	words := append([]string{"agentsim", "bench"}, b.set.words...)
	if b.o.seeds > 1 {
		words = append(words, "--seeds", fmt.Sprint(b.o.seeds))
	}
	if b.o.guard != "" {
		words = append(words, "--guard", b.o.guard)
	}
	return ui.QuoteAll(append(words, "--baseline", b.o.baseline, "--update"))
}
