package cli

import (
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/compare"
	"agentsim/scenarios"
)

type runJSON struct {
	Scenario     string            `json:"scenario"`
	Variants     []variantJSON     `json:"variants"`
	Expectations []expectationJSON `json:"expectations"`
	Why          []string          `json:"why,omitempty"`
	Sweep        []cellJSON        `json:"sweep,omitempty"`
	Flips        []string          `json:"ranking_changes,omitempty"`
}

type variantJSON struct {
	Variant    string                          `json:"variant"`
	Run        string                          `json:"run"`
	Seed       uint64                          `json:"seed"`
	Policy     string                          `json:"policy"`
	Digest     string                          `json:"digest"`
	Outcome    string                          `json:"outcome"`
	Detail     string                          `json:"detail,omitempty"`
	Unfinished []string                        `json:"unfinished,omitempty"`
	Events     uint64                          `json:"events"`
	Metrics    map[string]ui.Figure            `json:"metrics"`
	Types      map[string]map[string]ui.Figure `json:"types"`
	Invariants []checkedJSON                   `json:"invariants,omitempty"`
	NotRead    []string                        `json:"not_read,omitempty"`
	ReadBefore []string                        `json:"read_before,omitempty"`
	Leaves     []string                        `json:"leaves,omitempty"`
	PricedOn   string                          `json:"priced_on"` // the day whose prices hold
	Assumed    []string                        `json:"assumed,omitempty"`
	Options    []string                        `json:"unverified_assumptions,omitempty"`
}

type expectationJSON struct {
	Text    string     `json:"text"`
	Variant string     `json:"variant,omitempty"`
	Verdict string     `json:"verdict"`
	Left    *ui.Figure `json:"left,omitempty"`
	Right   *ui.Figure `json:"right,omitempty"`
}

func runDocument(file *scenarios.File, done []executed, verdicts []scenarios.Result) runJSON {
	doc := runJSON{Scenario: file.Name, Expectations: []expectationJSON{}, Why: remarks(done)}
	for _, x := range done {
		v := variantJSON{Variant: x.spec.Variant, Run: x.result.RunID, Seed: x.spec.Seed(), Policy: x.spec.Policy,
			Digest: x.result.Digest, Outcome: string(x.result.Outcome), Detail: x.result.Detail, Unfinished: unfinished([]executed{x}), Events: x.result.Events,
			Metrics: figures(x.metrics, ""), Types: map[string]map[string]ui.Figure{},
			Invariants: invariantsJSON(x.result.Audit), NotRead: notRead([]executed{x}), ReadBefore: readBefore([]executed{x}), Leaves: x.leaves, PricedOn: x.spec.Scenario.Provider.PricedOn(), Assumed: x.result.Assumed, Options: x.result.Options}
		for _, t := range x.metrics.Types {
			v.Types[t.Name] = figures(x.metrics, t.Name)
		}
		doc.Variants = append(doc.Variants, v)
	}
	for _, r := range verdicts {
		e := expectationJSON{Text: r.Expect.Text, Variant: r.Variant, Verdict: r.Verdict.String()}
		if r.Verdict != scenarios.NoData {
			e.Left, e.Right = figureOf(r.Left), figureOf(r.Right)
		}
		doc.Expectations = append(doc.Expectations, e)
	}
	return doc
}

func figureOf(v metrics.Value) *ui.Figure { return &ui.Figure{Num: v.Num, Den: v.Den, Unit: v.Unit} }

// figures are all metrics of a subject that have data.
func figures(r *metrics.Run, subject string) map[string]ui.Figure {
	out := map[string]ui.Figure{}
	for _, n := range metrics.Names() {
		if v, ok := metrics.Lookup(r, subject, n.Name); ok {
			out[n.Name] = *figureOf(v)
		}
	}
	return out
}

// cellJSON is one place of a sweep: what was set, and each variant's bill and
// outcome there.
type cellJSON struct {
	At       map[string]string `json:"at"`
	Base     bool              `json:"base,omitempty"`
	Cheapest string            `json:"cheapest"`
	Variants []sweptJSON       `json:"variants"`
}

type sweptJSON struct {
	Variant string           `json:"variant"`
	Cost    int64            `json:"cost_picodollars"` // 0 where it did not finish
	Items   metrics.Outcomes `json:"items"`
	Open    bool             `json:"unfinished,omitempty"`
}

func sweepDocument(g *compare.Grid) (out []cellJSON) {
	for p := range g.Points() {
		cells := g.At(p)
		j := cellJSON{At: map[string]string{}, Base: true}
		if best := compare.Cheapest(cells); best >= 0 {
			j.Cheapest = cells[best].Variant
		}
		for i, a := range g.Axes {
			j.At[a.Path] = cells[0].Point[i]
		}
		for i := range cells {
			c := &cells[i]
			j.Base = j.Base && c.Same
			items := metrics.Outcomes{Done: c.Median("items.done"), Rework: c.Median("items.rework"), Failed: c.Median("items.failed"),
				Wrong: c.Median("items.wrong"), Total: c.Median("items.total")}
			j.Variants = append(j.Variants, sweptJSON{c.Variant, c.Median("cost"), items, !c.Finished()})
		}
		out = append(out, j)
	}
	return out
}

// TableRows are the rows of its table.
func (d runJSON) TableRows() any { return d.Variants }
