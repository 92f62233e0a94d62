package agent

import (
	"errors"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/task"
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
	First     []llm.Block // the first user message; without one the root waits for the steps
	Steps     []Step      // what the user does then, in order
}

// Step is one act of the user (PRM-05): at an instant, on an event, or once the
// root has nothing left to do.
type Step struct {
	Timed      bool
	At         vtime.Duration // from the start of the run, when timed
	After      vtime.Duration // how long after the root fell idle, when not
	Message    []llm.Block
	Interrupt  bool
	KillAgents bool
	Background bool   // Ctrl+B: whoever the root waits for moves to the background
	Show       string // lineage of the background agent whose output the user looks at from now on, or Nothing
	Settings   *llm.Settings
	Warms      bool     // the next request asks for no tokens (CACHE-46)
	On         *Trigger // the step waits for this event; At and After are not read
}

// rootState is what a root has beside what every agent has.
type rootState struct {
	spec      RootSpec
	idleSteps []Step
	timed     []timedStep
	unsaid    int           // messages of the user that the root has not heard yet
	settings  *llm.Settings // to take effect with the next request
	warms     bool          // the next request asks for no tokens
	busy      bool          // a turn runs
}

// timedStep is a step with the process that waits for its instant.
type timedStep struct {
	step Step
	proc *kernel.Proc
}

// Start makes a root agent and lets it run. It must be called before the kernel
// runs.
func (w *World) Start(s RootSpec) *Agent {
	a := w.newAgent(s.Lineage, nil, nil)
	s.Offered = w.rootTools(s.Offered)
	a.mode, a.plan, a.maxTurns = w.cfg.Mode, s.Plan, w.turnsOf(s.MaxTurns, nil)
	pool := w.pool(nil, false, a.mode, s.Offered)
	repl := Replacements{Over: w.cfg.Over, Preview: w.cfg.Preview}
	ctx := rootContext(a.id(), a.key.Sub("chain").Uint64(), pool, repl, s.Settings.Thinking != llm.ThinkingDisabled)
	ctx.AppState.RunMode = string(a.mode)
	a.root = &rootState{spec: s}
	a.equip(w.rootFront(a, pool, s.Settings), ctx)
	a.proc = w.cfg.Kernel.Spawn(a.lineage, func(p *kernel.Proc) error {
		if err := p.SleepUntil(vtime.Instant(s.Start)); err != nil {
			return err
		}
		ev := &transcript.AgentStart{ID: ctx.ID, Lineage: a.lineage, Parent: -1, Type: w.rootType(), Structure: "root", Model: s.Model,
			Chain: ctx.Query.Chain, RunMode: string(a.mode), PoolMode: string(a.mode), Source: ctx.Source, Tools: pool.Names, MaxTurns: a.maxTurns, Context: a.facts("own")}
		w.rec.emit(a.ref, ev)
		a.noteForkOff()
		a.noteIdleTools()
		if len(s.First) > 0 {
			a.hearUser(s.First)
		}
		return a.body(p)
	})
	w.script(a, s.Steps)
	return a
}

// rootFront renders a root's prefix as the gates have it now.
func (w *World) rootFront(a *Agent, pool *Pool, settings llm.Settings) *rendered {
	s := &a.root.spec
	t := frontText{system: s.System, static: s.Static}
	if s.System == nil {
		t.system, t.static = []string{w.rootPrompt()}, 1
	}
	if !s.Bare {
		var system string
		t.user, t.userParts = userContext(w.rootContext(a), "")
		system, t.systemParts = systemContext(w.cfg.SystemContext, "")
		t.system = append(append([]string(nil), t.system...), "\n"+w.environment()+system)
	}
	return w.head(headKey{pool: pool, root: a.lineage, model: s.Model, workspace: s.Workspace, settings: settings}, &t)
}

// hearUser appends the user message that a root starts with.
func (a *Agent) hearUser(blocks []llm.Block) {
	blocks = a.inContext(defused(blocks))
	a.w.rec.emit(a.ref, &transcript.UserMessage{Bytes: bytesOf(blocks)})
	a.say(&llm.Msg{Role: llm.User, Blocks: blocks})
}

