//go:build mutants

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/audit"
	"agentsim/sim/mutant"
	"agentsim/sim/transcript"
)

func main() {
	check := flag.Bool("check", false, "fail if "+resultsFile+" is out of date instead of writing it")
	only := flag.String("only", "", "try the mutants whose name begins so, and write nothing")
	flag.Parse()
	if err := run(os.Stdout, *only, *check); err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		os.Exit(1)
	}
}

// invariant is what a mutant is caught by when the auditor notices.
const invariant = "invariant"

// place is a scenario's variant, ready to run.
type place struct {
	name string
	spec *sim.Spec
	own  bool // it is the auditor's, not the library's
}

func run(w io.Writer, only string, check bool) error {
	names, err := named(".")
	if err != nil {
		return err
	}
	places, err := places()
	if err != nil {
		return err
	}
	if err := unbroken(places); err != nil {
		return err
	}
	p, err := newProver(only)
	if err != nil {
		return err
	}
	defer os.RemoveAll(p.dir)
	var results []result
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "STATEMENT\tMUTANT\tSCENARIO\tSEED\tRESULT")
	missed := 0
	for _, name := range names {
		if !strings.HasPrefix(name, only) {
			continue
		}
		r, note := try(name, places, p)
		results = append(results, r)
		if !r.Caught {
			missed++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", checkOf(name), name, r.Scenario, r.Seed, note)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d of %d mutants caught (%d %%), %d statements\n", len(results)-missed, len(results), 100*(len(results)-missed)/max(1, len(results)), len(statements()))
	if only != "" {
		return whenMissed(missed)
	}
	return errors.Join(keep(results, check), without(results), whenMissed(missed))
}

func whenMissed(n int) error {
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d mutants missed", n)
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

// keep writes the results, or holds them against what is written.
func keep(results []result, check bool) error {
	var all []checkResult
	for _, s := range statements() {
		all = append(all, checkResult{s.id, s.what, of(s.id, results)})
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if !check {
		return os.WriteFile(resultsFile, text, 0o666)
	}
	if old, err := os.ReadFile(resultsFile); err != nil || !bytes.Equal(old, text) {
		return fmt.Errorf("%s is out of date: run make mutants", resultsFile)
	}
	return nil
}

// places are the library's scenarios and then the auditor's own.
func places() (out []place, err error) {
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
	own, err := filepath.Glob("sim/audit/testdata/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range own {
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
	for i := range out[library:] {
		out[library+i].own = true
	}
	return out, nil
}

func variants(out []place, f *scenarios.File) ([]place, error) {
	for _, v := range f.VariantNames() {
		sc, err := f.Effective(v, nil)
		if err != nil {
			return nil, err
		}
		project, err := sim.Project(sc)
		if err != nil {
			return nil, err
		}
		out = append(out, place{strings.TrimSuffix(f.Name+"/"+v, "/"), &sim.Spec{Scenario: sc, Variant: v, Seed: sc.Seed, Policy: "fifo", Project: project}, false})
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

// unbroken makes sure that nothing is found where nothing is broken.
func unbroken(places []place) error {
	mutant.Break("")
	for _, p := range places {
		r, err := auditedRun(p.spec)
		if err = errors.Join(err, r.Err()); err != nil {
			return fmt.Errorf("%s, unbroken: %w", p.name, err)
		}
	}
	return nil
}

// try breaks one behaviour until the auditor notices or a scenario shows it. What a
// run itself comes to does not matter: a broken one may end anyhow.
func try(name string, places []place, proofs *prover) (result, string) {
	r, check, reached := result{Name: name}, checkOf(name), false
	for _, p := range placesFor(check, places) {
		mutant.Break(name)
		report, _ := auditedRun(p.spec)
		reached = reached || mutant.Reached()
		for _, c := range report.Counts {
			if c.ID == check && c.Broken > 0 {
				r.Scenario, r.Seed, r.Caught, r.By = p.name, p.spec.Seed, true, invariant
				return r, "caught"
			}
		}
	}
	if reached = proofs.caught(&r) || reached; r.Caught {
		return r, "caught by " + r.By
	}
	if !reached {
		return r, "missed: never reached"
	}
	return r, "missed"
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
