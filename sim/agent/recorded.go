package agent

import (
	"fmt"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Recorded is what an agent of a recorded session does: it makes these calls, at
// these instants, whatever comes back, and ends.
type Recorded struct {
	Calls []RecordedCall
}

// RecordedCall is one call of a recorded agent.
type RecordedCall struct {
	At     vtime.Instant
	TTL    llm.TTL
	Begins *RecordedHead  // the conversation begins anew behind it; nil goes on
	From   *RecordedPlace // the conversation goes on from there, where that is not the call before
	Says   *llm.Payload   // what the user's side says where no result of a tool comes
	Uses   []RecordedUse  // of its answer
	// Hidden is when the client sends a request of its own in front of this call; 0
	// for never. Left is what stands in front of that where the conversation begins anew.
	Hidden vtime.Instant
	Left   *llm.Payload
}

// RecordedHead is what stands in front of a conversation.
type RecordedHead struct {
	Model string
	Text  string
}

// RecordedPlace is what a call sent.
type RecordedPlace struct {
	Lineage string
	Call    int // from 0
}

// RecordedUse is the result of a tool use.
type RecordedUse struct {
	tool.Result
	Took   vtime.Duration
	Spawns bool // it starts an agent, whose result is what that one says
}

// record is where a recorded agent is in its calls.
type record struct {
	of   *Agent
	told *Recorded
	sent []Conversation // with each of its requests
	plan [2]Plan        // by lifetime
}

// follow makes an agent do what was recorded of it, if anything was.
func follow(a *Agent) {
	told := a.w.cfg.Recorded[a.lineage]
	if told == nil {
		return
	}
	a.record = &record{of: a, told: told}
	for ttl := range a.record.plan {
		a.record.plan[ttl] = Plan{Name: PlanAgent, TTL: llm.TTL(ttl), Fourth: true}
	}
	a.w.records[a.lineage] = a.record
	a.maxTurns, a.compaction.fullAt = len(told.Calls)+1, 0
}

// next prepares the next recorded call and waits for its instant. It reports whether
// there is one; of an agent of which nothing was recorded there always is.
func (r *record) next(p *kernel.Proc) (bool, error) {
	if r == nil {
		return true, nil
	}
	a := r.of
	if !r.more() {
		return false, nil
	}
	c := &r.told.Calls[a.client.calls]
	if err := r.goOnFrom(c); err != nil {
		return false, err
	}
	a.plan = &r.plan[c.TTL]
	if c.Hidden > 0 {
		if err := r.aside(p, c); err != nil {
			return false, err
		}
	}
	if err := p.SleepUntil(max(c.At, p.Now())); err != nil {
		return false, err
	}
	if a.conv.Last == nil || a.conv.Last.Role == llm.Assistant || c.Begins != nil || c.From != nil || c.Hidden > 0 {
		m := &llm.Msg{Role: llm.User, Blocks: []llm.Block{{Kind: llm.Text, Content: c.Says}}}
		if a.root != nil && a.client.calls > 0 {
			a.w.rec.emit(a.ref, &transcript.UserMessage{Bytes: bytesOf(m.Blocks)})
		}
		a.say(m)
	}
	r.sent = append(r.sent, a.conv)
	return true, nil
}

// aside waits for the instant of a request of the client's own and sends it.
func (r *record) aside(p *kernel.Proc, c *RecordedCall) error {
	a := r.of
	if err := p.SleepUntil(max(c.Hidden, p.Now())); err != nil {
		return err
	}
	if c.Left != nil {
		a.say(&llm.Msg{Role: llm.User, Blocks: []llm.Block{{Kind: llm.Text, Content: c.Left}}})
	}
	return a.askHidden(hiddenSource)(p)
}

// more reports whether a call is left to be made.
func (r *record) more() bool { return r.of.client.calls < len(r.told.Calls) }

// goOnFrom puts the conversation where the recorded one went on from.
func (r *record) goOnFrom(c *RecordedCall) error {
	a := r.of
	switch {
	case c.Begins != nil:
		a.front = a.w.recordedFront(a, c.Begins)
		a.conv = Conversation{Prefix: a.front.prefix, Border: a.front.border, Head: a.front.border, Repl: a.conv.Repl}
		a.client.set(a.front.prefix.Settings)
		a.client.req.Model = c.Begins.Model
		a.client.req.Expect = nil
		if a.client.calls > 0 {
			a.w.rec.emit(a.ref, &transcript.Rebase{Why: "recorded", Position: a.front.border.Pos + 1})
		}
	case c.From != nil:
		of := a.w.records[c.From.Lineage]
		if of == nil || c.From.Call >= len(of.sent) {
			return fmt.Errorf("%s goes on from call %d of %s, which has not been made by %s: give it a later instant", a.lineage, c.From.Call+1, c.From.Lineage, a.w.cfg.Kernel.Now())
		}
		a.conv = of.sent[c.From.Call]
		a.conv.Repl = a.ctx.Replacements
		a.front = &rendered{prefix: a.conv.Prefix}
		a.front.render(a.w.cfg.Builder)
		a.client.set(a.conv.Prefix.Settings)
		a.client.req.Model = a.conv.Prefix.Scope.Model
		a.client.expects = llm.Expectation{Mark: a.conv.Head}
		a.client.req.Expect = &a.client.expects
		a.w.rec.emit(a.ref, &transcript.Rebase{Why: "recorded", Position: a.conv.Head.Pos + 1})
	}
	return nil
}

// recordedFront is the head of a recorded conversation: one system block, which
// agents share whose heads are alike.
func (w *World) recordedFront(a *Agent, h *RecordedHead) *rendered {
	if w.noTools == nil {
		w.noTools = &Pool{Pool: &tool.Pool{}}
	}
	return w.head(headKey{pool: w.noTools, memory: h.Text, model: h.Model, workspace: a.front.prefix.Scope.Workspace, settings: a.front.prefix.Settings},
		&frontText{system: []string{h.Text}, static: 1})
}

// result is what was recorded of a tool use; nil of an agent of which nothing was
// recorded, and of a use that starts an agent. What is left of the time until the
// next call bounds how long it takes.
func (r *record) result(u *toolUse, now vtime.Instant) *tool.Result {
	if r == nil {
		return nil
	}
	n := r.of.client.calls - 1
	uses := r.told.Calls[n].Uses
	if u.index >= len(uses) || uses[u.index].Spawns {
		return nil
	}
	u.took = uses[u.index].Took
	if n+1 < len(r.told.Calls) {
		u.took = max(0, min(u.took, r.told.Calls[n+1].At.Sub(now)))
	}
	return &uses[u.index].Result
}
