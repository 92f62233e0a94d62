package sqlite

import (
	"strings"

	"agentsim/sim/transcript"
)

// body turns an event into the rows of its kind. Of what is not kept only that
// counts which feeds the run's and the agents' figures.
func (w *Writer) body(e *transcript.Event, kept bool) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		w.agentStart(e, b)
	case *transcript.AgentEnd:
		w.agentEnd(e, b)
	case *transcript.Request:
		w.request(e, b)
	case *transcript.Response:
		w.response(e, b)
	case *transcript.APIError:
		w.apiError(e, b)
	default:
		if kept {
			w.detail(e)
		}
	}
}

// detail makes the rows of the kinds that level totals does not keep.
func (w *Writer) detail(e *transcript.Event) {
	seq, agent, at := int64(e.Seq), int64(e.Agent), int64(e.At)
	switch b := e.Body.(type) {
	case *transcript.ToolCall:
		w.toolCall(e, b)
	case *transcript.ToolResult:
		w.toolResult(e, b)
	case *transcript.Task:
		w.tasks.add(w.run, seq, agent, at, b.ID, b.Type, b.From, b.To, int64(b.Activation))
	case *transcript.Notification:
		w.messages.add(w.run, seq, agent, at, b.Kind().String(), b.TaskID, b.Op, b.Place, b.Status, int64(b.Bytes), int64(0))
	case *transcript.Message:
		w.messages.add(w.run, seq, agent, at, b.Kind().String(), b.TaskID, b.Op, b.Place, "", int64(b.Bytes), int64(0))
	case *transcript.Output:
		w.messages.add(w.run, seq, agent, at, b.Kind().String(), b.TaskID, b.Op, "", "", int64(b.Bytes), int64(0))
	case *transcript.WakeUp:
		w.messages.add(w.run, seq, agent, at, b.Kind().String(), "", b.Why, "", "", int64(0), b.Prefix)
	case *transcript.UserMessage:
		op := ""
		if b.Dropped {
			op = "dropped"
		}
		w.messages.add(w.run, seq, agent, at, b.Kind().String(), "", op, "", "", int64(b.Bytes), int64(0))
	case *transcript.Handoff:
		w.handoffs.add(w.run, seq, agent, at, int64(b.Activation), b.Verdict, b.Taint, b.Why)
	case *transcript.Finding:
		w.findings.add(w.run, seq, agent, b.Rule, b.Detail)
	case *transcript.Recorded:
		w.recorded(e, b)
	case *transcript.Item:
		w.items.add(w.run, seq, agent, b.Item, b.Outcome, strings.Join(b.Missing, ","))
	}
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// toolKey names a tool use of a run while it runs.
type toolKey struct {
	agent       int32
	call, index int
}

// toolCall is a tool use that has not ended.
type toolCall struct {
	seq, at         int64
	id, name, cause string
}

func (w *Writer) toolCall(e *transcript.Event, b *transcript.ToolCall) {
	w.openTools[toolKey{e.Agent, b.Call, b.Index}] = &toolCall{seq: int64(e.Seq), at: int64(e.At),
		id: b.ID.String(), name: b.Name, cause: b.Cause}
}

// toolResult completes the row of its call. A result without a call, as of a
// tool that the pool does not hold, makes a row of its own.
func (w *Writer) toolResult(e *transcript.Event, b *transcript.ToolResult) {
	key := toolKey{e.Agent, b.Call, b.Index}
	c := w.openTools[key]
	if c == nil {
		c = &toolCall{seq: int64(e.Seq), at: int64(e.At), id: b.ID.String(), name: b.Name}
	}
	delete(w.openTools, key)
	w.toolCalls.add(w.run, c.seq, int64(e.Agent), int64(b.Call), int64(b.Index), c.id, c.name, c.cause, c.at,
		int64(e.Seq), flag(b.IsError), b.RemovedBy, int64(b.Bytes), int64(b.Took))
}
