package agent

import (
	"errors"
	"strconv"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// What ends an agent beside its own last word, an abort and an error of the API.
var (
	errMaxTurns  = errors.New("maxTurns")
	errMaxTokens = errors.New("max_tokens")
	errRefused   = errors.New("refusal")
	errPaused    = errors.New("pause_turn")
)

// MaxPauses is how often in a row a paused turn is resent (LOOP-08).
const MaxPauses = 5

// continuation is what the user's side says behind an answer that was cut off.
const continuation = "Your answer reached the limit of output tokens and was cut off. Go on where it stopped."

// turn is the loop of every agent: request, answer, tools, one user message
// with their results, until an answer calls no tool (LOOP-01, LOOP-02).
func (a *Agent) turn(p *kernel.Proc) error {
	for {
		if err := p.Aborted(); err != nil {
			return err
		}
		if a.turns >= a.maxTurns {
			return errMaxTurns
		}
		if a.full() {
			if err := a.compact(p); err != nil {
				return err
			}
		}
		a.req.MaxTokens = a.w.cfg.MaxTokens
		if a.root.takeWarms() {
			a.req.MaxTokens = 0
		}
		if err := a.send(p); err != nil {
			return err
		}
		a.turns++
		answer := a.hear()
		uses := countUses(answer)
		if uses > 0 {
			results, err := a.use(p, answer, uses)
			a.say(results)
			if err != nil {
				return err // what is in the mailbox wakes an interrupted root
			}
		} else {
			a.tellProgress()
		}
		if more, err := a.goesOn(uses); !more || err != nil {
			return err
		}
		if a.resp.Stop != llm.PauseTurn {
			a.deliver()
		}
	}
}

// goesOn reports whether the turn goes on behind an answer (LOOP-08): after
// tool uses; once more after one that was cut off at max_tokens, whose text
// stays; and after a pause, with the content appended, so many times in a row.
func (a *Agent) goesOn(uses int) (bool, error) {
	stop := a.resp.Stop
	if stop != llm.MaxTokens {
		a.cutOff = false
	}
	if stop != llm.PauseTurn {
		a.pauses = 0
	}
	switch {
	case stop == llm.Refusal:
		return false, errRefused
	case stop == llm.PauseTurn && a.pauses == MaxPauses:
		return false, errPaused
	case stop == llm.PauseTurn:
		a.pauses++
		return true, nil
	case stop != llm.MaxTokens || a.req.MaxTokens == 0: // no tokens were asked for (CACHE-46)
		return uses > 0 || a.keptByHook(), nil
	case a.cutOff:
		return false, errMaxTokens
	}
	a.cutOff = true
	if uses == 0 {
		a.say(textMessage(continuation))
	}
	return true, nil
}

// turnsOf is the most turns of an agent: the call's, else the definition's, and
// never more than the run's limit (LOOP-05). 0 stands for none of its own.
func (w *World) turnsOf(call int, d *Definition) int {
	if call == 0 && d != nil {
		call = d.MaxTurns
	}
	if call == 0 {
		return w.cfg.Limits.Turns
	}
	return min(call, w.cfg.Limits.Turns)
}

// send makes one request and tries it again as the retry rule says. It is the
// one place that calls the model.
func (a *Agent) send(p *kernel.Proc) error {
	if err := a.prepare(); err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		a.req.Stream.Attempt = attempt
		a.w.rec.sent(a, attempt)
		err := a.w.cfg.Model.Complete(p, &a.req, &a.resp)
		a.copied()
		if err == nil {
			a.expect(a.resp.Started)
			return nil
		}
		var api *llm.APIError
		if !errors.As(err, &api) {
			a.hungUp(err, attempt)
			return err
		}
		if err := a.retry(p, api, attempt); err != nil {
			return err
		}
	}
}

// hungUp accounts for a call that an abort cut off: what the server did until
// then is billed, and what it wrote can be read by the next call (CON-09).
func (a *Agent) hungUp(why error, attempt int) {
	if !isAbort(why) {
		return
	}
	r := &a.resp
	cut := &llm.APIError{Type: "aborted", Message: why.Error(), Usage: r.Usage, Cache: r.Cache, Started: r.Started, Began: r.Began}
	a.w.rec.emit(a.ref, &transcript.APIError{Call: a.calls, Attempt: attempt, Err: cut, GivesUp: true, Model: a.req.Model})
	a.consume(cut.Usage)
	if cut.Began > 0 {
		a.expect(cut.Started)
	}
	a.calls++
}

