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

// repricedRun is a run under other settings.
type repricedRun struct {
	cost, uncached, before int64 // picodollars
	was, now               llm.Usage
	moved                  int  // calls that would have been answered at another instant
	limited                bool // the provider has rate limits
	agents                 []repricedAgent
	misses                 []repricedMiss
}

type repricedAgent struct {
	lineage      string
	calls        int64
	before, cost int64 // picodollars
	was, now     llm.Usage
}

// repricedMiss is how often calls read less than they could have for a reason.
type repricedMiss struct {
	reason          string
	wasCalls, calls int64
	wasLost, lost   int64 // tokens
}

// repricedCall is a call as recorded and under other settings.
type repricedCall struct {
	lineage            string
	was, now           llm.Usage
	cost, to, uncached int64 // picodollars: recorded, now, and now with no cache
	wasMissed, missed  string
	wasLost, lost      int64
	answered           bool
}

// repriced says what a run comes to by other settings.
func repriced(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, sets []string) error {
	r, err := ofOther(db, info, sets)
	if err != nil {
		return err
	}
	d.Say("repriced by %s: requests and timing as recorded\n", strings.Join(sets, ", "))
	d.Field("settings", report.List(sets))
	d.Field("timing", report.Text("as-recorded"))
	d.Field("moved_calls", report.Count(r.moved))
	d.Field("rate_limited", report.Bool(r.limited))
	d.Field("cost_uncached", dollars(r.uncached))
	all := repricedAgent{"(all)", info.Calls, r.before, r.cost, r.was, r.now}
	d.Fields(report.TableOf("", []repricedAgent{all}, repricedColumns()[1:]...))
	d.Table(report.TableOf("agents", r.agents, repricedColumns()...).Hidden())
	d.Table(report.TableOf("", append(r.agents, all), repricedColumns()...))
	if len(r.misses) > 0 {
		d.Say("")
	}
	type col = report.Column[repricedMiss]
	d.Table(report.TableOf("misses", r.misses,
		col{Name: "reason", Head: "MISS REASON", Of: func(m repricedMiss) report.Value { return report.Text(m.reason) }},
		col{Name: "recorded_calls", Of: func(m repricedMiss) report.Value { return report.Count(m.wasCalls) }},
		col{Name: "calls", Head: " CALLS", Of: func(m repricedMiss) report.Value { return afterwards(report.Count(m.wasCalls), report.Count(m.calls)) }},
		col{Name: "recorded_tokens_lost", Of: func(m repricedMiss) report.Value { return report.Tokens(m.wasLost) }},
		col{Name: "tokens_lost", Head: " WRITTEN AGAIN", Of: func(m repricedMiss) report.Value { return afterwards(report.Tokens(m.wasLost), report.Tokens(m.lost)) }}))
	d.Say("\n%s", runAgain(r))
	return nil
}

