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
	"time"

	"agentsim/cmd/internal/cli"
	"agentsim/cmd/internal/ui"
	_ "agentsim/sim/transcript/sqlite/driver"
)

// prover runs scenarios by the program's own command line, in this process, and
// reads the documents that it prints.
type prover struct {
	dir  string            // scratch, for records
	met  map[string][]held // by statement and scenario: what holds where nothing is broken
	seed map[string]uint64
}

// newProver makes one that knows what holds where nothing is broken, as far as the
// mutants whose name begins so need it.
func newProver(only string) (*prover, error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	p := &prover{dir: dir, met: map[string][]held{}, seed: map[string]uint64{}}
	if err := p.unbroken(only); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

// ran is what the documents of run and lint say, as far as it is asked here.
type ran struct {
	Variants []struct {
		Variant, Run string
		Seed         uint64
	}
	Expectations []struct{ Text, Variant, Verdict string }
}

type linted struct {
	Rules []struct {
		Rule  string
		Found int
	}
}

// held is something that a scenario shows, and whether it does.
type held struct {
	what string
	ok   bool
}

// name is the scenario's, without the path of a file.
func (s *showing) name() string { return strings.TrimSuffix(filepath.Base(s.scenario), ".yaml") }

// of is the name of a variant.
func (s *showing) of(variant string) string { return strings.TrimSuffix(s.name()+"/"+variant, "/") }

// command runs a command line and reads the document that it prints. What its
// exit code says is in the document, where there is one.
func command(to any, args ...string) error {
	var out, errs bytes.Buffer
	code := cli.Run(&ui.Env{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Now: func() time.Time { return time.Time{} }})
	if err := json.Unmarshal(out.Bytes(), to); err != nil {
		return fmt.Errorf("agentsim %s: exit code %d: %s", strings.Join(args, " "), code, errs.String())
	}
	return nil
}

// hold runs a scenario and says which of its expectations and of the lint's
// verdicts are met. What cannot be run meets nothing.
func (p *prover) hold(s *showing) (out []held, err error) {
	db := filepath.Join(p.dir, "record.db")
	record := "none"
	if s.lint != nil {
		record = "full"
	}
	args := []string{"run", s.scenario, "-o", "json", "--no-audit", "--record", record, "--db", db}
	for _, v := range s.variants {
		args = append(args, "--variant", v)
	}
	var doc ran
	if err := command(&doc, args...); err != nil {
		return nil, err
	}
	defer os.Remove(db)
	for _, x := range doc.Expectations {
		text := x.Text
		if _, rest, ok := strings.Cut(text, ": "); ok {
			text = rest
		}
		if slices.ContainsFunc(s.about, func(word string) bool { return strings.Contains(text, word) }) {
			out = append(out, held{"expectation: " + s.of(x.Variant) + ": " + text, x.Verdict == "pass"})
		}
	}
	for _, v := range doc.Variants {
		p.seed[s.scenario] = v.Seed
		if out, err = s.judge(db, v.Variant, v.Run, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// judge has the lint look at the run of a variant.
func (s *showing) judge(db, variant, run string, out []held) ([]held, error) {
	var doc linted
	for _, v := range s.lint {
		if v.variant != variant {
			continue
		}
		if doc.Rules == nil {
			if err := command(&doc, "lab", "lint", run, "-o", "json", "--db", db); err != nil {
				return nil, err
			}
		}
		found := 0
		for _, r := range doc.Rules {
			if v.rule == anyRule || r.Rule == v.rule {
				found += r.Found
			}
		}
		what := "nothing"
		if v.finds {
			what = v.rule
		} else if v.rule != anyRule {
			what = "no " + v.rule
		}
		out = append(out, held{"lint: " + s.of(variant) + ": finds " + what, (found > 0) == v.finds})
	}
	return out, nil
}

// unbroken notes what holds where nothing is broken: all of it.
func (p *prover) unbroken(only string) error {
	breakEntry(-1)
	for _, f := range proofs {
		for i := range f.shown {
			s := &f.shown[i]
			if !strings.HasPrefix(f.id, only) && !strings.HasPrefix(only, f.id) {
				continue
			}
			met, err := p.hold(s)
			if err != nil {
				return err
			}
			for _, h := range met {
				if !h.ok {
					return fmt.Errorf("unbroken, this does not hold: %s", h.what)
				}
			}
			if len(met) == 0 {
				return fmt.Errorf("%s shows nothing of %s", s.name(), f.id)
			}
			p.met[f.id+" "+s.scenario] = met
		}
	}
	return nil
}

// caught is the first thing that the break of a behaviour changes among those that
// are about its statement.
func (p *prover) caught(r *result, n int) (came bool) {
	shown := proofOf(checkOf(r.Name))
	for i := range shown {
		s := &shown[i]
		breakEntry(n)
		now, err := p.hold(s)
		came = came || reached()
		if err != nil {
			continue // what a broken run ends with is nobody's expectation
		}
		for _, h := range now {
			if !h.ok {
				r.Scenario, r.Seed, r.Caught, r.By = s.name(), p.seed[s.scenario], true, h.what
				return true
			}
		}
	}
	return came
}

// proofOf is the scenarios that show a statement.
func proofOf(id string) []showing {
	for i := range proofs {
		if proofs[i].id == id {
			return proofs[i].shown
		}
	}
	return nil
}
