package metrics

import (
	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Run is a run's figures.
type Run struct {
	Scenario, Variant string
	Seed              uint64
	Outcome           transcript.RunOutcome // "" while it goes on
	Detail            string
	Events            uint64

	Started  int64 // agents
	Total    Tally
	Agents   []Agent // by ordinal; one without a lineage never started
	Types    []Type  // by name
	Items    Outcomes
	Siblings []Siblings // groups of two or more, in order of their first spawn
	Models   []Model    // by name
	Tools    []string   // that were called, by first call
	Idled    []Idled    // interrupts that met an idle root, in their order
	Narrow   Narrow     // calls that nearly missed
	Watched  []Watched  // calls asked for that were made, in the order of Options.Watch

	Phases   [NumPhases]PhaseTimes                // CRD-07
	Overlap  vtime.Duration                       // in which two of them or more went on
	Overlaps [NumPhases][NumPhases]vtime.Duration // in which these two did, the earlier first

	Makespan     vtime.Duration // from the first event to the last
	CriticalPath vtime.Duration // longest chain of call intervals linked by spawn, result or notification
}

// Agent is one agent's figures.
type Agent struct {
	ID        llm.AgentID
	Lineage   string
	Parent    int32 // ordinal, -1 for a root
	Type      string
	Structure transcript.Structure
	Model     string // it started with
	Started   vtime.Instant
	Ended     vtime.Instant     // of its last event
	Status    transcript.Ending // of its last activation; "" while it goes on
	Why       string            // the reason of Status; "" when completed
	Turns     int
	Tally     Tally // of its own calls
	// Rolled is what it and all its descendants consumed; RolledCost what that
	// was billed.
	Rolled     llm.Usage
	RolledCost cachemodel.Picodollars
	// Path is the longest chain of call intervals that ends with this agent.
	Path vtime.Duration
}

// Narrow is the calls that read a prefix in the last tenth of its life.
type Narrow struct {
	Calls      int64
	Cost       cachemodel.Picodollars // more, had they written these prefixes again
	Left, Life vtime.Duration         // of the one that came closest to its end
	Lineage    string                 // who sent that one
	Number     int64                  // its number in the run, from 1
}

// Idled is an interrupt that ended no turn, because none of its root's went on, or a
// side question that was not asked.
type Idled struct {
	Root  string // its lineage
	At    vtime.Instant
	Aside bool // a side question
}

// Type is the sum over the agents of one type.
type Type struct {
	Name      string
	Structure transcript.Structure // of its first agent
	Agents    int64
	Tally     Tally
	Items     Outcomes       // as its agents reported them last; Total is their number
	Span      vtime.Duration // from the first start to the last end
	Siblings  []Siblings     // groups whose first child is of the type
	CutShort  CutShort
}

// CutShort counts agents below the roots that did not come to an end of their own, by
// Endings: what became of their work is an outcome, not an end.
type CutShort [len(Endings)]int64

// Endings are those that cut an agent short.
var Endings = [...]transcript.Ending{transcript.EndFailed, transcript.EndRefused, transcript.EndMaxTokens, transcript.EndPaused, transcript.EndMaxTurns}

// Sum is how many there are.
func (c CutShort) Sum() (n int64) {
	for _, k := range c {
		n += k
	}
	return n
}

func (c *CutShort) add(d CutShort) {
	for i, n := range d {
		c[i] += n
	}
}

// CutShort counts those of all types.
func (r *Run) CutShort() (c CutShort) {
	for i := range r.Types {
		c.add(r.Types[i].CutShort)
	}
	return c
}

// Siblings are the children spawned by one assistant message and what their
// first requests have in common.
type Siblings struct {
	Parent   int32 // ordinal
	Call     int   // of the parent
	Type     string
	Children int
	Bytes    int64 // common prefix, flat bytes
	Blocks   int32 // common prefix, positions
	Tokens   int64 // common prefix; -1 without Options.Tokens
}

// Model is what one model was used for and what it was paid for.
type Model struct {
	Name     string
	Usage    llm.Usage
	Cost     Parts
	Prices   string // what its tokens cost, as Profile.Words says
	Unpriced bool   // the price table does not know it; Cost is zero
}

// Parts is a bill by what it was paid for.
type Parts struct {
	Input, Written, Read, Output cachemodel.Picodollars
}

// Total is the bill.
func (p Parts) Total() cachemodel.Picodollars { return p.Input + p.Written + p.Read + p.Output }

// Plus adds part by part.
func (p Parts) Plus(o Parts) Parts {
	return Parts{p.Input + o.Input, p.Written + o.Written, p.Read + o.Read, p.Output + o.Output}
}

// Completed reports whether the run came to its end.
func (r *Run) Completed() bool { return r.Outcome == transcript.Completed }

// Parts is the run's bill by what it was paid for.
func (r *Run) Parts() (p Parts) {
	for _, m := range r.Models {
		p = p.Plus(m.Cost)
	}
	return p
}

// Unpriced lists the models whose price is not known; while there is one, the
// run's cost is not known either.
func (r *Run) Unpriced() (names []string) {
	for _, m := range r.Models {
		if m.Unpriced {
			names = append(names, m.Name)
		}
	}
	return names
}

// Type finds an agent type's figures by name.
func (r *Run) Type(name string) (*Type, bool) {
	for i := range r.Types {
		if r.Types[i].Name == name {
			return &r.Types[i], true
		}
	}
	return nil, false
}

// root finds a root agent's figures by its lineage.
func (r *Run) root(lineage string) (*Agent, bool) {
	for i := range r.Agents {
		if a := &r.Agents[i]; a.Parent < 0 && a.Lineage == lineage {
			return a, true
		}
	}
	return nil, false
}

// watched finds a call's figures by its name.
func (r *Run) watched(name string) (*Watched, bool) {
	for i := range r.Watched {
		if r.Watched[i].Name == name {
			return &r.Watched[i], true
		}
	}
	return nil, false
}

// Call is one request and how it ended. It is valid only during OnCall.
type Call struct {
	Agent         int32
	Call, Attempt int
	Model         string
	Sent, Ended   vtime.Instant
	Usage         llm.Usage
	Cost          cachemodel.Picodollars
	Uncached      cachemodel.Picodollars
	Miss          llm.Miss
	Status        int // 0 when answered or dropped, else the API error's
	Failed        bool

	lost cachemodel.Picodollars // of Cost, what a miss made it more
}

// Finished reports whether the run came to its end and none of its roots failed
// or reached its limit of turns.
func (r *Run) Finished() bool {
	for i := range r.Agents {
		if a := &r.Agents[i]; a.Parent < 0 && (a.Status == transcript.EndFailed || a.Status == transcript.EndMaxTurns) {
			return false
		}
	}
	return r.Completed()
}
