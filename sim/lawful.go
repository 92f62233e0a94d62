package sim

import (
	"fmt"

	"agentsim/cachemodel"
	"agentsim/cachemodel/laws"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// LawError is a bill that breaks a conservation law of the cache: a bug of ours,
// found on the call that shows it.
type LawError struct {
	Lineage string
	Call    int
	Law     error
}

func (e *LawError) Error() string {
	return fmt.Sprintf("%s, call %d: %v", e.Lineage, e.Call, e.Law)
}

func (e *LawError) Unwrap() error { return e.Law }

// lawful holds every call of a run against L1, L2 and L3.
type lawful struct {
	cachemodel.Engine
	checks int64
	broken *LawError // the first
}

// Admit checks the prompt's bill as soon as it is known.
func (l *lawful) Admit(now vtime.Instant, req *cachemodel.Request, a *cachemodel.Admission) error {
	if err := l.Engine.Admit(now, req, a); err != nil {
		return err
	}
	l.check(req, laws.Check(a))
	return nil
}

// End checks that what is billed is what was admitted.
func (l *lawful) End(now vtime.Instant, a *cachemodel.Admission, how cachemodel.Ending, head *llm.Node, output int64) llm.Usage {
	req := a.Request
	u := l.Engine.End(now, a, how, head, output)
	l.check(req, laws.Billed(a, u))
	return u
}

func (l *lawful) check(req *cachemodel.Request, err error) {
	l.checks++
	if err != nil && l.broken == nil {
		l.broken = &LawError{Lineage: req.Stream.Lineage, Call: req.Stream.Call, Law: err}
	}
}
