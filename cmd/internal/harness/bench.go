package harness

import (
	"fmt"
	"strings"

	"agentsim/metrics/baseline"
	"agentsim/scenarios"
	"agentsim/sim"

	"github.com/zeebo/xxh3"
)

// Bench is what a bench runs: all variants of scenarios, or some of them, side by
// side for each of several seeds from the scenario's own on.
type Bench struct {
	Files    []*scenarios.File
	Variants []string // nil for all
	Seeds    int
	Maker    func(*scenarios.File) *Maker // nil for the file alone
	Fronts   func(scenario string) bool   // whether what its requests share is kept; nil for never
}

// Measured is a run of a bench, and what a baseline keeps of it.
type Measured struct {
	*Run
	File  *scenarios.File
	First bool // of the scenario's seeds
	Last  bool // of the scenario's runs
	Kept  *baseline.Run

	variant string
	maker   *Maker
	nth     int // of the seeds
}

// Len is how many runs it has.
func (b *Bench) Len() int { return len(b.runs()) }

// runs lists them, all of a scenario one after the other.
func (b *Bench) runs() (out []*Measured) {
	for _, f := range b.Files {
		variants := f.VariantNames()
		if b.Variants != nil {
			variants = b.Variants
		}
		for i := range b.Seeds {
			for j, v := range variants {
				out = append(out, &Measured{File: f, variant: v, nth: i, First: i == 0, Last: i+1 == b.Seeds && j+1 == len(variants)})
			}
		}
	}
	return out
}

// Bench runs one, and hands over each run in its order.
func (h *Harness) Bench(b *Bench, end func(*Measured) error) error {
	runs, bases := b.runs(), map[string]*Base{}
	return h.batch(batch{n: len(runs), job: func(i int) (*Job, error) { return runs[i].job(b) }, from: func(i int) (Origin, error) {
		m := runs[i]
		j, err := m.job(b)
		if err != nil {
			return Origin{}, err
		}
		of := m.File.Path + "\x00" + m.variant // seeds of one differ in nothing else
		if bases[of] == nil {
			bases[of] = &Base{Spec: j.Spec, Own: m.maker.Project == nil}
		}
		return Origin{Base: bases[of], At: j.Spec.Seed(), Manner: j.manner()}, nil
	}}, func(i int, r *Run) error {
		m := runs[i]
		runs[i] = nil
		m.Run = r
		m.keep()
		return end(m)
	})
}

func (m *Measured) job(b *Bench) (*Job, error) {
	mk := &Maker{File: m.File}
	if b.Maker != nil {
		mk = b.Maker(m.File)
	}
	m.maker = mk
	sc, err := mk.Scenario(m.variant)
	if err != nil {
		return nil, err
	}
	sc.Seed += uint64(m.nth)
	spec, err := mk.Spec(sc, m.variant)
	if err != nil {
		return nil, err
	}
	j := mk.Job(spec)
	j.Gather = Gather{Cuts: true, Trace: m.First, Fronts: m.First && b.Fronts != nil && b.Fronts(m.File.Name)}
	return j, nil
}

// keep makes what a baseline keeps of the run.
func (m *Measured) keep() {
	extra := baseline.Extra{Cut: m.Run.Kept.Cut, Unfinished: int64(len(OpenRoots(m.Spec.Scenario, m.Metrics)))}
	if m.Result.Audit != nil {
		for _, c := range m.Result.Audit.Counts {
			extra.Broken += c.Broken
		}
	}
	m.Kept = &baseline.Run{Scenario: m.File.Name, Variant: m.variant, Seed: m.Spec.Seed(), ID: m.ID,
		Digest: m.Result.Digest, Outcome: m.Result.Outcome, Events: int(m.Result.Events), Figures: baseline.Figures(m.Metrics, extra),
		Kept: baseline.Kept{Lines: m.Run.Kept.Lines, Outline: m.Run.Kept.Outline, Requests: m.Run.Kept.Fronts}, Spec: unpriced(m.Spec).Hash()[:16],
		Prices: prices(&m.Spec.Scenario.Provider, m.Result)}
	if m.First {
		m.Kept.Project = m.maker.told(m.Spec)
	}
}

// unpriced is a spec without prices of its own: what they make of a figure is told of
// the prices, and not of the scenario.
func unpriced(spec *sim.Spec) *sim.Spec {
	if p := &spec.Scenario.Provider; p.Prices == nil && p.PricesOn == "" {
		return spec
	}
	sc := *spec.Scenario
	sc.Provider.Prices, sc.Provider.PricesOn = nil, ""
	return sim.NewSpecOn(spec.Project, &sc, spec.Variant, spec.Policy)
}

// mostTold is of how many files of a directory a baseline tells each: of a larger one,
// those that stand in front of agents, and the others together.
const mostTold = 2_000

// told is what a baseline keeps of the directory that a run is on; nil for none.
func (m *Maker) told(spec *sim.Spec) *baseline.Project {
	if m.Project == nil {
		return nil
	}
	p := &baseline.Project{Files: map[string]string{}}
	if sc, err := m.File.Effective(spec.Variant, m.Sets); err == nil {
		sc.Provider.Prices, sc.Provider.PricesOn = nil, ""
		p.Scenario = sum(string(sc.Canonical()))
	}
	if m.Project.Len() > mostTold {
		p.Files["other files"] = sum(m.Project.Hash())
	}
	for _, name := range m.Project.Paths() {
		if m.Project.Len() <= mostTold || strings.HasPrefix(name, ".claude/") {
			text, _ := m.Project.Content(name)
			p.Files[name] = sum(text)
		}
	}
	for _, x := range spec.Scenario.Project.Parts {
		name := x.From
		if at := strings.LastIndexByte(name, ':'); at >= 0 {
			name = name[:at]
		}
		if _, whole := m.Project.Content(name); name == "" || whole && m.Project.Len() <= mostTold {
			continue
		}
		p.Files[name] = sum(p.Files[name] + x.Text.Text)
	}
	return p
}

// sum is as much of a text's hash as a baseline keeps of hashes.
func sum(text string) string { return fmt.Sprintf("%016x", xxh3.HashString(text))[:baseline.Digits] }

// Broke says which run breaks an invariant.
func (m *Measured) Broke(err error) error {
	return fmt.Errorf("%s with seed %d: an invariant is broken\n%w", m.Kept.Name(), m.Kept.Seed, err)
}

// prices are the list prices of the models that a run used.
func prices(prov *scenarios.Provider, r *sim.Result) (out []baseline.Price) {
	for _, id := range r.Models {
		if p, err := prov.Listed(id); err == nil {
			out = append(out, baseline.Price{Model: id, Day: p.Day, Rates: p.Words()})
		}
	}
	return out
}
