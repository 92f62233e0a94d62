package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/grid"
	"agentsim/metrics/report"
	"agentsim/metrics/sides"
	"agentsim/scenarios"
	"agentsim/scenarios/expect"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
)

func (a *answer) rows() (rows []report.Row) {
	for _, x := range a.done {
		row := report.Row{Variant: x.Spec.Variant, Run: x.Metrics}
		if plan := x.plan(); plan != nil {
			row.Units, row.Unit = plan.Units(x.Metrics.Total.Usage), plan.Unit
		}
		rows = append(rows, row)
	}
	return rows
}

// plan is the quota that the run counts against, nil for none.
func (x executed) plan() *scenarios.QuotaPlan {
	if own := x.Spec.Scenario.Provider.Prices; own != nil {
		return own.Plan
	}
	return nil
}

// quotas say what share of a plan each variant takes, where its quota is known.
func (a *answer) quotas() (out []string) {
	for _, x := range a.done {
		if plan := x.plan(); plan != nil && plan.Quota > 0 {
			n := plan.Units(x.Metrics.Total.Usage)
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s takes %s of %s %s of plan %s (%s)", x.Spec.Variant, ui.Count(n), ui.Count(plan.Quota), plan.Unit, plan.Name,
				report.Share(n, plan.Quota))))
		}
	}
	return out
}

// specs are what ran.
func (a *answer) specs() (out []*sim.Spec) {
	for _, x := range a.done {
		out = append(out, x.Spec)
	}
	return out
}

// document is the comparison of what ran, said once.
func (a *answer) document(s *ui.Env) *report.Document {
	d, rows, why := &report.Document{}, a.rows(), a.remarks(report.Texts)
	heading := a.heading()
	d.Head(func(st report.Style) string { return strings.Join(st.Lines(heading, 0), "\n") + "\n\n" })
	d.Field("scenario", report.Text(a.file.Name))
	a.on.Tell(d, a.specs())
	d.Table(report.Comparison(rows, a.columns).From("variants"))
	if bills := sides.Bills(a.file.Name, rows); bills != nil {
		d.Embed(bills.Inline)
	}
	d.Table(a.variants(why))
	d.Main("variants")
	d.Table(expectations(a.verdicts))
	if misses := report.Misses(rows); misses.Len() > 0 {
		d.Say("")
		d.Table(misses)
	}
	d.Say("")
	if a.grid.Points() > 0 {
		d.Say("%s", "cost at each grid point of the scenario's sweep, whose values replace its own; the table above has its own:")
		d.Table(a.grid.Costs().From("sweep"))
		d.Say("")
	}
	d.Field("why", report.List(why).If(why != nil))
	d.Table(swept(a.grid))
	d.Field("ranking_changes", report.List(a.grid.Ranking()).If(a.grid.Points() > 0))
	d.Label("quota", a.quotas()...)
	d.Label("unfinished", unfinished(a.done, func(x executed) string {
		if a.rec.DB == nil || a.rec.Err != nil {
			return ""
		}
		return ", see agentsim inspect " + ui.Short(x.Result.RunID) + rundb.At(s, a.db)
	})...)
	loud := a.remarks(func(kind []report.Remark) []string { return report.Loudest(kind, ": why in -o json") })
	d.Label("why", slices.Concat(undone(a.done), loud, gathered(a.done, func(r *sim.Result) []string { return r.Kept }))...)
	d.Label("one seed", a.oneSeed()...)
	d.Label("findings", a.findings(s)...)
	a.inFront(d)
	d.Label("life size", a.life...)
	d.Field("life_size", report.List(a.life[:min(1, len(a.life))]).If(a.life != nil)) // without the command
	d.Label("elsewhere", a.there...)
	d.Label("not read", notRead(a.done)...)
	d.Label("not asked", notAsked(a.done)...)
	d.Label("read before", readBefore(a.done)...)
	d.Label("left out", leaves(a.done)...)
	d.Label("ranking", a.grid.Decisive("agentsim sweep "+a.name)...)
	d.Label("assumed", assumed(a.done)...)
	d.Label("files", a.stands())
	d.Label("unverified", gathered(a.done, func(r *sim.Result) []string { return r.Options })...)
	d.Label("billing", fmt.Sprintf("%s billing checks, none broken", report.Quantity(checks(a.done))))
	d.Label("isolation", isolation(a.done))
	d.LabelMarked("expected", loading.WhetherMissed, loading.Judged(a.verdicts, loading.Foreign(a.on))...)
	d.Field("expectations_aside", report.Text(loading.Foreign(a.on)).If(loading.Foreign(a.on) != ""))
	a.recorded(s, d)
	d.Label("forks", a.silent)
	if a.answer != nil {
		d.Say("")
		a.answer.Tell(d)
	}
	return d
}

