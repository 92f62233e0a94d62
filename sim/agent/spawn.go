package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/gate"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/mcp"
	"agentsim/sim/permission"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// spawning is one Agent call on its way through the five stages (SUB-06).
type spawning struct {
	call
	in      tool.AgentInput
	lineage string
	def     *Definition
	fork    bool
	async   bool
	model   string
	pool    *Pool
	mode    permission.Mode // run mode
	front   *rendered
	child   *Agent
	servers []*mcp.Connection // that the child opens
	place   *place            // where it works

	recruits bool // the child joins the caller's team
}

// spawner runs the Agent tool. A synchronous child is waited for. Everything a
// caller can do wrong is an error result.
type spawner struct{}

func (spawner) start(p *kernel.Proc, c call) (tool.Result, waiting) {
	if u := awaited(p, c); u != nil {
		return tool.Result{}, u
	}
	return begin(p, c)
}

// begin takes a call through its stages.
func begin(p *kernel.Proc, c call) (tool.Result, waiting) {
	b := &spawning{call: c, lineage: c.by.childLineage(c.index)}
	for _, stage := range []func() error{b.admit, b.resolveType, b.assemblePool, b.isolate, b.buildPrompt} {
		if err := stage(); err != nil {
			return c.by.w.cfg.Stack.Refuse(c.by, b.in, err), nil
		}
	}
	b.createContext()
	return b.launch(p)
}

// wireError is an error whose text is a fixed protocol string.
type wireError string

func (e wireError) Error() string { return string(e) }

// errForkInFork answers every Agent call of a fork (FRK-14).
const errForkInFork wireError = "Fork is not available inside a forked worker."

// admit checks the input and whether this agent may spawn at all.
func (b *spawning) admit() error {
	a := b.by
	if (a.ctx.Source == ForkSource || a.inFork) && !b.mayStart() {
		return errForkInFork
	}
	if most := a.w.cfg.Limits.Agents; most > 0 && len(a.w.agents) >= most {
		err := &kernel.LimitError{Name: "agents", Value: int64(most), Where: "spawning " + b.lineage, Instant: a.w.cfg.Kernel.Now()}
		a.w.fail(err)
		return err
	}
	in, ignored, err := a.w.cfg.Stack.ReadCall(a, b.block)
	if err != nil {
		return err
	}
	b.in = in
	if err := b.enlist(); err != nil {
		return err
	}
	for _, field := range ignored {
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: "ignored-field", Detail: "Agent input " + field + " is gated off"})
	}
	if depth := a.ctx.Query.Depth + 1; depth > a.w.cfg.Limits.Depth {
		return fmt.Errorf("an agent at depth %d cannot spawn: the deepest level is %d", a.ctx.Query.Depth, a.w.cfg.Limits.Depth)
	}
	return nil
}

// mayStart reports whether a fork's call starts an agent all the same: one that
// is no fork, where the session lets forks have such (FRK-14).
func (b *spawning) mayStart() bool {
	if !b.by.w.cfg.Forks.TypedChildren {
		return false
	}
	in, _, err := b.by.w.cfg.Stack.ReadCall(b.by, b.block)
	return err == nil && in.Type != ""
}

// resolveType is stage 1: an explicit type wins; without one a fork where forks
// are on, else general-purpose (SUB-04).
func (b *spawning) resolveType() error {
	a := b.by
	if a.coordinates() {
		if err := a.w.cfg.Coordinator.Admit(&b.in, &a.w.gates, a.finding); err != nil {
			return err
		}
	}
	typ := b.in.Type
	forks := b.forks()
	switch {
	case typ == "" && forks:
		b.fork, b.def = true, a.w.forkDefinition()
	case typ == "":
		typ = TypeGeneralPurpose
		fallthrough
	default:
		if b.def = b.definition(typ); b.def == nil {
			if !a.w.cfg.Stack.Bare() && Nameable(typ, &a.w.gates) && find(EveryBuiltIn(&a.w.gates), typ) != nil {
				return fmt.Errorf("agent type %q is not listed in this scenario (project.agents.built_ins); available: %s", typ, b.typeNames())
			}
			return fmt.Errorf("agent type %q does not exist; available: %s", typ, b.typeNames())
		}
	}
	if rule, denied := a.rules().DeniesAgent(b.def.Type); denied {
		return fmt.Errorf("agent type %q is denied by the permission rule %s; available: %s", b.def.Type, rule, b.typeNames())
	}
	if err := b.def.usable(b.in.Isolation, a.w.cfg.Remote.Offered); err != nil {
		return err
	}
	if err := b.bound(); err != nil {
		return err
	}
	if missing, _ := a.w.lacks(b.def); missing != nil {
		return wireError("Agent type '" + b.def.Type + "' cannot be started: it needs MCP servers that are not there: " + strings.Join(missing, ", ") + ".")
	}
	model, err := b.childModel()
	if err != nil {
		return err
	}
	b.model = model
	b.async = decided(a.w, func(g *gate.Set) bool {
		return b.recruits || !confined(a) && RunsAsync(b.in.Background || a.coordinates(), b.def, g, forks)
	})
	if err := b.sendAway(); err != nil {
		return err
	}
	b.stage(1, "type", b.def.Type)
	return nil
}

