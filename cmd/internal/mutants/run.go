package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/audit"
	"agentsim/sim/transcript"
)

// invariant is what a mutant is caught by when the auditor notices.
const invariant = "invariant"

// place is a scenario's variant, ready to run.
type place struct {
	name string
	spec *sim.Spec
	own  bool // it is the auditor's, not the library's
}

// without names the statements that no mutant is for.
func without(results []result) error {
	var bare []string
	for _, s := range statements() {
		if len(of(s.id, results)) == 0 {
			bare = append(bare, s.id)
		}
	}
	if bare == nil {
		return nil
	}
	return fmt.Errorf("statements without a mutant: %s", strings.Join(bare, ", "))
}

// of are the results of a check's mutants.
func of(check string, results []result) (out []result) {
	for _, r := range results {
		if checkOf(r.Name) == check {
			out = append(out, r)
		}
	}
	return out
}

// byStatement sorts the results under the statements.
func byStatement(results []result) (all []checkResult) {
	for _, s := range statements() {
		all = append(all, checkResult{s.id, s.what, of(s.id, results)})
	}
	return all
}

// lastResults are the results that are written, by name. They say where to look
// first, so a file that cannot be read is no loss.
func lastResults() map[string]result {
	var checks []checkResult
	var list []result
	for name, into := range map[string]any{resultsFile: &checks, plantedFile: &list} { // order: each by itself
		if text, err := os.ReadFile(name); err == nil {
			_ = json.Unmarshal(text, into)
		}
	}
	for _, c := range checks {
		list = append(list, c.Mutants...)
	}
	out := map[string]result{}
	for _, r := range list {
		out[r.Name] = r
	}
	return out
}

// keep writes results, or holds them against what is written.
func keep(name string, results any, check bool) error {
	text, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if !check {
		return os.WriteFile(name, text, 0o666)
	}
	if old, err := os.ReadFile(name); err != nil || !bytes.Equal(old, text) {
		return fmt.Errorf("%s is out of date: run make mutants", name)
	}
	return nil
}

// floor is how many of the planted bugs the auditor saw when it was last counted: all. Of
// the sixth set it saw 22 of 25 when that was new.
const floor = 150

// enough fails when the auditor sees fewer planted bugs than it did.
func enough(seen []result) error {
	caught := 0
	for _, r := range seen {
		if r.Caught {
			caught++
		}
	}
	if caught < floor {
		return fmt.Errorf("the auditor sees %d of %d planted bugs, and saw %d", caught, len(seen), floor)
	}
	return nil
}

// isLaw reports whether a law of the bills ended a run, which is the auditor's as
// well (exit code 6).
func isLaw(err error) bool {
	var law *sim.LawError
	return errors.As(err, &law)
}

// places are the library's scenarios, then the auditor's own, then those beside
// the planted bugs.
func places(planted string) (out []place, err error) {
	for _, name := range scenarios.Names() {
		f, err := scenarios.Open(name)
		if err != nil {
			return nil, err
		}
		if out, err = variants(out, f); err != nil {
			return nil, err
		}
	}
	library := len(out)
	for _, dir := range []string{"sim/audit/testdata", planted} {
		if out, err = scenariosIn(out, dir); err != nil {
			return nil, err
		}
	}
	for i := range out[library:] {
		out[library+i].own = true
	}
	return out, nil
}

func scenariosIn(out []place, dir string) ([]place, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := scenarios.Parse(name, src)
		if err != nil {
			return nil, err
		}
		if out, err = variants(out, f); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func variants(out []place, f *scenarios.File) ([]place, error) {
	for _, v := range f.VariantNames() {
		sc, err := f.Effective(v, nil)
		if err != nil {
			return nil, err
		}
		spec, err := sim.NewSpec(sc, v)
		if err != nil {
			return nil, err
		}
		out = append(out, place{strings.TrimSuffix(f.Name+"/"+v, "/"), spec, false})
	}
	return out, nil
}

// auditedRun runs a spec with an auditor of its own, which also sees a run that a
// law of the cache ends.
func auditedRun(spec *sim.Spec) (*audit.Report, error) {
	opt := sim.AuditOptions(spec)
	a := audit.New(opt)
	_, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{a}})
	return a.Report(), err
}

// unbroken makes sure that nothing is found where nothing is broken. The library is
// audited by its own tests.
func unbroken(places []place) error {
	breakEntry(-1)
	for _, p := range places {
		if !p.own {
			continue
		}
		r, err := auditedRun(p.spec)
		if err = errors.Join(err, r.Err()); err != nil {
			return fmt.Errorf("%s, unbroken: %w", p.name, err)
		}
	}
	return nil
}

// placesFor are where the auditor looks for the break of a statement: anywhere; of
// one that scenarios show as well, in those and in the auditor's own; nowhere of
// one that it does not hold.
func placesFor(id string, all []place) (out []place) {
	shown := proofOf(id)
	switch {
	case !audited(id):
		return nil
	case shown == nil:
		return all
	}
	for _, p := range all {
		scenario, _, _ := strings.Cut(p.name, "/")
		if p.own || slices.ContainsFunc(shown, func(s showing) bool { return s.scenario == scenario }) {
			out = append(out, p)
		}
	}
	return out
}
