package audit

import (
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/vtime"
)

// Options are what a run was told beforehand.
type Options struct {
	// Rerender says that forks render anew what they inherit, which exists to show
	// what is lost: what a fork shares with its parent is not checked then.
	Rerender bool
	// LateExpiry is how long a cache entry may be read after its lifetime.
	LateExpiry vtime.Duration
	// EvictAfter is how long after its end an agent's output stays in memory; 0 is
	// as long as the run.
	EvictAfter vtime.Duration
	// OwnPrompts says that roots have system prompts of the scenario's own.
	OwnPrompts bool
	// Handoffs is the script of the classifier; nil where there is none to check.
	Handoffs *Handoffs
	// TypedChildren says that a fork's call that names a type starts such an agent.
	TypedChildren bool
	// Session is what the session's agents are to be; nil leaves unchecked what
	// follows from it.
	Session *Session
}

// Session is what a run's session allows, and what its agents are to be.
type Session struct {
	Deny, Ask, Allow []string                  // rules of permission as they are written, the command line's among the allowed
	Allowed          map[string][]string       // by agent type: the rules that it may use besides
	Everyone         []string                  // the command line's rules to allow, which every agent keeps
	Took             map[string]vtime.Duration // how long calls of a tool take that always take as long
	Children         string                    // mode of a child whose definition names none; "" is its parent's
	Depth, Turns     int                       // limits; 0 is none
	Minimal          bool                      // the minimal stack
	Elsewhere        bool                      // forks have another directory than their parent
	Model            string                    // of sub-agents whose definition names none; "" is their parent's
	Aliases          map[string]string         // of models
	Types            map[string]Type           // of agents
	Interactive      bool
	Gates            map[string]bool            // those that are on as the run begins
	TTL, ChildTTL    llm.TTL                    // lifetime at the markers of roots and forks, and of sub-agents
	ShortAt          vtime.Duration             // from when on roots and forks have 5m; 0 is never
	HeadMarked       bool                       // every request is marked at its last block
	Retries          int                        // further tries of a call
	Full             func(model string) int64   // tokens that fill a model's window, 0 for no number; nil never asks for a summary
	Interrupts       map[string][]vtime.Instant // by root: when its user interrupts it, in order
	SharedMarked     bool                       // the last system block that all types share is marked
	SideBySide       bool                       // sub-agents of the minimal stack run at one time
}

// Type is what a definition says of its agents.
type Type struct {
	Model      string
	Mode       string
	MaxTurns   int // 0 is none of its own
	OmitClaude bool
	OmitGit    bool
	Background bool
	TTL        *llm.TTL      // at the markers of its agents; nil is the session's
	Hooks      []string      // what its hooks hear and run, as "PreToolUse ./check.sh"
	Brings     bool          // its agents begin with memories, skills or a first word of their own
	Prompt     func() string // as the run begins; nil where there is none
}

// Handoffs is what a run's classifier of hand-offs was told beforehand.
type Handoffs struct {
	Marks mark.Key // of the run, by which injections are known in bytes
	On    bool     // the gate as the run begins
	Rules []Handoff
}

// Handoff is the verdict on a transcript that holds a taint.
type Handoff struct{ Taint, Verdict string }
