package inspect

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/reprice"
	"agentsim/sim/transcript/sqlite"
)

// repricedCalls are calls of an agent, or of the whole run, as recorded and under
// other settings.
type repricedCalls struct {
	name                   string
	calls                  int64
	before, cost, uncached int64 // picodollars
	was, now               llm.Usage
}

func (a *repricedCalls) add(c *reprice.Call) {
	if c.Sent.Status == "ok" {
		a.calls++
	}
	a.before, a.cost, a.uncached = a.before+c.Sent.Cost, a.cost+c.Cost(), a.uncached+c.Uncached()
	a.was, a.now = a.was.Plus(c.Sent.Usage), a.now.Plus(c.Usage)
}

// repricedMiss is how often calls read less than they could have for a reason.
type repricedMiss struct {
	reason          string
	wasCalls, calls int64
	wasLost, lost   int64 // tokens
}

// repriced says what a run comes to by other settings. By its own settings it has
// to come to what is recorded, or nothing is said.
func repriced(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, o *options) error {
	sets := o.reprice
	r, err := asked(db, info, sets, o.prices.Prices)
	if err != nil {
		return err
	}
	all, agents, lost := summed(r)
	if o.prices.Prices != nil {
		sets = append(slices.Clone(sets), "prices of "+o.prices.Name)
	}
	d.Say("repriced by %s: requests and timing as recorded\n", strings.Join(sets, ", "))
	d.Field("settings", report.List(sets))
	d.Field("timing", report.Text("as-recorded"))
	d.Field("moved_calls", report.Count(r.Moved()))
	d.Field("rate_limited", report.Bool(r.Limited))
	d.Field("cost_uncached", dollars(all.uncached))
	d.Fields(report.TableOf("", []repricedCalls{all}, repricedColumns()[1:]...))
	d.Table(report.TableOf("agents", agents, repricedColumns()...).Hidden())
	d.Table(report.TableOf("", append(agents, all), repricedColumns()...))
	if len(lost) > 0 {
		d.Say("")
	}
	type col = report.Column[repricedMiss]
	d.Table(report.TableOf("misses", lost,
		col{Name: "reason", Head: "MISS REASON", Of: func(m repricedMiss) report.Value { return report.Text(m.reason) }},
		col{Name: "recorded_calls", Of: func(m repricedMiss) report.Value { return report.Count(m.wasCalls) }},
		col{Name: "calls", Head: " CALLS", Of: func(m repricedMiss) report.Value { return afterwards(report.Count(m.wasCalls), report.Count(m.calls)) }},
		col{Name: "recorded_tokens_lost", Of: func(m repricedMiss) report.Value { return report.Tokens(m.wasLost) }},
		col{Name: "tokens_lost", Head: " WRITTEN AGAIN", Of: func(m repricedMiss) report.Value { return afterwards(report.Tokens(m.wasLost), report.Tokens(m.lost)) }}))
	d.Say("\n%s", runAgain(r))
	return nil
}

// repricedColumns are what is said of each agent, before and after.
func repricedColumns() []report.Column[repricedCalls] {
	type col = report.Column[repricedCalls]
	columns := []col{
		{Name: "lineage", Head: "AGENT", Of: func(a repricedCalls) report.Value { return report.Text(a.name) }},
		{Name: "calls", Head: " CALLS", Of: func(a repricedCalls) report.Value { return report.Count(a.calls) }},
		{Head: " CACHE READ", Of: func(a repricedCalls) report.Value {
			return afterwards(report.Tokens(a.was.Read), report.Tokens(a.now.Read))
		}},
		{Head: " CACHE WRITE", Of: func(a repricedCalls) report.Value {
			return afterwards(report.Tokens(a.was.Written()), report.Tokens(a.now.Written()))
		}},
		{Head: " HIT RATE", Of: func(a repricedCalls) report.Value {
			return afterwards(report.Share(a.was.Read, a.was.Prompt()), report.Share(a.now.Read, a.now.Prompt()))
		}},
		{Name: "recorded_cost", Unit: report.USD, Of: func(a repricedCalls) report.Value { return dollars(a.before) }},
		{Name: "cost", Head: " COST", Unit: report.USD, Of: func(a repricedCalls) report.Value { return afterwards(dollars(a.before), dollars(a.cost)) }},
	}
	for _, c := range usage(func(a repricedCalls) llm.Usage { return a.was }) {
		c.Name = "recorded_" + c.Name
		columns = append(columns, c)
	}
	return append(columns, usage(func(a repricedCalls) llm.Usage { return a.now })...)
}

