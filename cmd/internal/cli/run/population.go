package run

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/metrics/sharedprefix"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
)

// populous reports whether the variants are populations. All are, or none is.
func populous(specs []*sim.Spec) (bool, error) {
	n := 0
	for _, spec := range specs {
		if spec.Scenario.Population != nil {
			n++
		}
	}
	if n > 0 && n < len(specs) {
		return false, ui.Failf(ui.Usage, "some variants are populations and others one session: give all of them one, --set population.sessions=…, or name a --variant")
	}
	return n > 0, nil
}

// shards puts a shard of each population in its place, where one is asked for.
func (o *options) shards(m *harness.Maker, specs []*sim.Spec) error {
	if o.shard < 0 {
		return nil
	}
	for i, spec := range specs {
		if spec.Scenario.Population == nil {
			return ui.Failf(ui.Usage, "--shard %d: %s has no population", o.shard, m.File.Name)
		}
		p, err := harness.NewPopulation(m, spec.Scenario, spec.Variant)
		if err != nil {
			return err
		}
		if o.shard >= p.Shards() {
			return ui.Failf(ui.Usage, "--shard %d: there are %d shards, from 0 to %d", o.shard, p.Shards(), p.Shards()-1)
		}
		if specs[i], err = p.Spec(o.shard); err != nil {
			return err
		}
	}
	file := *m.File
	file.Expect, file.Sweep = nil, nil // they are of the one session
	m.File = &file
	return nil
}

// populations are the variants of a scenario, each many sessions.
type populations struct {
	*options
	s    *ui.Env
	on   *loading.Loaded
	done []*harness.Population
	kept string   // what is recorded of them
	left []string // variants that have not begun

	leaves []func(kept bool) // the queues that they were carried out in
}

// population runs the variants of a scenario one after the other, each in shards on all
// cores, and prints what they came to. Where it is interrupted that is what the first
// shards came to.
func (o *options) population(s *ui.Env, on *loading.Loaded, m *harness.Maker, specs []*sim.Spec) error {
	for _, x := range []struct{ flag, given string }{{"--memory", o.memory}, {"--events", o.events}, {"--columns", o.columns}} {
		if x.given != "" {
			return ui.Failf(ui.Usage, "%s is for runs of one session, and this is a population: leave it out, or name one shard with --shard", x.flag)
		}
	}
	a := &populations{options: o, s: s, on: on}
	rec, end, err := a.recorder()
	if err != nil {
		return err
	}
	for i, spec := range specs {
		var p *harness.Population
		if p, err = harness.NewPopulation(m, spec.Scenario, spec.Variant); err != nil {
			break
		}
		if p.Keep = i == 0 && len(specs) > 1; i > 0 {
			p.Beside = a.done[0]
		}
		a.done = append(a.done, p)
		if err = a.run(p, rec); err != nil || p.Stopped {
			for _, spec := range specs[i+1:] {
				a.left = append(a.left, spec.Variant+" was not begun")
			}
			break
		}
	}
	if lost := end(); err == nil {
		err = lost
	}
	for _, leave := range a.leaves { // where one variant is not over, all go on from what lies there
		leave(err == nil && !a.done[len(a.done)-1].Stopped)
	}
	if err != nil {
		return err
	}
	if err := s.Print(o.output, a.document(m)); err != nil {
		return err
	}
	return a.verdict()
}

