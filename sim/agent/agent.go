package agent

import (
	"errors"
	"slices"
	"strconv"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Agent is one agent: who it is and what became of it. A run may make millions,
// so everything else is in its life, which ends with it.
type Agent struct {
	*life          // nil once it has ended
	w              *World
	parent         *Agent
	ref            int32
	ended          bool
	spent          consumed
	lineage        string
	task           *task.Task // of a background agent
	endedAt        vtime.Instant
	end            Ending
	result         tool.Result   // of a synchronous child that has ended
	mate           *mate         // in a team
	past           *past         // of a task: what is kept of its former lives
	backgroundedAt vtime.Instant // when it moved to the background
}

// life is what an agent holds while it lives, in parts. What is a part's own is
// changed by its methods.
type life struct {
	turn turn // where its loop is; first, since the kernel has that and what is behind it fetched ahead of a step

	// who it is and what it may do
	key      rng.Key
	def      *Definition
	ctx      Context
	place    *place // where it works; nil is the project's directory
	ownPlace bool   // which was made for it: its parent works in another one
	dir      string // working directory, where it has one of its own
	maxTurns int
	toolless bool // every call of a tool is refused
	hooks    hooks
	planning *planning // of one whose own mode is to plan
	root     *Root     // of a root agent

	// its conversation, and the requests and summaries that are made of it
	conv       Conversation
	front      *rendered
	plan       *Plan
	client     client
	compaction compaction
	said       *llm.Msg    // last assistant message that has text
	inFork     bool        // a fork directive stands in its history
	origin     *llm.Msg    // where its own messages begin: the end of an inherited history
	from       llm.Hash    // likewise, of its bytes
	given      []llm.Block // what a child was started with, which stays when its history becomes a summary

	fitted   int      // how many moves of servers its tools reflect
	inserted []string // tools that it found and that stand among those in front
	searched []string // likewise, from its next request on

	// how far it has come
	answers   int
	turns     int // in this activation, of a root since the user last spoke
	toolUses  int
	rework    int // tool uses since the last report that a changed file caused
	announced bool
	cutOff    bool // the answer before this one ended at max_tokens
	pauses    int  // answers in a row that paused

	// its process, and those who wait for it or for whom it waits
	proc              *kernel.Proc
	started           vtime.Instant
	inbox             inbox
	foreground        *foreground    // of a synchronous child
	resumableChildren []*Agent       // that have ended
	pendingResume     llm.ToolUseID  // the call that resumes it as soon as it has ended
	before            *consumed      // by its former lives; nil in the first
	hold              *kernel.Signal // set on siblings that wait for the first one
	firstOpened       *kernel.Signal // set on the first sibling: fires when its response begins

	// what it shows and what it must let go
	meters   Meters
	progress progress
	held     held

	record *record // of a recorded agent
}

// Ref is the agent's ordinal in the run.
func (a *Agent) Ref() int32 { return a.ref }

// Lineage is the agent's name: the parent's, the ordinal of its call and of the
// tool use within it (CON-05).
func (a *Agent) Lineage() string { return a.lineage }

// Last is the newest structured message of an agent that lives.
func (a *Agent) Last() *llm.Msg { return a.conv.Last }

// Own is what the agent's own calls consumed.
func (a *Agent) Own() llm.Usage { return a.spent.own }

// Rolled is what the agent and all its descendants consumed so far.
func (a *Agent) Rolled() llm.Usage { return a.spent.rolled }

// IsRoot reports whether nobody spawned the agent.
func (a *Agent) IsRoot() bool { return a.parent == nil }

// IsFork reports whether an agent that lives was made as a fork.
func (a *Agent) IsFork() bool { return a.ctx.Source == ForkSource }

// Plans reports whether the agent is of the built-in type Plan.
func (a *Agent) Plans() bool { return a.def != nil && a.def.BuiltIn() && a.def.Type == TypePlan }

// Has reports whether an agent that lives has a tool of that name.
func (a *Agent) Has(tool string) bool { return a.ctx.Pool.Has(tool) }

// Parent is who spawned the agent, nil for a root.
func (a *Agent) Parent() *Agent { return a.parent }

// Ended reports whether the agent has ended for now.
func (a *Agent) Ended() bool { return a.ended }

// Ending is how its last activation ended.
func (a *Agent) Ending() Ending { return a.end }

// Definition is what an agent that lives is an agent of, nil of a root.
func (a *Agent) Definition() *Definition { return a.def }

// Mode is the mode in which an agent that lives runs.
func (a *Agent) Mode() permission.Mode { return a.ctx.AppState.Mode() }

// Record emits an event of the agent on behalf of a room beside this one.
func (a *Agent) Record(b transcript.Body) { a.w.rec.emit(a.ref, b) }

// TakeRework is how many tool uses the agent had to make because a file had
// changed under it, since it was last asked.
func (a *Agent) TakeRework() int {
	n := a.rework
	a.rework = 0
	return n
}

// newAgent registers an agent of a lineage.
func (w *World) newAgent(lineage string, parent *Agent, def *Definition) *Agent {
	a := &Agent{w: w, ref: int32(len(w.agents)), lineage: lineage, parent: parent}
	w.agents = append(w.agents, a)
	a.begin(def)
	return a
}

// begin gives the agent a new life.
func (a *Agent) begin(def *Definition) {
	a.life = a.w.lives.take()
	a.key, a.def = a.w.cfg.Key.Sub(a.lineage), def
	a.client.of, a.compaction.of, a.inbox.of, a.hooks.of, a.turn.of = a, a, a, a, a
	a.turn.rec, a.turn.ref = &a.w.rec, a.ref
	if def != nil {
		a.hooks.list = def.Hooks
	}
	a.client.req.Breakpoints = a.client.marks[:0]
	a.client.req.Stream = llm.StreamName{Lineage: a.lineage, Key: a.key}
	a.client.req.OnBegin = nil
}

// id draws the agent's id from its lineage.
func (a *Agent) id() llm.AgentID {
	return llm.AgentID(a.key.Sub("agent").Uint64())
}

// equip gives a new agent its context, its prefix and first messages.
func (a *Agent) equip(ctx Context, front *rendered) {
	a.ctx, a.front = ctx, front
	ctx.Abort.agent = a
	a.conv = Conversation{Prefix: front.prefix, Border: front.border, Head: front.border, Repl: ctx.Replacements}
	a.conv.Repl.OnReplace = a.replaced
	a.client.set(front.prefix.Settings)
	a.client.req.Model = front.prefix.Scope.Model
	a.compaction.fullAt = a.w.cfg.Compaction.at(a.client.req.Model)
}

func (a *Agent) replaced(id llm.ToolUseID, from, to int) {
	a.w.rec.emit(a.ref, &transcript.Replace{ID: id, From: from, To: to})
}

// say appends a message to the agent's conversation.
func (a *Agent) say(m *llm.Msg) {
	a.conv.say(a.w.cfg.Builder, m)
	if !a.inFork && a.w.cfg.Forker.IsForkMessage(m) {
		a.inFork = true
	}
}

// Ending says how an activation ended.
type Ending struct {
	Status transcript.Ending
	Why    string
}

// body is what every agent's process runs.
func (a *Agent) body(p *kernel.Proc) error {
	a.started = p.Now()
	err := arrives(p, a)
	if err == nil {
		err = a.awaitSibling(p)
	}
	if err == nil {
		err = a.mate.startUp(p)
	}
	if err == nil {
		err = connect(p, a)
	}
	if err == nil {
		err = a.live(p)
	}
	return a.finish(p, err)
}

// awaitSibling keeps a sibling back until the first one's response begins (CACHE-29).
func (a *Agent) awaitSibling(p *kernel.Proc) error {
	if a.hold == nil {
		return nil
	}
	if !a.hold.Fired() {
		decides(a.w, "fan_out.hold")
	}
	from := p.Now()
	fired, err := a.hold.WaitUntil(p, from.Add(a.w.cfg.FanOut.Cap))
	if !fired || p.Now() >= from.Add(a.w.cfg.FanOut.Usual) {
		decides(a.w, "fan_out.cap")
	}
	return err
}

var errEnded = errors.New("ended")

// live alternates turns and waiting until there is nothing left to wait for
// (CON-17).
func (a *Agent) live(p *kernel.Proc) error {
	for {
		var err error
		if a.conv.Last != nil { // a root whose user has not spoken yet has nothing to answer
			a.root.setBusy(true)
			a.root.returns()
			if err = a.turn.run(p); err == nil {
				a.w.cfg.Stack.TurnEnded(a)
				a.root.hide()
			}
			a.root.setBusy(false)
		}
		if a.root != nil && a.root.survives(p, err) {
			err = nil
		}
		if err == nil {
			err = a.idle(p)
		}
		if err == errEnded {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// finish closes an activation: the process's error becomes a status.
func (a *Agent) finish(p *kernel.Proc, err error) error {
	end, fatal := endingOf(err)
	if fatal != nil {
		a.w.fail(fatal)
		return fatal
	}
	if end.Status == transcript.EndCompleted && a.def.verifies() {
		if why := unverified(lastText(a)); why != "" {
			end = Ending{transcript.EndFailed, errUnverified + why}
		}
	}
	if o := a.w.cfg.Observer; o != nil && end.Status == transcript.EndCompleted {
		o.Reported(a)
	}
	a.ended, a.endedAt = true, p.Now()
	a.root.returns()
	a.inbox.drop()
	a.mate.ends()
	a.hooks.announce("remove")
	if parent := a.ctx.Abort.parent; parent != nil && a.ctx.Abort.unlink() {
		a.w.rec.listens(a, "remove", a.parent.ref)
	}
	spent := a.spent.since(a.before)
	for q := a.parent; q != nil; q = q.parent {
		q.spent.rolled = q.spent.rolled.Plus(spent.own)
	}
	rec := &a.w.rec
	rec.end = transcript.AgentEnd{Status: end.Status, Why: end.Why, Turns: a.answers, ToolUses: a.toolUses, Own: spent.own, Rolled: spent.rolled,
		Answers: a.meters.Answers, OutputTokens: a.meters.OutputTokens, FirstToken: a.meters.FirstToken,
		Progress: a.progress.shown()}
	rec.emit(a.ref, &rec.end)
	if a.firstOpened != nil {
		a.firstOpened.Fire()
	}
	a.end = end
	a.place.leave(a)
	a.report(p)
	a.held.cleanUp(a)
	l, again := a.foreground, a.pendingResume
	a.release()
	if l != nil {
		l.released.Fire()
	}
	if again != (llm.ToolUseID{}) && a.past.resumable() && !a.parent.ended {
		resume(a, again)
	}
	return nil
}

// release ends the agent's life. What its parent or a reader of its output file
// may still ask for stays.
func (a *Agent) release() {
	switch {
	case a.task != nil:
		a.remember()
	case a.parent != nil:
		a.result = a.w.cfg.Stack.Result(a)
		forgetChildren(a.resumableChildren)
	default:
		forgetChildren(a.resumableChildren)
	}
	a.w.lives.leave(a.life)
	a.life = nil
}

// lives are those of agents that have ended, for agents to come: one is two KiB that the
// processor still has at hand.
type lives struct {
	free []*life
	most int // how many are kept
}

const spareLives = 64

func (l *lives) take() *life {
	n := len(l.free) - 1
	if n < 0 {
		return new(life)
	}
	next := l.free[n]
	l.free = l.free[:n]
	return next
}

// leave clears a life, which nobody may ask any more, and keeps it.
func (l *lives) leave(ended *life) {
	if len(l.free) < l.most {
		*ended = life{}
		l.free = append(l.free, ended)
	}
}

// endingOf sorts an error: a simulated failure or an abort has a status, a limit
// ends the run.
func endingOf(err error) (end Ending, fatal error) {
	var api *llm.APIError
	switch {
	case err == nil:
		return Ending{Status: transcript.EndCompleted}, nil
	case errors.Is(err, errMaxTurns):
		return Ending{transcript.EndMaxTurns, "reached " + errMaxTurns.Error()}, nil
	case errors.Is(err, errMaxTokens):
		return Ending{transcript.EndMaxTokens, "the answer and its continuation were cut off at " + errMaxTokens.Error()}, nil
	case errors.Is(err, errRefused):
		return Ending{transcript.EndRefused, "the model ended its answer with " + errRefused.Error()}, nil
	case errors.Is(err, errPaused):
		return Ending{transcript.EndPaused, "paused more than " + strconv.Itoa(MaxPauses) + " times in a row"}, nil
	case errors.As(err, &api):
		return Ending{transcript.EndFailed, api.Error()}, nil
	case errors.Is(err, ErrCrashed):
		return Ending{transcript.EndFailed, err.Error()}, nil
	case errors.Is(err, errShutDown):
		return Ending{transcript.EndCompleted, err.Error()}, nil
	case isAbort(err):
		return Ending{transcript.EndKilled, err.Error()}, nil
	}
	return end, err
}

func isAbort(err error) bool {
	reasons := []error{ErrUserInterrupt, ErrParentAborted, ErrTaskStopped, ErrAgentsKilled, ErrCrashed, errLeadEnded, errProcessEnded}
	return slices.ContainsFunc(reasons, func(e error) bool { return errors.Is(err, e) })
}

// aborted is called by the agent's controller.
func (a *Agent) aborted(why error) {
	if a.ended {
		return
	}
	a.w.rec.emit(a.ref, &transcript.Abort{Target: a.ref, Why: why.Error()})
	a.proc.Abort(why)
}
