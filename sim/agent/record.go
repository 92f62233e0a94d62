package agent

import (
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// recorder numbers events and hands them to the sink. Bodies of the frequent
// kinds are reused.
type recorder struct {
	sink     transcript.Sink
	leader   transcript.Leader                       // the sink, if it is one
	saw      []func(ref int32, body transcript.Body) // of those who watch
	kernel   *kernel.Kernel
	seq      uint64
	ev       transcript.Event
	request  transcript.Request
	response transcript.Response
	call     transcript.ToolCall
	result   transcript.ToolResult
	perm     transcript.Permission
	progress transcript.Progress
	stage    transcript.Stage
	start    transcript.AgentStart
	end      transcript.AgentEnd
	listener transcript.Listener
}

func (r *recorder) emit(ref int32, b transcript.Body) {
	r.ev = transcript.Event{Seq: r.seq, At: r.kernel.Now(), Phase: r.kernel.Phase(), Agent: ref, Body: b}
	r.seq++
	r.sink.Emit(&r.ev)
	for _, f := range r.saw {
		f(ref, b)
	}
}

func (r *recorder) gate(name, value string) { r.emit(-1, &transcript.Gate{Name: name, Value: value}) }

func (r *recorder) sent(a *Agent, attempt int) {
	r.request = transcript.Request{
		Call: a.client.calls, Attempt: attempt, Head: a.client.req.Head, Model: a.client.req.Model, Breakpoints: a.client.req.Breakpoints,
		Automatic: a.client.req.Automatic, Expect: a.client.req.Expect, Settings: a.client.req.Settings, MaxTokens: a.client.req.MaxTokens,
	}
	if !a.announced {
		if id := a.ctx.Identity; id != nil {
			r.request.InvokingRequest = id.InvokedBy()
		}
		a.announced = true
	}
	r.emit(a.ref, &r.request)
}

func (r *recorder) answered(a *Agent, attempt int) {
	r.response = transcript.Response{Call: a.client.calls, Attempt: attempt, Resp: &a.client.resp, Head: a.conv.Head, Model: a.client.req.Model}
	r.emit(a.ref, &r.response)
}

func (r *recorder) toolCall(a *Agent, i int, b *llm.Block, cause string) {
	r.call = transcript.ToolCall{Call: a.client.calls - 1, Index: i, ID: b.ID, Name: b.Name, Input: b.Content.Identity(), Cause: cause}
	r.emit(a.ref, &r.call)
}

func (r *recorder) listens(a *Agent, op string, on int32) {
	r.listener = transcript.Listener{Op: op, On: on}
	r.emit(a.ref, &r.listener)
}

func (r *recorder) permission(a *Agent, ev *transcript.Permission) {
	r.perm = *ev
	if m := mateOf(a); ev.Terminal != "" && m.member() {
		r.perm.Badge = m.name
	}
	r.emit(a.ref, &r.perm)
}
