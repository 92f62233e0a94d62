package transcript

// Structure is how an agent was made.
type Structure string

// The structures.
const (
	Root     Structure = "root"
	SubAgent Structure = "subagent"
	Fork     Structure = "fork"
)

// Outcome is what became of an item of work.
type Outcome string

// The outcomes.
const (
	Done   Outcome = "done"
	Rework Outcome = "rework" // done again, after it was wrong
	Failed Outcome = "failed" // what it lacked is named
	Wrong  Outcome = "wrong"  // reported done, and not right
)

// RunOutcome is how a run ended.
type RunOutcome string

// How runs end.
const (
	Completed   RunOutcome = "completed"
	Limited     RunOutcome = "limit"
	Deadlocked  RunOutcome = "deadlock"
	Interrupted RunOutcome = "interrupted"
)
