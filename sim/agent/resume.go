package agent

import (
	"agentsim/sim/llm"
	"agentsim/sim/mcp"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// past is what is kept of a task's agent beyond one life of it.
type past struct {
	output   string     // all it said (SUB-13), until it is evicted
	evicted  bool       // the output is gone from memory (TSK-09)
	messages int        // that were sent to it
	listed   bool       // its parent knows it as one that may be resumed
	chain    *sidechain // nil of one that cannot be resumed
	link     *link      // of a remote agent
}

// sidechain is what a resume needs of an agent that has ended: the transcript of
// its conversation, as structured messages without their nodes, and what stands
// before and beside it. It is kept of agents whose parent can write to them, and
// goes when the parent has ended for good. It stands for the file on the disk of
// the session, so eviction of the output leaves it.
type sidechain struct {
	entries  []Entry
	repl     Replacements // the decisions taken
	front    *rendered
	settings llm.Settings
	expects  llm.Expectation // of the last request, without nodes that the transcript gives
	at       [2]int32        // positions of its head and its mark
	from     llm.Hash        // where its own bytes begin
	given    []llm.Block     // what it was started with
	size     int64           // tokens of the last request and its answer
	calls    int
	total    consumed // up to its end

	def      *Definition
	plan     *Plan
	planning *planning
	dir      string
	place    *place
	pool     *Pool
	inserted []string          // tools in front of it that it has found
	servers  []*mcp.Connection // that it opened
	who      SubagentIdentity
	source   string
	thinking bool
	view     View

	waiting           int       // tasks of its own that run on and have not given their notification
	resumableChildren []*Agent  // those it started that may be resumed
	pending           []*notice // messages that it has not heard
}

// writes reports whether the agent, which lives or can be resumed, holds the tool
// by which its children are written to.
func (a *Agent) writes() bool {
	switch {
	case a.life != nil && !a.ended:
		return a.ctx.Pool.Has(tool.SendName)
	case a.past.resumable():
		return a.past.chain.pool.Has(tool.SendName)
	}
	return false
}

// resumable reports whether the agent, which has ended, can be resumed.
func (p *past) resumable() bool { return p != nil && p.chain != nil }

// remember keeps of an agent whose life ends what may be asked for: what it said,
// and what a resume needs where somebody can ask for one.
func (a *Agent) remember() {
	if a.past == nil {
		a.past = &past{}
	}
	a.past.output, a.past.evicted = a.outputSoFar(), false
	a.w.evictLater(a)
	if !a.parent.writes() {
		forgetChildren(a.resumableChildren)
		return
	}
	s := &sidechain{entries: a.conv.Sidechain(), repl: a.conv.Repl, front: a.front, settings: a.client.req.Settings, expects: a.client.expects,
		from: a.from, given: a.given, size: a.compaction.size, calls: a.client.calls, total: a.spent, def: a.def, plan: a.plan, planning: a.planning, dir: a.dir, place: a.place, pool: a.ctx.Pool, inserted: a.inserted, servers: a.held.servers, source: a.ctx.Source,
		thinking: a.ctx.Thinking, view: a.ctx.AppState, waiting: a.inbox.waiting, resumableChildren: a.resumableChildren, pending: a.inbox.undelivered}
	s.repl.OnReplace = nil
	s.who.AgentID = a.ctx.ID // a teammate's is made of its team
	if who, ok := a.ctx.Identity.(*SubagentIdentity); ok {
		s.who = *who
	}
	for i, n := range [...]**llm.Node{&s.expects.Head, &s.expects.Mark} {
		if *n != nil && a.conv.holds(*n) {
			s.at[i], *n = (*n).Pos, nil
		}
	}
	a.past.chain = s
	if !a.past.listed {
		a.past.listed = true
		a.parent.knows(a)
	}
}

// knows lists an ended child as one that may be resumed.
func (a *Agent) knows(child *Agent) {
	if a.life != nil {
		a.resumableChildren = append(a.resumableChildren, child)
		return
	}
	a.past.chain.resumableChildren = append(a.past.chain.resumableChildren, child)
}

// forgetChildren lets go what was kept for a resume: nobody is left who could ask for
// one. Messages that were not heard are dropped, which is recorded.
func forgetChildren(children []*Agent) {
	for _, c := range children {
		if !c.past.resumable() {
			continue // it runs, or has been let go
		}
		s := c.past.chain
		c.past.chain = nil
		for _, n := range s.pending {
			n.record(c, "dropped", "")
		}
		forgetChildren(s.resumableChildren)
	}
}

// resume begins a new activation of an agent that has ended (TSK-10), by a call of
// its parent. Its conversation is what its sidechain transcript holds, and nothing
// else of its old life comes back: the context is made anew, with the same id,
// definition, pool, mode and model, and the file cache is empty. What it has not
// heard yet stands in front of the newest message, in the order of sending. Tasks
// that it started and that run on are its own still: it waits for them (CON-17).
func resume(a *Agent, by llm.ToolUseID) {
	w, s, p := a.w, a.past.chain, a.parent
	a.past.chain = nil
	from := a.task.Status()
	if err := a.task.Resume(); err != nil {
		panic("agent: " + err.Error()) // its end made the task final
	}
	w.rec.emit(a.ref, &transcript.Task{ID: a.task.ID, Type: string(a.task.Type), From: from, To: task.Pending, Activation: a.task.Activation()})
	a.ended, a.end = false, Ending{}
	a.begin(s.def)
	a.plan, a.dir, a.from, a.given, a.client.calls, a.compaction.size, a.resumableChildren = s.plan, s.dir, s.from, s.given, s.calls, s.size, s.resumableChildren
	a.planning, a.inserted = s.planning, s.inserted
	s.place.again(a).enter(a)
	a.maxTurns, a.held.servers = w.cfg.turnsOf(0, s.def), s.servers
	a.before = &s.total
	who := s.who
	who.InvokingRequest = by
	ctx := newContext(p.ctxNow(), Options{ID: who.AgentID, Identity: identity(a, &who), Chain: a.key.Sub("chain").At(uint64(a.task.Activation())).Uint64(),
		Source: s.source, Pool: s.pool, Files: new(tool.Cache)})
	ctx.AppState, ctx.Thinking, ctx.Replacements = s.view, s.thinking, s.repl
	a.equip(ctx, s.front)
	a.client.set(s.settings)
	s.recall(a)
	if !a.past.evicted {
		a.compaction.earlier = a.past.output
	}
	a.past.output, a.past.evicted = "", false
	w.moveTask(a, task.Running)
	a.introduce(transcript.AgentStart{Async: true, Activation: a.task.Activation(), ToolUse: by, Name: a.task.Name, Context: transcript.ContextFacts{FileCache: "empty"}})
	s.hear(a)
	for range s.waiting {
		a.inbox.expect()
	}
	p.inbox.expect()
	a.proc = w.cfg.Kernel.Spawn(a.lineage, a.body)
}

// recall makes the conversation of a transcript, and finds in it what the next
// request can expect to read.
func (s *sidechain) recall(a *Agent) {
	repl := s.repl
	repl.Over, repl.Preview = a.w.cfg.Over, a.w.cfg.Preview // as they are now
	a.conv = *resumed(a.w.cfg.Builder, s.front.prefix, s.front.border, repl, s.entries)
	a.conv.Repl.OnReplace = a.replaced
	a.origin = a.conv.Last
	for m := a.conv.Last; m != nil && !a.inFork; m = m.Prev {
		a.inFork = a.w.cfg.Forker.IsForkMessage(m)
	}
	if s.at[0] == 0 && s.expects.Head == nil {
		return
	}
	a.client.expects = s.expects
	for n := a.conv.Head; n != nil; n = n.Parent {
		for i, to := range [...]**llm.Node{&a.client.expects.Head, &a.client.expects.Mark} {
			if n.Pos == s.at[i] && !n.IsBorder() && *to == nil {
				*to = n
			}
		}
	}
	a.client.req.Expect = &a.client.expects
}

// hear says the messages that a resumed agent goes on with, as one message.
// A tool use that was never answered is left out of what stands before (FRK-13).
func (s *sidechain) hear(a *Agent) {
	m := &llm.Msg{Role: llm.User}
	for _, n := range s.pending {
		m.Blocks = append(m.Blocks, n.blocks...)
	}
	a.say(m)
	if at := a.conv.dropUnanswered(a.w.cfg.Builder); at > 0 {
		a.origin = a.conv.Last.Prev
		a.w.rec.emit(a.ref, &transcript.Rebase{Why: "unanswered", Position: at})
	}
	for _, n := range s.pending {
		n.record(a, "delivered", "resume")
	}
}

// holds reports whether a node is one of the conversation as it is now: behind other
// tools or settings it is not.
func (c *Conversation) holds(n *llm.Node) bool {
	x := c.Head
	for x != nil && x.Pos > n.Pos {
		x = x.Parent
	}
	return x != nil && x.Hash == n.Hash
}

// Entry is one message of a sidechain transcript (ISO-13).
type Entry struct {
	ID     llm.Hash // of the conversation up to and with this message
	Parent llm.Hash // ID of the entry before; of the first, the prefix's hash
	Msg    *llm.Msg
}

// Sidechain is the transcript of an agent's conversation: each message that went
// into it once, linked to the one before, whoever said it. A fork's begins with
// what it inherited, whose entries are its parent's; one whose history became a
// summary begins with that.
func (c *Conversation) Sidechain() []Entry {
	repl := c.Repl
	repl.OnReplace = nil
	repl.recall()
	b, head := &llm.Builder{}, c.Border
	var out []Entry
	for _, m := range messages(c.Last) {
		e := Entry{Parent: head.Hash, Msg: m}
		head = renderMessage(b, head, m, &repl)
		e.ID = head.Hash
		out = append(out, e)
	}
	return out
}

// resumed is the conversation that a sidechain transcript holds, behind a
// prefix that has been rendered up to border
// and with the decisions of content replacement that were taken. Nothing else is
// read. An entry that is not linked to the one before ends it: what came behind
// a gap was never said to this agent.
func resumed(b *llm.Builder, p *Prefix, border *llm.Node, repl Replacements, entries []Entry) *Conversation {
	c := &Conversation{Prefix: p, Border: border, Head: border, Repl: repl}
	c.Repl.OnReplace = nil
	c.Repl.recall()
	for i := range entries {
		if entries[i].Parent != c.Head.Hash {
			break
		}
		m := *entries[i].Msg
		c.say(b, &m)
	}
	c.Repl.forget()
	return c
}
