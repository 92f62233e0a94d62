package harness

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/sharedprefix"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/rng"
)

// Population is the sessions of a variant's population: shards that run by themselves,
// and what they came to, in their order.
type Population struct {
	Variant  string
	Scenario *scenarios.Scenario

	Totals   metrics.Totals // of shards that are over
	Sessions int64          // in these
	Open     int64          // shards that did not come to the end that the scenario wants
	Why      string         // of the first of them
	WhyAt    int            // the number of that one
	Short    int64          // shards in which agents below the roots were cut short
	Look     int            // the first shard that is open or has such agents
	Laws     int64          // checks of bills, none broken
	Audited  int64          // shards
	Checks   int64          // of the auditor, none broken
	Prompt   metrics.Spread // tokens, of whole shards
	Cost     metrics.Spread // picodollars, likewise
	Beside   *Population    // another variant, whose shards it is compared with; nil for none
	Apart    metrics.Spread // picodollars by which whole shards cost more than those of Beside
	Keep     bool           // what whole shards cost, for a Beside
	Stopped  bool           // by an interrupt, before the last shard
	Met      sharedprefix.Met
	First    *Run // shard 0, which says what all rest on; nil where it is not over

	costs    []int64 // of whole shards, in order
	maker    *Maker
	first    *sim.Spec
	template *sim.Template
	digest   hash.Hash
	buf      [8]byte
}

// NewPopulation is that of a variant.
func NewPopulation(m *Maker, sc *scenarios.Scenario, variant string) (*Population, error) {
	p := &Population{Variant: variant, Scenario: sc, maker: m, digest: sha256.New()}
	m.Sessions = true
	var err error
	if p.first, err = m.Spec(scenarios.Shard(sc, 0), variant); err == nil {
		p.template = sim.NewTemplate(p.first)
	}
	return p, err
}

// Shards is how many it has.
func (p *Population) Shards() int { return p.Scenario.Population.Shards() }

// Spec is the run that a shard is.
func (p *Population) Spec(shard int) (*sim.Spec, error) {
	sc := scenarios.Shard(p.Scenario, shard)
	if p.Scenario.Population.In(shard) == p.Scenario.Population.In(0) {
		return p.template.At(sc)
	}
	return p.maker.Spec(sc, p.Variant, p.first)
}

// Digest is over the numbers and the digests of all shards that are over, in order.
func (p *Population) Digest() string { return hex.EncodeToString(p.digest.Sum(nil))[:32] }

// Population runs one. Only shards at work are held in memory. A bill that breaks a law
// ends it, and so does a broken invariant in a shard that is audited; repeat is the
// command line of a shard.
func (h *Harness) Population(p *Population, audits bool, repeat func(shard int) string) error {
	base := p.base()
	return h.batch(batch{n: p.Shards(), job: func(i int) (*Job, error) {
		j, err := p.job(i, audits)
		if err != nil {
			return nil, err
		}
		j.Repeat = repeat(i)
		if i == 0 { // one says whom the file names in vain
			j.maker = p.maker
		}
		return j, nil
	}, from: func(i int) (Origin, error) {
		return Origin{Base: base, At: uint64(i), Manner: Manner{Shards: true, Bare: !audits}}, nil
	}}, func(i int, r *Run) error {
		if err := Broken(r.Result); err != nil {
			return ui.Failf(ui.Broken, "shard %d: an invariant is broken\n%w\nrepeat with: %s", i, err, repeat(i))
		}
		return p.take(i, r)
	})
}

// base is what other processes make the shards of.
func (p *Population) base() *Base {
	return &Base{Spec: sim.NewSpecOn(p.first.Project, p.Scenario, p.Variant, p.first.Policy), Own: p.maker.Project == nil}
}

// job is the run of a shard.
func (p *Population) job(shard int, audits bool) (*Job, error) {
	spec, err := p.Spec(shard)
	return &Job{Spec: spec, Brief: shard > 0, Again: true, Gather: Gather{Met: p.Scenario.Population.Workspace > 1}, Bare: !audits || !scenarios.Audited(p.Scenario, shard)}, err
}

// take adds what became of a shard. Behind one that was interrupted none counts: what is
// told is always of the first so many.
func (p *Population) take(i int, r *Run) error {
	if p.Stopped = p.Stopped || r.Result.Outcome == sim.Interrupted; p.Stopped {
		return nil
	}
	if i == 0 {
		p.First = r
	}
	if err := p.Totals.Add(r.Metrics); err != nil {
		return ui.Failf(ui.Operating, "shard %d: %w: run fewer sessions, and multiply", i, err)
	}
	in := p.Scenario.Population.In(i)
	p.Sessions += int64(in)
	why, short := r.Open(), r.Metrics.CutShort().Sum() > 0
	if (why != "" || short) && p.Open+p.Short == 0 {
		p.Look = i
	}
	if short {
		p.Short++
	}
	if why != "" {
		if p.Open++; p.Why == "" {
			p.Why, p.WhyAt = fmt.Sprintf("shard %d %s", i, why), i
		}
	}
	p.Met.Found, p.Met.Expired = p.Met.Found+r.Kept.Met.Found, p.Met.Expired+r.Kept.Met.Expired
	p.Laws += r.Result.Checks
	if a := r.Result.Audit; a != nil {
		p.Audited++
		for _, c := range a.Counts {
			p.Checks += c.Made
		}
	}
	if in == p.Scenario.Population.In(0) {
		p.Prompt.Add(r.Metrics.Total.Usage.Prompt())
		p.compare(i, int64(r.Metrics.Total.Cost))
	}
	binary.BigEndian.PutUint64(p.buf[:], uint64(i))
	_, _ = p.digest.Write(p.buf[:]) // a hash never fails
	_, _ = p.digest.Write([]byte(r.Result.Digest))
	return nil
}

// compare takes in what a whole shard cost.
func (p *Population) compare(i int, cost int64) {
	p.Cost.Add(cost)
	if p.Keep {
		p.costs = append(p.costs, cost)
	}
	if p.Beside != nil && i < len(p.Beside.costs) {
		p.Apart.Add(cost - p.Beside.costs[i])
	}
}

// Some records some of the runs whole: one of so many, by a hash of its seed.
type Some struct {
	*Record
	Of   uint64
	Kept []Kept
}

// Kept is a run that was recorded whole.
type Kept struct {
	ID   string
	Seed uint64 // a shard's is the population's and its number
}

func (x *Some) begin(j *Job, at string) error {
	if rng.Root(j.Spec.Seed()).Sub("recorded").Uint64()%x.Of != 0 {
		return nil
	}
	x.Kept = append(x.Kept, Kept{j.Spec.RunID(), j.Spec.Seed()})
	return x.Record.begin(j, at)
}
