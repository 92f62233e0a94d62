package agent

import (
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// toolUse is one tool use of an answer while it runs.
type toolUse struct {
	call
	said    *llm.Block // as the model wrote it
	tool    *tool.Tool // nil when the pool does not hold it
	safe    bool       // may run beside its safe neighbours
	result  tool.Result
	pending waiting // for its result
	began   vtime.Instant
	took    vtime.Duration
	layer   string
	unheard bool        // no hook hears its end
	ran     bool        // on the agent's environment, in the full stack
	saw     tool.Change // of what it has read
	dir     string      // where the shell stands afterwards
	wrote   []logged    // what it changed
	alone   bool        // it runs beside no other
	vetted  bool        // all that settles it before a decision was looked at
	from    int         // where the log of its tree's changes was
	via     string      // how its prompt came to the lead of a team
}

// ends is when a tool that ran comes to its end.
func (u *toolUse) ends() vtime.Instant { return u.began.Add(u.took) }

// oneResult is a message with room for one block: the common case is one
// allocation.
type oneResult struct {
	msg   llm.Msg
	block [1]llm.Block
}

func resultMessage(n int) *llm.Msg {
	if n == 1 {
		m := &oneResult{}
		m.msg.Role, m.msg.Blocks = llm.User, m.block[:0]
		return &m.msg
	}
	return &llm.Msg{Role: llm.User, Blocks: make([]llm.Block, 0, n)}
}

// use runs the tool uses of an answer. Neighbours that are safe run as a group, others
// alone (LOOP-03).
func (a *Agent) use(p *kernel.Proc, uses []toolUse) (err error) {
	for i := 0; i < len(uses) && err == nil; {
		j := i + 1
		for uses[i].safe && j < len(uses) && uses[j].safe {
			j++
		}
		err = a.group(p, uses[i:j])
		i = j
	}
	return err
}

// resultsOf is the user message with one result for each tool use, in their order
// (LOOP-02, LOOP-04). After an abort, which is why, it is whole all the same: what did
// not run says so.
func resultsOf(uses []toolUse, why error) *llm.Msg {
	out := resultMessage(len(uses))
	for i := range uses {
		u := &uses[i]
		if u.result.Content == nil {
			u.unheard = true
			u.result = failure("Interrupted before it ran: " + why.Error() + ".")
			u.done()
		}
		out.Blocks = append(out.Blocks, llm.Block{Kind: llm.ToolResult, ID: u.block.ID, Content: u.result.Content, IsError: u.result.IsError})
	}
	for i := range uses {
		out.Blocks = append(out.Blocks, uses[i].result.Behind...)
	}
	return out
}

// listUses lists the tool uses of an answer.
func (a *Agent) listUses(answer *llm.Msg, uses []toolUse) []toolUse {
	for i := range answer.Blocks {
		b := &answer.Blocks[i]
		if b.Kind != llm.ToolUse {
			continue
		}
		cause := ""
		if i < len(a.client.resp.Causes) {
			cause = a.client.resp.Causes[i]
			if cause == CauseStale {
				a.rework++
			}
			obeys(a, cause, b)
		}
		a.w.rec.toolCall(a, len(uses), b, cause)
		t := toolOf(a, b.Name)
		a.progress.used(b)
		uses = append(uses, toolUse{call: call{by: a, answer: answer, block: b, index: len(uses)}, said: b, tool: t, safe: a.record != nil || t != nil && t.SafeFor(b.Content) && !a.w.cfg.Stack.InTurn(t)})
	}
	a.toolUses += len(uses)
	a.progress.tell(a)
	return uses
}

// CauseInjected opens the cause of a tool use by which a model obeys an injected
// instruction; the name of the injection follows.
const CauseInjected = "injection:"

// RuleObeyed is the rule of the finding that an agent obeyed an injection.
const RuleObeyed = "injection-obeyed"

// obeys records a tool use by which an agent obeys an injection.
func obeys(a *Agent, cause string, use *llm.Block) {
	if taint, ok := strings.CutPrefix(cause, CauseInjected); ok {
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: RuleObeyed, Detail: taint + ": " + use.Name + " " + use.Content.Raw()})
	}
}

