package report

import (
	"cmp"
	"fmt"
	"slices"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/scenarios/expect"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
)

// read reads what the record holds of a run.
func read(db *sqlite.DB, info sqlite.RunInfo) (r *recorded, err error) {
	r = &recorded{RunInfo: info, db: db, longer: map[string]string{}}
	if r.agents, err = db.Tree(info.ID); err != nil {
		return nil, err
	}
	if r.turns, err = db.Turns(info.ID); err != nil {
		return nil, err
	}
	price, err := r.prices()
	if err != nil {
		return nil, err
	}
	if r.calls, err = rundb.Requests(db, info, price); err != nil {
		return nil, err
	}
	r.row.Run, err = r.figures()
	if r.Recorded() && err == nil {
		r.said.assumed = r.priced()
	}
	return r, err
}

// figures are what the record alone says the run came to: enough to compare bills.
func (r *recorded) figures() (*metrics.Run, error) {
	m := &metrics.Run{Scenario: r.Name, Variant: r.Variant, Seed: r.Seed, Outcome: transcript.RunOutcome(r.Outcome), Started: int64(len(r.agents)), Makespan: r.EndedAt.Sub(0)}
	for i := range r.agents {
		a := &r.agents[i]
		m.Agents = append(m.Agents, metrics.Agent{Lineage: a.Lineage, Parent: a.Parent, Type: a.Type, Model: a.Model, Status: transcript.Ending(a.Status),
			Started: a.StartedAt, Ended: max(a.StartedAt, a.EndedAt)})
	}
	t := &m.Total
	t.Calls, t.Usage = r.Calls, r.Usage
	t.Cost, t.Uncached = cachemodel.Picodollars(r.Cost), cachemodel.Picodollars(r.Uncached)
	of := map[string]llm.Usage{}
	for i := range r.calls {
		c := &r.calls[i]
		of[c.Model] = of[c.Model].Plus(c.Usage)
	}
	m.Models = r.models(of)
	stored, err := r.db.Metrics(r.ID)
	for _, s := range stored {
		if s.Scope != "run" {
			continue
		}
		switch s.Name {
		case "errors":
			t.Errors = s.Value
		case "wake_ups":
			t.WakeUps = s.Value
		case "wake_ups.tokens":
			t.WakeUpTokens = s.Value
		case "items.done":
			m.Items.Done = s.Value
		case "items.total":
			m.Items.Total = s.Value
		}
	}
	return m, err
}

// models are what each model was paid for, in the order of their names.
func (r *recorded) models(of map[string]llm.Usage) (out []metrics.Model) {
	for _, name := range sortedNames(of) { // there is a call of each
		m := metrics.Model{Name: name, Usage: of[name]}
		if p, err := r.calls[0].Price(name); err != nil {
			m.Unpriced = true
		} else {
			m.Cost = parts(p, m.Usage)
		}
		out = append(out, m)
	}
	return out
}

// prices are those that the run was recorded with. The scenario of a simulated one is read
// for them, once, and what its file expects of it.
func (r *recorded) prices() (rundb.Pricing, error) {
	if r.Recorded() {
		return rundb.PricesOr(r.db, r.RunInfo), nil
	}
	stored, err := r.db.Spec(r.ID)
	if err != nil {
		return nil, err
	}
	r.changed = cmp.Or(rundb.ChangedSince(&stored), transcript.OtherForm(r.Digest))
	if r.expects, err = sqlite.Expects(r.db, r.ID); err != nil {
		return nil, err
	}
	if r.expects != "" {
		r.sheet, r.misread = expect.ReadSheet(r.expects)
	}
	if r.spec, r.unread = rundb.Rebuild(&stored); r.unread != nil {
		return cachemodel.Lookup, nil
	}
	return rundb.PricesOf(r.spec), nil
}