// inFront says what the directory puts in front of the agents of each variant.
func (a *answer) inFront(d *report.Document) {
	var rows []loading.InFront
	var lines []string
	for _, x := range a.done {
		if f, ok := a.on.InFront(x.Spec, x.Metrics); ok {
			rows, lines = append(rows, f), append(lines, f.Text(a.on.Directory()))
		}
	}
	if rows == nil {
		return
	}
	d.Label("in front", lines...)
	type col = report.Column[loading.InFront]
	d.Table(report.TableOf("in_front", rows,
		col{Name: "variant", Of: func(f loading.InFront) report.Value { return report.Text(f.Variant) }},
		col{Name: "agents", Of: func(f loading.InFront) report.Value { return report.Count(f.Agents) }},
		col{Name: "requests", Of: func(f loading.InFront) report.Value { return report.Count(f.Calls) }},
		col{Name: "tokens", Of: func(f loading.InFront) report.Value { return report.Tokens(f.Tokens) }},
		col{Name: "prompt_tokens", Of: func(f loading.InFront) report.Value { return report.Tokens(f.Whole) }}).Hidden())
}

// stands says where to see which files stand for the scenario's, where not all are named.
func (a *answer) stands() string {
	n := len(a.done[0].Spec.Stands())
	if n <= sim.MaxStands+1 {
		return ""
	}
	return fmt.Sprintf("agents read source and documents of %s in place of %d files of the scenario, and nothing that is in front of them: agentsim scenario show %s --project %s lists all",
		a.on.Directory(), n, ui.Quote(a.name), ui.Quote(a.project.Dir))
}

// remarks are the lines below a comparison: whether the variants did equal work,
// why bills differ, what wake-ups cost, what was lost on the way and how agents
// were steered, and what it comes to at a scale that the scenario names. Of remarks of
// one kind those are in it that of says.
func (a *answer) remarks(of func([]report.Remark) []string) []string {
	rows := a.rows()
	out := slices.Concat(unequal(a.done), report.Why(rows), report.Slower(rows), of(report.NearMisses(rows)), of(report.WakeUps(rows)), report.Hidden(rows), report.Losses(rows), report.Steered(rows), of(remarked(a.done)))
	if s := a.done[0].Spec.Scenario.Scale; s != nil {
		told, _ := report.Extrapolate(rows, report.Scale{Type: s.Type, Spawns: s.Spawns, Period: s.Period, Low: s.Low, High: s.High})
		out = append(out, told...)
	}
	return out
}

