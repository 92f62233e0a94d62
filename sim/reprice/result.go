package reprice

import (
	"fmt"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
)

// Call is one request as the cache answered it.
type Call struct {
	Sent    *sqlite.Sent // as recorded
	Lineage string
	Usage   llm.Usage
	Miss    llm.Miss

	profile *cachemodel.Profile
	first   llm.Usage // of the prompt
	begun   bool
	moved   bool
	marked  bool // it has the markers that are on record
}

// Cost is what the call costs, in picodollars.
func (c *Call) Cost() int64 { return int64(c.profile.Cost(c.Usage)) }

// Uncached is what it costs with no cache, in picodollars.
func (c *Call) Uncached() int64 { return int64(c.profile.CostUncached(c.Usage)) }

// Result is what a record came to.
type Result struct {
	Calls []Call // in the order of the record
	// Limited says that the provider has rate limits, which a request can meet or
	// not by what others read.
	Limited bool
}

// Moved counts the calls that would have begun at another instant.
func (r *Result) Moved() (n int) {
	for i := range r.Calls {
		if r.Calls[i].moved {
			n++
		}
	}
	return n
}

func (p *player) result() *Result {
	l := p.sc.Provider.Limits()
	out := &Result{Calls: make([]Call, len(p.flights)), Limited: l.Requests != nil || l.Input != nil || l.Output != nil}
	for i := range p.flights {
		out.Calls[i] = p.flights[i].call
	}
	return out
}

// reproduces says where a play by the run's own settings is not what is on record.
func (r *Result) reproduces() error {
	for i := range r.Calls {
		c := &r.Calls[i]
		s := c.Sent
		switch {
		case s == nil:
			return fmt.Errorf("call %d was never sent, by the record's own events", i+1)
		case !c.marked:
			return fmt.Errorf("%s: by the run's own plan its breakpoints are elsewhere than recorded", callName(s))
		case s.Stop == refused:
		case c.Usage != s.Usage:
			return fmt.Errorf("%s: by the run's own settings it reads and writes %+v, and %+v is recorded: the record does not hold all that decided it", callName(s), c.Usage, s.Usage)
		case c.Miss.Reason != s.Miss.Reason || c.Miss.Lost != s.Miss.Lost || c.Miss.Expected != s.Miss.Expected:
			return fmt.Errorf("%s: by the run's own settings its miss is %+v, and %+v is recorded", callName(s), c.Miss, s.Miss)
		case s.Usage != llm.Usage{} && c.Cost() != s.Cost:
			return fmt.Errorf("%s: by the run's own settings it costs %d picodollars, and %d are recorded: its prices were others; run it again", callName(s), c.Cost(), s.Cost)
		case c.moved:
			return fmt.Errorf("%s: by the run's own settings it begins at another instant than the recorded one", callName(s))
		}
	}
	return nil
}
