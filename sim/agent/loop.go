package agent

import (
	"errors"
	"strconv"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
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
// with their results, until an answer calls no tool (LOOP-01, LOOP-02). What is common
// is done by steps, which wait for the clock alone; what is rare, by the process.
type turn struct {
	of   *Agent
	rec  *recorder // of its world, and
	ref  int32     // the agent's: what is needed of it before it is there
	at   phase
	err  error      // with which it is over, or an attempt has failed
	n    int        // tool uses of the answer
	uses []toolUse  // those, while they run
	room [1]toolUse // for them
}

// phase is where a turn goes on.
type phase uint8

const (
	asks     phase = iota // whether there is to be another request
	compacts              // the history is to become a summary first
	recalls               // a recorded call may have to be waited for
	sends                 // the request
	called                // the request is under way
	failed                // an attempt brought no answer
	answered              // there is an answer
	acts                  // its tool uses are to run
	runs                  // its only tool use runs
	done                  // all that the answer asked for
	over
)

// run takes the turn to its end.
func (t *turn) run(p *kernel.Proc) error {
	for t.at = asks; ; {
		if err := p.Steps((*steps)(t.of.life)); err != nil {
			return t.aborted(p, err)
		}
		if t.at == over {
			return t.err
		}
		if err := t.rare(p); err != nil {
			return err
		}
	}
}

// Step goes on from the instant that it asked for, as kernel.Stepper has it.
func (t *turn) Step() (until vtime.Instant, more bool) {
	for {
		switch t.at {
		case asks:
			t.ask()
		case recalls:
			if t.of.record != nil {
				return 0, false
			}
			t.at = sends
		case sends:
			if t.err = t.send(); t.err == nil {
				t.at = called
				return t.of.client.call.Ends(), true
			}
		case called:
			if t.at, t.err = answered, t.of.client.end(); t.err != nil {
				t.at = failed
			}
		case answered:
			if t.hear(); t.at == runs && t.uses[0].ends() > t.of.w.cfg.Kernel.Now() {
				return t.uses[0].ends(), true
			}
		case runs:
			t.uses[0].done()
			t.tell(nil)
		case done:
			t.decide()
		default:
			return 0, false
		}
	}
}

// rare does what takes the process.
func (t *turn) rare(p *kernel.Proc) (err error) {
	a := t.of
	switch t.at {
	case compacts:
		err = a.compaction.run(p)
		t.at = recalls
	case recalls:
		var more bool
		if more, err = a.record.next(p); err == nil && !more {
			t.end(nil)
			return nil
		}
		t.at = sends
	case failed:
		err = a.client.goOn(p, t.err)
		t.at = answered
	case acts:
		err = a.use(p, t.uses)
		t.tell(err) // what is in the mailbox wakes an interrupted root
	}
	return err
}

// aborted ends the turn where an abort finds it.
func (t *turn) aborted(p *kernel.Proc, why error) error {
	switch t.at {
	case called:
		return t.of.client.goOn(p, t.of.client.abandon(why))
	case runs:
		cutOff(t.uses, p.Now(), why)
		t.uses[0].done()
		t.tell(why)
	}
	return why
}

func (t *turn) end(err error) { t.at, t.err = over, err }

// ask says whether there is to be another request, and what comes before it.
func (t *turn) ask() {
	a := t.of
	switch err := a.proc.Aborted(); {
	case err != nil:
		t.end(err)
	case a.turns >= a.maxTurns:
		t.end(errMaxTurns)
	case a.compaction.due():
		t.at = compacts
	default:
		t.at = recalls
	}
}

// send sends the next request, and says what is wrong with it or how it has failed.
func (t *turn) send() error {
	a := t.of
	a.client.req.MaxTokens = a.w.cfg.MaxTokens
	if a.root.takeWarms() {
		a.client.req.MaxTokens = 0
	}
	if err := a.client.prepare(); err != nil {
		t.at = over
		return err
	}
	t.at = failed
	return a.client.begin(0)
}

// hear takes the answer in and starts its tool use, where it has one that waits for the
// clock alone.
func (t *turn) hear() {
	a := t.of
	a.turns++
	a.ctx.Files.Lead()
	answer := a.hear()
	if t.n = countUses(answer); t.n == 0 {
		a.progress.tell(a)
		t.at = done
		return
	}
	room := t.room[:0]
	if t.n > len(t.room) {
		room = make([]toolUse, 0, t.n)
	}
	t.uses = a.listUses(answer, room)
	if t.at = acts; t.n == 1 && t.uses[0].starts() {
		t.at = runs
	}
}

// tell appends the results of the tool uses; err is the abort that cut them off.
func (t *turn) tell(err error) {
	a := t.of
	results := resultsOf(t.uses, err)
	clear(t.uses)
	t.uses = nil
	insert(a)
	a.say(results)
	t.at = done
}

// decide says whether the turn goes on.
func (t *turn) decide() {
	a := t.of
	more, err := a.goesOn(t.n)
	if !more || err != nil {
		t.end(err)
		return
	}
	if a.client.resp.Stop != llm.PauseTurn {
		a.inbox.deliver()
	}
	t.at = asks
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
