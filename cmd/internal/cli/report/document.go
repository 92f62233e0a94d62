package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/metrics/sides"
)

func sortedNames[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }

// document is the answer that the page opens on; at names the database on a command
// line.
func document(s *ui.Env, runs []*recorded, at string) *report.Document {
	d, all := &report.Document{}, rows(runs)
	for _, line := range append(work(runs), heading(runs)) {
		d.Say("%s", line)
	}
	columns, err := report.Columns("", metrics.Known{})
	if err != nil {
		panic(err) // the default columns are columns
	}
	d.Table(report.Comparison(all, columns))
	if bills := sides.Bills("The bill"+map[bool]string{true: " of each run"}[len(all) > 1], all); bills != nil {
		d.Embed(bills.Inline)
	}
	d.Label("unfinished", unfinished(runs)...)
	d.Label("why", slices.Concat(report.Why(all), report.Slower(all), report.Loudest(report.NearMisses(all), ""), report.Loudest(report.WakeUps(all), ""), report.Losses(all), undone(runs))...)
	d.Label("one seed", oneSeed(runs)...)
	d.Label("ranking", turns(s, runs)...)
	d.Label("assumed", slices.Concat(gathered(runs, func(x *said) []string { return x.assumed }), alike(runs, func(r *recorded) string { return r.said.missing }))...)
	d.Label("unverified", gathered(runs, func(x *said) []string { return x.options })...)
	for _, part := range []struct {
		name string
		of   func(*recorded) string
	}{
		{"billing", func(r *recorded) string { return r.said.billing() }},
		{"isolation", func(r *recorded) string { return r.said.isolation() }},
		{"recorded", func(r *recorded) string { return r.Detail }},
	} {
		d.Label(part.name, alike(runs, part.of)...)
	}
	d.LabelMarked("expected", loading.WhetherMissed, expected(runs)...)
	d.Label("replay", commands(runs, "agentsim replay %s"+at)...)
	if slices.ContainsFunc(runs, func(r *recorded) bool { return len(r.calls) > 0 }) {
		d.Title("Where the money went")
		d.Table(money(runs))
	}
	if lost := losses(runs); len(lost) > 0 {
		d.Title("Calls that read less than they could have")
		d.Table(lossTable(lost, at))
	}
	return d
}

// gathered lists what runs say, each thing once.
func gathered(runs []*recorded, of func(*said) []string) []string {
	var all []report.Said
	for _, r := range runs {
		all = append(all, report.Said{Variant: r.row.Variant, Texts: of(&r.said)})
	}
	return report.Gathered(all)
}

// alike says of each run what of says, once for those that say the same.
func alike(runs []*recorded, of func(*recorded) string) (lines []string) {
	who := map[string][]string{}
	for _, r := range runs {
		text := of(r)
		if text == "" {
			continue
		}
		if who[text] == nil {
			lines = append(lines, text)
		}
		who[text] = append(who[text], r.row.Variant)
	}
	if len(lines) > 1 {
		for i, text := range lines {
			lines[i] = strings.Join(who[text], ", ") + ": " + text
		}
	}
	return lines
}

func (x *said) billing() string {
	if x.missing != "" {
		return ""
	}
	return fmt.Sprintf("%s billing checks, none broken", ui.Count(x.checks))
}

func (x *said) isolation() string {
	switch {
	case x.missing != "":
		return ""
	case x.broken != nil:
		return fmt.Sprintf("%s, %s checks, broken: %s", ui.Plural(x.invariants, "invariant"), ui.Count(x.made), strings.Join(x.broken, ", "))
	}
	return fmt.Sprintf("%s, %s checks, none broken", ui.Plural(x.invariants, "invariant"), ui.Count(x.made))
}

// unfinished says of each run that did not come to its end why.
func unfinished(runs []*recorded) (lines []string) {
	for _, r := range runs {
		if !r.Recorded() && r.Ending() != "completed" {
			lines = append(lines, r.row.Variant+": "+strings.TrimSpace(r.Ending()+" "+r.Detail))
		}
	}
	return lines
}

// together are runs that one file expects something of, at one seed and each of another
// variant.
type together struct {
	*recorded // the first of them
	names     []string
	figures   map[string]*metrics.Run
}

