package agent

import (
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// running is one tool use of an answer while it runs.
type running struct {
	block   *llm.Block
	tool    *tool.Tool // nil when the pool does not hold it
	result  tool.Result
	child   *Agent // a synchronous agent to wait for
	spawned *Agent // the agent it spawned, synchronous or not
	began   vtime.Instant
	took    vtime.Duration
	layer   string
}

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
		for safe(&runs[i]) && j < len(runs) && safe(&runs[j]) {
			j++
		}
		err = a.group(p, answer, runs, i, j)
		i = j
	}
	for i := range runs {
		r := &runs[i]
		if r.result.Content == nil {
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
		}
		a.w.rec.toolCall(a, len(runs), b, cause)
		runs = append(runs, running{block: b, tool: a.ctx.Pool.Find(b.Name)})
	}
	a.toolUses += len(runs)
	return runs
}

// CauseStale is the cause of a tool use that repeats another because a file has
// changed since.
const CauseStale = "stale"

func safe(r *running) bool { return r.tool != nil && r.tool.Safe }

// group starts tool uses i to j-1 at this instant and waits until all are done.
func (a *Agent) group(p *kernel.Proc, answer *llm.Msg, runs []running, i, j int) error {
	start, longest := p.Now(), vtime.Duration(0)
	var procs []*kernel.Proc
	for k := i; k < j; k++ {
		r := &runs[k]
		r.began = start
		a.start(p, answer, r, k)
		longest = max(longest, r.took)
		if r.child != nil {
			procs = append(procs, r.child.proc)
		}
	}
	a.stagger(runs[i:j])
	var err error
	if longest > 0 {
		err = p.Sleep(longest)
	}
	if err == nil && len(procs) > 0 {
		err = p.Join(procs...)
	}
	if err != nil && len(procs) > 0 {
		// Linked children hear the abort at this instant; their ends come first.
		_ = p.Shield(shieldDeadline, func() error { return p.Join(procs...) })
	}
	for k := i; k < j; k++ {
		a.done(&runs[k], k)
	}
	return err
}

// shieldDeadline bounds how long an aborted agent waits for its children.
const shieldDeadline = 5 * vtime.Second

// start runs a tool use as far as it goes without waiting.
func (a *Agent) start(p *kernel.Proc, answer *llm.Msg, r *running, index int) {
	switch {
	case r.tool == nil:
		r.layer = string(a.ctx.Pool.RemovedBy(r.block.Name))
		r.result = a.unavailable(r.block.Name, r.layer)
		return
	case !a.permitted(r.tool):
		r.result = failure("Permission to use " + r.tool.Name + " was denied.")
		return
	}
	switch {
	case r.tool.Name == tool.AgentName:
		r.result, r.spawned = a.spawn(p, answer, r.block, index)
		if r.spawned != nil && r.spawned.task == nil {
			r.child = r.spawned
		}
	case r.tool.Name == tool.StopName:
		r.result, r.took = a.taskStop(r.block), r.tool.Took
	case r.tool.Run == nil:
		r.result = failure("The tool " + r.tool.Name + " does nothing in this world.")
	default:
		a.w.refresh(r.block)
		env := tool.Env{FS: a.w.cfg.FS, Cache: a.ctx.Files, Marks: a.w.cfg.Marks, Now: p.Now(), Root: a.w.cfg.Root, Agent: a.ref}
		r.result = r.tool.Run(&env, r.block.Content)
		r.took = r.tool.Took
	}
}

// permitted decides about a tool use and records the decision.
func (a *Agent) permitted(t *tool.Tool) bool {
	d := permission.Decide(a.mode, t.Class, a.ctx.AppState.AvoidPrompts)
	a.w.rec.permission(a, t.Name, string(a.mode), d.Verdict.String(), d.Why)
	return d.Verdict != permission.Deny
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

// done settles a tool use: a synchronous child's result is there now, unless it
// outlived the shield under which its aborted parent waited.
func (a *Agent) done(r *running, index int) {
	switch {
	case r.child == nil:
	case r.child.ended:
		r.result, r.took = r.child.result, r.child.endedAt.Sub(r.began)
	default:
		r.result = failure("Agent " + r.child.ctx.ID.String() + " was aborted and had not ended after " + shieldDeadline.String() + ".")
		r.took = a.w.cfg.Kernel.Now().Sub(r.began)
	}
	bytes := 0
	if r.result.Content != nil {
		bytes = len(r.result.Content.Raw())
	}
	res := &a.w.rec.result
	*res = transcript.ToolResult{Call: a.calls - 1, Index: index, ID: r.block.ID, Name: r.block.Name,
		IsError: r.result.IsError, RemovedBy: r.layer, Bytes: bytes, Took: r.took}
	a.w.rec.emit(a.ref, res)
}