// variants are the runs for machines. Where a form has flat rows alone they have
// the exact figures behind the columns that people see, else all figures; where
// there are rows alone, what JSON says of the whole comparison stands in each.
func (a *answer) variants(why []string) *report.Sheet {
	type col = report.Column[executed]
	list := func(name string, of func(executed) []string) col {
		return col{Name: name, Of: func(x executed) report.Value { return report.List(of(x)).If(len(of(x)) > 0) }}
	}
	one := func(lines func([]executed) []string) func(executed) []string {
		return func(x executed) []string { return lines([]executed{x}) }
	}
	columns := []col{
		{Name: "variant", Of: func(x executed) report.Value { return report.Text(x.Spec.Variant) }},
		{Name: "run", Of: func(x executed) report.Value { return report.Text(x.Result.RunID) }},
		{Name: "seed", Of: func(x executed) report.Value { return report.Unsigned(x.Spec.Seed()) }},
		{Name: "policy", Of: func(x executed) report.Value { return report.Text(x.Spec.Policy) }},
		{Name: "outcome", Of: func(x executed) report.Value { return report.Text(string(x.Result.Outcome)) }},
	}
	for _, name := range report.Metrics(a.columns) {
		columns = append(columns, col{Name: name, In: report.CSV, Unit: report.UnitOf(name), Of: func(x executed) report.Value {
			v, ok := report.FigureAt(x.Metrics, name)
			return report.Metric(v).If(ok)
		}})
	}
	columns = append(columns,
		col{Name: "miss_reasons", In: report.CSV, Of: func(x executed) report.Value {
			return report.Objects(report.Misses([]report.Row{{Variant: x.Spec.Variant, Run: x.Metrics}}))
		}},
		col{Name: "why", In: report.CSV | report.NDJSON, Of: func(executed) report.Value { return report.List(why).If(why != nil) }},
		col{Name: "expectations", In: report.CSV | report.NDJSON, Of: func(x executed) report.Value { return report.Objects(expectations(a.judgedOf(x))) }})
	const whole = report.JSON | report.NDJSON
	return report.TableOf("variants", a.done, append(columns,
		col{Name: "detail", In: whole, Of: func(x executed) report.Value { return report.Text(x.Result.Detail).If(x.Result.Detail != "") }},
		col{Name: "digest", In: whole, Of: func(x executed) report.Value { return report.Text(x.Result.Digest) }},
		col{Name: "events", In: whole, Of: func(x executed) report.Value { return report.Count(int64(x.Result.Events)) }},
		col{Name: "metrics", In: whole, Of: func(x executed) report.Value { return figures(x.Metrics, "") }},
		col{Name: "types", In: whole, Of: func(x executed) report.Value { return typeFigures(x.Metrics) }},
		col{Name: "invariants", In: whole, Of: func(x executed) report.Value { return report.Objects(invariants(x.Result.Audit)) }},
		col{Name: "plan", In: whole, Of: func(x executed) report.Value {
			plan := x.plan()
			if plan == nil {
				return report.Text("").If(false)
			}
			return report.Nested(map[string]any{"name": plan.Name, "unit": plan.Unit, "used": plan.Units(x.Metrics.Total.Usage), "quota": plan.Quota})
		}},
		col{Name: "priced_on", In: whole, Of: func(x executed) report.Value { return report.Text(x.Spec.Scenario.Provider.PricedOn()) }},
		list("unfinished", func(x executed) []string {
			return unfinished([]executed{x}, func(executed) string { return "" })
		}), list("not_read", one(notRead)), list("read_before", one(readBefore)),
		col{Name: "findings", Of: func(x executed) report.Value { return report.Objects(causesOf(x)) }},
		list("leaves", func(x executed) []string { return x.leaves }),
		list("assumed", func(x executed) []string { return x.Result.Assumed }),
		list("unverified_assumptions", func(x executed) []string { return x.Result.Options }))...).Hidden()
}

// figures are all metrics of a subject that have data, with their units, by the
// names that they have as CSV.
func figures(r *metrics.Run, subject string) report.Value {
	var columns []report.Column[*metrics.Run]
	for _, n := range metrics.Names() {
		columns = append(columns, report.Column[*metrics.Run]{Name: n.Name, Unit: report.UnitOf(n.Name), Of: func(r *metrics.Run) report.Value {
			v, ok := metrics.Lookup(r, subject, n.Name)
			return report.Metric(v).If(ok)
		}})
	}
	return report.Object(report.TableOf("", []*metrics.Run{r}, columns...))
}

// typeFigures are those of each type of agents.
func typeFigures(r *metrics.Run) report.Value {
	var columns []report.Column[*metrics.Run]
	for _, t := range r.Types {
		columns = append(columns, report.Column[*metrics.Run]{Name: t.Name, Of: func(r *metrics.Run) report.Value { return figures(r, t.Name) }})
	}
	return report.Object(report.TableOf("", []*metrics.Run{r}, columns...))
}

// judgedOf are the expectations of a variant, and those of all variants together.
func (a *answer) judgedOf(x executed) (out []expect.Result) {
	for _, r := range a.verdicts {
		if r.Variant == "" || r.Variant == x.Spec.Variant {
			out = append(out, r)
		}
	}
	return out
}

// expectations are the expectations that were judged, for machines.
func expectations(verdicts []expect.Result) *report.Sheet {
	type col = report.Column[expect.Result]
	return report.TableOf("expectations", verdicts,
		col{Name: "text", Of: func(r expect.Result) report.Value { return report.Text(r.Expect.Text) }},
		col{Name: "variant", Of: func(r expect.Result) report.Value { return report.Text(r.Variant).If(r.Variant != "") }},
		col{Name: "verdict", Of: func(r expect.Result) report.Value { return report.Text(r.Verdict.String()) }},
		col{Name: "left", Unit: report.Each, Of: func(r expect.Result) report.Value { return report.Metric(r.Left).If(r.Verdict != expect.NoData) }},
		col{Name: "right", Unit: report.Each, Of: func(r expect.Result) report.Value { return report.Metric(r.Right).If(r.Verdict != expect.NoData) }})
}

