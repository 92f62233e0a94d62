package agent

import (
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// running is one tool use of an answer while it runs.
type running struct {
	block   *llm.Block
	n       int32      // which of the answer's it is
	tool    *tool.Tool // nil when the pool does not hold it
	safe    bool       // may run beside its safe neighbours
	result  tool.Result
	child   *Agent // a synchronous agent to wait for
	spawned *Agent // the agent it spawned, synchronous or not
	began   vtime.Instant
	took    vtime.Duration
	layer   string
	unheard bool        // no hook hears its end
	ran     bool        // on the agent's environment, in the full stack
	saw     tool.Change // of what it has read
	dir     string      // where the shell stands afterwards
	wrote   int         // files that it changed
}

// ends is when a tool that ran comes to its end.
func (r *running) ends() vtime.Instant { return r.began.Add(r.took) }

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

// use runs the tool uses of an answer and returns the user message with one
// result each, in their order (LOOP-02, LOOP-04). Neighbours that are safe run
// as a group, others alone (LOOP-03). After an abort the message is whole all
// the same: what did not run says so.
func (a *Agent) use(p *kernel.Proc, answer *llm.Msg, n int) (*llm.Msg, error) {
	out := resultMessage(n)
	var buf [2]running
	runs := a.listUses(answer, buf[:0])
	var err error
	for i := 0; i < len(runs) && err == nil; {
		j := i + 1
		for runs[i].safe && j < len(runs) && runs[j].safe {
			j++
		}
		err = a.group(p, answer, runs, i, j)
		i = j
	}
	for i := range runs {
		r := &runs[i]
		if r.result.Content == nil {
			r.unheard = true
			r.result = failure("Interrupted before it ran: " + err.Error() + ".")
			a.done(r, i)
		}
		out.Blocks = append(out.Blocks, llm.Block{Kind: llm.ToolResult, ID: r.block.ID, Content: r.result.Content, IsError: r.result.IsError})
	}
	return out, err
}

// listUses lists the tool uses of an answer.
func (a *Agent) listUses(answer *llm.Msg, runs []running) []running {
	for i := range answer.Blocks {
		b := &answer.Blocks[i]
		if b.Kind != llm.ToolUse {
			continue
		}
		cause := ""
		if i < len(a.resp.Causes) {
			cause = a.resp.Causes[i]
			if cause == CauseStale {
				a.rework++
			}
			a.obeys(cause, b)
		}
		a.w.rec.toolCall(a, len(runs), b, cause)
		t := a.ctx.Pool.Find(b.Name)
		a.progress.used(b)
		runs = append(runs, running{block: b, n: int32(len(runs)), tool: t, safe: t != nil && t.SafeFor(b.Content) && !a.oneByOne(t)})
	}
	a.toolUses += len(runs)
	a.tellProgress()
	return runs
}

// oneByOne reports whether calls of a tool wait for each other although they may
// run side by side: those that start sub-agents, in the minimal stack (MIN-06).
func (a *Agent) oneByOne(t *tool.Tool) bool {
	m := a.w.cfg.Minimal
	return m != nil && !m.SideBySide && t.CanonicalName() == tool.AgentName
}

// CauseStale is the cause of a tool use that repeats another because a file has
// changed since.
const CauseStale = "stale"

// group starts tool uses i to j-1, each once the user has answered for it, and
// waits until all are done. One whose prompt an abort takes away, and those
// behind it, have not run.
func (a *Agent) group(p *kernel.Proc, answer *llm.Msg, runs []running, i, j int) error {
	var err error
	k := i
	for ; k < j && err == nil; k++ {
		r := &runs[k]
		r.began = p.Now()
		if f := firstError(runs[i:k]); f != nil && f.ends() <= r.began { // while a prompt stood
			r.cancel(r.began)
			continue
		}
		if err = a.start(p, answer, r, k); err != nil {
			break
		}
		if asked := p.Now(); asked > r.began {
			r.took += asked.Sub(r.began) // the user's time is part of the call's
		}
	}
	started := runs[i:k]
	a.stagger(started)
	a.cancelSiblings(started)
	if err == nil {
		err = a.await(p, started)
	}
	if err != nil {
		_ = a.joinLinked(p, started) // the abort is what counts
	}
	for x := range started {
		a.done(&started[x], i+x)
	}
	return err
}

// siblingError is the result of a tool use that was cancelled with its group.
const siblingError = "<tool_use_error>Sibling tool call errored</tool_use_error>"

// firstError is the tool of a group that is the first to end with an error, of those
// that do at one instant the first in order; nil for none. Agents are apart: the
// failure of one reaches no other.
func firstError(runs []running) (first *running) {
	for i := range runs {
		if r := &runs[i]; r.ran && r.result.IsError && (first == nil || r.ends() < first.ends()) {
			first = r
		}
	}
	return first
}

// cancelSiblings cancels the tools of a group that still run when the first of them
// errs, at its instant those behind it (TSK-11). What they have read is forgotten.
func (a *Agent) cancelSiblings(runs []running) {
	first := firstError(runs)
	if first == nil {
		return
	}
	for i := len(runs) - 1; i >= 0; i-- {
		r := &runs[i]
		if r.ran && (r.ends() > first.ends() || r.ends() == first.ends() && r.n > first.n) {
			a.ctx.Files.Undo(r.saw)
			r.cancel(first.ends())
		}
	}
}

// cancel ends a tool use at an instant with the error of another one.
func (r *running) cancel(at vtime.Instant) {
	r.result, r.took, r.unheard = failure(siblingError), at.Sub(r.began), true
}

// await waits until every synchronous child has ended or has moved to the
// background, and the time of the tools is over.
func (a *Agent) await(p *kernel.Proc, runs []running) error {
	until := p.Now()
	for i := range runs {
		until = max(until, runs[i].began.Add(runs[i].took))
	}
	for i := range runs {
		if c := runs[i].child; c != nil {
			if err := c.awaited(p); err != nil {
				return err
			}
		}
	}
	if until > p.Now() {
		return p.SleepUntil(until)
	}
	return nil
}

// joinLinked waits, shielded, for the children that hear the abort at this
// instant; their ends come first. The error is that one of them outlived the
// shield.
func (a *Agent) joinLinked(p *kernel.Proc, runs []running) error {
	var procs []*kernel.Proc
	for i := range runs {
		if c := runs[i].child; c != nil && !c.ended && c.task == nil {
			procs = append(procs, c.proc)
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
// answer to a prompt. The error is an abort that came while the prompt stood.
func (a *Agent) start(p *kernel.Proc, answer *llm.Msg, r *running, index int) error {
	switch {
	case r.tool == nil:
		r.layer = string(a.ctx.Pool.RemovedBy(r.block.Name))
		r.result = a.unavailable(r.block.Name, r.layer)
		return nil
	}
	if a.stoppedByHook(r) {
		return nil
	}
	if denied, err := a.permit(p, r); err != nil || denied != nil {
		if denied != nil {
			r.result, r.unheard = *denied, true
		}
		return err
	}
	switch {
	case r.tool.CanonicalName() == tool.AgentName:
		r.result, r.spawned = a.spawn(p, answer, r.block, index)
		if r.spawned != nil && r.spawned.task == nil {
			r.child = r.spawned
		}
	case r.tool.Name == tool.StopName:
		r.result, r.took = a.taskStop(r.block), a.toolTime(r)
	case r.tool.Name == tool.SendName:
		r.result, r.took = a.sendMessage(r.block), a.toolTime(r)
	case r.tool.CanonicalName() == tool.SkillName:
		r.result, r.took = a.skill(r.block), a.toolTime(r)
	case r.tool.Run == nil:
		r.result = failure("The tool " + r.tool.Name + " does nothing in this world.")
	default:
		if gone := a.w.refresh(r.tool.Name, r.block); gone != nil {
			r.result, r.took = *gone, a.toolTime(r)
			return nil
		}
		a.perform(p, r)
	}
	return nil
}

// unavailable answers a call of a tool that the pool does not hold (FLT-09).
func (a *Agent) unavailable(name, layer string) tool.Result {
	text := "No such tool available: " + name + "."
	if layer != "" {
		text = "The tool " + name + " is not available to this agent (removed by " + layer + ")."
	}
	return failure(text + " Available: " + strings.Join(a.ctx.Pool.Names, ", ") + ".")
}

func failure(text string) tool.Result {
	return tool.Result{Content: llm.NewText(llm.Prose, text), IsError: true}
}

// done completes a tool use: a synchronous child's result is there now, unless it
// outlived the shield under which its aborted parent waited.
func (a *Agent) done(r *running, index int) {
	switch {
	case r.child == nil:
	case r.child.task != nil: // it moved to the background, and may have ended since
		r.result, r.took = r.child.result, r.child.backgroundedAt.Sub(r.began)
	case r.child.ended:
		r.result, r.took = r.child.result, r.child.endedAt.Sub(r.began)
	default:
		r.result = a.w.childFailure("Agent " + r.child.ctx.ID.String() + " was aborted and had not ended after " + shieldDeadline.String() + ".")
		r.took = a.w.cfg.Kernel.Now().Sub(r.began)
	}
	a.heardByHooks(r)
	bytes := 0
	if r.result.Content != nil {
		bytes = len(r.result.Content.Raw())
	}
	res := &a.w.rec.result
	*res = transcript.ToolResult{Call: a.calls - 1, Index: index, ID: r.block.ID, Name: r.block.Name,
		IsError: r.result.IsError, RemovedBy: r.layer, Bytes: bytes, Took: r.took, Dir: r.dir, Wrote: r.wrote}
	a.w.rec.emit(a.ref, res)
}