// definition is the one that a call's type means, nil for none. A coordinator
// lists its workers alone, so that what it falls back to is found elsewhere.
func (b *spawning) definition(typ string) *Definition {
	a := b.by
	if a.w.cfg.Recorded[b.lineage] != nil {
		return &Definition{Type: typ, Source: FromBuiltIn, Prompt: func(*gate.Set) string { return typ }}
	}
	d := find(a.w.cfg.Definitions, typ)
	if d == nil && a.coordinates() && typ == TypeGeneralPurpose {
		return generalPurpose()
	}
	return d
}

// RunsAsync is shouldRunAsync (SUB-11).
func RunsAsync(asked bool, d *Definition, g *gate.Set, forks bool) bool {
	return (asked || d.Background || g.Coordinator() || forks || g.AssistantMode || g.Proactive) && !g.DisableBackground
}

// childModel resolves the model (SUB-09): the call's, else the definition's,
// else the default sub-agent model; inherit is the parent's; a fork takes the
// parent's whatever the call says, and so does a worker, whose call says nothing
// by now (admitWorker).
func (b *spawning) childModel() (string, error) {
	a := b.by
	if r := a.w.cfg.Recorded[b.lineage]; r != nil && r.Calls[0].Begins != nil {
		return r.Calls[0].Begins.Model, nil
	}
	name := b.in.Model
	if b.fork {
		if name != "" {
			a.w.rec.emit(a.ref, &transcript.Finding{Rule: "ignored-field", Detail: "Agent input model " + name + " is ignored: a fork has its parent's model"})
		}
		name = "inherit"
	}
	if name == "" {
		name = b.def.Model
	}
	if of := a.client.req.Model; b.in.Model == "" && b.def.BuiltIn() && b.def.Type == TypeExplore && a.w.cfg.model("haiku", of) != of {
		decides(a.w, gateKey+"USER_TYPE")
	}
	id := a.w.cfg.model(name, a.client.req.Model)
	if id == "" {
		name = cmp.Or(name, a.w.cfg.Subagent)
		a.finding("no-model", "no agent of type "+b.def.Type+" is started: its model "+name+" is an alias that provider.aliases does not name")
		return "", fmt.Errorf("model %q is not resolved here: name it under provider.aliases", name)
	}
	return id, nil
}

// assemblePool is stage 2: the child's own pool, with its own mode; a fork has
// the parent's exact tools (SUB-07, FLT).
func (b *spawning) assemblePool() error {
	a := b.by
	b.mode = a.w.cfg.Stack.Mode(a, b.def)
	if b.fork {
		b.pool = a.ctx.Pool
	} else {
		b.pool = a.w.pool(b.def, b.async || a.coordinates(), b.mode, a.w.offers(b.def, a.coordinates(), b.def.Mode))
	}
	if b.recruits {
		b.mode = b.mateMode()
		b.pool = a.w.matePool(b.def, b.mode)
	}
	b.pool, b.servers = a.w.bring(b.pool, b.def, a.finding)
	b.stage(2, "pool", strconv.Itoa(len(b.pool.Tools)))
	return nil
}

// RunMode is the mode in which a child runs (SUB-10): nothing escapes a parent
// that bypasses, accepts edits or plans.
func RunMode(parent, def permission.Mode) permission.Mode {
	switch parent {
	case permission.Bypass, permission.AcceptEdits, permission.Plan:
		return parent
	}
	if def != "" {
		return def
	}
	return parent
}

// runMode is RunMode with what the session says of children whose definition
// names no mode.
func (c *Config) runMode(parent permission.Mode, d *Definition) permission.Mode {
	return RunMode(parent, c.ownMode(d))
}

// ownMode is the mode of a definition's agents where their parent's does not bind, "" for
// their parent's.
func (c *Config) ownMode(d *Definition) permission.Mode {
	return cmp.Or(d.Mode, c.Permissions.Children)
}

