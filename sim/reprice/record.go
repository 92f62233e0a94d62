package reprice

import (
	"fmt"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
)

// Record is a run as it was recorded.
type Record struct {
	seed   uint64
	file   *scenarios.File
	own    *scenarios.Scenario // effective, as it ran
	sent   []sqlite.Sent
	births []sqlite.Activation
	forced []bool // by request: it makes the model call a tool, which its recorded prompt tells
	// lifetimes are those that definitions of the run's files give their agents, by type.
	lifetimes map[string]llm.TTL
}

// Load reads a run, which must have been recorded in full. The error is of the
// database, or says what is not on record.
func Load(db *sqlite.DB, run string) (*Record, error) {
	stored, err := db.Spec(run)
	if err != nil {
		return nil, err
	}
	r := &Record{seed: stored.Seed}
	if r.file, err = scenarios.Parse("run "+run, []byte(stored.Spec), scenarios.ForeignProject); err != nil {
		return nil, err
	}
	if r.own, err = r.file.Effective("", nil); err != nil {
		return nil, err
	}
	if r.lifetimes, err = ownLifetimes(r.own, stored.Files); err != nil {
		return nil, err
	}
	if r.births, err = db.Activations(run); err != nil {
		return nil, err
	}
	if r.sent, err = db.Sent(run); err != nil {
		return nil, err
	}
	r.forced = make([]bool, len(r.sent))
	return r, nil
}

// Play asks the cache again, by the run's settings with sets, each path=value,
// over them, and at other prices, nil for the run's. The error says which setting cannot be answered from the record and
// why, or which call the run's own settings do not reproduce.
func (r *Record) Play(sets []string, prices *scenarios.Prices) (own, other *Result, err error) {
	sc, err := r.file.Effective("", sets)
	if err != nil {
		return nil, nil, err
	}
	if prices != nil {
		sc.Provider.Prices = prices
	}
	if err := Check(sets); err != nil {
		return nil, nil, err
	}
	if own, err = r.play(r.own); err != nil {
		return nil, nil, err
	}
	if err := own.reproduces(); err != nil {
		return nil, nil, err
	}
	if err := r.answers(sc, sets); err != nil {
		return nil, nil, err
	}
	other, err = r.play(sc)
	return own, other, err
}

func (r *Record) play(sc *scenarios.Scenario) (*Result, error) {
	p, err := newPlayer(r, sc)
	if err != nil {
		return nil, err
	}
	for _, s := range r.steps() {
		if err := p.step(&s); err != nil {
			return nil, err
		}
	}
	return p.result(), nil
}

// callName names a request in errors.
func callName(s *sqlite.Sent) string { return fmt.Sprintf("call %d", s.N) }

// ownLifetimes are the lifetimes that the definitions among a run's files set.
func ownLifetimes(sc *scenarios.Scenario, files []sqlite.File) (map[string]llm.TTL, error) {
	content := map[string]string{}
	for _, f := range files {
		content[f.Path] = f.Content
	}
	set, err := sim.StoredDefinitions(sc, content)
	if err != nil {
		return nil, err
	}
	out := map[string]llm.TTL{}
	for _, d := range set.Definitions {
		if d.CacheTTL != nil {
			out[d.Type] = *d.CacheTTL
		}
	}
	return out, nil
}
