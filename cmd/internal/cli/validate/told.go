package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/player"
	"agentsim/sim/recording/toscenario"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// logSlack is loading.LogSlack.
const logSlack = 8500 * vtime.Millisecond

// The ways in which a session is played, by what is left to the cache model.
const (
	toldAll = iota
	untoldMisses
	untoldHidden
	untoldAll
	ways
)

var untold = [ways]string{"", "misses", "hidden", "misses, hidden, warm"}

// playedSession is a session through the whole stack.
type playedSession struct {
	of             *recording.Session
	threads        int
	recorded       int64       // what the prompts cost, picodollars
	played         [ways]int64 // likewise
	hidden         int64       // what requests cost that the recording does not hold, where they are told
	hiddenRequests int64
	misses         int // told
}

// off is how far a way is from the recorded bill, in ten thousandths of it.
func (p *playedSession) off(way int) int64 { return ratio(p.played[way]-p.recorded, p.recorded) }

func ratio(n, of int64) int64 {
	if of == 0 {
		return 0
	}
	return n / max(of/10_000, 1)
}

// toldValidation is what validate --told has found.
type toldValidation struct {
	sessions []playedSession
	left     int // sessions that cannot be played
}

// playTold plays every playable session as its scenario tells it, and with parts of
// that left to the cache model.
func playTold(s *ui.Env, sessions []*recording.Session) (*toldValidation, error) {
	v := &toldValidation{}
	bar := ui.NewProgress(s, "playing", "session", len(sessions))
	defer bar.Finish()
	for i, x := range sessions {
		bar.Tell(int64(i), int64(len(sessions)))
		if player.Playable(x) != nil {
			v.left++
			continue
		}
		p, err := playSession(x)
		if err != nil {
			return nil, fmt.Errorf("session %s: %w", x.ID, err)
		}
		v.sessions = append(v.sessions, *p)
	}
	slices.SortStableFunc(v.sessions, func(a, b playedSession) int {
		return cmp.Or(strings.Compare(a.of.Origin, b.of.Origin), strings.Compare(a.of.ID, b.of.ID))
	})
	return v, nil
}

// playSession runs the text of a session's scenario, as agentsim run would.
func playSession(x *recording.Session) (*playedSession, error) {
	told, err := toscenario.Of(x, toscenario.Options{Slack: logSlack})
	if err != nil {
		return nil, err
	}
	f, err := scenarios.Parse("told.yaml", told.Text("told", "lab validate", logSlack))
	if err != nil {
		return nil, err
	}
	p := &playedSession{of: x, threads: len(told.Threads)}
	for i := range x.Requests {
		p.recorded += promptCost(x.Requests[i].Model, x.Requests[i].Usage)
	}
	for way := range ways {
		sc, err := f.Effective(f.VariantNames()[0], []string{"script.untold=[" + untold[way] + "]"})
		if err != nil {
			return nil, err
		}
		spec, err := sim.NewSpec(sc, "")
		if err != nil {
			return nil, err
		}
		b := &bills{hidden: map[int32]bool{}}
		res, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{b}})
		if err == nil && res.Outcome != sim.Completed {
			err = fmt.Errorf("the run of its scenario is %s: %s", res.Outcome, res.Detail)
		}
		if err != nil {
			return nil, err
		}
		if p.played[way] = b.recorded; way == toldAll {
			p.hidden, p.hiddenRequests = b.apart, b.requests
		}
	}
	for i := range told.Threads {
		for _, c := range told.Threads[i].Calls {
			if c.Miss != nil {
				p.misses++
			}
		}
	}
	return p, nil
}

// bills adds up what prompts cost, those of hidden requests apart.
type bills struct {
	recorded, apart, requests int64
	hidden                    map[int32]bool
}

func (b *bills) Emit(e *transcript.Event) {
	switch x := e.Body.(type) {
	case *transcript.AgentStart:
		b.hidden[e.Agent] = strings.HasSuffix(x.Lineage, llm.HiddenSuffix)
	case *transcript.Response:
		cost := promptCost(x.Model, x.Resp.Usage)
		if !b.hidden[e.Agent] {
			b.recorded += cost
			return
		}
		b.apart += cost
		b.requests++
	}
}