// buildPrompt is stage 3: the definition's prompt and the environment, or for a
// fork the parent's rendered bytes (FRK-06).
func (b *spawning) buildPrompt() error {
	a := b.by
	detail := b.def.Type
	var err error
	switch {
	case b.fork && a.w.cfg.Forks.anew():
		detail = "re-rendered"
		b.front, err = b.frontNow()
	case b.fork:
		detail = "parent"
		b.front = a.front
	default:
		// How hard to think and which tool to call were said to the parent.
		settings := a.client.req.Settings
		settings.Thinking, settings.ThinkingBudget, settings.Effort, settings.ToolChoice = llm.ThinkingDisabled, 0, "", ""
		b.front, err = a.w.childFront(headKey{pool: b.pool, def: b.def, mate: b.recruits, model: b.model, place: b.place, workspace: b.workspace(), settings: settings})
	}
	if err == nil {
		a.w.cfg.Stack.Starts(a, b.def)
		b.stage(3, "prompt", detail)
	}
	return err
}

// childFront renders what stands before the messages of a definition's agents, once for
// those who share it: first what those of all types share (CACHE-97).
func (w *World) childFront(k headKey) (*rendered, error) {
	if !w.cfg.Stack.Bare() {
		k.memory = w.memory(k.def, k.place)
	}
	if r := headOf(w, &k); r != nil {
		return r, nil
	}
	prompt, err := k.def.SystemPrompt(&w.gates)
	if err != nil {
		return nil, err
	}
	if w.cfg.Stack.Bare() {
		return w.head(k, &frontText{system: []string{prompt}, static: 1}), nil
	}
	if k.mate {
		prompt += teamNote
	}
	type left struct{ claude, git string }
	without := decided(w, func(g *gate.Set) left {
		claude, git := k.def.omissions(g)
		if !slices.ContainsFunc(w.cfg.UserContext, func(p Part) bool { return p.Name == claude && p.Text != "" && p.stands(k.pool, true) }) {
			claude = ""
		}
		return left{claude, git}
	})
	t := frontText{static: 1}
	system := w.contexts(&t, w.cfg.UserContext, k.pool, k.place, true, without.claude, without.git)
	prompt = w.grown(k.def, k.pool, w.environment(k.place), prompt)
	t.system = []string{w.environment(k.place), prompt + k.def.scratchNote(w) + k.memory + system} // what all types share, marked, then what is their own
	return w.head(k, &t), nil
}

// omissions names the context parts that a definition does without (LEAN-01).
func (d *Definition) omissions(g *gate.Set) (claude, git string) {
	if d != nil && d.OmitClaude && g.SlimSubagentClaudeMd {
		claude = PartClaudeMd
	}
	if d != nil && d.OmitGit {
		git = PartGitStatus
	}
	return claude, git
}

// The names of context parts that definitions may leave out.
const (
	PartClaudeMd  = "claudeMd"
	PartGitStatus = "gitStatus"
)

// createContext is stage 4: the isolated context and the first messages.
func (b *spawning) createContext() {
	a := b.by
	c := a.w.newAgent(b.lineage, a, b.def)
	b.child = c
	c.plan = a.plan
	own := b.authority()
	b.place.enter(c)
	c.held.servers = b.servers
	if b.recruits {
		b.joins(own)
	}
	if !b.fork {
		c.plan = a.w.childPlan(a.plan, b.def)
	}
	c.maxTurns = a.w.cfg.turnsOf(0, b.def)
	id := c.id()
	who := &SubagentIdentity{AgentID: id, SubagentName: b.def.Type, IsBuiltIn: b.def.BuiltIn(), InvokingRequest: b.block.ID}
	o := Options{ID: id, Identity: identity(c, who), Chain: c.key.Sub("chain").Uint64(), Source: b.def.QuerySource(), Pool: b.pool,
		Own: own, Files: new(tool.Cache), ShareState: !b.async, Linked: !b.async, Exact: b.fork}
	if b.fork {
		o.Files, o.FreshRepl = a.ctx.Files, a.w.cfg.Forks.FreshRepl
	}
	ctx := newContext(a.ctxNow(), o)
	ctx.AppState.AvoidPrompts = permission.AvoidsPrompts(b.shows(), b.def.Mode, b.async || a.ctx.AppState.AvoidPrompts)
	c.equip(ctx, b.front)
	follow(c)
	if own != nil {
		plansFirst(c)
	}
	if b.fork {
		b.inherit()
	} else {
		b.open()
	}
	b.stage(4, "context", "depth "+strconv.Itoa(ctx.Query.Depth))
}

// ctxNow is the context with the replacement decisions taken so far.
func (a *Agent) ctxNow() *Context {
	a.ctx.Replacements = a.conv.Repl
	return &a.ctx
}

// directory is the agent's working directory.
func (a *Agent) directory() string {
	if a.dir != "" {
		return a.dir
	}
	return a.w.directory(a.place)
}

