package session

import (
	"encoding/json"

	"agentsim/sim/bridge"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// teller makes lines of a run's events, from where the session was told on. It ends
// the run where the session has to wait.
type teller struct {
	s       *Session
	stop    func()
	stopped bool
	lines   int // so far, told or not
	asked   int // questions
	at      vtime.Instant
	calls   int
	usage   bridge.Usage
	last    string // text of the root's last answer
	agents  map[int32]string
	uses    map[llm.ToolUseID]*llm.Block
}

func sinks(t *teller) []transcript.Sink {
	t.agents, t.uses = map[int32]string{}, map[llm.ToolUseID]*llm.Block{}
	return []transcript.Sink{t}
}

// Emit tells an event.
func (t *teller) Emit(e *transcript.Event) {
	if t.stopped {
		return
	}
	t.at = e.At
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		if b.Parent >= 0 && b.ToolUse != (llm.ToolUseID{}) {
			t.agents[e.Agent] = b.ToolUse.String()
		}
	case *transcript.Request:
		t.request(e, b)
	case *transcript.Response:
		t.response(e, b)
	case *transcript.Permission:
		if b.Decision == permission.Ask.String() {
			t.ask(e, b)
		}
	}
}

// line tells a line unless it was told before.
func (t *teller) line(e *transcript.Event, l bridge.Line) {
	if t.lines++; t.lines <= t.s.told {
		return
	}
	l.At, l.Parent = e.At, t.agents[e.Agent]
	t.s.say(l)
}

// wait ends the run: the session waits for something.
func (t *teller) wait(state string) {
	t.s.wait(state, t.at)
	t.stopped = true
	t.stop()
}

// request tells the results that an agent answers to. One that would go out with a
// token that has ended waits for another one.
func (t *teller) request(e *transcript.Event, b *transcript.Request) {
	if at := e.At.Add(t.s.late); t.lines >= t.s.told && t.s.ends > 0 && at >= t.s.ends {
		t.wait(bridge.Expired)
		return
	}
	var results bridge.Content
	for n := b.Head; n != nil && n.Block != nil && n.Role == llm.User; n = n.Parent {
		if n.Block.Kind == llm.ToolResult {
			results = append(bridge.Content{{Type: "tool_result", Use: n.Block.ID.String(), Content: n.Block.Content.Raw(), IsError: n.Block.IsError}}, results...)
		}
	}
	if b.Call > 0 && len(results) > 0 && b.Attempt == 0 {
		t.line(e, bridge.Line{Type: bridge.User, Message: &bridge.Message{Role: "user", Content: results}})
	}
}

// response tells an answer.
func (t *teller) response(e *transcript.Event, b *transcript.Response) {
	u := b.Resp.Usage
	m := &bridge.Message{Role: "assistant", Usage: &bridge.Usage{Input: u.Input, Write: u.Write5m + u.Write1h, Read: u.Read, Output: u.Output}}
	t.usage = bridge.Usage{Input: t.usage.Input + u.Input, Write: t.usage.Write + m.Usage.Write, Read: t.usage.Read + u.Read, Output: t.usage.Output + u.Output}
	said := ""
	for i := range b.Resp.Blocks {
		switch x := &b.Resp.Blocks[i]; x.Kind {
		case llm.Text:
			said += x.Content.Raw()
			m.Content = append(m.Content, bridge.Block{Type: "text", Text: x.Content.Raw()})
		case llm.ToolUse:
			t.uses[x.ID] = x
			m.Content = append(m.Content, bridge.Block{Type: "tool_use", ID: x.ID.String(), Name: x.Name, Input: json.RawMessage(x.Content.Raw())})
		}
	}
	if t.agents[e.Agent] == "" {
		t.last = said
		t.calls++
	}
	t.line(e, bridge.Line{Type: bridge.Assistant, Message: m})
}

// ask tells a question that was not answered yet, and waits.
func (t *teller) ask(e *transcript.Event, b *transcript.Permission) {
	t.asked++
	q := &bridge.Ask{Subtype: bridge.CanUseTool, Tool: b.Tool, Use: b.ID.String()}
	if x := t.uses[b.ID]; x != nil {
		q.Input = json.RawMessage(x.Content.Raw())
	}
	id := "ask-" + b.ID.String()
	t.line(e, bridge.Line{Type: bridge.ControlRequest, RequestID: id, Request: q})
	if t.asked > len(t.s.answers) {
		t.s.asked, t.s.input = id, string(q.Input)
		t.wait(bridge.Asks)
	}
}
