package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// options are what the command line says.
type options struct {
	check   bool
	only    string
	planted string
	output  string
}

func main() {
	var o options
	flag.BoolVar(&o.check, "check", false, "fail if "+resultsFile+" is out of date instead of writing it")
	flag.StringVar(&o.only, "only", "", "try the entries whose name begins so, and write nothing")
	flag.StringVar(&o.planted, "planted", plantedTable, "the `folder` of the second table, with the scenarios that it needs")
	flag.StringVar(&o.output, "o", "", "build agentsim with all entries into this `file`, to break one by "+variable+"=NAME, and stop")
	flag.Parse()
	code, err := run(os.Stdout, &o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		code = 1
	}
	os.Exit(code)
}

// run reads the tables, and does the work in the build that holds what they break.
func run(w io.Writer, o *options) (int, error) {
	mutants, err := readTable(mutantTable)
	if err != nil {
		return 1, err
	}
	planted, err := readTable(o.planted)
	if err != nil {
		return 1, err
	}
	all := append(mutants, planted...)
	switch {
	case o.output != "":
		return 0, build(all, "agentsim/cmd/agentsim", o.output)
	case !canBreak:
		return rebuilt(all)
	}
	return 0, try(w, o, all, len(mutants))
}

// rebuilt runs this command again, built with everything that the tables break.
func rebuilt(list []entry) (code int, err error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "mutants")
	if err := build(list, "agentsim/cmd/internal/mutants", program); err != nil {
		return 1, err
	}
	cmd := exec.Command(program, os.Args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode(), nil
	}
	return 0, err
}

// build builds a program of this module with every entry in it.
func build(list []entry, what, to string) error {
	dir, err := os.MkdirTemp("", "overlay")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	if to, err = filepath.Abs(to); err != nil {
		return err
	}
	config, err := overlay(root, dir, list)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-overlay", config, "-o", to, what)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, blame(list, string(out)))
	}
	return nil
}

// blame names the entries that a compiler's messages are about.
func blame(list []entry, out string) string {
	for _, m := range complaint.FindAllStringSubmatch(out, -1) {
		src, err := os.ReadFile(m[1])
		line, _ := strconv.Atoi(m[2])
		if lines := strings.Split(string(src), "\n"); err == nil && line <= len(lines) {
			above := twinHead.FindAllStringSubmatch(strings.Join(lines[:line], "\n"), -1)
			if above == nil {
				continue
			}
			n, _ := strconv.Atoi(above[len(above)-1][1])
			out += fmt.Sprintf("%s: %s does not compile: %s\n", list[n].place, list[n].id, m[3])
		}
	}
	return out
}