func (b *spawning) stage(n int, name, detail string) {
	rec := &b.by.w.rec
	rec.stage = transcript.Stage{Lineage: b.lineage, N: n, Name: name, Detail: detail}
	rec.emit(b.by.ref, &rec.stage)
}

// typeNames lists the types that the caller may name.
func (b *spawning) typeNames() string {
	a := b.by
	var names []string
	for _, d := range a.w.cfg.Definitions {
		if missing, _ := a.w.lacks(d); missing != nil {
			continue
		}
		if _, denied := a.rules().DeniesAgent(d.Type); !denied {
			names = append(names, d.Type)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (w *World) forkDefinition() *Definition {
	if w.forkDef == nil {
		w.forkDef = ForkDefinition()
	}
	return w.forkDef
}

// launch is stage 5: the child runs, and the caller waits for it or is told
// that it was launched.
func (b *spawning) launch(p *kernel.Proc) (tool.Result, waiting) {
	a, c := b.by, b.child
	branch := "synchronous"
	if b.async {
		branch = "asynchronous"
	}
	b.stage(5, "branch", branch)
	ev := transcript.AgentStart{Async: b.async, ToolUse: b.block.ID, Name: b.in.Name, Context: transcript.ContextFacts{FileCache: "empty"}}
	if b.fork {
		ev.Context.FileCache = "cloned"
	}
	c.introduce(ev)
	if e := b.def.Effort; e != "" {
		c.finding("effort-ignored", b.def.Place+": effort "+e+" has no effect: sub-agents do not think")
	}
	neverLeaves(c)
	if c.ctx.Abort.Linked() {
		a.w.rec.listens(c, "add", a.ref)
	}
	if b.recruits {
		return b.recruit(), nil
	}
	if !b.async {
		c.foreground = newForeground(c, b.in.Description, b.in.Name)
		c.proc = p.Kernel().Spawn(c.lineage, c.body)
		return tool.Result{}, c.foreground
	}
	c.becomeTask(b.in.Description, b.in.Name)
	a.w.moveTask(c, task.Running)
	a.inbox.expect()
	b.connected()
	c.proc = p.Kernel().Spawn(c.lineage, c.body)
	return a.w.launched(c, b.in.Description), nil
}

// frontNow renders what stands before the agent's messages as the gates have it
// now, which is what a fork must not do (FRK-06).
func (b *spawning) frontNow() (*rendered, error) {
	a := b.by
	if a.root != nil {
		return a.w.rootFront(a, a.w.inserting(a.ctx.Pool, a.inserted), a.client.req.Settings), nil
	}
	k := headKey{pool: a.ctx.Pool, def: a.def, model: a.client.req.Model, place: a.place, workspace: a.front.prefix.Scope.Workspace, settings: a.client.req.Settings}
	return a.w.childFront(k)
}

// inherit starts a fork's conversation: the parent's up to and including the
// assistant message that forks, then placeholders and the directive (FRK-03).
// The history is shared, not copied, unless a tool use in it was never answered
// (FRK-13).
func (b *spawning) inherit() {
	a, parent, build := b.child, b.by, b.by.w.cfg.Builder
	if a.w.cfg.Forks.anew() {
		a.conv.Last = parent.conv.Last
		a.conv.rebase(build, a.front.prefix)
		a.w.rec.emit(a.ref, &transcript.Rebase{Why: "re-render"})
	} else {
		a.conv.Border, a.conv.Last, a.conv.Head = parent.conv.Border, parent.conv.Last, parent.conv.Head
	}
	if a.conv.Head.Hash != parent.conv.Head.Hash {
		decides(a.w, "forks.rerender", "forks.fresh_decisions")
	}
	a.conv.open = parent.conv.open
	if at := a.conv.dropUnanswered(build); at > 0 {
		a.w.rec.emit(a.ref, &transcript.Rebase{Why: "unanswered", Position: at})
	}
	a.client.set(parent.client.req.Settings)
	a.client.expects = parent.client.expects
	a.client.req.Expect = &a.client.expects
	a.origin, a.from = a.conv.Last, a.conv.Head.Hash
	m := a.w.cfg.Forker.Message(b.answer, task.Defuse(b.in.Prompt))
	to := a.w.cfg.Forks.Directory
	if a.place != parent.place {
		to = a.w.directory(a.place)
	}
	if to != "" {
		a.dir = to
		if a.ctx.Session != nil {
			a.ctx.Session.Shell.Dir = "" // its shell stands at the new root
		}
		m.Blocks = append(m.Blocks, a.w.cfg.Forker.Notice(parent.directory(), to))
	}
	a.given = slices.DeleteFunc(slices.Clone(m.Blocks), func(x llm.Block) bool { return x.Kind != llm.Text })
	a.say(m)
}
