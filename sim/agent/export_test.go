package agent

import (
	"agentsim/sim/gate"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/vtime"
	"fmt"
	"reflect"
	"strings"
)

// What only tests may see. An agent's life is gone once it has ended; a story
// keeps those it wants to ask after the run and gives them back.

func (a *Agent) Life() *life         { return a.life }
func (a *Agent) Meters() Meters      { return a.meters }
func (w *World) Gates() *gate.Set    { return &w.gates }
func (c *Controller) Listeners() int { return len(c.children) }
func (l *life) Empty() bool          { return reflect.ValueOf(*l).IsZero() }
func (a *Agent) Revive(l *life)      { a.life = l }
func (w *World) KeepLives()          { w.lives.most = 0 } // for agents to revive
func (a *Agent) Context() *Context   { return &a.ctx }
func NewContext(parent *Context, o Options) *Context {
	return new(newContext(parent, o))
}

func RootContext(id llm.AgentID, chain uint64, pool *Pool, repl Replacements, thinking bool) *Context {
	return new(rootContext(id, chain, pool, repl, thinking))
}
func (a *Agent) Started() vtime.Instant      { return a.started }
func (a *Agent) MaxTurns() int               { return a.maxTurns }
func (a *Agent) Proc() *kernel.Proc          { return a.proc }
func (a *Agent) Conversation() *Conversation { return &a.conv }
func (a *Agent) RunMode() string             { return string(a.Mode()) }
func (a *Agent) Directory() string           { return a.directory() }
func (a *Agent) InFork() bool                { return a.inFork }
func (w *World) Tasks() *task.Registry       { return w.tasks }
func (c *Controller) Parent() *Controller    { return c.parent }
func (r *Replacements) Forget()              { r.last = nil }
func (c *Conversation) Say(b *llm.Builder, m *llm.Msg) {
	c.say(b, m)
}

var (
	NewController = newController
)

func (c *Controller) Aborted() bool { return c.reason != nil }

// LoseGuards takes an agent's guards against forking away.
func (a *Agent) LoseGuards(source, tag bool) {
	if source {
		a.ctx.Source = "agent:builtin:other"
	}
	if tag {
		a.inFork = false
	}
}

// LoseEntries takes the last entries off the transcript of an agent that has ended.
func (a *Agent) LoseEntries(n int) {
	e := a.past.chain.entries
	a.past.chain.entries = e[:len(e)-n]
}

// Output is what a task's agent that has ended said.
func (a *Agent) Output() string { return a.past.output }

// File is a file of the workspace.
func (w *World) File(path string) (string, bool) { return w.cfg.FS.Content(path) }

// Render makes the bytes of a whole conversation: the prefix and every message up
// to last, with the decisions in r, which it extends.
func Render(b *llm.Builder, p *Prefix, last *llm.Msg, r *Replacements) *llm.Node {
	return renderMessages(b, renderPrefix(b, p), last, r)
}

// Resumed is resumed after a prefix that is rendered here.
func Resumed(b *llm.Builder, p *Prefix, repl Replacements, entries []Entry) *Conversation {
	return resumed(b, p, renderPrefix(b, p), repl, entries)
}

// Progress is how far an agent in the background has come since its activation
// began (TSK-07).
type Progress struct {
	ToolUses     int
	InputTokens  int64    // of the newest request alone: it holds those before it
	OutputTokens int64    // of all answers
	Activities   []string // the last tool uses, oldest first: the tool, and what it was about
}

// Progress is that of the agent whose task has the id; ok is false when no agent
// that lives has it: what an ended one came to stands in its notification.
func (w *World) Progress(id string) (p Progress, ok bool) {
	t := w.tasks.Get(id)
	if t == nil || t.Type != task.LocalAgent {
		return Progress{}, false
	}
	a := w.agents[t.Agent]
	if a.life == nil {
		return Progress{}, false
	}
	of := &a.progress
	p = Progress{ToolUses: of.uses, InputTokens: of.input, OutputTokens: of.output}
	for i := max(0, of.uses-RecentActivities); i < of.uses; i++ {
		p.Activities = append(p.Activities, doing(a, of.last[i%RecentActivities]))
	}
	return p, true
}

// doing says what a tool use of an agent is about.
func doing(a *Agent, use *llm.Block) string {
	t := a.ctx.Pool.Find(use.Name)
	if t == nil {
		return use.Name
	}
	return strings.TrimSpace(use.Name + " " + strings.Join(t.Subjects(use.Content, a.directory()), ", "))
}

// Crash ends an agent that lives as if what ran it had gone: it fails, and its
// clean-up runs all the same (ISO-10).
func (w *World) Crash(lineage string) error {
	for _, a := range w.agents {
		if a.lineage == lineage && !a.ended {
			a.ctx.Abort.Abort(ErrCrashed)
			return nil
		}
	}
	return fmt.Errorf("no agent %s lives at %s", lineage, w.cfg.Kernel.Now())
}

// Held lists what the agents of the world hold now. A story gives ended agents
// their lives back; that these are gone, testReleased shows.
func (w *World) Held() (out []string) {
	for _, a := range w.agents {
		if a.ended {
			continue
		}
		if a.ctx.Files != nil {
			out = append(out, a.lineage+" file cache")
		}
		if len(a.hooks.list) > 0 {
			out = append(out, a.lineage+" hooks")
		}
		if a.ctx.Session != nil && len(a.ctx.Session.Todos) > 0 {
			out = append(out, a.lineage+" todos")
		}
	}
	for _, t := range w.tasks.All() {
		if s := w.shells[t.ID]; s != nil && !t.Status().Final() {
			out = append(out, s.owner.lineage+" background shell")
		}
	}
	return out
}
