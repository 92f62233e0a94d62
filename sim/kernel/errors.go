package kernel

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"agentsim/sim/vtime"
)

// Errors that are values.
var (
	// ErrInterrupted is what Run returns after Interrupt.
	ErrInterrupted = errors.New("kernel: the run was interrupted from outside")
	// ErrDeadline is what a suspension returns once its Shield's time is up.
	ErrDeadline = errors.New("kernel: the deadline of the shielded clean-up has passed")
	// ErrClosed is the result of a process that was still alive at Close and of
	// whatever it tried to start while it was being torn down.
	ErrClosed = errors.New("kernel: the run has been torn down")
)

// Names of limits, as they stand in LimitError.Name.
const (
	LimitSteps     = "steps"
	LimitTime      = "time"
	LimitProcesses = "processes"
	LimitQueue     = "queue"
)

// Limits bound a run. A zero field means its default.
type Limits struct {
	// Steps is the largest number of callbacks fired and processes resumed.
	Steps int64
	// Time is the last instant the clock may show, as a distance from the start.
	Time vtime.Duration
	// Procs is the largest number of processes alive at one time.
	Procs int
	// Queue is the largest number of values waiting in one mailbox.
	Queue int
}

// Defaults of Limits. Steps bounds an endless loop to minutes of a machine's
// time; the others are far beyond any session that makes sense.
const (
	DefaultSteps int64          = 1_000_000_000
	DefaultTime  vtime.Duration = 366 * 24 * vtime.Hour
	DefaultProcs int            = 1 << 20
	DefaultQueue int            = 1 << 16
)

func (l Limits) orDefault() Limits {
	return Limits{cmp.Or(l.Steps, DefaultSteps), cmp.Or(l.Time, DefaultTime), cmp.Or(l.Procs, DefaultProcs), cmp.Or(l.Queue, DefaultQueue)}
}

// LimitError ends a run that reached one of its limits.
type LimitError struct {
	Name    string        // one of the Limit… constants
	Value   int64         // the limit: a count, or nanoseconds for LimitTime
	Where   string        // what ran into it: a process, a mailbox, or empty
	Instant vtime.Instant // when
}

// Error names the limit, its value, when and who ran into it: limit time (10s)
// reached at 10s by main. Its second word is the limit's name.
func (e *LimitError) Error() string {
	value := fmt.Sprint(e.Value)
	if e.Name == LimitTime {
		value = vtime.Duration(e.Value).String()
	}
	where := ""
	if e.Where != "" {
		where = " by " + e.Where
	}
	return fmt.Sprintf("limit %s (%s) reached at %s%s", e.Name, value, e.Instant.Sub(0), where)
}

// Wait is one line of a deadlock: who waits for what, and since when.
type Wait struct {
	Process string
	For     string
	Since   vtime.Instant
}

// DeadlockError ends a run whose live processes all wait while nothing is left
// that could wake one of them. Waits are in order of spawning.
type DeadlockError struct {
	Instant vtime.Instant
	Waits   []Wait
}

// shownWaits bounds the text of a deadlock; the error's data holds every wait.
const shownWaits = 16

// Error lists who waits for what, the first 16 of them.
func (e *DeadlockError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel: deadlock at %s: nothing can wake the %d waiting", e.Instant, len(e.Waits))
	for i, w := range e.Waits {
		if i == shownWaits {
			fmt.Fprintf(&b, "; and %d more", len(e.Waits)-i)
			break
		}
		sep := ";"
		if i == 0 {
			sep = ":"
		}
		fmt.Fprintf(&b, "%s %s waits for %s since %s", sep, w.Process, w.For, w.Since)
	}
	return b.String()
}

// PanicError ends a run in which code panicked. Process is empty when that was a
// callback or the policy. Stack is of the panicking code itself; it holds
// addresses, so it is for reading and never part of a record.
type PanicError struct {
	Process string
	Instant vtime.Instant
	Value   any
	Stack   []byte
}

// Error says who panicked, when and with what; the stack is not part of it.
func (e *PanicError) Error() string {
	who := "a callback or the policy"
	if e.Process != "" {
		who = "process " + e.Process
	}
	return fmt.Sprintf("kernel: panic in %s at %s: %v", who, e.Instant, e.Value)
}