// A compiler's message, and the head of a broken function.
var (
	complaint = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: (.*)$`)
	twinHead  = regexp.MustCompile(`(?m)^func .*_mutant(\d+)\b`)
)

// try breaks one entry after the other, first those of the mutants' table.
func try(w io.Writer, o *options, all []entry, mutants int) error {
	places, err := places(o.planted)
	if err != nil {
		return err
	}
	if err := unbroken(places); err != nil {
		return err
	}
	p, err := newProver(o.only)
	if err != nil {
		return err
	}
	defer os.RemoveAll(p.dir)
	t := &trial{w: w, only: o.only, places: places, prover: p, last: lastResults()}
	results, err := t.mutants(all[:mutants])
	if err != nil {
		return err
	}
	seen, err := t.planted(all[mutants:], mutants)
	if err != nil || o.only != "" {
		return err
	}
	if o.planted != plantedTable {
		return nil
	}
	return errors.Join(keep(resultsFile, byStatement(results), o.check), keep(plantedFile, seen, o.check), without(results), enough(seen))
}

// trial is what breaking entries needs.
type trial struct {
	w      io.Writer
	only   string
	places []place
	prover *prover
	last   map[string]result // by name: where it was caught last is looked first
}

// mutants breaks the entries that a check or a scenario has to show each.
func (t *trial) mutants(list []entry) (results []result, err error) {
	table := tabwriter.NewWriter(t.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "STATEMENT\tMUTANT\tSCENARIO\tSEED\tRESULT")
	missed := 0
	for n := range list {
		name := list[n].id
		if !strings.HasPrefix(name, t.only) {
			continue
		}
		r, note := t.mutant(name, n)
		results = append(results, r)
		if !r.Caught {
			missed++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", checkOf(name), name, r.Scenario, r.Seed, note)
	}
	if err := table.Flush(); err != nil {
		return nil, err
	}
	fmt.Fprintf(t.w, "\n%d of %d mutants caught (%d %%), %d statements\n", len(results)-missed, len(results), 100*(len(results)-missed)/max(1, len(results)), len(statements()))
	if missed > 0 {
		err = fmt.Errorf("%d mutants missed", missed)
	}
	return results, err
}

// mutant breaks one behaviour until the auditor notices or a scenario shows it.
// What a run itself comes to does not matter: a broken one may end anyhow.
func (t *trial) mutant(name string, n int) (result, string) {
	r, came := result{Name: name}, false
	looks := []func(*result, int) bool{t.audit, t.prover.caught}
	if by := t.last[name].By; by != "" && by != invariant {
		slices.Reverse(looks)
	}
	for _, look := range looks {
		if came = look(&r, n) || came; r.Caught {
			return r, strings.TrimSuffix("caught by "+r.By, " by "+invariant)
		}
	}
	if !came {
		return r, "missed: never reached"
	}
	return r, "missed"
}

// audit looks whether the check of a broken behaviour notices.
func (t *trial) audit(r *result, n int) (came bool) {
	check := checkOf(r.Name)
	for _, p := range t.inOrder(r.Name, placesFor(check, t.places)) {
		breakEntry(n)
		report, _ := auditedRun(p.spec)
		came = came || reached()
		for _, c := range report.Counts {
			if c.ID == check && c.Broken > 0 {
				r.Scenario, r.Seed, r.Caught, r.By = p.name, p.spec.Seed(), true, invariant
				return came
			}
		}
	}
	return came
}

// inOrder puts where an entry was caught last in front of the other places.
func (t *trial) inOrder(name string, all []place) []place {
	last := func(p place) bool { return p.name == t.last[name].Scenario }
	i := max(0, slices.IndexFunc(all, last))
	return slices.Concat(all[i:], all[:i])
}

// planted breaks the entries that anything of the auditor may see.
func (t *trial) planted(list []entry, first int) (seen []result, err error) {
	caught := 0
	table := tabwriter.NewWriter(t.w, 0, 0, 2, ' ', 0)
	for i := range list {
		if !strings.HasPrefix(list[i].id, t.only) {
			continue
		}
		r, note := t.bug(list[i].id, first+i)
		seen = append(seen, r)
		if r.Caught {
			caught++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", r.Name, list[i].what, r.Scenario, note)
	}
	if len(seen) == 0 {
		return nil, nil
	}
	if err := table.Flush(); err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(t.w, "\n%d of %d planted bugs seen by the auditor (%d %%)\n", caught, len(seen), 100*caught/len(seen))
	return seen, err
}

// bug breaks one behaviour until any check or law of a run notices.
func (t *trial) bug(name string, n int) (result, string) {
	r, came := result{Name: name}, false
	for _, p := range t.inOrder(name, t.places) {
		breakEntry(n)
		report, err := auditedRun(p.spec)
		came = came || reached()
		for _, c := range report.Counts {
			if c.Broken > 0 {
				r.Scenario, r.Seed, r.Caught, r.By = p.name, p.spec.Seed(), true, c.ID
				return r, "seen by " + c.ID
			}
		}
		if isLaw(err) {
			r.Scenario, r.Seed, r.Caught, r.By = p.name, p.spec.Seed(), true, "law"
			return r, "seen by " + err.Error()
		}
	}
	if !came {
		return r, "not seen: never reached"
	}
	return r, "not seen"
}