// repricedColumns are what is said of each agent, before and after.
func repricedColumns() []report.Column[repricedAgent] {
	type col = report.Column[repricedAgent]
	columns := []col{
		{Name: "lineage", Head: "AGENT", Of: func(a repricedAgent) report.Value { return report.Text(a.lineage) }},
		{Name: "calls", Head: " CALLS", Of: func(a repricedAgent) report.Value { return report.Count(a.calls) }},
		{Head: " CACHE READ", Of: func(a repricedAgent) report.Value {
			return afterwards(report.Tokens(a.was.Read), report.Tokens(a.now.Read))
		}},
		{Head: " CACHE WRITE", Of: func(a repricedAgent) report.Value {
			return afterwards(report.Tokens(a.was.Written()), report.Tokens(a.now.Written()))
		}},
		{Head: " HIT RATE", Of: func(a repricedAgent) report.Value {
			return afterwards(report.Share(a.was.Read, a.was.Prompt()), report.Share(a.now.Read, a.now.Prompt()))
		}},
		{Name: "recorded_cost", Of: func(a repricedAgent) report.Value { return dollars(a.before) }},
		{Name: "cost", Head: " COST", Of: func(a repricedAgent) report.Value { return afterwards(dollars(a.before), dollars(a.cost)) }},
	}
	for _, c := range usage(func(a repricedAgent) llm.Usage { return a.was }) {
		c.Name = "recorded_" + c.Name
		columns = append(columns, c)
	}
	return append(columns, usage(func(a repricedAgent) llm.Usage { return a.now })...)
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
func runAgain(r *repricedRun) string {
	switch {
	case r.moved == 1:
		return "1 call would begin at another instant: a run again with --set can differ from there on"
	case r.moved > 1:
		return strconv.Itoa(r.moved) + " calls would begin at another instant: a run again with --set can differ from there on"
	case r.limited:
		return "the provider has rate limits, which calls meet by what they read: a run again with --set can differ"
	}
	return "every call begins and ends when it did: a run again with --set gives the same figures"
}

// ofOther computes a run by other settings. By its own settings it has to come to
// what is recorded, or nothing is said.
func ofOther(db *sqlite.DB, info sqlite.RunInfo, sets []string) (*repricedRun, error) {
	if info.Recorded() {
		return nil, ui.Failf(ui.Usage, "run %s is a recorded session: agentsim whatif asks what it would have cost otherwise", ui.Short(info.ID))
	}
	if err := beyondCache(db, info, sets); err != nil {
		return nil, err
	}
	if err := rundb.NeedsAll(info); err != nil {
		return nil, err
	}
	r := &repricedRun{}
	var calls []repricedCall
	var err error
	if pricesOnly(sets) {
		calls, err = pricedCalls(db, info, sets)
	} else {
		calls, err = askedCalls(db, info, sets, r)
	}
	if err != nil {
		return nil, err
	}
	r.sum(calls)
	return r, nil
}

// sum adds up the calls.
func (r *repricedRun) sum(calls []repricedCall) {
	agents, missed := map[string]int{}, map[string]int{}
	for i := range calls {
		c := &calls[i]
		r.was, r.now = r.was.Plus(c.was), r.now.Plus(c.now)
		r.before, r.cost, r.uncached = r.before+c.cost, r.cost+c.to, r.uncached+c.uncached
		if c.was != (llm.Usage{}) || c.now != (llm.Usage{}) {
			a := row(&r.agents, agents, c.lineage, repricedAgent{lineage: c.lineage})
			a.before, a.cost = a.before+c.cost, a.cost+c.to
			if c.answered {
				a.calls++
			}
			a.was, a.now = a.was.Plus(c.was), a.now.Plus(c.now)
		}
		if c.wasMissed != "" {
			m := row(&r.misses, missed, c.wasMissed, repricedMiss{reason: c.wasMissed})
			m.wasCalls, m.wasLost = m.wasCalls+1, m.wasLost+c.wasLost
		}
		if c.missed != "" {
			m := row(&r.misses, missed, c.missed, repricedMiss{reason: c.missed})
			m.calls, m.lost = m.calls+1, m.lost+c.lost
		}
	}
	slices.SortFunc(r.misses, func(a, b repricedMiss) int { return cmp.Compare(a.reason, b.reason) })
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

// pricesOnly reports whether the settings change nothing but prices.
func pricesOnly(sets []string) bool {
	return !slices.ContainsFunc(sets, func(set string) bool {
		path, _, _ := strings.Cut(set, "=")
		return !slices.Contains(reprice.PriceOnly, path)
	})
}

// askedCalls asks the cache of a run in full again.
func askedCalls(db *sqlite.DB, info sqlite.RunInfo, sets []string, r *repricedRun) ([]repricedCall, error) {
	if err := rundb.NeedsBlocks(info); err != nil {
		return nil, err
	}
	record, err := reprice.Load(db, info.ID)
	if stored, failed := db.Spec(info.ID); err != nil && failed == nil {
		err = rundb.Outdated(&stored, err)
	}
	if err != nil {
		return nil, err
	}
	_, now, err := record.Play(sets)
	if refusal := notAnswered(info, err); refusal != nil {
		return nil, refusal
	}
	if located := (*scenarios.Errors)(nil); errors.As(err, &located) {
		return nil, err
	}
	if err != nil {
		return nil, ui.Failf(ui.Operating, "run %s: %w", ui.Short(info.ID), err)
	}
	r.moved, r.limited = now.Moved(), now.Limited
	out := make([]repricedCall, len(now.Calls))
	for i := range now.Calls {
		c := &now.Calls[i]
		out[i] = repricedCall{lineage: c.Lineage, was: c.Sent.Usage, now: c.Usage, cost: c.Sent.Cost, to: c.Cost(), uncached: c.Uncached(),
			wasMissed: c.Sent.Miss.Reason.String(), missed: c.Miss.Reason.String(), wasLost: c.Sent.Miss.Lost, lost: c.Miss.Lost, answered: c.Sent.Status == "ok"}
	}
	return out, nil
}

// beyondCache is the error about settings that change more than the cache; one that no
// scenario could have is told as run --set tells it.
func beyondCache(db *sqlite.DB, info sqlite.RunInfo, sets []string) error {
	refusal := notAnswered(info, reprice.Check(sets))
	if refusal == nil {
		return nil
	}
	if _, _, err := pricings(db, info, sets); err != nil {
		return err
	}
	return refusal
}

// notAnswered tells where to ask of a setting that the record cannot answer; nil
// for any other error.
func notAnswered(info sqlite.RunInfo, err error) error {
	refusal := (*reprice.SettingError)(nil)
	if !errors.As(err, &refusal) {
		return nil
	}
	return ui.Failf(ui.Usage, "--reprice %w; run the scenario with --set %s, or ask agentsim whatif %s; from the record follow %s",
		refusal, refusal.Setting, ui.Short(info.ID), strings.Join(reprice.Answerable(), ", "))
}

// pricedCalls prices the calls on record by other prices.
func pricedCalls(db *sqlite.DB, info sqlite.RunInfo, sets []string) ([]repricedCall, error) {
	own, other, err := pricings(db, info, sets)
	if err != nil {
		return nil, err
	}
	calls, err := db.Calls(info.ID)
	if err != nil {
		return nil, err
	}
	out, again := make([]repricedCall, 0, len(calls)), int64(0)
	for i := range calls {
		c := &calls[i]
		r := repricedCall{lineage: c.Lineage, was: c.Usage, now: c.Usage, cost: c.Cost, wasMissed: c.Miss, missed: c.Miss, wasLost: c.Lost, lost: c.Lost, answered: c.Status == "ok"}
		if c.Usage != (llm.Usage{}) {
			was, err := own.Priced(c.Model)
			if err != nil {
				return nil, ui.Failf(ui.Operating, "run %s: call %d: %w", ui.Short(info.ID), c.N, err)
			}
			now, err := other.Priced(c.Model)
			if err != nil {
				return nil, ui.Failf(ui.Usage, "run %s: call %d: %w", ui.Short(info.ID), c.N, err)
			}
			again += int64(was.Cost(c.Usage))
			r.to, r.uncached = int64(now.Cost(c.Usage)), int64(now.CostUncached(c.Usage))
		}
		out = append(out, r)
	}
	if again != info.Cost {
		return nil, ui.Failf(ui.Operating, "run %s: by its own settings its calls cost %s, and %s is recorded: its prices were others; run it again",
			ui.Short(info.ID), dollars(again), dollars(info.Cost))
	}
	return out, nil
}

// pricings are a run's provider as it was and with the settings over it.
func pricings(db *sqlite.DB, info sqlite.RunInfo, sets []string) (own, other *scenarios.Provider, err error) {
	stored, err := db.Spec(info.ID)
	if err != nil {
		return nil, nil, err
	}
	file, err := scenarios.Parse("run "+ui.Short(info.ID), []byte(stored.Spec), scenarios.ForeignProject)
	if err != nil {
		return nil, nil, rundb.Outdated(&stored, err)
	}
	was, err := file.Effective("", nil)
	if err != nil {
		return nil, nil, err
	}
	now, err := file.Effective("", sets)
	if err != nil {
		return nil, nil, err
	}
	return &was.Provider, &now.Provider, nil
}