// promptCost is what a prompt costs, in picodollars.
func promptCost(model string, u llm.Usage) int64 {
	f, err := cachemodel.Lookup(model)
	if err != nil {
		return 0 // it was looked up before
	}
	u.Output = 0
	return int64(f.Cost(u))
}

// toldSum is what the sessions of one repository come to; of all where name is "".
type toldSum struct {
	name     string
	sessions []*playedSession
}

// within counts the sessions that a way brings within so many ten thousandths.
func (t toldSum) within(way int, limit int64) (n int64) {
	for _, p := range t.sessions {
		if d := p.off(way); max(d, -d) <= limit {
			n++
		}
	}
	return n
}

// median is the middle distance of a way, without its sign.
func (t toldSum) median(way int) int64 {
	list := make([]int64, len(t.sessions))
	for i, p := range t.sessions {
		list[i] = max(p.off(way), -p.off(way))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// total adds up a figure.
func (t toldSum) total(of func(*playedSession) int64) (n int64) {
	for _, p := range t.sessions {
		n += of(p)
	}
	return n
}

// sums are the repositories, and all of them where there are several.
func (v *toldValidation) sums() (out []toldSum) {
	var all toldSum
	for i := range v.sessions {
		p := &v.sessions[i]
		if k := len(out); k == 0 || out[k-1].name != p.of.Origin {
			out = append(out, toldSum{name: p.of.Origin})
		}
		last := &out[len(out)-1]
		last.sessions, all.sessions = append(last.sessions, p), append(all.sessions, p)
	}
	if len(out) > 1 {
		all.name = "(all)"
		out = append(out, all)
	}
	return out
}

// The target of a told session: 95 in 100 of them within 2 %.
const (
	toldWithin = 200 // ten thousandths
	toldTarget = 95
)

// met reports whether enough sessions are within the bound.
func (v *toldValidation) met() bool {
	sums := v.sums()
	if len(sums) == 0 {
		return false
	}
	all := sums[len(sums)-1]
	return all.within(toldAll, toldWithin)*100 >= int64(len(all.sessions))*toldTarget
}

// printed is the sums, then every session unless brief.
func (v *toldValidation) printed(brief bool) *report.Document {
	d := &report.Document{}
	d.Say("%s through the whole stack, as their scenarios tell them; %s left out: no bill, or no writes billed\n", ui.Plural(len(v.sessions), "session"), ui.Plural(v.left, "session"))
	d.Main("repositories")
	d.Say("what the prompts cost against the recorded bill: told everything, and with misses that nothing explains, hidden requests, or these and warm heads left to the cache model")
	type col = report.Column[toldSum]
	share := func(way int, limit int64) func(toldSum) report.Value {
		return func(t toldSum) report.Value {
			return report.Text(fmt.Sprintf("%d/%d", t.within(way, limit), len(t.sessions)))
		}
	}
	middle := func(way int) func(toldSum) report.Value {
		return func(t toldSum) report.Value { return report.Share(t.median(way), 10_000).Fine() }
	}
	d.Table(report.TableOf("repositories", v.sums(),
		col{Name: "repository", Head: "REPOSITORY", Of: func(t toldSum) report.Value { return report.Text(cmp.Or(t.name, "(unnamed)")) }},
		col{Name: "told_within_2", Head: " TOLD: WITHIN 2 %", Of: share(toldAll, toldWithin)},
		col{Name: "told_median", Head: " MEDIAN", Of: middle(toldAll)},
		col{Name: "misses_within_2", Head: " NO MISSES: 2 %", Of: share(untoldMisses, toldWithin)},
		col{Name: "misses_within_10", Head: " 10 %", Of: share(untoldMisses, 5*toldWithin)},
		col{Name: "misses_median", Head: " MEDIAN", Drop: 3, Of: middle(untoldMisses)},
		col{Name: "hidden_within_2", Head: " NO HIDDEN: 2 %", Drop: 2, Of: share(untoldHidden, toldWithin)},
		col{Name: "untold_within_2", Head: " NOTHING: 2 %", Of: share(untoldAll, toldWithin)},
		col{Name: "untold_within_10", Head: " 10 %", Of: share(untoldAll, 5*toldWithin)},
		col{Name: "untold_median", Head: " MEDIAN", Drop: 3, Of: middle(untoldAll)},
	))
	d.Say("\nrequests of the client's own, which no recording holds: billed apart, and what the calls after them would cost without them")
	d.Table(report.TableOf("hidden", v.sums(),
		col{Name: "repository", Head: "REPOSITORY", Of: func(t toldSum) report.Value { return report.Text(cmp.Or(t.name, "(unnamed)")) }},
		col{Name: "hidden_requests", Head: " REQUESTS", Of: func(t toldSum) report.Value {
			return report.Count(t.total(func(p *playedSession) int64 { return p.hiddenRequests }))
		}},
		col{Name: "hidden_cost", Head: " COST", Unit: report.USD, Of: func(t toldSum) report.Value {
			return money(t.total(func(p *playedSession) int64 { return p.hidden }))
		}},
		col{Name: "renewal_saves", Head: " RENEWAL SAVES", Unit: report.USD, Of: func(t toldSum) report.Value {
			return money(t.total(func(p *playedSession) int64 { return p.played[untoldHidden] - p.played[toldAll] }))
		}},
		col{Name: "recorded_bill", Head: " RECORDED BILL", Unit: report.USD, Of: func(t toldSum) report.Value {
			return money(t.total(func(p *playedSession) int64 { return p.recorded }))
		}},
	))
	v.list(d, brief)
	d.Say("")
	d.Label("target", fmt.Sprintf("told, %d %% of the sessions within 2 %%: %s", toldTarget, map[bool]string{true: "met", false: "missed"}[v.met()]))
	d.Label("recorded", "the calls are recorded; that there were hidden requests is shown by what was read later, their instants and answers are assumed")
	d.Field("met", report.Bool(v.met()))
	return d
}

// list is the table of all sessions.
func (v *toldValidation) list(d *report.Document, brief bool) {
	type col = report.Column[playedSession]
	off := func(way int) func(playedSession) report.Value {
		return func(p playedSession) report.Value { return report.Share(p.off(way), 10_000).Fine().Signed() }
	}
	t := report.TableOf("sessions", v.sessions,
		col{Name: "repository", Head: "REPOSITORY", Of: func(p playedSession) report.Value { return report.Text(p.of.Origin) }},
		col{Name: "session", Head: "SESSION", Of: func(p playedSession) report.Value { return report.Text(p.of.ID) }},
		col{Name: "calls", Head: " CALLS", Of: func(p playedSession) report.Value { return report.Count(len(p.of.Requests)) }},
		col{Name: "threads", Head: " THREADS", Of: func(p playedSession) report.Value { return report.Count(p.threads) }},
		col{Name: "misses", Head: " MISSES", Of: func(p playedSession) report.Value { return report.Count(p.misses) }},
		col{Name: "hidden", Head: " HIDDEN", Of: func(p playedSession) report.Value { return report.Count(p.hiddenRequests) }},
		col{Name: "recorded", Head: " RECORDED", Unit: report.USD, Of: func(p playedSession) report.Value { return money(p.recorded) }},
		col{Name: "told_off", Head: " TOLD", Of: off(toldAll)},
		col{Name: "misses_off", Head: " NO MISSES", Of: off(untoldMisses)},
		col{Name: "hidden_off", Head: " NO HIDDEN", Of: off(untoldHidden)},
		col{Name: "untold_off", Head: " NOTHING", Of: off(untoldAll)})
	if brief {
		d.Table(t.Hidden())
		return
	}
	d.Say("\nevery session (what is left to the cache model: how far the bill is off)")
	d.Table(t)
}