// inContext is a user message as it enters the conversation: the first one
// carries the user context in front.
func (a *Agent) inContext(blocks []llm.Block) []llm.Block {
	if a.conv.Last != nil || a.front.user == nil {
		return blocks
	}
	return append([]llm.Block{{Kind: llm.Text, Content: a.front.user}}, blocks...)
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

// script starts the user: timed steps have a process of their own, the others
// wait for the root to be idle.
func (w *World) script(a *Agent, steps []Step) {
	for _, s := range steps {
		if s.On != nil {
			w.onEvent(a, s)
			continue
		}
		if s.speaks() {
			a.root.unsaid++
		}
		if !s.Timed {
			a.root.idleSteps = append(a.root.idleSteps, s)
			continue
		}
		a.expectNotice()
		proc := w.cfg.Kernel.Spawn("user of "+a.lineage, func(p *kernel.Proc) error {
			if err := p.SleepUntil(vtime.Instant(s.At)); err != nil {
				return err
			}
			return a.act(p, s)
		})
		a.root.timed = append(a.root.timed, timedStep{s, proc})
	}
}

// onEvent makes a process that does a step once its event has come. Nobody waits
// for a step whose event may never come.
func (w *World) onEvent(a *Agent, s Step) {
	come := w.watch(*s.On)
	proc := w.cfg.Kernel.Spawn("user of "+a.lineage, func(p *kernel.Proc) error {
		if err := come.Wait(p); err != nil {
			return err
		}
		if !a.ended {
			a.expectNotice()
			if s.speaks() {
				a.root.unsaid++
			}
		}
		return a.act(p, s)
	})
	a.root.timed = append(a.root.timed, timedStep{s, proc})
}

func (s *Step) speaks() bool { return len(s.Message) > 0 }

// act does one step of the user's script. Of a root that has ended only its
// agents can still be killed.
func (a *Agent) act(p *kernel.Proc, s Step) error {
	if s.KillAgents {
		a.w.killAgents()
	}
	if a.ended {
		a.unheard(s.Message)
		return nil
	}
	if s.Settings != nil {
		a.root.settings = s.Settings
	}
	a.root.warms = a.root.warms || s.Warms
	if s.Background {
		a.backgroundChildren()
	}
	if s.Show != "" {
		a.w.show(a, s.Show)
	}
	if s.Interrupt && a.root.busy {
		a.ctx.Abort.Abort(ErrUserInterrupt)
	}
	return a.inbox.Send(&notice{at: p.Now(), blocks: defused(s.Message), poke: !s.speaks()})
}

// unheard records a user message that came too late to be heard, if it is one.
func (a *Agent) unheard(blocks []llm.Block) {
	if len(blocks) > 0 {
		a.w.rec.emit(a.ref, &transcript.UserMessage{Bytes: bytesOf(blocks), Dropped: true})
	}
}

var errRootEnded = errors.New("the root has ended")

// dismiss ends the script of a user whose root has ended before it: nobody
// hears what is left, so nobody waits for it. Killing agents needs no root.
func (a *Agent) dismiss() {
	for _, t := range a.root.timed {
		if !t.proc.Done() && (t.step.On != nil || !t.step.KillAgents) {
			t.proc.Abort(errRootEnded)
			a.unheard(t.step.Message)
		}
	}
	for _, s := range a.root.idleSteps {
		a.unheard(s.Message)
	}
}

// killAgents stops every background agent.
func (w *World) killAgents() {
	for _, t := range w.tasks.Live() {
		if t.Type == task.LocalAgent && !t.Status().Final() { // the end of one may have been the end of the next
			w.stopTask(t, ErrAgentsKilled)
		}
	}
}

// next takes the user's next step once the root has nothing left to do. It
// reports whether there was one.
func (r *rootState) next(p *kernel.Proc, a *Agent) (bool, error) {
	if len(r.idleSteps) == 0 {
		return false, nil
	}
	s := r.idleSteps[0]
	r.idleSteps = r.idleSteps[1:]
	a.expectNotice()
	if s.After > 0 {
		if err := p.Sleep(s.After); err != nil {
			return true, err
		}
	}
	return true, a.act(p, s)
}

// apply makes a change of settings take effect: the history's bytes stand
// behind other salts, so its chain is made anew.
func (r *rootState) apply(a *Agent) {
	if r.settings == nil {
		return
	}
	s := *r.settings
	r.settings = nil
	old := a.front.prefix.Salts()
	next := a.front.with(a.w, s, a.req.Model)
	a.ctx.Thinking = s.Thinking != llm.ThinkingDisabled
	if next.prefix.Salts() == old {
		a.req.Settings = s
		return
	}
	a.front = next
	a.conv.rebase(a.w.cfg.Builder, next.prefix)
	a.setSettings(s)
	a.w.rec.emit(a.ref, &transcript.Rebase{Why: "settings", Position: firstChanged(old, next.prefix.Salts(), next)})
}

// room is how many tokens the agent's next request asks for.
func (a *Agent) room() int64 {
	if r := a.root; r != nil && (r.warms || r.spec.Warms) {
		r.warms = false
		return 0
	}
	return a.w.cfg.MaxTokens
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
func (a *Agent) survives(p *kernel.Proc, err error) bool {
	var api *llm.APIError
	switch {
	case errors.Is(err, ErrUserInterrupt):
		a.ctx.Abort.reason = nil // ready for the next abort
		p.Resume()
		return true
	case a.root.unsaid > 0 && (errors.As(err, &api) || errors.Is(err, errRefused) || errors.Is(err, errMaxTokens)):
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: "turn-failed", Detail: err.Error() + "; the user has more to say"})
		return true
	}
	return false
}