// run runs one, and says on the side how fast.
func (a *populations) run(p *harness.Population, rec harness.Recorder) error {
	h := harness.New(a.s, "running", p.Shards())
	began := a.s.Now()
	if rec != nil {
		h.Recorder = rec
	}
	leave, err := a.server.Join(a.s, h)
	if err != nil {
		h.Close()
		return err
	}
	a.leaves = append(a.leaves, leave)
	err = h.Population(p, !a.noAudit, func(shard int) string { return a.alone(p, shard) })
	took := a.s.Now().Sub(began)
	h.Close()
	p.Stopped = p.Stopped || h.Stop.Has()
	n, what := p.Totals.Started-p.Sessions, "sub-agent"
	if n == 0 {
		n, what = p.Sessions, "session"
	}
	if err == nil && took > 0 && n > 0 {
		rate := fmt.Sprintf("%.0f a second", float64(n)/took.Seconds())
		if h.Fleet != nil && h.Fleet.WentOn() {
			rate = "with what workers had done before"
		}
		a.s.Tell("%s%s in %.1f s, %s", prefix(p.Variant), ui.Things(n, what), took.Seconds(), rate)
	}
	if err == nil {
		err = loading.WarnUnstruck(a.s, h)
	}
	return err
}

// alone is the command line of a shard by itself.
func (a *populations) alone(p *harness.Population, shard int) string {
	return a.repeat(&sim.Spec{Scenario: p.Scenario, Variant: p.Variant, Policy: a.policy}) + " --shard " + strconv.Itoa(shard)
}

func prefix(variant string) string {
	if variant == "" {
		return ""
	}
	return variant + ": "
}

// mostNamed is how many recorded shards are named.
const mostNamed = 10

// recorder is what keeps runs as --record says, nil for nothing, and what ends it.
func (a *populations) recorder() (harness.Recorder, func() error, error) {
	level := sqlite.Level(a.record)
	every, some := strings.CutPrefix(a.record, "sampled:")
	switch {
	case !a.recordSet || a.record == "none":
		a.kept = "nothing: --record totals keeps what each shard came to, --record sampled:50 one whole shard of 50"
		return nil, func() error { return nil }, nil
	case level != sqlite.Totals && !some:
		return nil, nil, ui.Failf(ui.Usage, "--record %s: of a population totals, sampled:N (one whole shard of N) or none are kept", a.record)
	}
	if some && a.server.URL != "" {
		return nil, nil, ui.Failf(ui.Usage, "--record %s: whole shards are recorded where they run: with --nats totals or none are kept", a.record)
	}
	db, err := rundb.Create(a.s, a.db)
	if err != nil {
		return nil, nil, err
	}
	if !some {
		store, err := harness.NewStore(db, a.s.Now)
		a.kept = a.db + ", what each shard came to"
		return store, func() error {
			defer db.Close()
			return store.Close()
		}, err
	}
	n, err := strconv.ParseUint(every, 10, 64)
	x := &harness.Some{Record: &harness.Record{DB: db, Level: sqlite.Full}, Of: n}
	return x, func() error {
		defer db.Close()
		ids := make([]string, min(len(x.Kept), mostNamed))
		for i := range ids {
			ids[i] = fmt.Sprintf("%s (shard %d)", ui.Short(x.Kept[i].ID), x.Kept[i].Seed-a.done[0].Scenario.Seed)
		}
		a.kept = fmt.Sprintf("%s, %s whole, one of %d by a hash: %s", a.db, ui.Plural(len(x.Kept), "shard"), n, strings.Join(ids, " "))
		if more := len(x.Kept) - len(ids); more > 0 {
			a.kept += fmt.Sprintf(" and %d more", more)
		} else if len(ids) == 0 {
			a.kept = fmt.Sprintf("%s, no shard: by a hash none is the one of %d", a.db, n)
		}
		return x.Err
	}, err
}

