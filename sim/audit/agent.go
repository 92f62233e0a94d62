package audit

import (
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// agent is what is known of an agent; what is needed while it lives is in its
// life, which ends with it. What every call needs comes first, here and there: among
// many agents nothing of one is in the processor's caches when its next event comes.
type agent struct {
	*life             // nil once it has ended
	hooks      []Hook // of its definition
	parent     *agent
	hand       *hand // where there is a classifier
	place      *workplace
	tells      bool  // its end tells which worktree it has left behind, if any
	link       *link // of a remote agent
	ref        int32
	background bool // nobody waits for it
	fork       bool
	mate       bool // a member of a team
	pane       bool // one whose process is its own
	remote     bool // its task is one of another environment
	marking    marking
	planned    *planned // of plan mode that it has entered and not left
	carries    *planned // likewise, of a plan whose approval no request has held
	modeOf
	lineage string

	told   map[llm.Hash]bool // messages of others that it has heard
	below  llm.Usage         // of its descendants that have ended
	home   llm.Usage         // of those that it waited for and that came to something, in the minimal stack
	ended  vtime.Instant
	left   *llm.Node  // hash and place of where its conversation ended, nil if it cannot go on
	unsent []letter   // delivered to the life that has ended, and not seen in a request of it
	opened []string   // servers of its own that are not closed
	found  []string   // tools that its searches have found, and that it can call
	given  []llm.Hash // of the blocks that it was started with
	opens  []string   // tools that its first message says can be found
	offer  *offered   // what its Agent tool was rendered from
	breaks int        // findings that it changed what it is to look at, for commands whose end is to come

	offered []string // tools that its root held as it started

	former former
}

// life is what is kept of an agent that lives.
type life struct {
	// What each call looks at is side by side: first what requests and results look at,
	// then from root on what answers do too, then what answers alone do.
	files    files // that it knows
	asks     asks
	coming   map[llm.ToolUseID]*hand // children that it waited for, whose results no request has held
	homes    map[llm.ToolUseID]*home // the same
	launched []launch                // in the background, whose calls have no result in a request
	waiting  []pending               // ends of its tasks that it has not read of
	posted   []vtime.Instant         // when messages to it were sent that are not delivered
	mail     []letter                // delivered, and not yet seen in a request
	looks    []shown                 // at outputs, whose results no request has held
	ignored  []string                // what findings say of fields of its calls that have no effect, since the last request
	banners  banners
	lead     leadWord
	rebased  string        // why the next request does not go on from there; "" if it does
	listens  *agent        // whose abort it hears
	due      vtime.Instant // when it moves to the background by itself, 0 for never
	formed   *llm.Node     // head of the last request that was held against the form
	shift    int32         // how many more tools stand in front than with its last request

	root    llm.Hash  // of the first node of its requests
	sent    *llm.Node // head of the last request
	seen    *llm.Node // end of the conversation as far as it has been looked at
	calls   []call    // recorded since the last answer
	uses    []use     // of that
	escapes escapes
	named   bool // its first request has been sent
	aside   bool // that request and its answer are no part of the conversation
	lent    bool // a child looks at its uses
	aborted bool
	leaves  bool // it has answered a request to shut down, perhaps with yes
	avoids  bool // prompts
	asked   bool // a user was asked since the last request
	cut     bool // it was interrupted since
	edited  bool // a user has put another input in a call's place
	resumed bool // it is not its first
	tagged  bool // a directive of a fork stands in a text block of a user message
	gaveUp  bool // its last call, which failed for good
	calling bool // its last request has no answer
	count   count
	spoken  spoken
	last    lastAnswer // the call before this one
	rooms   rooms
	conduct conduct
	window  window

	progress progressed
	path     named
	billed   llm.Usage // of its last call that was answered
	lost     llm.Usage // of one after it that was billed and brought no answer
	own      llm.Usage // of all
	meters   meters
	turns    int
	pooled   string // name of a tool that its pool was found to hold
	plainly  plainly
	said     *llm.Node             // head of the last answer with a text
	saidFrom int32                 // position of the request that it answers
	facts    transcript.AgentStart // as it started; lists are its own

	billedLine       int    // answers when it last showed what they cost
	oddReport        bool   // a finding says that its report does not begin as it is to
	effortless       bool   // and that its effort has no effect
	digest           string // the last answer beside its conversation
	lastChild        llm.AgentID
	hearers          []*agent  // who hears its abort
	forkOff          bool      // it coordinates where forks are asked for
	astray           bool      // where its shell is is not known
	offersBackground bool      // by its Agent tool
	summed           bool      // its history became a summary
	cutting          bool      // it was interrupted, ever
	spawned          use       // the call that made it
	spawner          []use     // and its neighbours in the answer
	point            *llm.Node // where a fork's history ends, and of a side question the request that it goes on from
	kin              *siblings // of a fork whose first request is still to come
	replaced         int       // results replaced by a preview, those it inherited included
	workers          []string  // tools of its workers as a coordinator is told, sorted; nil if it is not
	agents           string    // definition of the Agent tool, as its requests have it
	attached         string    // list of types that its client attaches, as that definition would have it
	dir              string    // of its shell
	begun            begun
	opening          llm.Hash // of the user context that its messages begin with
	staged           staged
	latest           *agent   // whom it started last, in the minimal stack
	deferred         []string // tools that it was told by name
}

// rooms hold the lists of a life as long as they are short, as most are: so they are
// beside it and not elsewhere in memory.
type rooms struct {
	marks [most]marked
	uses  [1]use
	calls [1]call
	files [1]seenFile
}

// meters are what an agent's are to show at its end.
type meters struct {
	answers, output int64
	wait            vtime.Duration
}

// use is a tool use in an answer.
type use struct {
	id    llm.ToolUseID
	name  string
	input *llm.Payload
	file  string // that it reads or changes, as a path below the project; "" where there is none
}

// call is a tool call as it was recorded.
type call struct {
	id      llm.ToolUseID
	use     *use // of the answer, nil where it has none
	inPool  bool
	done    bool
	isError bool
	asked   bool // somebody is
	child   bool // it has started one
	judged  bool // whether it may is known
	objects bool // a hook does, to its result
	name    string
	verdict string // what became of it before it could run
	mode    string // of its agent as that was decided
	at      vtime.Instant
	ended   vtime.Instant
	bytes   int
	took    vtime.Duration
	began   uint64        // the event behind that by which it began, 0 for none
	from    vtime.Instant // when it began
	saw     uint64        // of an edit that failed: the event at which its agent last saw the file
	ran     llm.Hash      // input that a user has put in its place
	refusal string        // why it may not start an agent
	listed  string        // the types of which it could have
	before  []string      // hooks that have heard that it is to run
	after   []string      // and that it has
}

// start takes an agent in.
func (u *Auditor) start(ref int32, b *transcript.AgentStart) {
	for int(ref) >= len(u.agents) {
		u.agents, u.leads = append(u.agents, nil), append(u.leads, lead{})
	}
	if old := u.agents[ref]; old != nil {
		u.resume(old, b)
		return
	}
	a := &agent{ref: ref, lineage: b.Lineage, parent: u.agent(b.Parent), background: b.Async, fork: b.Structure == "fork", mate: b.Structure == "teammate", life: u.newLife(b)}
	u.agents[ref], u.leads[ref] = a, lead{agent: a, next: a.life}
	a.former.facts = a.facts
	if a.parent == nil {
		a.chosen = b.RunMode
	}
	if s := u.opt.Session; s != nil && a.parent != nil && !a.fork {
		a.hooks = s.Types[b.Type].Hooks
	}
	u.notices.ownID(a, b.ID)
	u.starts.ownChain(a, b.Chain)
	a.marking.start(u.opt.Session, a, a.parent)
	u.handoffs.startHand(a, b)
	if s := u.opt.Session; s != nil && a.parent == nil {
		a.escapes = slices.Clone(s.Interrupts[a.lineage])
	}
	u.servers.starts(a, a.parent)
	u.servers.begins(a)
	if a.parent == nil {
		a.place = &u.trees.shared
		u.startRoot(a)
		u.launches.startRoot(a)
		return
	}
	if a.parent.life == nil {
		u.report(iso11, a, "a parent that lives", a.parent.lineage+", which has ended")
		return
	}
	u.startChild(a, a.parent)
}

// newLife is what is known of an agent as it starts, with room for what most agents
// have one of.
func (u *ledger) newLife(b *transcript.AgentStart) *life {
	l := &life{facts: *b, avoids: b.Context.AvoidPrompts}
	l.facts.Tools = slices.Clone(b.Tools)
	l.facts.Context.UserContext = slices.Clone(b.Context.UserContext)
	l.conduct.began, l.conduct.model = u.now, b.Model
	l.last.marks, l.uses, l.calls, l.files.list = l.rooms.marks[:0], l.rooms.uses[:0], l.rooms.calls[:0], l.rooms.files[:0]
	return l
}

// resume takes in a further activation of an agent.
func (u *Auditor) resume(a *agent, b *transcript.AgentStart) {
	if u.fails(iso11, a.life == nil && b.Activation > 0) {
		u.report(iso11, a, "one start for each activation", "another one of activation "+decimal(int64(b.Activation)))
		return
	}
	u.trees.returns(a)
	a.life = u.newLife(b)
	u.leads[a.ref] = lead{agent: a, next: a.life}
	a.rebased, a.resumed, a.mail = "resume", true, a.unsent
	a.conduct.size = a.former.size
	a.asks, a.count = a.former.asks, a.former.count
	a.window.size = a.former.size
	u.starts.ownChain(a, b.Chain)
	a.former.again(u.ledger, a)
	u.aborts.startAbort(a)
	u.starts.startState(a)
	u.handoffs.resumeHand(a, b)
}

func (u *Auditor) startRoot(a *agent) {
	a.offer = u.fronts.offers()
	u.same(iso03, a, "abort", "root", a.facts.Context.Abort)
	u.same(iso05, a, "setAppState", "root", a.facts.Context.SetAppState)
	if u.fails(iso07, a.facts.Depth == 0) {
		u.report(iso07, a, "depth 0", "depth "+decimal(int64(a.facts.Depth)))
	}
}

// startChild holds a new agent's context against its parent's.
func (u *Auditor) startChild(a, p *agent) {
	for i := range p.uses {
		if p.uses[i].id == a.facts.ToolUse {
			a.spawned, a.spawner, p.lent = p.uses[i], p.uses, true
		}
	}
	u.fronts.startAsks(a, p)
	if a.offer = p.offer; !a.fork || u.opt.Rerender {
		a.offer = u.fronts.offers()
	}
	u.starts.identity(a, p)
	u.starts.chains(a, p)
	u.aborts.startAbort(a)
	u.starts.startState(a)
	u.starts.startPrompts(a, p)
	u.starts.startThinking(a, p)
	u.tools.startFiles(a, p)
	u.filter.startPool(a, p)
	u.coordinators.startWorker(a, p)
	u.forks.startFork(a, p)
	u.starts.startWho(a, p)
	u.neighbours.startShell(a, p)
	u.links.starts(a, p)
	u.launches.started(a, p)
	u.starts.startBuiltIn(a)
	u.trees.starts(a, p)
}

// end lets an agent go.
func (u *Auditor) end(a *agent, b *transcript.AgentEnd) {
	u.aborts.endAbort(a)
	u.trees.leaves(a)
	u.cache.endBills(a, b)
	u.cache.endMeters(a, b)
	u.endProgress(a, b)
	u.notices.failed(a, b)
	a.conduct.ended(u.ledger, a, b)
	if b.Status == transcript.EndCompleted && a.conduct.stop == llm.EndTurn && !a.cutting {
		u.permissions.hears(a, nil, "Stop", a.conduct.stops)
	}
	u.tasks.left(a, b)
	u.forks.reported(a, b)
	u.endMinimal(a, b)
	u.forks.leaveKin(a)
	u.handoffs.endHand(a)
	u.homes.endHome(a, b)
	if a.background {
		a.former.output = a.output()
	}
	for i := range a.calls {
		if c := &a.calls[i]; u.fails(loop04, c.done) {
			u.report(loop04, a, "a result of "+c.name+" "+c.id.String(), "none")
		}
	}
	a.left, a.unsent = nil, nil
	if a.background && a.parent.writes() {
		a.left, a.unsent = leftOf(a.seen), a.mail
	}
	a.below = llm.Usage{} // the next activation answers for its own
	mine := a.life
	a.life, u.leads[a.ref], a.ended = nil, lead{}, u.now
	if inPool(&agent{life: mine}, sendTool) {
		u.tasks.ownerless()
	}
}

// ownerless forgets the tasks of agents that have ended and that nobody can resume:
// they cannot be resumed either.
func (u *tasking) ownerless() {
	for id, t := range u.known { // order: each is looked at by itself
		if t.owner != nil && t.owner.life == nil {
			u.settled(id, t)
		}
	}
}

// writes reports whether the agent can write to its tasks, now or once it is
// resumed.
func (a *agent) writes() bool {
	switch {
	case a == nil:
		return false
	case a.life != nil:
		return inPool(a, sendTool)
	}
	return a.left != nil && a.parent.writes()
}