// CauseStale is the cause of a tool use that repeats another because a file has
// changed since.
const CauseStale = "stale"

// group starts tool uses, each once the user has answered for it, and waits until
// all are done. One whose prompt an abort takes away, and those behind it, have not
// run.
func (a *Agent) group(p *kernel.Proc, uses []toolUse) error {
	var err error
	known, k := len(a.w.agents), 0
	for ; k < len(uses) && err == nil; k++ {
		u := &uses[k]
		u.began = p.Now()
		if f := firstError(uses[:k]); f != nil && f.ends() <= u.began { // while a prompt stood
			u.cancel(u.began)
			continue
		}
		u.alone = len(uses) == 1
		if err = u.start(p); err != nil && u.result.Content == nil {
			break
		}
		if asked := p.Now(); asked > u.began {
			u.took += asked.Sub(u.began) // the user's time is part of the call's
		}
	}
	started := uses[:k]
	holdSiblings(a, a.w.agents[known:])
	cancelSiblings(started)
	if err == nil {
		err = await(p, started)
	}
	if err != nil {
		_ = joinLinked(p, started) // the abort is what counts
		cutOff(started, p.Now(), err)
	}
	for i := range started {
		started[i].done()
	}
	return err
}

// cutOff ends the tools that an abort finds running. What they have read is forgotten;
// what acts on agents has done so.
func cutOff(uses []toolUse, now vtime.Instant, why error) {
	for i := range uses {
		u := &uses[i]
		if u.pending != nil || u.by.record != nil || u.ends() <= now {
			continue
		}
		u.took = now.Sub(u.began)
		if u.ran {
			u.by.ctx.Files.Undo(u.saw)
			u.result, u.unheard = interrupted(why), true
		}
	}
}

// siblingError is the result of a tool use that was cancelled with its group.
const siblingError = "<tool_use_error>Sibling tool call errored</tool_use_error>"

// firstError is the tool of a group that is the first to end with an error, of those
// that do at one instant the first in order; nil for none. Agents are apart: the
// failure of one reaches no other.
func firstError(uses []toolUse) (first *toolUse) {
	for i := range uses {
		if u := &uses[i]; u.ran && u.result.IsError && (first == nil || u.ends() < first.ends()) {
			first = u
		}
	}
	return first
}

// cancelSiblings cancels the tools of a group that still run when the first of them
// errs, at its instant those behind it (TSK-11). What they have read is forgotten.
func cancelSiblings(uses []toolUse) {
	first := firstError(uses)
	if first == nil {
		return
	}
	for i := len(uses) - 1; i >= 0; i-- {
		u := &uses[i]
		if u.ran && (u.ends() > first.ends() || u.ends() == first.ends() && u.index > first.index) {
			u.by.ctx.Files.Undo(u.saw)
			u.cancel(first.ends())
		}
	}
}

// cancel ends a tool use at an instant with the error of another one.
func (u *toolUse) cancel(at vtime.Instant) {
	u.result, u.took, u.unheard = failure(siblingError), at.Sub(u.began), true
}

// await waits until every result is there and the time of the tools is over.
func await(p *kernel.Proc, uses []toolUse) error {
	until := p.Now()
	for i := range uses {
		until = max(until, uses[i].ends())
	}
	if err := awaitServers(p, uses); err != nil {
		return err
	}
	for i := range uses {
		if w := uses[i].pending; w != nil {
			if err := w.wait(p); err != nil {
				return err
			}
		}
	}
	if until > p.Now() {
		return p.SleepUntil(until)
	}
	return nil
}

// joinLinked waits, shielded, for the processes that hear the abort at this
// instant; their ends come first. The error is that one of them outlived the
// shield.
func joinLinked(p *kernel.Proc, uses []toolUse) error {
	var procs []*kernel.Proc
	for i := range uses {
		if w := uses[i].pending; w != nil && w.linked() != nil {
			procs = append(procs, w.linked())
		}
	}
	if len(procs) == 0 {
		return nil
	}
	return p.Shield(shieldDeadline, func() error { return p.Join(procs...) })
}

// shieldDeadline bounds how long an aborted agent waits for its children.
const shieldDeadline = 5 * vtime.Second