// copied accounts for a copy of the request that arrived beside it: the
// client asked once, and is billed twice.
func (a *Agent) copied() {
	r := &a.resp
	if r.Copy == nil {
		return
	}
	attempt := a.req.Stream.Attempt
	a.w.rec.emit(a.ref, &transcript.APIError{Call: a.calls, Attempt: attempt, Err: r.Copy, Model: a.req.Model})
	a.consume(r.Copy.Usage)
	r.Copy = nil
	a.w.rec.sent(a, attempt)
}

// consume books what a call was billed to the agent (SUB-18).
func (a *Agent) consume(u llm.Usage) {
	a.own = a.own.Plus(u)
	a.rolled = a.rolled.Plus(u)
}

// prepare fills the request for the conversation as it stands.
func (a *Agent) prepare() error {
	a.root.apply()
	a.req.Head = a.conv.Head
	a.req.Stream.Call = a.calls
	if limit := a.w.cfg.Limits.Bytes; limit > 0 && llm.CountedBytes(a.req.Head, limit) > limit {
		return &kernel.LimitError{Name: "bytes", Value: limit, Where: a.lineage, Instant: a.w.cfg.Kernel.Now()}
	}
	a.plan.mark(a, &a.req)
	return nil
}

// hear appends the answer to the conversation. One that comes again is dropped:
// its call has been heard.
func (a *Agent) hear() *llm.Msg {
	m := &llm.Msg{Role: llm.Assistant, Blocks: a.resp.Blocks}
	if a.resp.Stop == llm.Refusal && countUses(m) > 0 {
		m.Blocks, a.resp.Head = withoutUses(m.Blocks, nil), nil // nobody will answer them (LOOP-04)
	}
	a.listen(m)
	a.answers++
	a.size = a.last.Total()
	for i := range m.Blocks {
		if m.Blocks[i].Kind == llm.Text && m.Blocks[i].Content.Raw() != "" {
			a.said = m
			a.w.cfg.Stack.Said(a, m.Blocks[i].Content)
			if a.w.cfg.Observer != nil {
				a.w.cfg.Observer.Said(a, m.Blocks[i].Content)
			}
		}
	}
	for range a.resp.Again {
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: "duplicate-delivery", Detail: "the answer of call " + strconv.Itoa(a.calls-1) + " came again and was dropped"})
	}
	return m
}

// listen takes an answer into the conversation and books its call.
func (a *Agent) listen(m *llm.Msg) {
	a.conv.hear(a.w.cfg.Builder, m, a.resp.Head)
	a.w.rec.answered(a, a.req.Stream.Attempt)
	a.consume(a.resp.Usage)
	a.last = a.resp.Usage
	a.meter()
	a.progress.answered(a.resp.Usage)
	a.calls++
}

func countUses(m *llm.Msg) int {
	n := 0
	for i := range m.Blocks {
		if m.Blocks[i].Kind == llm.ToolUse {
			n++
		}
	}
	return n
}

// idle waits at the end of a turn. A notification or a message of the user
// wakes the agent; with nothing outstanding and nothing in the mailbox it has
// ended (CON-17).
func (a *Agent) idle(p *kernel.Proc) error {
	for {
		if m := a.drain(); m != nil {
			a.wake(m)
			return nil
		}
		if a.waiting == 0 && a.root.hasUser() {
			if more, err := a.root.spec.User.Next(p); err != nil {
				return err
			} else if more {
				continue
			}
		}
		if a.waiting == 0 {
			return errEnded
		}
		n, err := a.inbox.Recv(p)
		if err != nil {
			return err
		}
		if m := a.drain(n); m != nil {
			a.wake(m)
			return nil
		}
	}
}

// wake appends what woke the agent as a message of its own.
func (a *Agent) wake(m *wakeMessage) {
	a.w.rec.emit(a.ref, &transcript.WakeUp{Why: m.why, Prefix: a.last.Prompt() + a.last.Output})
	a.take(m, "idle")
}

// expect remembers this request as the one whose prefix the next can read.
func (a *Agent) expect(start instant) {
	a.expects = llm.Expectation{Head: a.req.Head, Start: start, Salts: a.req.Salts, Model: a.req.Model}
	if k := len(a.req.Breakpoints); k > 0 {
		a.expects.Mark, a.expects.TTL = a.req.Breakpoints[k-1].Node, a.req.Breakpoints[k-1].TTL
	} else if a.req.Automatic {
		a.expects.Mark, a.expects.TTL = a.req.Head, a.req.AutoTTL
	}
	a.req.Expect = &a.expects
}

// childLineage names the agent that tool use i (from 0) of this call spawns.
func (a *Agent) childLineage(i int) string {
	return a.lineage + "/" + strconv.Itoa(a.calls) + "." + strconv.Itoa(i+1)
}
