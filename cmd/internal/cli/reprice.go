package cli

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

// repricedJSON is a run under other settings.
type repricedJSON struct {
	Run      string           `json:"run"`
	Settings []string         `json:"settings"`
	Cost     int64            `json:"cost_picodollars"`
	Uncached int64            `json:"cost_uncached_picodollars"`
	Before   int64            `json:"recorded_cost_picodollars"`
	Usage    usageJSON        `json:"usage"`
	Was      usageJSON        `json:"recorded_usage"`
	Timing   string           `json:"timing"`       // as-recorded
	Moved    int              `json:"moved_calls"`  // would have been answered at another instant
	Limited  bool             `json:"rate_limited"` // the provider has rate limits
	Agents   []repricedAgents `json:"agents"`
	Misses   []repricedMiss   `json:"misses"`
}

type repricedAgents struct {
	Lineage string    `json:"lineage"`
	Calls   int64     `json:"calls"`
	Before  int64     `json:"recorded_cost_picodollars"`
	Cost    int64     `json:"cost_picodollars"`
	Was     usageJSON `json:"recorded_usage"`
	Usage   usageJSON `json:"usage"`
}

// repricedMiss is how often calls read less than they could have for a reason.
type repricedMiss struct {
	Reason   string `json:"reason"`
	WasCalls int64  `json:"recorded_calls"`
	Calls    int64  `json:"calls"`
	WasLost  int64  `json:"recorded_lost"` // tokens
	Lost     int64  `json:"lost"`          // tokens
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

// inspectRepriced prints what a run comes to by other settings (REC-05).
func inspectRepriced(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, o *inspectOptions) error {
	doc, err := repriceRun(s, db, info, o.reprice)
	if err != nil {
		return err
	}
	if o.output != "table" {
		return s.Emit(o.output, doc)
	}
	if err := rundb.Heading(s, db, info); err != nil {
		return err
	}
	s.Printf("repriced by %s: requests and timing as recorded\n\n", strings.Join(doc.Settings, ", "))
	t := report.NewTable("AGENT", " CALLS", " READ", " WRITTEN", " HIT", " COST")
	for i := range doc.Agents {
		a := &doc.Agents[i]
		t.Row(repricedRow(a.Lineage, a.Calls, llm.Usage(a.Was), llm.Usage(a.Usage), a.Before, a.Cost)...)
	}
	t.Row(repricedRow("(all)", info.Calls, llm.Usage(doc.Was), llm.Usage(doc.Usage), doc.Before, doc.Cost)...)
	if err := t.Write(s.Stdout, s.Style()); err != nil {
		return err
	}
	if err := repricedMisses(s, doc); err != nil {
		return err
	}
	s.Printf("\n%s\n", runAgain(doc))
	return nil
}

func repricedRow(name string, calls int64, was, now llm.Usage, cost, to int64) []string {
	return []string{name, strconv.FormatInt(calls, 10), beforeAfter(report.Quantity(was.Read), report.Quantity(now.Read)),
		beforeAfter(report.Quantity(was.Written()), report.Quantity(now.Written())),
		beforeAfter(report.Percent(was.Read, was.Prompt()), report.Percent(now.Read, now.Prompt())), beforeAfter(money(cost), money(to))}
}

// beforeAfter shows a figure before and after, once where both are the same.
func beforeAfter(was, now string) string {
	if was == now {
		return now
	}
	return was + " → " + now
}

func repricedMisses(s *ui.Env, doc *repricedJSON) error {
	if len(doc.Misses) == 0 {
		return nil
	}
	s.Printf("\n")
	t := report.NewTable("MISSED BECAUSE", " CALLS", " LOST")
	for _, m := range doc.Misses {
		t.Row(m.Reason, beforeAfter(strconv.FormatInt(m.WasCalls, 10), strconv.FormatInt(m.Calls, 10)), beforeAfter(report.Quantity(m.WasLost), report.Quantity(m.Lost)))
	}
	return t.Write(s.Stdout, s.Style())
}

// runAgain says how a run again would compare.
func runAgain(doc *repricedJSON) string {
	switch {
	case doc.Moved == 1:
		return "1 call would begin at another instant: a run again with --set can differ from there on"
	case doc.Moved > 1:
		return strconv.Itoa(doc.Moved) + " calls would begin at another instant: a run again with --set can differ from there on"
	case doc.Limited:
		return "the provider has rate limits, which calls meet by what they read: a run again with --set can differ"
	}
	return "every call begins and ends when it did: a run again with --set gives the same figures"
}

// reprice computes a run by other settings. By its own settings it has to come to
// what is recorded, or nothing is said.
func repriceRun(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, sets []string) (*repricedJSON, error) {
	if info.Recorded() {
		return nil, ui.Failf(ui.Usage, "run %s is a recorded session: agentsim whatif asks what it would have cost otherwise", ui.Short(info.ID))
	}
	if err := beyondCache(db, info, sets); err != nil {
		return nil, err
	}
	if err := rundb.NeedsAll(info); err != nil {
		return nil, err
	}
	doc := &repricedJSON{Run: info.ID, Settings: sets, Timing: "as-recorded", Agents: []repricedAgents{}, Misses: []repricedMiss{}}
	var calls []repricedCall
	var err error
	if pricesOnly(sets) {
		calls, err = pricedCalls(db, info, sets)
	} else {
		calls, err = askedCalls(db, info, doc)
	}
	if err != nil {
		return nil, err
	}
	doc.sum(calls)
	return doc, nil
}

// sum adds up the calls.
func (d *repricedJSON) sum(calls []repricedCall) {
	agents, misses := map[string]int{}, map[string]int{}
	var was, now llm.Usage
	for i := range calls {
		c := &calls[i]
		was, now = was.Plus(c.was), now.Plus(c.now)
		d.Before, d.Cost, d.Uncached = d.Before+c.cost, d.Cost+c.to, d.Uncached+c.uncached
		if c.was != (llm.Usage{}) || c.now != (llm.Usage{}) {
			a := row(&d.Agents, agents, c.lineage, repricedAgents{Lineage: c.lineage})
			a.Before, a.Cost = a.Before+c.cost, a.Cost+c.to
			if c.answered {
				a.Calls++
			}
			a.Was, a.Usage = usageJSON(llm.Usage(a.Was).Plus(c.was)), usageJSON(llm.Usage(a.Usage).Plus(c.now))
		}
		if c.wasMissed != "" {
			m := row(&d.Misses, misses, c.wasMissed, repricedMiss{Reason: c.wasMissed})
			m.WasCalls, m.WasLost = m.WasCalls+1, m.WasLost+c.wasLost
		}
		if c.missed != "" {
			m := row(&d.Misses, misses, c.missed, repricedMiss{Reason: c.missed})
			m.Calls, m.Lost = m.Calls+1, m.Lost+c.lost
		}
	}
	d.Was, d.Usage = usageJSON(was), usageJSON(now)
	slices.SortFunc(d.Misses, func(a, b repricedMiss) int { return cmp.Compare(a.Reason, b.Reason) })
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
func askedCalls(db *sqlite.DB, info sqlite.RunInfo, doc *repricedJSON) ([]repricedCall, error) {
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
	_, now, err := record.Play(doc.Settings)
	if refusal := notAnswered(info, err); refusal != nil {
		return nil, refusal
	}
	if located := (*scenarios.Errors)(nil); errors.As(err, &located) {
		return nil, err
	}
	if err != nil {
		return nil, ui.Failf(ui.Operating, "run %s: %w", ui.Short(info.ID), err)
	}
	doc.Moved, doc.Limited = now.Moved(), now.Limited
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
			ui.Short(info.ID), money(again), money(info.Cost))
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