// start runs a tool use as far as it goes without waiting, but for the user's
// answer to a prompt and for what runs alone. The error is an abort that came meanwhile;
// where it cut the tool off there is a result.
func (u *toolUse) start(p *kernel.Proc) error {
	if !u.vetted && u.settled() {
		return nil
	}
	ask, denied := u.decide()
	if ask != nil {
		var err error
		if denied, err = u.prompt(p, ask); err != nil {
			return err
		}
	}
	switch {
	case denied != nil:
		u.result, u.unheard = *denied, true
	case u.tool.Handled:
		u.result, u.pending = u.by.w.handlers[u.tool.CanonicalName()].start(p, u.call)
		u.took = u.time()
	case !u.idle():
		return u.perform(p)
	}
	return nil
}

// starts runs a tool use that is its answer's only one and waits for the clock alone, if
// it is such a use: nobody is asked about it, and it acts on the agent's environment at
// once. What was found out of any other one stays with it.
func (u *toolUse) starts() bool {
	if u.tool != nil && (u.tool.Handled || u.runsAlone()) {
		return false
	}
	u.began = u.by.w.cfg.Kernel.Now()
	if u.settled() {
		return true
	}
	u.vetted = true
	ask, denied := u.decide()
	switch {
	case ask != nil:
		return false
	case denied != nil:
		u.result, u.unheard = *denied, true
	case !u.idle():
		u.equip()
		u.apply()
	}
	return true
}

// settled reports whether a tool use has its result before anybody decides about it.
func (u *toolUse) settled() bool {
	a := u.by
	if r := a.record.result(u, a.w.cfg.Kernel.Now()); r != nil {
		u.result = *r
		return true
	}
	if u.tool == nil {
		u.layer = string(a.ctx.Pool.RemovedBy(u.block.Name))
		u.result = a.ctx.Pool.unavailable(u.block.Name, u.layer)
		return true
	}
	if u.stoppedByHook() {
		return true
	}
	if v, ok := a.w.handlers[u.tool.CanonicalName()].(vetted); ok {
		if bad := v.refuse(u.call); bad != nil {
			u.result, u.unheard = *bad, true
			return true
		}
	}
	return false
}

// idle gives a tool use that does nothing its result, and reports whether it is one.
func (u *toolUse) idle() bool {
	if u.tool.Run == nil {
		u.result = failure("The tool " + u.tool.Name + " does nothing in this world.")
		return true
	}
	if gone := u.by.w.refresh(u.tool.Name, u.block); gone != nil {
		u.result, u.took = *gone, u.time()
		return true
	}
	return false
}

// unavailable answers a call of a tool that the pool does not hold (FLT-09).
func (p *Pool) unavailable(name, layer string) tool.Result {
	text := "No such tool available: " + name + "."
	switch {
	case tool.Find(p.Deferred, name) != nil:
		text = "The definition of " + name + " was not sent: call " + tool.SearchName + ` with the query "` + tool.Select + name + `" first.`
	case layer != "":
		text = "The tool " + name + " is not available to this agent (removed by " + layer + ")."
	}
	return failure(text + " Available: " + strings.Join(p.Names, ", ") + ".")
}

func failure(text string) tool.Result {
	return tool.Result{Content: llm.NewText(llm.Prose, text), IsError: true}
}

// done completes a tool use: one that waited has its result now.
func (u *toolUse) done() {
	if u.pending != nil {
		var ended vtime.Instant
		u.result, ended = u.pending.ended()
		u.took = ended.Sub(u.began)
	}
	u.heardByHooks()
	bytes := 0
	if u.result.Content != nil {
		bytes = len(u.result.Content.Raw())
	}
	rec := &u.by.w.rec
	rec.result = transcript.ToolResult{Call: u.by.client.calls - 1, Index: u.index, ID: u.block.ID, Name: u.block.Name,
		IsError: u.result.IsError, RemovedBy: u.layer, Bytes: bytes, Took: u.took, Dir: u.dir, Wrote: u.files()}
	if u.block != u.said {
		rec.result.Ran = u.block.Content.Identity()
	}
	rec.emit(u.by.ref, &rec.result)
}