// expected says whether what files expect of their runs holds; of runs of which nobody
// said it, where to see it.
func expected(runs []*recorded) (lines []string) {
	var groups []together
	unsaid := false
	for _, r := range runs {
		switch i := slices.IndexFunc(groups, func(g together) bool {
			return g.expects == r.expects && g.Seed == r.Seed && g.figures[r.Variant] == nil
		}); {
		case r.misread != nil:
			lines = append(lines, r.row.Variant+": "+r.misread.Error())
		case r.sheet == nil:
			unsaid = unsaid || !r.Recorded()
		case i < 0:
			groups = append(groups, together{r, []string{r.row.Variant}, map[string]*metrics.Run{r.Variant: r.row.Run}})
		default:
			groups[i].names, groups[i].figures[r.Variant] = append(groups[i].names, r.row.Variant), r.row.Run
		}
	}
	for _, g := range groups {
		results := g.sheet.Judge(g.figures)
		judged := loading.Judged(results, g.sheet.Aside)
		if len(groups) > 1 && judged != nil {
			judged[0] = report.Some(g.names) + ": " + judged[0]
		}
		lines = append(lines, judged...)
		for _, text := range g.sheet.Left(results) {
			lines = append(lines, "not judged, since it is of variants that are not here: "+text)
		}
	}
	if unsaid {
		lines = append(lines, "what a scenario expects of its runs is on record where agentsim run recorded them; of others, a run says whether it holds:", "agentsim run "+scenarioOf(runs)+" -o html")
	}
	return lines
}

// undone says which items of work each run left undone.
func undone(runs []*recorded) (lines []string) {
	for _, r := range runs {
		if n := r.row.Run.Items.Total - r.row.Run.Items.Done; n > 0 {
			lines = append(lines, fmt.Sprintf("%s left %d of %s undone", r.row.Variant, n, ui.Plural(int(r.row.Run.Items.Total), "item")))
		}
	}
	return lines
}

func commands(runs []*recorded, format string) (lines []string) {
	for _, r := range runs {
		if r.said.missing == "" {
			lines = append(lines, fmt.Sprintf(format, ui.Short(r.ID))+" # "+r.row.Variant)
		}
	}
	return lines
}

// spent is what the agents of one type were paid for.
type spent struct {
	run, typ      string
	calls, failed int64
	metrics.Parts
	misses cachemodel.Picodollars // of it, more than hits would have been
	one    int64                  // a call of them, the dearest
	most   cachemodel.Picodollars // that it cost
}

// money is a row for each type of agent of each run, the dearest first.
func money(runs []*recorded) *report.Sheet {
	var list []spent
	for _, r := range runs {
		at, from := map[string]int{}, len(list)
		for i := range r.calls {
			c := &r.calls[i]
			typ := c.Type
			if c.Structure != c.Type && c.Structure != "root" {
				typ += ", " + c.Structure
			}
			if _, met := at[typ]; !met {
				at[typ] = len(list)
				list = append(list, spent{run: r.row.Variant, typ: typ})
			}
			sum := &list[at[typ]]
			if c.Status == "ok" {
				sum.calls++
			} else {
				sum.failed++
			}
			if p, err := c.Price(c.Model); err == nil {
				bill := parts(p, c.Usage)
				sum.Parts = sum.Plus(bill)
				if all := bill.Total(); sum.one == 0 || all > sum.most {
					sum.one, sum.most = c.N, all
				}
			}
			if c.Miss != "" {
				sum.misses += c.Loss(0).Cost
			}
		}
		slices.SortStableFunc(list[from:], func(a, b spent) int { return cmp.Compare(b.Total(), a.Total()) })
	}
	type col = report.Column[spent]
	failed := ""
	if slices.ContainsFunc(list, func(x spent) bool { return x.failed > 0 }) {
		failed = " FAILED"
	}
	return report.TableOf("", list,
		col{Head: "VARIANT", Of: func(x spent) report.Value { return report.Text(x.run) }},
		col{Head: "AGENTS", Of: func(x spent) report.Value { return report.Text(x.typ) }},
		col{Head: " CALLS", Drop: 3, Of: func(x spent) report.Value { return report.Count(x.calls) }},
		col{Head: failed, Of: func(x spent) report.Value { return report.Count(x.failed) }},
		col{Head: " CACHE READ", Drop: 4, Of: func(x spent) report.Value { return report.Dollars(x.Read) }},
		col{Head: " CACHE WRITE", Drop: 4, Of: func(x spent) report.Value { return report.Dollars(x.Written) }},
		col{Head: " UNCACHED", Drop: 5, Of: func(x spent) report.Value { return report.Dollars(x.Input) }},
		col{Head: " OUTPUT", Drop: 4, Of: func(x spent) report.Value { return report.Dollars(x.Output) }},
		col{Head: " COST", Of: func(x spent) report.Value { return report.Dollars(x.Total()) }},
		col{Head: " OF IT MISSES", Of: func(x spent) report.Value { return report.Dollars(x.misses) }},
		col{Head: " DEAREST CALL", Drop: 2, Of: func(x spent) report.Value { return report.Count(x.one).If(x.one > 0) }},
		col{Head: " ITS COST", Drop: 2, Of: func(x spent) report.Value { return report.Dollars(x.most).If(x.one > 0) }})
}