func (a *populations) document(m *harness.Maker) *report.Document {
	d, of, ran := &report.Document{}, a.done[0].Scenario, firsts(a.done)
	d.Heading(m.File.Name, "%s · %s · %s", inShards(a.done), seeds(of.Seed, int(max(1, a.done[0].Totals.Runs))), strings.Join(a.models(), ", "))
	d.Field("scenario", report.Text(m.File.Name))
	a.on.Tell(d, specsOf(ran))
	over := slices.DeleteFunc(slices.Clone(a.done), func(p *harness.Population) bool { return p.Totals.Runs == 0 })
	for _, p := range over {
		d.Table(byFigure(p))
		d.Say("")
	}
	d.Table(byType(over).Hidden())
	d.Table(a.table().Hidden())
	d.Main("totals")
	var rows []report.Row
	var digests, audited, laws, open, far, met []string
	for _, p := range over {
		rows = append(rows, report.Row{Variant: p.Variant, Run: p.Totals.Run()})
		digests = append(digests, prefix(p.Variant)+p.Digest())
		audited = append(audited, prefix(p.Variant)+a.auditedOf(p))
		laws = append(laws, prefix(p.Variant)+fmt.Sprintf("%s in all shards, none broken", ui.Things(p.Laws, "billing check")))
		far, met = append(far, extrapolated(p)...), append(met, metOthers(p))
	}
	for _, p := range a.done {
		open = append(open, a.open(p)...)
	}
	if s := of.Scale; s != nil && a.done[0].Totals.Runs > 0 {
		told, ok := report.Extrapolate(rows, report.Scale{Type: s.Type, Spawns: s.Spawns, Period: s.Period, Low: s.Low, High: s.High})
		if ok || len(far) == 0 {
			far = append(far, told...)
		}
	}
	d.Label("unfinished", append(open, a.left...)...)
	apart, another := against(a.done), spread(a.done)
	d.Label("difference", apart...)
	d.Field("difference", report.List(apart).If(apart != nil))
	d.Label("spread", another...)
	d.Field("spread", report.List(another).If(another != nil))
	d.Label("digest", digests...)
	d.Label("cache", met...)
	d.Label("at scale", far...)
	d.Field("at_scale", report.List(far).If(far != nil))
	a.rests(d, ran)
	d.Label("billing", laws...)
	d.Label("audited", audited...)
	if len(m.File.Expect) > 0 {
		d.Label("expected", ui.Plural(len(m.File.Expect), "expectation")+" not judged: they are of one session")
	}
	d.Label("recorded", a.kept)
	return d
}

func seeds(first uint64, n int) string {
	if n == 1 {
		return ui.Seeds([]uint64{first})
	}
	return fmt.Sprintf("seeds %d to %d", first, first+uint64(n)-1)
}

// part is a type of agents of a population, or all of them.
type part struct {
	p      *harness.Population
	name   string
	agents int64
	short  metrics.CutShort
	tally  *metrics.Tally
}

func parts(p *harness.Population) []part {
	out := []part{{p, "all", p.Totals.Started, p.Totals.Run().CutShort(), &p.Totals.Total}}
	for i := range p.Totals.Types {
		t := &p.Totals.Types[i]
		out = append(out, part{p, t.Name, t.Agents, t.CutShort, &t.Tally})
	}
	return out
}

// cutShort is what machines call the agents below the roots that were cut short. People
// see them where there are any.
const cutShort = "agents.cut_short"

// summed are what is summed up, by what machines call it.
var summed = []struct {
	name, head string
	of         func(part) report.Value
	unit       report.Unit
}{
	{"agents", "agents", func(x part) report.Value { return report.Count(x.agents) }, report.Unnamed},
	{cutShort, "agents cut short", func(x part) report.Value { return report.Count(x.short.Sum()) }, report.Unnamed},
	{"calls", "calls", func(x part) report.Value { return report.Count(x.tally.Calls) }, report.Unnamed},
	{"failed", "calls that failed", func(x part) report.Value { return report.Count(x.tally.Errors) }, report.Unnamed},
	{"tokens.prompt", "prompt tokens", func(x part) report.Value { return report.Count(x.tally.Usage.Prompt()) }, report.Unnamed},
	{"tokens.read", "cache read", func(x part) report.Value { return report.Count(x.tally.Usage.Read) }, report.Unnamed},
	{"tokens.written", "cache write", func(x part) report.Value { return report.Count(x.tally.Usage.Written()) }, report.Unnamed},
	{"tokens.input", "uncached input", func(x part) report.Value { return report.Count(x.tally.Usage.Input) }, report.Unnamed},
	{"tokens.output", "output", func(x part) report.Value { return report.Count(x.tally.Usage.Output) }, report.Unnamed},
	{"cost", "cost", func(x part) report.Value { return report.Dollars(x.tally.Cost) }, report.USD},
}

