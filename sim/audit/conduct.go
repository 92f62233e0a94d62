package audit

import (
	"strings"

	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// conduct is what an agent has done, which its end has to tell.
type conduct struct {
	began   vtime.Instant
	model   string         // of its requests
	stop    llm.StopReason // of its last answer
	answers int            // of its conversation
	size    int64          // tokens of the last of them and its request
	cuts    int            // answers in a row that were cut off
	pauses  int            // and that paused
	stops   []string       // hooks that have heard that it stops
	stopped bool           // by an abort that ends it
	crashed bool
	warms   bool     // its last request asks for no tokens
	hooks   []string // that hear it
	tries   tries
}

// crash is why an agent was aborted whose process is gone: it has failed.
const crash = "crash"

// tries are those of a call.
type tries struct {
	failed bool // the last one has, and is to be made again
	n      int
	due    vtime.Instant
}

// aborted takes in an abort: it ends an agent that is no root, and the waiting for
// another try.
func (d *conduct) aborted(a *agent, why string) {
	d.stopped, d.crashed, d.tries = a.parent != nil, why == crash, tries{}
}

// hooked is ISO-10 for an agent's hooks: those that were added are removed before it
// ends, and what runs was added.
func (d *conduct) hooked(u *ledger, a *agent, b *transcript.Hook) {
	name := b.Event + " " + b.Command
	if b.Op == "add" {
		d.hooks = append(d.hooks, name)
		return
	}
	i := slices.Index(d.hooks, name)
	if u.fails(iso10, i >= 0) {
		u.report(iso10, a, "a hook that was added", b.Op+" of "+name)
		return
	}
	if c := a.recorded(b.ID); b.Op == "run" && c != nil {
		if b.Event == "PreToolUse" {
			c.before = append(c.before, b.Command)
		} else {
			c.after = append(c.after, b.Command)
			c.objects = c.objects || b.Outcome == "block"
		}
	}
	if b.Op == "run" && b.Event == "Stop" {
		d.stops = append(d.stops, b.Command)
		if b.Outcome == "block" && a.spoken.kept == "" {
			a.spoken.kept = defuser.Replace(b.Command + ": " + b.Reason)
		}
	}
	if b.Op == "run" && b.Event == "Stop" && u.fails(def06, len(a.uses) == 0) {
		u.report(def06, a, "no "+name+" before its tools have run", "one")
	}
	if b.Op == "remove" {
		d.hooks = slices.Delete(d.hooks, i, i+1)
	}
}

// failed is LOOP-06 for a call that failed: it is made again if the error passes and
// not too many tries were made, and not before the server asks for it.
func (d *conduct) failed(u *ledger, a *agent, b *transcript.APIError) {
	e := b.Err
	if e.Type == "aborted" || e.Type == "duplicate_request" { // which is no try of the client's
		d.tries = tries{}
		return
	}
	passes := e.Status == 0 || e.Status == 408 || e.Status == 409 || e.Status == 429 || e.Status >= 500
	if s := u.opt.Session; s != nil {
		if u.fails(loop06, b.GivesUp == (!passes || b.Attempt >= s.Retries)) {
			u.report(loop06, a, "another try of what passes, up to "+decimal(int64(s.Retries)), "error "+decimal(int64(e.Status))+" in try "+decimal(int64(b.Attempt))+", gives up: "+word(b.GivesUp))
		}
	}
	waits(u, a, b)
	d.tries = tries{!b.GivesUp, b.Attempt, u.now.Add(max(b.RetryIn, e.RetryAfter))}
}

// sends is LOOP-06 for a call, and ISO-03 for an agent that was stopped.
func (d *conduct) sends(u *ledger, a *agent, b *transcript.Request) {
	if d.stopped && u.fails(iso03, false) {
		u.report(iso03, a, "no request after an abort", "one")
	}
	if u.fails(sub09, b.Model == d.model || a.last.resettled) {
		u.report(sub09, a, "a request of model "+d.model, b.Model)
	}
	if p := a.parent; p != nil && p.life != nil && u.fails(iso03, (a.listens == nil) == a.background) {
		u.report(iso03, a, "to listen to its parent as long as that waits for it", "waited for: "+word(!a.background)+", listens: "+word(a.listens != nil))
	}
	t := &d.tries
	if !t.failed && b.Attempt == 0 {
		d.goesOn(u, a, b.Head)
		return
	}
	if u.fails(loop06, t.failed && b.Attempt == t.n+1 && u.now == t.due) {
		u.report(loop06, a, "try "+decimal(int64(t.n+1))+" at "+t.due.String(), "try "+decimal(int64(b.Attempt)))
	}
	*t = tries{}
}

// answered takes in an answer of the conversation.
func (d *conduct) answered(r *llm.Response) {
	d.stop, d.size = r.Stop, r.Usage.Total()
	d.answers++
	d.stops = d.stops[:0]
	if d.cuts++; r.Stop != llm.MaxTokens || d.warms {
		d.cuts = 0
	}
	if d.pauses++; r.Stop != llm.PauseTurn {
		d.pauses = 0
	}
}

// ended holds an agent's end against what it has done.
func (d *conduct) ended(u *ledger, a *agent, b *transcript.AgentEnd) {
	if u.fails(iso10, len(d.hooks) == 0) {
		u.report(iso10, a, "its hooks removed", d.hooks[0])
	}
	if u.fails(loop08, b.Turns == d.answers && b.ToolUses == a.progress.uses) {
		u.report(loop08, a, decimal(int64(d.answers))+" answers and "+decimal(int64(a.progress.uses))+" tool uses", decimal(int64(b.Turns))+" and "+decimal(int64(b.ToolUses)))
	}
	spent := a.facts.MaxTurns > 0 && a.turns >= a.facts.MaxTurns
	if u.fails(loop05, b.Status != transcript.EndMaxTurns || spent) {
		u.report(loop05, a, "no end for want of turns before "+decimal(int64(a.facts.MaxTurns)), "one after "+decimal(int64(a.turns)))
	}
	a.former.size, a.former.count = a.window.size, a.count
	want := d.status(a)
	if want == transcript.EndCompleted && a.facts.Source == "agent:builtin:verification" {
		if want = verdict(a.lastText()); want != "" && u.fails(ver01, b.Status == want) {
			u.report(ver01, a, "status "+string(want)+" of a verification that ends so", string(b.Status))
		}
		want = ""
	}
	if spent && b.Status == transcript.EndMaxTurns {
		want = ""
	}
	if want != "" && u.fails(loop08, b.Status == want) {
		u.report(loop08, a, "status "+string(want), string(b.Status))
	}
}

// status is how an agent ends by what it has done, "" where that leaves it open.
func (d *conduct) status(a *agent) transcript.Ending {
	switch {
	case d.crashed:
		return transcript.EndFailed
	case d.stopped:
		return transcript.EndKilled
	case a.gaveUp:
		return transcript.EndFailed
	case d.stop == llm.Refusal:
		return transcript.EndRefused
	case d.stop == llm.EndTurn && !a.cutting:
		return transcript.EndCompleted
	case d.cuts >= 2:
		return transcript.EndMaxTokens
	case d.pauses > mostPauses:
		return transcript.EndPaused
	case d.cuts == 1 && a.parent != nil:
		return "no end: it goes on once"
	}
	return ""
}

// verdict is how a verification ends by its last text: completed with PASS in a line of
// its own, failed without a verdict. What FAIL and PARTIAL have to show is not looked at.
func verdict(text string) transcript.Ending {
	before, last := "", strings.TrimRight(text, " \t\n")
	if i := strings.LastIndexByte(last, '\n'); i >= 0 {
		before, last = last[:i+1], last[i+1:]
	}
	switch {
	case last == "VERDICT: PASS" && !strings.Contains(before, "VERDICT:"):
		return transcript.EndCompleted
	case last == "VERDICT: FAIL", last == "VERDICT: PARTIAL", strings.Contains(before, "VERDICT:"):
		return ""
	}
	return transcript.EndFailed
}

// compacted is LOOP-07 for a history that becomes a summary: it was full.
func (d *conduct) compacted(u *ledger, a *agent, b *transcript.Compact) {
	if s := u.opt.Session; s != nil && s.Full != nil && u.fails(loop07, b.FullAt == s.Full(a.last.model)) {
		u.report(loop07, a, "a window that is full from "+decimal(s.Full(a.last.model))+" tokens on", decimal(b.FullAt))
	}
	if front := border(a.seen); u.fails(loop07, b.Blocks == int(a.seen.Pos-front.Pos) && b.Bytes == a.seen.Bytes-front.Bytes) {
		u.report(loop07, a, decimal(int64(a.seen.Pos-front.Pos))+" blocks gone of "+decimal(a.seen.Bytes-front.Bytes)+" bytes", decimal(int64(b.Blocks))+" of "+decimal(b.Bytes))
	}
	if u.fails(loop07, b.Tokens == d.size && b.Tokens >= b.FullAt) {
		u.report(loop07, a, "a history of "+decimal(d.size)+" tokens that is full from "+decimal(b.FullAt)+" on", decimal(b.Tokens)+" tokens")
	}
}
