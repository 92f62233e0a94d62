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

// Ending is how an activation of an agent ended.
type Ending string

// How activations end.
const (
	EndCompleted Ending = "completed"
	EndFailed    Ending = "failed"
	EndKilled    Ending = "killed"
	EndMaxTurns  Ending = "max_turns"
	EndMaxTokens Ending = "max_tokens"
	EndRefused   Ending = "refused"    // by the model, for safety
	EndPaused    Ending = "pause_turn" // too often in a row
)

// TaskStatus is a task's state.
type TaskStatus string

// The states of a task.
const (
	TaskPending   TaskStatus = "pending"
	TaskRunning   TaskStatus = "running"
	TaskCompleted TaskStatus = "completed"
	TaskFailed    TaskStatus = "failed"
	TaskKilled    TaskStatus = "killed"
)

// Final reports whether nothing follows the state within an activation.
func (s TaskStatus) Final() bool { return s == TaskCompleted || s == TaskFailed || s == TaskKilled }

// Verdict is a classifier's word on a child's transcript.
type Verdict string

// The verdicts.
const (
	Flagged      Verdict = "flagged"
	Clean        Verdict = "clean"
	Unclassified Verdict = "error" // the classifier could not be asked
)