// byFigure is what people see of one: a line for each figure.
func byFigure(p *harness.Population) *report.Sheet {
	type col = report.Column[int]
	columns := []col{{Head: cmp.Or(strings.ToUpper(p.Variant), "TOTAL"), Of: func(i int) report.Value {
		if i == len(summed) {
			return report.Text("items done")
		}
		return report.Text(summed[i].head)
	}}}
	for n, x := range parts(p) {
		columns = append(columns, col{Head: " " + x.name, Of: func(i int) report.Value {
			switch {
			case i < len(summed):
				return report.Text(summed[i].of(x).Fine().String())
			case n > 0: // who did them is not asked
				return report.Text("")
			}
			return report.Text(ui.Count(p.Totals.Items.Done) + " of " + ui.Count(p.Totals.Items.Total))
		}})
	}
	var rows []int
	for i := range summed {
		if summed[i].name != cutShort || p.Short > 0 {
			rows = append(rows, i)
		}
	}
	if p.Totals.Items.Total > 0 {
		rows = append(rows, len(summed))
	}
	return report.TableOf("figures", rows, columns...).From("totals").Shown()
}

// byType is for machines: a row for each type.
func byType(done []*harness.Population) *report.Sheet {
	type col = report.Column[part]
	var rows []part
	for _, p := range done {
		rows = append(rows, parts(p)...)
	}
	columns := []col{{Name: "variant", Of: func(x part) report.Value { return report.Text(x.p.Variant) }}, {Name: "type", Of: func(x part) report.Value { return report.Text(x.name) }}}
	for _, f := range summed {
		columns = append(columns, col{Name: f.name, Of: f.of, Unit: f.unit})
	}
	return report.TableOf("totals", rows, columns...)
}

// table is for machines: a row for each population.
func (a *populations) table() *report.Sheet {
	type col = report.Column[*harness.Population]
	count := func(name string, of func(p *harness.Population) int64) col {
		return col{Name: name, Of: func(p *harness.Population) report.Value { return report.Count(of(p)) }}
	}
	met := func(name string, of func(m *sharedprefix.Met) int64) col {
		return col{Name: name, Of: func(p *harness.Population) report.Value {
			return report.Count(of(&p.Met)).If(p.Scenario.Population.Workspace > 1)
		}}
	}
	items := func(name string, of func(o *metrics.Outcomes) int64) col {
		return col{Name: name, Of: func(p *harness.Population) report.Value {
			return report.Count(of(&p.Totals.Items)).If(p.Totals.Items.Total > 0)
		}}
	}
	list := func(name string, of func(p *harness.Population) []string) col {
		return col{Name: name, Of: func(p *harness.Population) report.Value { return report.List(of(p)).If(len(of(p)) > 0) }}
	}
	return report.TableOf("populations", a.done,
		col{Name: "variant", Of: func(p *harness.Population) report.Value { return report.Text(p.Variant) }},
		col{Name: "digest", Of: func(p *harness.Population) report.Value { return report.Text(p.Digest()) }},
		count("shards", func(p *harness.Population) int64 { return p.Totals.Runs }),
		count("of_shards", func(p *harness.Population) int64 { return int64(p.Shards()) }),
		count("sessions", func(p *harness.Population) int64 { return p.Sessions }),
		count("unfinished", func(p *harness.Population) int64 { return p.Open }),
		count("with_agents_cut_short", func(p *harness.Population) int64 { return p.Short }),
		list("why_unfinished", a.open),
		count("audited", func(p *harness.Population) int64 { return p.Audited }),
		count("checks", func(p *harness.Population) int64 { return p.Checks }),
		count("billing_checks", func(p *harness.Population) int64 { return p.Laws }),
		met("first_requests.found", func(m *sharedprefix.Met) int64 { return m.Found }),
		met("first_requests.expired", func(m *sharedprefix.Met) int64 { return m.Expired }),
		items("items.done", func(o *metrics.Outcomes) int64 { return o.Done }),
		items("items.rework", func(o *metrics.Outcomes) int64 { return o.Rework }),
		items("items.failed", func(o *metrics.Outcomes) int64 { return o.Failed }),
		items("items.wrong", func(o *metrics.Outcomes) int64 { return o.Wrong }),
		items("items.total", func(o *metrics.Outcomes) int64 { return o.Total }),
		col{Name: "priced_on", Of: func(p *harness.Population) report.Value { return report.Text(p.Scenario.Provider.PricedOn()) }},
		list("assumed", populationAssumed),
		list("unverified_assumptions", func(p *harness.Population) []string {
			if p.First == nil {
				return nil
			}
			return p.First.Result.Options
		}))
}

