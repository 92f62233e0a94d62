package sim

import (
	"fmt"

	"agentsim/cachemodel"
	"agentsim/cachemodel/laws"
	"agentsim/mockllm"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// LawError is a bill that breaks a conservation law of the cache: a bug of ours,
// found on the call that shows it.
type LawError struct {
	Lineage string // "" for a law of the whole run
	Call    int
	Law     error
}

func (e *LawError) Error() string {
	if e.Lineage == "" {
		return fmt.Sprintf("a conservation law is broken: %v", e.Law)
	}
	return fmt.Sprintf("a conservation law is broken: %s, call %d: %v", e.Lineage, e.Call, e.Law)
}

func (e *LawError) Unwrap() error { return e.Law }

// checkedEngine holds every call of a run against L1, L2 and L3, and keeps the server's
// books for L6.
type checkedEngine struct {
	cachemodel.Engine
	checks int64
	billed llm.Usage // of all calls that have ended
	broken *LawError // the first
}

// Admit checks the prompt's bill as soon as it is known.
func (e *checkedEngine) Admit(now vtime.Instant, req *cachemodel.Request, a *cachemodel.Admission) error {
	if err := e.Engine.Admit(now, req, a); err != nil {
		return err
	}
	e.check(req, laws.Check(a))
	return nil
}

// End checks that what is billed is what was admitted.
func (e *checkedEngine) End(now vtime.Instant, a *cachemodel.Admission, how cachemodel.Ending, head *llm.Node, output int64) llm.Usage {
	req := a.Request
	u := e.Engine.End(now, a, how, head, output)
	e.billed = e.billed.Plus(u)
	e.check(req, laws.Billed(a, u))
	return u
}

// Pass forwards one more pass of a server tool's loop.
func (e *checkedEngine) Pass(now vtime.Instant, a *cachemodel.Admission, result *llm.Node) llm.Usage {
	return e.Engine.(cachemodel.Passer).Pass(now, a, result)
}

// Prime forwards a request of somebody who is not of this run.
func (e *checkedEngine) Prime(now vtime.Instant, req *cachemodel.Request) error {
	return e.Engine.(mockllm.Primer).Prime(now, req)
}

func (e *checkedEngine) check(req *cachemodel.Request, err error) {
	e.checks++
	if err != nil && e.broken == nil {
		e.broken = &LawError{Lineage: req.Stream.Lineage, Call: req.Stream.Call, Law: err}
	}
}

// laws is what the run's laws say at its end: the first that a call broke, and
// for a run that completed its books. One that was cut off has calls that nobody
// has accounted for yet.
func (r *run) laws(outcome transcript.RunOutcome) error {
	if r.engine.broken != nil {
		return r.engine.broken
	}
	if outcome != Completed {
		return nil
	}
	if err := r.checkBooks(); err != nil {
		return &LawError{Law: err}
	}
	return nil
}

// checkBooks is L6 for a run that has come to its end: what the server billed is
// what the agents consumed, each call once, and what the roots say that they and
// their descendants consumed (SUB-18). Usage stands for money: a call has one
// price, whoever adds it up.
func (r *run) checkBooks() error {
	var own, rolled llm.Usage
	for _, a := range r.world.Agents() {
		own = own.Plus(a.Own())
		if a.IsRoot() {
			rolled = rolled.Plus(a.Rolled())
		}
	}
	r.engine.checks++
	if own != r.engine.billed || rolled != r.engine.billed {
		return fmt.Errorf("CACHE-L6: the server billed %+v, the agents consumed %+v, and the roots roll up %+v", r.engine.billed, own, rolled)
	}
	return nil
}
