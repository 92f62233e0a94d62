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
		if a.compaction.due() {
			if err := a.compaction.run(p); err != nil {
				return err
			}
		}
		if more, err := a.record.next(p); !more || err != nil {
			return err
		}
		a.client.req.MaxTokens = a.w.cfg.MaxTokens
		if a.root.takeWarms() {
			a.client.req.MaxTokens = 0
		}
		if err := a.client.send(p); err != nil {
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
			a.progress.tell(a)
		}
		if more, err := a.goesOn(uses); !more || err != nil {
			return err
		}
		if a.client.resp.Stop != llm.PauseTurn {
			a.inbox.deliver()
		}
	}
}

// goesOn reports whether the turn goes on behind an answer (LOOP-08): after
// tool uses; once more after one that was cut off at max_tokens, whose text
// stays; and after a pause, with the content appended, so many times in a row.
func (a *Agent) goesOn(uses int) (bool, error) {
	if a.record != nil {
		return a.record.more(), nil
	}
	stop := a.client.resp.Stop
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
	case stop != llm.MaxTokens || a.client.req.MaxTokens == 0: // no tokens were asked for (CACHE-46)
		return uses > 0 || a.hooks.keep(), nil
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
func (c *Config) turnsOf(call int, d *Definition) int {
	if call == 0 && d != nil {
		call = d.MaxTurns
	}
	if call == 0 {
		return c.Limits.Turns
	}
	return min(call, c.Limits.Turns)
}

// hear appends the answer to the conversation. One that comes again is dropped:
// its call has been heard.
func (a *Agent) hear() *llm.Msg {
	m := &llm.Msg{Role: llm.Assistant, Blocks: a.client.resp.Blocks}
	if a.client.resp.Stop == llm.Refusal && countUses(m) > 0 {
		m.Blocks, a.client.resp.Head = withoutUses(m.Blocks, nil), nil // nobody will answer them (LOOP-04)
	}
	a.listen(m)
	linkOf(a).streams(m)
	a.answers++
	a.compaction.size = a.client.last.Total()
	for i := range m.Blocks {
		if m.Blocks[i].Kind == llm.Text && m.Blocks[i].Content.Raw() != "" {
			a.said = m
			a.w.cfg.Stack.Said(a, m.Blocks[i].Content)
			if a.w.cfg.Observer != nil {
				a.w.cfg.Observer.Said(a, m.Blocks[i].Content)
			}
		}
	}
	for range a.client.resp.Again {
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: "duplicate-delivery", Detail: "the answer of call " + strconv.Itoa(a.client.calls-1) + " came again and was dropped"})
	}
	return m
}

// listen takes an answer into the conversation and books its call.
func (a *Agent) listen(m *llm.Msg) {
	a.conv.hear(a.w.cfg.Builder, m, a.client.resp.Head)
	a.w.rec.answered(a, a.client.req.Stream.Attempt)
	a.spent.add(a.client.resp.Usage)
	a.client.last, a.client.cut = a.client.resp.Usage, llm.Usage{}
	meter(a)
	a.progress.answered(a.client.resp.Usage)
	a.client.calls++
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
		if m := a.inbox.drain(); m != nil {
			a.wake(m)
			return nil
		}
		if a.inbox.waiting == 0 && a.root.hasUser() {
			if more, err := a.root.spec.User.Next(p); err != nil {
				return err
			} else if more {
				continue
			}
		}
		if a.inbox.waiting == 0 {
			return errEnded
		}
		a.mate.rest()
		n, err := a.inbox.box.Recv(p)
		if err != nil {
			return err
		}
		if m := a.inbox.drain(n); m != nil {
			a.wake(m)
			return nil
		}
	}
}

// wake appends what woke the agent as a message of its own.
func (a *Agent) wake(m *wakeMessage) {
	a.w.rec.emit(a.ref, &transcript.WakeUp{Why: m.why, Prefix: a.client.last.Prompt() + a.client.last.Output})
	a.inbox.take(m, "idle")
}

// childLineage names the agent that tool use i (from 0) of this call spawns.
func (a *Agent) childLineage(i int) string {
	return a.lineage + "/" + strconv.Itoa(a.client.calls) + "." + strconv.Itoa(i+1)
}