// extrapolated says what the sessions come to at the scenario's scale, with an interval
// where fewer ran than there are.
func extrapolated(p *harness.Population) []string {
	s := p.Scenario.Scale
	if s == nil || p.Totals.Runs == 0 {
		return nil
	}
	t, ok := p.Totals.Run().Type(s.Type)
	if !ok || t.Agents == 0 {
		return nil
	}
	return []string{prefix(p.Variant) + report.AtScale(s.Spawns, t.Agents, s.Type, s.Period, &p.Totals.Total, &p.Prompt, &p.Cost)}
}

// against says what each further variant costs beside the first one, on the same seeds.
func against(done []*harness.Population) (out []string) {
	for _, p := range done[1:] {
		if done[0].Stopped || p.Stopped {
			continue
		}
		text := report.Against(done[0].Variant, p.Totals.Total.Cost, done[0].Totals.Total.Cost, &p.Apart)
		if less(done[0]) || less(p) {
			text += "; not of the same work, since some was left undone"
		}
		out = append(out, prefix(p.Variant)+text)
	}
	return out
}

// less reports whether one did less work than its scenario asks for.
func less(p *harness.Population) bool {
	return p.Open > 0 || p.Short > 0 || p.Totals.Items.Done < p.Totals.Items.Total
}

// spread says how far off other seeds may be.
func spread(done []*harness.Population) (out []string) {
	for _, p := range done {
		if p.Totals.Runs > 0 {
			next := p.Scenario.Seed + uint64(p.Shards()) // none of whose shards has the seed of one of these
			out = append(out, prefix(p.Variant)+report.Another(fmt.Sprint(next), &p.Prompt, &p.Cost, enough(p)))
		}
	}
	return out
}

// enough says what gives enough shards to say how far they spread.
func enough(p *harness.Population) string {
	of := p.Scenario.Population
	at := of.Sessions / metrics.Few / of.Workspace * of.Workspace
	switch {
	case p.Stopped:
		return fmt.Sprintf("after %d it can be said", metrics.Few)
	case at > 0:
		return fmt.Sprintf("%d are enough, as with --set population.shard=%d", metrics.Few, at)
	}
	return fmt.Sprintf("%d are enough, as with --set population.sessions=%d", metrics.Few, metrics.Few*of.Shard)
}

// verdict is how the command ends.
func (a *populations) verdict() error {
	for _, p := range a.done {
		if p.Stopped {
			return ui.Failf(ui.Interrupted, "interrupted after %s%s", parted(p.Totals.Runs, int64(p.Shards()), "shard"), a.goesOn())
		}
	}
	for _, p := range a.done {
		if p.Open > 0 {
			return ui.Failf(ui.Unfinished, "%s%s did not finish; %s; repeat with: %s", prefix(p.Variant), ui.Things(p.Open, "shard"), p.Why, a.alone(p, p.WhyAt))
		}
	}
	return nil
}