// swept is the scenario's own sweep for machines: what was set at each point, and
// each variant's bill and outcome there.
func swept(g *grid.Grid) *report.Sheet {
	var points [][]grid.Cell
	for p := range g.Points() {
		points = append(points, g.At(p))
	}
	type point = report.Column[[]grid.Cell]
	type col = report.Column[grid.Cell]
	return report.TableOf("sweep", points,
		point{Name: "at", Of: func(cells []grid.Cell) report.Value {
			at := map[string]string{}
			for i, axis := range g.Axes {
				at[axis.Path] = cells[0].Point[i]
			}
			return report.Nested(at)
		}},
		point{Name: "base", Of: func(cells []grid.Cell) report.Value {
			return report.Bool(!slices.ContainsFunc(cells, func(c grid.Cell) bool { return !c.Same }))
		}},
		point{Name: "cheapest", Of: func(cells []grid.Cell) report.Value {
			if names := grid.CheapestNames(cells); names != "" {
				return report.Text(names)
			}
			return report.None()
		}},
		point{Name: "variants", Of: func(cells []grid.Cell) report.Value {
			return report.Objects(report.TableOf("", cells,
				col{Name: "variant", Of: func(c grid.Cell) report.Value { return report.Text(c.Variant) }},
				col{Name: "cost", Unit: report.USD, Of: func(c grid.Cell) report.Value {
					return report.Metric(metrics.Whole(c.Median("cost"), metrics.Picodollars))
				}},
				col{Name: "items", Of: func(c grid.Cell) report.Value {
					return report.Nested(metrics.Outcomes{Done: c.Median("items.done"), Rework: c.Median("items.rework"), Failed: c.Median("items.failed"),
						Wrong: c.Median("items.wrong"), Total: c.Median("items.total")})
				}},
				col{Name: "unfinished", Of: func(c grid.Cell) report.Value { return report.Bool(!c.Finished()) }}))
		}}).Hidden()
}

// recorded names the runs and what can be done with them.
func (a *answer) recorded(s *ui.Env, d *report.Document) {
	switch {
	case a.rec.Err != nil:
		d.Label("recorded", "incomplete: the message below says why")
		return
	case a.rec.DB == nil:
		return
	}
	var ids []string
	missed := "" // the last run in which a call missed
	silent := "" // the last run in which whoever was given an item reported nothing
	for _, x := range a.done {
		ids = append(ids, ui.Short(x.Result.RunID))
		if x.Metrics.Total.AllMisses().Calls > 0 {
			missed = ui.Short(x.Result.RunID)
		}
		if x.Metrics.Started > 1 && slices.ContainsFunc(x.verdicts, func(v verdict) bool { return slices.Contains(v.Missing, "report") }) {
			silent = ui.Short(x.Result.RunID)
		}
	}
	noun := "runs"
	if len(ids) == 1 {
		noun = "run"
	}
	at := rundb.At(s, a.db)
	d.Label("recorded", fmt.Sprintf("%s, %s %s%s", a.db, noun, strings.Join(ids, " "), a.before()))
	d.Label("replay", "agentsim replay "+ids[len(ids)-1]+at)
	if missed != "" && a.inFull() {
		d.Label("misses", "agentsim inspect "+missed+" --misses"+at)
	}
	if silent != "" && a.inFull() {
		d.Label("prompts", "agentsim lab lint "+silent+at) // whether they lacked what was needed
	}
}

// before says which runs the database had before at another level than the one that was
// asked for, at which they stay.
func (a *answer) before() string {
	if !a.recordSet {
		return ""
	}
	had := map[sqlite.Level][]string{}
	for _, x := range a.done {
		if info, err := rundb.Find(a.rec.DB, x.Result.RunID); err == nil && string(info.Said()) != a.record {
			had[info.Said()] = append(had[info.Said()], ui.Short(x.Result.RunID))
		}
	}
	text := ""
	for _, level := range slices.Sorted(maps.Keys(had)) {
		if ids := had[level]; len(ids) < len(a.done) {
			text += "; " + strings.Join(ids, " ")
		}
		text += fmt.Sprintf(", there before at level %s and left so", level)
	}
	return text
}