// afterwards is a figure that people see with what it was before, where it was
// another one.
func afterwards(was, now report.Value) report.Value {
	if was.String() == now.String() {
		return now
	}
	return now.As(was.String() + " → " + now.String())
}

// runAgain says how a run again would compare.
func runAgain(r *reprice.Result) string {
	switch {
	case r.Moved() == 1:
		return "1 call would begin at another instant: a run again with --set can differ from there on"
	case r.Moved() > 1:
		return strconv.Itoa(r.Moved()) + " calls would begin at another instant: a run again with --set can differ from there on"
	case r.Limited:
		return "the provider has rate limits, which calls meet by what they read: a run again with --set can differ"
	}
	return "every call begins and ends when it did: a run again with --set gives the same figures"
}

// asked asks the cache of a run in full again by other settings.
func asked(db *sqlite.DB, info sqlite.RunInfo, sets []string, prices *scenarios.Prices) (*reprice.Result, error) {
	if info.Recorded() {
		return nil, ui.Failf(ui.Usage, "run %s is a recorded session: agentsim whatif asks what it would have cost otherwise", ui.Short(info.ID))
	}
	if err := cmp.Or(rundb.NeedsAll(info), rundb.NeedsContent(info)); err != nil {
		return nil, err
	}
	record, err := reprice.Load(db, info.ID)
	if stored, failed := db.Spec(info.ID); err != nil && failed == nil {
		err = rundb.Outdated(&stored, err)
	}
	if err != nil {
		return nil, err
	}
	_, now, err := record.Play(sets, prices)
	if refusal := (*reprice.SettingError)(nil); errors.As(err, &refusal) {
		return nil, ui.Failf(ui.Usage, "--reprice %w; run the scenario with --set %s, or ask agentsim whatif %s; from the record follow %s",
			refusal, refusal.Setting, ui.Short(info.ID), strings.Join(reprice.Answerable(), ", "))
	}
	located := (*scenarios.Errors)(nil)
	switch {
	case errors.As(err, &located):
		for _, x := range located.List {
			x.File = strings.Replace(x.File, "--set", "--reprice", 1)
		}
	case err != nil:
		err = ui.Failf(ui.Operating, "run %s: %w", ui.Short(info.ID), err)
	}
	return now, err
}

// summed adds up the calls: all of them, those of each agent that used something,
// and what was missed by reason.
func summed(r *reprice.Result) (all repricedCalls, agents []repricedCalls, lost []repricedMiss) {
	all.name = "(all)"
	at, missed := map[string]int{}, map[string]int{}
	for i := range r.Calls {
		c := &r.Calls[i]
		all.add(c)
		if c.Sent.Usage != (llm.Usage{}) || c.Usage != (llm.Usage{}) {
			row(&agents, at, c.Lineage, repricedCalls{name: c.Lineage}).add(c)
		}
		if was := c.Sent.Miss.Reason.String(); was != "" {
			m := row(&lost, missed, was, repricedMiss{reason: was})
			m.wasCalls, m.wasLost = m.wasCalls+1, m.wasLost+rundb.Again(c.Sent.Usage, c.Sent.Miss.Lost)
		}
		if now := c.Miss.Reason.String(); now != "" {
			m := row(&lost, missed, now, repricedMiss{reason: now})
			m.calls, m.lost = m.calls+1, m.lost+rundb.Again(c.Usage, c.Miss.Lost)
		}
	}
	slices.SortFunc(lost, func(a, b repricedMiss) int { return cmp.Compare(a.reason, b.reason) })
	return all, agents, lost
}

// row is the row of a name, made of fresh if there is none.
func row[T any](rows *[]T, at map[string]int, name string, fresh T) *T {
	i, ok := at[name]
	if !ok {
		i = len(*rows)
		at[name], *rows = i, append(*rows, fresh)
	}
	return &(*rows)[i]
}
