package agent

import (
	"errors"
	"slices"

	"agentsim/sim/gate"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/team"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// RootSpec describes a root conversation and its user.
type RootSpec struct {
	Lineage   string
	Start     vtime.Duration // from the start of the run
	Model     string
	Settings  llm.Settings
	Workspace string       // provider scope
	System    []string     // system blocks; nil is the default prompt
	Static    int          // how many of them do not depend on the session
	Offered   []*tool.Tool // tools in the pool
	Plan      *Plan
	MaxTurns  int         // for one user message; 0 is the run's limit (LOOP-05)
	Warms     bool        // its requests ask for no tokens (CACHE-46)
	Bare      bool        // no user context and no system context
	First     []llm.Block // the first user message; without one the root waits for the user
	User      User        // what comes then; nil for nothing
}

// User is whoever talks with a root: package user plays a script.
type User interface {
	// Meet is called before the kernel runs, with the root that the user acts on.
	Meet(r *Root)
	// Next does what comes once the root has nothing left to do, and reports whether
	// anything did.
	Next(p *kernel.Proc) (bool, error)
	// Leave is called when the root has ended.
	Leave()
}

// Act is what a user does at one instant.
type Act struct {
	Message    []llm.Block
	To         string // the teammate that hears it, "" for the root
	Interrupt  bool
	KillAgents bool
	Background bool   // Ctrl+B: whoever the root waits for moves to the background
	Show       string // lineage of the background agent whose output the user looks at from now on, or Nothing
	Settings   *llm.Settings
	Warms      bool // the next request asks for no tokens (CACHE-46)
	Aside      *Aside
	Met        func(what string) // called with what has had an effect, one of the words below; nil is not called
}

// What of an act may come to nothing.
const (
	MetEvent      = "on"
	MetKill       = "kill_agents"
	MetBackground = "background"
	MetSettings   = "settings"
)

func (t *Act) met(what string, is bool) {
	if is && t.Met != nil {
		t.Met(what)
	}
}

// Speaks reports whether the user says something to the root.
func (t *Act) Speaks() bool { return len(t.Message) > 0 && t.To == "" }

// Root is what a root agent has beside what every agent has, and how its user
// reaches it.
type Root struct {
	agent    *Agent
	own      Authority
	settings *llm.Settings // to take effect with the next request
	changes  []*Act        // by which they came
	warms    bool          // the next request asks for no tokens
	busy     bool          // a turn runs
	titled   bool          // the client has asked for a title
	unsaid   int           // messages of the user that the root has not heard yet
	asides   int           // side questions so far
	spec     RootSpec
	mail     *team.Box    // from other sessions; nil until there is any
	away     *kernel.Proc // waits for a user who is away; nil for none
}

// Start makes a root agent and lets it run. It must be called before the kernel
// runs.
func (w *World) Start(s RootSpec) *Agent {
	a := w.newAgent(s.Lineage, nil, nil)
	typ := TypeMain
	if w.coordinator {
		typ, s.Offered = TypeCoordinator, w.cfg.Coordinator.Tools(s.Offered)
	}
	a.plan, a.maxTurns = s.Plan, w.cfg.turnsOf(s.MaxTurns, nil)
	pool := w.pool(nil, false, w.cfg.Mode, w.ofRoot(s.Offered))
	repl := Replacements{Over: w.cfg.Over, Preview: w.cfg.Preview}
	ctx := rootContext(a.id(), a.key.Sub("chain").Uint64(), pool, repl, s.Settings.Thinking != llm.ThinkingDisabled)
	a.root = &Root{agent: a, spec: s, own: Authority{mode: w.cfg.Mode}}
	ctx.AppState.Authority = &a.root.own
	a.ctx = ctx
	a.equip(ctx, w.rootFront(a, pool, s.Settings))
	follow(a)
	plansFirst(a)
	rendered := w.epoch
	a.proc = w.cfg.Kernel.Spawn(a.lineage, func(p *kernel.Proc) error {
		if err := p.SleepUntil(vtime.Instant(s.Start)); err != nil {
			return err
		}
		if w.epoch != rendered {
			a.root.renew()
		}
		a.introduce(transcript.AgentStart{Type: typ, Structure: "root", Context: transcript.ContextFacts{FileCache: "own"}})
		if w.coordinator {
			w.cfg.Coordinator.Begins(&w.gates, a.finding)
		}
		noteIdleTools(a)
		if len(s.First) > 0 {
			a.root.hearFirst(s.First)
		}
		return a.body(p)
	})
	if s.User != nil {
		s.User.Meet(a.root)
	}
	return a
}

// coordinates reports whether the agent is a coordinator: a root of a session
// that began in coordinator mode. What it is does not change with a gate, as its
// prompt and its tools do not either (GATE-02).
func (a *Agent) coordinates() bool { return a.parent == nil && a.w.coordinator }

// workerContext says what the workers of a coordinating root can do, where it has
// any.
func (w *World) workerContext(a *Agent) Part {
	def := find(w.cfg.Definitions, TypeWorker)
	if def == nil {
		return Part{}
	}
	return w.cfg.Coordinator.Context(w.pool(def, true, w.cfg.runMode(a.Mode(), def), w.offers(def, true, def.Mode)).all, &w.gates)
}

// rootFront renders a root's prefix as the gates have it now.
func (w *World) rootFront(a *Agent, pool *Pool, settings llm.Settings) *rendered {
	s := &a.root.spec
	t := frontText{}
	t.system, t.static = w.rootPrompt(s, pool)
	context := w.cfg.UserContext
	if w.coordinator {
		context = append(context[:len(context):len(context)], w.workerContext(a))
	}
	if !s.Bare {
		system := w.contexts(&t, context, pool, nil, false, "", "")
		if !slices.ContainsFunc(w.cfg.Opening, func(p Part) bool { return p.Name == PartEnvironment }) {
			system = "\n" + w.environment(nil) + system
		}
		if system != "" {
			t.system = append(append([]string(nil), t.system...), system)
		}
	}
	return w.head(headKey{pool: pool, root: a.lineage, model: s.Model, workspace: s.Workspace, settings: settings}, &t)
}

// rootPrompt is a root's own system prompt, and how much of it does not depend on the
// session.
func (w *World) rootPrompt(s *RootSpec, pool *Pool) (system []string, static int) {
	switch {
	case s.System != nil:
		return s.System, s.Static
	case w.coordinator:
		return []string{w.grown(nil, pool, w.cfg.Coordinator.Prompt())}, 1
	}
	return []string{w.grown(nil, pool, MainPrompt(&w.gates))}, 1
}

// hearFirst appends the user message that a root starts with.
func (r *Root) hearFirst(blocks []llm.Block) {
	a := r.agent
	blocks = r.inContext(defused(blocks))
	a.w.rec.emit(a.ref, &transcript.UserMessage{Bytes: bytesOf(blocks)})
	a.say(&llm.Msg{Role: llm.User, Blocks: blocks})
}

// inContext is a user message as it enters the conversation: the first one
// carries the user context in front.
func (r *Root) inContext(blocks []llm.Block) []llm.Block {
	if r == nil || r.agent.conv.Last != nil {
		return blocks
	}
	if !r.spec.Bare {
		learn(r.agent, blocks)
	}
	return append(instructed(r.agent, r.agent.front.opens(nil)), blocks...)
}

// defused is a user's blocks without what could pass for a notification
// (TSK-03). Blocks of which nothing has to change are returned as they are.
func defused(blocks []llm.Block) []llm.Block {
	out := blocks
	for i := range blocks {
		raw := blocks[i].Content.Raw()
		safe := task.Defuse(raw)
		if blocks[i].Kind != llm.Text || safe == raw {
			continue
		}
		if &out[0] == &blocks[0] {
			out = append([]llm.Block(nil), blocks...)
		}
		out[i].Content = llm.NewText(llm.Prose, safe)
	}
	return out
}

func bytesOf(blocks []llm.Block) int {
	n := 0
	for i := range blocks {
		n += len(blocks[i].Content.Raw())
	}
	return n
}

// WillAct makes the root wait for an act of its user.
func (r *Root) WillAct() { r.agent.inbox.expect() }

// WillSpeak says that the user has one more message for the root.
func (r *Root) WillSpeak() { r.unsaid++ }

// Ended reports whether the root has ended.
func (r *Root) Ended() bool { return r.agent.ended }

// Kernel is where the user's own processes run.
func (r *Root) Kernel() *kernel.Kernel { return r.agent.w.cfg.Kernel }

// Lineage is the root's.
func (r *Root) Lineage() string { return r.agent.lineage }

// OnEvent has every event of the run reported from now on, with the lineage of its
// agent, "" for none.
func (r *Root) OnEvent(f func(lineage string, body transcript.Body)) {
	w := r.agent.w
	w.rec.saw = append(w.rec.saw, func(ref int32, body transcript.Body) {
		lineage := ""
		if ref >= 0 {
			lineage = w.agents[ref].lineage
		}
		f(lineage, body)
	})
}

// Do is an act of the user. Of a root that has ended only its agents can still be
// killed.
func (r *Root) Do(p *kernel.Proc, t *Act) error {
	a := r.agent
	t.met(MetEvent, t.KillAgents || !a.ended)
	if t.KillAgents {
		t.met(MetKill, a.w.killAgents())
	}
	if a.ended {
		r.Unheard(t)
		return nil
	}
	if t.Settings != nil {
		r.settings, r.changes = t.Settings, append(r.changes, t)
	}
	r.warms = r.warms || t.Warms
	if t.Background {
		t.met(MetBackground, r.backgroundChildren())
	}
	if t.Aside != nil {
		ask(r, t.Aside)
	}
	if t.Show != "" {
		a.w.show(a, t.Show)
	}
	switch {
	case t.Interrupt && r.busy:
		a.ctx.Abort.Abort(ErrUserInterrupt)
	case t.Interrupt:
		a.finding("interrupt-idle", a.lineage+": its user interrupts, and no turn of it runs")
	}
	n := &notice{at: p.Now(), poke: !t.Speaks()}
	if t.Speaks() {
		n.blocks = defused(t.Message)
	} else if t.To != "" {
		speakTo(a, t)
	}
	return a.inbox.box.Send(n)
}

// Unheard records a message or a side question that came too late to be heard, if the
// act is one.
func (r *Root) Unheard(t *Act) {
	if t.Speaks() {
		r.agent.w.rec.emit(r.agent.ref, &transcript.UserMessage{Bytes: bytesOf(t.Message), Dropped: true})
	}
	if t.Aside != nil {
		r.agent.finding("aside-vain", r.agent.lineage+": a side question after its end is not asked")
	}
}

// killAgents stops every background agent, and reports whether there was one.
func (w *World) killAgents() (any bool) {
	for _, t := range w.tasks.Live() {
		if t.Agent >= 0 && !t.Status().Final() { // the end of one may have been the end of the next
			w.stopTask(t, ErrAgentsKilled)
			any = true
		}
	}
	return any
}

// apply makes a change of settings take effect: the history's bytes stand
// behind other salts, so its chain is made anew.
func (r *Root) apply() {
	if r == nil {
		return
	}
	r.refit()
	if r.settings == nil {
		return
	}
	a, s := r.agent, *r.settings
	for _, t := range r.changes {
		t.met(MetSettings, true)
	}
	r.settings, r.changes = nil, nil
	old := a.front.prefix.Salts()
	next := a.front.with(a.w, s, a.client.req.Model)
	a.ctx.Thinking = s.Thinking != llm.ThinkingDisabled
	if next.prefix.Salts() == old {
		a.client.req.Settings = s
		return
	}
	a.front = next
	a.conv.rebase(a.w.cfg.Builder, next.prefix)
	a.client.set(s)
	a.w.rec.emit(a.ref, &transcript.Rebase{Why: "settings", Position: firstChanged(old, next.prefix.Salts(), next)})
}

// takeWarms reports whether the next request asks for no tokens.
func (r *Root) takeWarms() bool {
	if r == nil {
		return false
	}
	warms := r.warms || r.spec.Warms
	r.warms = false
	return warms
}

// hasUser reports whether there is a user who may have something left to do.
func (r *Root) hasUser() bool { return r != nil && r.spec.User != nil }

// setBusy notes whether a turn runs.
func (r *Root) setBusy(b bool) {
	if r != nil {
		r.busy = b
	}
}

// firstChanged is the position from which a change of salts changes the chain.
func firstChanged(old, now llm.Salts, r *rendered) int32 {
	switch {
	case old.Root != now.Root:
		return 1
	case old.System != now.System:
		return int32(len(r.prefix.Tools)) + 1
	}
	return r.border.Pos + 1
}

// survives reports whether a root goes on after what ended its turn. An
// interrupt ends no more than the turn, and neither does an API error, a refusal
// or an answer cut short while the user has something left to say.
func (r *Root) survives(p *kernel.Proc, err error) bool {
	var api *llm.APIError
	switch {
	case errors.Is(err, ErrUserInterrupt):
		r.agent.ctx.Abort.reason = nil // ready for the next abort
		p.Resume()
		return true
	case r.unsaid > 0 && (errors.As(err, &api) || errors.Is(err, errRefused) || errors.Is(err, errMaxTokens)):
		r.agent.finding("turn-failed", err.Error()+"; the user has more to say")
		return true
	}
	return false
}

// backgroundChildren moves every agent that the root waits for to the
// background: what Ctrl+B does. It reports whether there was one, or a finding says why
// nobody moves.
func (r *Root) backgroundChildren() bool {
	a := r.agent
	if decided(a.w, func(g *gate.Set) bool { return g.DisableBackground }) {
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: "background-disabled", Detail: "the user asked for the background, and background tasks are disabled"})
		return true
	}
	waited := slices.Clone(a.ctx.Abort.children)
	for _, c := range waited {
		c.agent.moveToBackground(whyUser)
	}
	return len(waited) > 0
}