// priced is what a recorded session's bill was made with, and what it lacks: recordings
// say tokens alone.
func (r *recorded) priced() (lines []string) {
	for _, m := range r.row.Run.Models {
		if p, err := r.calls[0].Price(m.Name); err == nil {
			day := p.Date // from which the user's own are
			if row, _ := cachemodel.Lookup(m.Name); row == p {
				day = cachemodel.Newest()
			}
			lines = append(lines, fmt.Sprintf("%s at prices of %s: %s", p.Pinned(), day, p.Rates))
		}
	}
	var outputs int64
	for i := range r.calls {
		if x := r.calls[i].Recorded; x != nil && x.Billed && !x.OutputKnown {
			outputs++
		}
	}
	if outputs > 0 {
		lines = append(lines, rundb.Placeholders(outputs, r.Calls))
	}
	return lines
}

// parts is a bill by what it was paid for.
func parts(p *cachemodel.Profile, u llm.Usage) metrics.Parts {
	return metrics.Parts{Input: p.Cost(llm.Usage{Input: u.Input}), Read: p.Cost(llm.Usage{Read: u.Read}), Output: p.Cost(llm.Usage{Output: u.Output}),
		Written: p.Cost(llm.Usage{Write5m: u.Write5m, Write1h: u.Write1h})}
}

// said is what only a run itself says, and not its record.
type said struct {
	assumed, options []string
	checks, made     int64
	invariants       int
	broken           []string
	missing          string // why none of it is known
	about, size      string // why its scenario exists, and how much work it is
	draws            int64  // that its figures can depend on
}

// again runs what can be run again, for what a record does not hold: assumptions, what
// was checked, expectations. What comes out otherwise than recorded is refused.
func again(s *ui.Env, runs []*recorded) error {
	var which []*recorded
	for _, r := range runs {
		why, err := r.unlike()
		if err != nil {
			return err
		}
		switch r.said.missing = why; {
		case why == "":
			which = append(which, r)
		case !r.Recorded():
			r.said.missing = "what was assumed is not known: " + why
		}
	}
	h := harness.New(s, "running again", len(which))
	defer h.Close()
	err := h.Run(len(which), func(i int) (*harness.Job, error) {
		job := &harness.Job{Spec: which[i].spec}
		if sheet := which[i].sheet; sheet != nil {
			job.Watch = sheet.Watched()
		}
		return job, nil
	}, func(i int, got *harness.Run) error {
		if got.Result.Digest != which[i].Digest {
			return ui.Failf(ui.Differs, "run %s comes out otherwise than it was recorded; agentsim replay %[1]s says where", ui.Short(which[i].ID))
		}
		which[i].take(got)
		return nil
	})
	if err == nil && h.Stop.Has() {
		err = ui.Failf(ui.Interrupted, "interrupted; nothing was written")
	}
	return err
}

// unlike says why the run cannot be run again; the error is that of its scenario.
func (r *recorded) unlike() (string, error) {
	switch {
	case r.Recorded():
		return "a recorded session: tokens and instants are as recorded, nothing ran here", nil
	case r.changed != "":
		return r.changed, nil
	case r.Policy != "fifo" || !r.Outcome.Settled():
		return "it was " + r.Ending() + " under policy " + r.Policy, nil
	}
	return "", r.unread
}

// take keeps what a run said.
func (r *recorded) take(got *harness.Run) {
	r.row.Run = got.Metrics
	x := got.Result
	r.said.assumed, r.said.options, r.said.checks = slices.Concat(x.Assumed, x.Kept), x.Options, x.Checks
	sc := got.Spec.Scenario
	r.said.about, r.said.draws = sc.About.Why, x.Draws
	if n := len(sc.Work); n > 0 {
		r.said.size = fmt.Sprintf("%s of work, on %d of %s", ui.Plural(n, "item"), x.Files, ui.Plural(got.Spec.Project.Len(), "file"))
	}
	if x.Audit != nil {
		for _, c := range x.Audit.Counts {
			r.said.invariants++
			r.said.made += c.Made
			if c.Broken > 0 {
				r.said.broken = append(r.said.broken, c.ID)
			}
		}
	}
}

// rows are the runs for a comparison.
func rows(runs []*recorded) (out []report.Row) {
	for _, r := range runs {
		r.row.Variant = r.name(runs)
		out = append(out, r.row)
	}
	return out
}