// lost is what the misses of one run for one cause cost.
type lost struct {
	rundb.Loss
	of    *recorded
	calls []*rundb.Request
	one   int64 // a call of them, the dearest
	most  cachemodel.Picodollars
}

func losses(runs []*recorded) (list []lost) {
	for _, r := range runs {
		for i := range r.calls {
			c := &r.calls[i]
			if c.Miss == "" {
				continue
			}
			l := c.Loss(0)
			at := slices.IndexFunc(list, func(o lost) bool { return o.of == r && o.Cause == l.Cause && o.Keep == l.Keep })
			if at < 0 {
				at, list = len(list), append(list, lost{Loss: rundb.Loss{Cause: l.Cause, Meaning: l.Meaning, Keep: l.Keep, Set: l.Set, Priced: true}, of: r, one: c.N, most: -1})
			}
			sum := &list[at]
			sum.calls, sum.Tokens, sum.Cost, sum.Priced = append(sum.calls, c), sum.Tokens+l.Tokens, sum.Cost+l.Cost, sum.Priced && l.Priced
			if l.Cost > sum.most {
				sum.most, sum.one = l.Cost, c.N
			}
		}
	}
	slices.SortStableFunc(list, func(a, b lost) int { return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Tokens, a.Tokens)) })
	return list
}

// who names the agents whose calls missed, with the calls, the first three of each.
func (l *lost) who() string {
	var text []string
	for _, calls := range ui.Alike(l.calls, func(c *rundb.Request) string { return c.Lineage }) {
		var numbers []string
		for _, c := range calls[:min(3, len(calls))] {
			numbers = append(numbers, fmt.Sprint(c.N))
		}
		if n := len(calls) - len(numbers); n > 0 {
			numbers = append(numbers, fmt.Sprintf("%d more", n))
		}
		text = append(text, calls[0].Lineage+": "+strings.Join(numbers, ", "))
	}
	if n := len(text) - 3; n > 0 {
		text = append(text[:3], ui.Plural(n, "more agent"))
	}
	return strings.Join(text, "; ")
}

// kept is what would have kept what a call lost, and what that makes the run cost.
func (r *recorded) kept(l rundb.Loss, at string) string {
	if l.Set == "" || r.longer == nil {
		return l.Keep
	}
	if r.longer[l.Set] == "" {
		r.longer[l.Set] = rundb.LongerTTL(r.db, r.RunInfo, l, at)
	}
	return l.Keep + ". " + r.longer[l.Set]
}

func lossTable(list []lost, at string) *report.Sheet {
	type col = report.Column[lost]
	return report.TableOf("", list,
		col{Head: "VARIANT", Of: func(l lost) report.Value { return report.Text(l.of.row.Variant) }},
		col{Head: "MISS REASON", Of: func(l lost) report.Value { return report.Text(l.Cause) }},
		col{Head: " CALLS", Drop: 2, Of: func(l lost) report.Value { return report.Count(len(l.calls)) }},
		col{Head: "AGENT: CALLS", Of: func(l lost) report.Value { return report.Text(l.who()) }},
		col{Head: " WRITTEN AGAIN", Drop: 3, Of: func(l lost) report.Value { return report.Tokens(l.Tokens) }},
		col{Head: " COST OF IT", Of: func(l lost) report.Value { return report.Dollars(l.Cost).If(l.Priced) }},
		col{Head: " DEAREST CALL", Drop: 4, Of: func(l lost) report.Value { return report.Count(l.one) }},
		col{Head: "WHY", Drop: 5, Of: func(l lost) report.Value { return report.Text(l.Meaning) }},
		col{Head: "WOULD HAVE KEPT IT", Of: func(l lost) report.Value { return report.Text(l.of.kept(l.Loss, at)).OrBlank(l.Keep != "") }})
}
