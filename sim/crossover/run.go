package crossover

import (
	"errors"
	"fmt"

	"agentsim/cachemodel"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// ErrInterrupted is a run that was interrupted.
var ErrInterrupted = errors.New("interrupted")

// Lab runs generated scenarios and remembers what they came to. It belongs to
// one goroutine.
type Lab struct {
	// Run is sim.Run, or something around it, such as what passes interrupts on.
	Run func(*sim.Spec, sim.Options) (*sim.Result, error)

	bills map[point]bill
	owns  map[point]int64
	runs  int
}

// NewLab makes a lab that runs scenarios with sim.Run.
func NewLab() *Lab { return &Lab{Run: sim.Run, bills: map[point]bill{}, owns: map[point]int64{}} }

// Runs is how many scenarios the lab has run.
func (l *Lab) Runs() int { return l.runs }

// point is what a run is remembered by.
type point struct {
	q Query
	w world
	k kind
}

// bill is what the children of a run were billed.
type bill struct {
	cost  cachemodel.Picodollars
	flat  cachemodel.Picodollars // at the rates of prompts of ordinary length
	first int64                  // prompt tokens of a child's first call
	said  int64                  // output tokens of the root's longest answer, which spawns
	calls int64
	seen  llm.Usage
}

// tally is a sink that adds up the calls of all agents below the root.
type tally struct {
	profile *cachemodel.Profile
	bill    bill
	below   map[int32]bool
	failed  string // why an agent did not complete
}

func (t *tally) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		t.below[e.Agent] = b.Parent >= 0
	case *transcript.AgentEnd:
		if b.Status != transcript.EndCompleted && t.failed == "" {
			t.failed = string(b.Status) + ": " + b.Why
		}
	case *transcript.Response:
		u := b.Resp.Usage
		if !t.below[e.Agent] {
			t.bill.said = max(t.bill.said, u.Output)
			return
		}
		if b.Call == 0 {
			t.bill.first = u.Prompt()
		}
		t.bill.cost += t.profile.Cost(u)
		t.bill.flat += t.profile.Rates.Cost(u)
		t.bill.seen = t.bill.seen.Plus(u)
		t.bill.calls++
	}
}

// run runs the children of one kind in one world.
func (l *Lab) run(q Query, k kind, w world) (bill, error) {
	at := point{q, w, k}
	if b, ok := l.bills[at]; ok {
		return b, nil
	}
	own, err := l.ownBlocks(q, k, w)
	if err != nil {
		return bill{}, err
	}
	b, err := l.simulate(q, k, w, own)
	if err == nil {
		l.bills[at] = b
	}
	return b, err
}

// ownBlocks is how many tokens stand in a fork's first prompt between its
// parent's prefix and its task: the assistant block, the placeholders, and what
// comes with the directive. A run without counts weighs the real blocks. Where the
// parent's answer is known, it stands in front of them.
func (l *Lab) ownBlocks(q Query, k kind, w world) (int64, error) {
	if k == fresh || !w.own || q.Adds > 0 {
		return 0, nil
	}
	q.Turns = 1
	at := point{q, world{siblings: w.siblings, own: true, reading: 1, fourth: true}, k}
	if n, ok := l.owns[at]; ok {
		return n, nil
	}
	b, err := l.simulate(q, k, at.w, unknown)
	if err != nil {
		return 0, err
	}
	l.owns[at] = b.first - q.Prefix - q.Task
	if q.Said > 0 {
		l.owns[at] -= b.said
	}
	return l.owns[at], nil
}

// simulate generates a scenario and runs it.
func (l *Lab) simulate(q Query, k kind, w world, own int64) (bill, error) {
	sc, err := q.scenario(k, w, own)
	if err != nil {
		return bill{}, err
	}
	spec, err := sim.NewSpec(sc, "")
	if err != nil {
		return bill{}, err
	}
	t := &tally{profile: q.profileOf(k), below: map[int32]bool{}}
	l.runs++
	res, err := l.Run(spec, sim.Options{Sinks: []transcript.Sink{t}})
	switch {
	case err != nil:
		return bill{}, fmt.Errorf("%s: %w", w.label(k), err)
	case res.Outcome == sim.Interrupted:
		return bill{}, ErrInterrupted
	case res.Outcome != sim.Completed:
		return bill{}, fmt.Errorf("%s: the run ended as %s: %s", w.label(k), res.Outcome, res.Detail)
	case t.failed != "" || t.bill.calls != w.siblings*q.side(k).turns:
		return bill{}, fmt.Errorf("%s: %d calls where %d were to be made %s", w.label(k), t.bill.calls, w.siblings*q.side(k).turns, t.failed)
	}
	// Who left the warm part of a fresh child's front is no part of the scenario.
	write := t.profile.Rates.Write5m
	if q.Long {
		write = t.profile.Rates.Write1h
	}
	saved := cachemodel.Picodollars(w.siblings*q.side(k).warm) * (write - t.profile.Rates.Read)
	if k == fresh {
		t.bill.cost, t.bill.flat = t.bill.cost-saved, t.bill.flat-saved
	}
	return t.bill, nil
}

// pair runs both kinds in one world.
func (l *Lab) pair(q Query, w world) (Pair, error) {
	a, b, err := l.both(q, w)
	return Pair{a.cost, b.cost}, err
}

func (l *Lab) both(q Query, w world) (forks, others bill, err error) {
	if forks, err = l.run(q, fork, w); err == nil {
		others, err = l.run(q, fresh, w)
	}
	return forks, others, err
}

// Row is one point, by the law and simulated.
type Row struct {
	Query                    Query
	Closed, Simulated        Pair
	ClosedCrossing, Crossing Crossing // without a value where they were not asked for
}

// Row runs the query in its own world; crossings also looks for where forks stop
// being cheaper with everything but the turns as the query has it.
func (l *Lab) Row(q Query, crossings bool) (Row, error) {
	p, err := q.Profile(), error(nil)
	out := Row{Query: q, Closed: q.closed(p)}
	if out.Simulated, err = l.pair(q, q.world()); err != nil || !crossings {
		return out, err
	}
	out.ClosedCrossing = q.closedCrossing(p)
	out.Crossing, err = l.cross(q, q.world(), guessOf(out.ClosedCrossing))
	return out, err
}
