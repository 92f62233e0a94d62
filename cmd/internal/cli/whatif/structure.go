package whatif

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/forks"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim/crossover"
	"agentsim/sim/recording"
	"agentsim/sim/recording/whatif"
	"agentsim/sim/transcript/sqlite"
)

// structures are those that can be asked for.
var structures = []scenarios.Structure{scenarios.Inline, scenarios.Subagent, scenarios.Fork, scenarios.Coordinated}

// readStructure refuses a structure that there is not, and other questions beside it.
func (o *options) readStructure() error {
	if o.structure == "" {
		if o.forks != "" {
			return ui.Failf(ui.Usage, "--forks: it needs --structure fork")
		}
		return nil
	}
	if !slices.Contains(structures, scenarios.Structure(o.structure)) {
		return ui.Failf(ui.Usage, "--structure %s: write inline, subagent, fork or coordinator", o.structure)
	}
	if o.q != (whatif.Question{}) {
		return ui.Failf(ui.Usage, "--structure: ask it alone: what it changes, the other question does not leave")
	}
	return nil
}

// restructure answers for a session whose work is done by another structure.
func (o *options) restructure(s *ui.Env, db *sqlite.DB, d *report.Document, info sqlite.RunInfo, x *recording.Session, opt whatif.Options) error {
	if err := said(db, info, x); err != nil {
		return err
	}
	in := &crossover.Inputs{}
	in.Add(x)
	p := &forks.Point{In: in, How: "played"}
	switch {
	case o.forks != "":
		other, err := rundb.Find(db, o.forks)
		if err != nil {
			return err
		}
		forked, err := db.Recording(other.ID)
		if err != nil {
			return err
		}
		if in.Add(forked); in.Forks == 0 {
			return ui.Failf(ui.Usage, "--forks %s: no fork ran there", o.forks)
		}
	case o.structure == string(scenarios.Fork) && in.Forks == 0:
		other, forked, err := loading.SameWork(db, info)
		if err != nil {
			return err
		}
		if forked != nil {
			in.Add(forked)
			p.Of = []string{ui.Short(other.ID)}
		} else if p.Next = loading.Forking(info); p.Next != "" {
			p.Next += rundb.At(s, o.db)
		}
	}
	a, err := whatif.Restructure(x, scenarios.Structure(o.structure), in, opt)
	if err != nil {
		return refused(info, err)
	}
	o.structured(d, a)
	if row := a.Point(); o.structure == string(scenarios.Fork) && len(in.Children) > 0 {
		p.Pair = crossover.Pair{Fork: row.Children, Fresh: a.Told.Children}
		if !info.Recorded() {
			if err := p.Drawn(nil); err != nil {
				return err
			}
		}
		d.Say("")
		p.Tell(d)
	}
	return s.Print(o.output, d)
}

// said gives a session its content, where it is recorded.
func said(db *sqlite.DB, info sqlite.RunInfo, x *recording.Session) error {
	switch {
	case rundb.WithoutContent(info) != "":
		return nil
	case info.Recorded():
		return loading.Said(db, info, x)
	}
	return db.Spoken(info.ID, x)
}

// structured prints the bills, and what was told and is no longer.
func (o *options) structured(d *report.Document, a *whatif.Structured) {
	d.Title("what if " + o.asked())
	rows := append([]whatif.Row{a.Told}, a.Rows...)
	type col = report.Column[whatif.Row]
	against := func(of func(whatif.Row) cachemodel.Picodollars) func(whatif.Row) report.Value {
		return func(r whatif.Row) report.Value {
			n, all := int64(of(r)), int64(of(a.Told))
			return report.Ratio(n, all).As(report.Times(n, all))
		}
	}
	session, children := func(r whatif.Row) cachemodel.Picodollars { return r.Session }, func(r whatif.Row) cachemodel.Picodollars { return r.Children }
	d.Table(report.TableOf("structures", rows,
		col{Name: "structure", Head: "STRUCTURE", Of: func(r whatif.Row) report.Value { return report.Text(name(r)) }},
		col{Name: "overlap", Head: "OVERLAP", Of: func(r whatif.Row) report.Value {
			if r.Measured {
				return report.Share(r.Overlap, 1000).As(report.Percent(r.Overlap, 1000) + ", measured")
			}
			if r.Recorded != "" {
				return report.Share(r.Overlap, 1000).As(report.Percent(r.Overlap, 1000) + ", " + r.Recorded + " of recorded children")
			}
			return report.Share(r.Overlap, 1000).OrBlank(r.Structure == scenarios.Fork || r.Structure == scenarios.Inline)
		}},
		col{Name: "children_cost", Head: " THEIR WORK", Unit: report.USD, Of: func(r whatif.Row) report.Value { return report.Dollars(r.Children) }},
		col{Name: "children_to_told", Head: " WORK, AGAINST", Drop: 1, Of: against(children)},
		col{Name: "cost", Head: " SESSION", Unit: report.USD, Of: func(r whatif.Row) report.Value { return report.Dollars(r.Session) }},
		col{Name: "cost_to_told", Head: " SESSION, AGAINST", Of: against(session)}))
	d.Main("structures")
	d.Say("")
	d.Label("band", a.Band(report.Money))
	d.Label("dropped", a.Fell...)
	d.Label("left out", a.Left...)
	d.Label("assumed", a.Assumed...)
	d.Field("fell_away", report.List(a.Fell))
	d.Field("assumed", report.List(a.Assumed))
}

// name is what a row is called.
func name(r whatif.Row) string {
	switch {
	case r.Structure == "":
		return "as it was, told"
	case r.Model != "":
		return fmt.Sprintf("%s, on %s", r.Structure, strings.TrimPrefix(r.Model, "claude-"))
	}
	return string(r.Structure)
}
