package sqlite

import "agentsim/sim/llm"

// Status is how an execution stands or ended.
type Status string

// The statuses. Completed, Limit and Deadlock are outcomes of the run itself;
// the others are accidents of one execution.
const (
	Running     Status = "running"
	Completed   Status = "completed"
	Limit       Status = "limit"
	Deadlock    Status = "deadlock"
	Interrupted Status = "interrupted"
	Crashed     Status = "crashed"
	Invalid     Status = "invalid" // the run found a mistake in its scenario
)

// Settled reports whether every execution of the run ends so.
func (s Status) Settled() bool { return s == Completed || s == Limit || s == Deadlock }

// Run is a run's identity and all that a replay needs.
type Run struct {
	ID            string // hash of semantics, effective spec, seed, policy and variant
	Name, Variant string
	Seed          uint64
	Policy        string
	Semantics     int
	Spec          string // the effective scenario as canonical text
	Files         []File // the project, sorted by path
	Expects       string // what this execution's file expects of its runs; "" where nobody said
}

// File is one file of the project a run worked on.
type File struct{ Path, Content string }

// Options are those of one recording.
type Options struct {
	Level Level // "" is Full; one that ParseLevel takes
	// Batch is how many events one transaction takes; 0 is DefaultBatch.
	Batch int
	// Cost prices a call: what it costs, and what it would have cost without a
	// cache, both in picodollars. Nil prices everything at 0.
	Cost func(model string, u llm.Usage) (cost, uncached int64)
}

// DefaultBatch is how many events are at risk when the process is killed.
const DefaultBatch = 4096

// End is how an execution ended.
type End struct {
	Status     Status
	Detail     string
	Digest     string // of the events
	FinishedAt string // wall time
	Metrics    []Metric
	Invariants []Invariant
	Schedule   string // what the scheduling policy chose, as kernel.ChoicesText writes it; "" for nothing
}

// Metric is one exact figure of a run.
type Metric struct {
	Scope string // run, type/NAME, agent/LINEAGE
	Name  string
	Value int64
	Unit  string // tokens, ns, picodollars, bytes, count
}

// Invariant is how often the auditor checked a rule and found it broken.
type Invariant struct {
	Name           string
	Checks, Broken int64
}
