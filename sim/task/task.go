// Package task is what runs in the background as the session sees it: tasks,
// their states and the notifications that report their end.
//
// Rules:
//   - Nothing leaves a final state within an activation (TSK-02); a resume is a
//     new activation of the same id (TSK-10).
//   - One activation gives at most one notification, whatever races (TSK-05).
//   - What a notification carries is escaped, so no content can forge one or
//     close a tag (TSK-03).
package task

import (
	"fmt"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// Type is a kind of task by its wire name.
type Type string

// The seven types. Nothing makes the last three here: they are of systems that this stack
// does not have.
const (
	LocalBash         Type = "local_bash"
	LocalAgent        Type = "local_agent"
	RemoteAgent       Type = "remote_agent"
	InProcessTeammate Type = "in_process_teammate"
	LocalWorkflow     Type = "local_workflow"
	MonitorMCP        Type = "monitor_mcp"
	Dream             Type = "dream"
)

// prefixes are the letters that ids begin with, by type.
var prefixes = [...]struct {
	t      Type
	letter byte
}{
	{LocalBash, 'b'}, {LocalAgent, 'a'}, {RemoteAgent, 'r'}, {InProcessTeammate, 't'},
	{LocalWorkflow, 'w'}, {MonitorMCP, 'm'}, {Dream, 'd'},
}

// Prefix is the letter that ids of the type begin with. An unknown type is a
// programmer's error.
func (t Type) Prefix() byte {
	for _, p := range prefixes {
		if p.t == t {
			return p.letter
		}
	}
	panic("task: unknown type " + string(t))
}

// HasInbox reports whether whoever started a task of the type can write to it by its id;
// a teammate is written to by its name.
func (t Type) HasInbox() bool { return t == LocalAgent || t == RemoteAgent }

// ID prints the id of a task of the type: its letter and 16 hex digits of n,
// which comes from a stream named by lineage (TSK-01).
func ID(t Type, n uint64) string {
	return llm.TaskID(t.Prefix(), n)
}

// Status is a task's state by its wire name.
type Status = transcript.TaskStatus

// The states.
const (
	Pending   = transcript.TaskPending
	Running   = transcript.TaskRunning
	Completed = transcript.TaskCompleted
	Failed    = transcript.TaskFailed
	Killed    = transcript.TaskKilled
)

// steps are the allowed changes of state.
var steps = [...]struct{ from, to Status }{
	{Pending, Running}, {Pending, Failed}, {Pending, Killed},
	{Running, Completed}, {Running, Failed}, {Running, Killed},
}

// Task is one task of a session.
type Task struct {
	ID          string
	Type        Type
	Description string // the call's
	Name        string // the one that the call gives the agent, "" for none
	OutputFile  string
	Owner       int32 // ordinal of the agent that started it
	Agent       int32 // ordinal of the agent that runs it; -1 for none
	// Backgrounded is false while its starter waits for it.
	Backgrounded bool

	status     Status
	activation int
	notified   bool
}

// Status is the present state; Pending for a new task.
func (t *Task) Status() Status {
	if t.status == "" {
		return Pending
	}
	return t.status
}

// Activation counts resumes: 0 for the first life.
func (t *Task) Activation() int { return t.activation }

// To changes the state. A change that the machine does not allow is an error
// and leaves the state as it is.
func (t *Task) To(s Status) error {
	for _, st := range steps {
		if st.from == t.Status() && st.to == s {
			t.status = s
			return nil
		}
	}
	return fmt.Errorf("task %s: %s cannot become %s", t.ID, t.Status(), s)
}

// TakeNotification reports whether the caller is the one to notify: true the
// first time in an activation, false ever after.
func (t *Task) TakeNotification() bool {
	if t.notified {
		return false
	}
	t.notified = true
	return true
}

// Notified reports whether this activation's notification was taken.
func (t *Task) Notified() bool { return t.notified }

// Resume starts a new activation of an ended task: pending again, with a
// notification of its own to come.
func (t *Task) Resume() error {
	if !t.Status().Final() {
		return fmt.Errorf("task %s: only an ended task is resumed, this one is %s", t.ID, t.Status())
	}
	t.status, t.notified = Pending, false
	t.activation++
	return nil
}
