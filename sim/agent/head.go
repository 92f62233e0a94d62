package agent

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/tool"
)

// rendered is a prefix with its nodes; agents with equal prefixes share one.
type rendered struct {
	prefix *Prefix
	static *llm.Node      // last system block that is shared with others
	system *llm.Node      // last system block
	border *llm.Node      // before the messages
	first  []*llm.Payload // what the first message begins with, a block each

	userParts, systemParts []string // names of what the two contexts hold
	deferred               []string // tools that the first message says can be found
}

// frontText is what a prefix is made of, as text.
type frontText struct {
	system []string
	static int // how many of them are shared with others
	first  []string

	userParts, systemParts []string
}

type headKey struct {
	pool      *Pool
	def       *Definition
	mate      bool   // of teammates
	memory    string // of the definition, as it stands
	place     *place // where the agent works; nil is the project's directory
	root      string // lineage of a root with a prompt of its own
	model     string
	workspace string
	settings  llm.Settings
	epoch     int
}

// head renders what stands before an agent's messages, once for all agents
// that share it.
func (w *World) head(k headKey, t *frontText) *rendered {
	if r := headOf(w, &k); r != nil {
		return r
	}
	p := &Prefix{
		Scope:    llm.Scope{Organisation: w.cfg.Organisation, Workspace: k.workspace, Model: k.model},
		Settings: k.settings, Rules: w.cfg.Rules(k.model), Tools: k.pool.Blocks, Static: t.static,
	}
	for _, s := range t.system {
		p.System = append(p.System, llm.Block{Kind: llm.Text, Content: prose(w, s)})
	}
	r := &rendered{prefix: p, userParts: t.userParts, systemParts: t.systemParts, deferred: tool.Names(k.pool.Deferred)}
	r.render(w.cfg.Builder)
	for _, text := range t.first {
		r.first = append(r.first, prose(w, text))
	}
	w.heads[k] = r
	return r
}

// headOf is the head that agents of a key have had before, nil for none.
func headOf(w *World, k *headKey) *rendered {
	k.epoch = w.epoch
	return w.heads[*k]
}

// prose is the payload of a text that many heads have, such as those of roots, which
// differ in little else than their names.
func prose(w *World, s string) *llm.Payload {
	p := w.texts[s]
	if p == nil {
		p = llm.NewText(llm.Prose, s)
		w.texts[s] = p
	}
	return p
}

// typeOf is the type of an agent, roots' included.
func (w *World) typeOf(d *Definition) string {
	switch {
	case d != nil:
		return d.Type
	case w.coordinator:
		return TypeCoordinator
	}
	return TypeMain
}

// grown is a system prompt with what heads add to it.
func (w *World) grown(d *Definition, pool *Pool, system ...string) string {
	last := system[len(system)-1]
	if w.cfg.Heads == nil {
		return last
	}
	if more := w.cfg.Heads.System(w.typeOf(d), d == nil, pool.Blocks, system); more != "" {
		return last + "\n# Guidance for " + w.typeOf(d) + "\n" + more + "\n"
	}
	return last
}

// learn puts what the session tells the agent besides in front of what is said to it
// first.
func learn(a *Agent, said []llm.Block) {
	if a.w.cfg.Heads == nil {
		return
	}
	text := a.w.cfg.Heads.Context(a.w.typeOf(a.def), a.IsRoot(), a.lineage, a.front.prefix, append(a.front.opens(nil), said...))
	if text == "" {
		return
	}
	own := *a.front
	own.first = append(own.first[:len(own.first):len(own.first)], llm.NewText(llm.Prose, Reminder("session", text)))
	a.front = &own
}

// opens appends what the first message begins with.
func (r *rendered) opens(blocks []llm.Block) []llm.Block {
	for _, p := range r.first {
		blocks = append(blocks, llm.Block{Kind: llm.Text, Content: p})
	}
	return blocks
}

// render makes the nodes and finds the system's marks among them.
func (r *rendered) render(b *llm.Builder) {
	r.border = renderPrefix(b, r.prefix)
	r.static, r.system = nil, nil
	n := len(r.prefix.System)
	for node := r.border.Parent; node != nil && node.Level == llm.System && !node.IsBorder(); node = node.Parent {
		if n == len(r.prefix.System) {
			r.system = node
		}
		if n == r.prefix.Static {
			r.static = node
		}
		n--
	}
}

// with is the same prefix under other settings.
func (r *rendered) with(w *World, s llm.Settings, model string) *rendered {
	p := *r.prefix
	p.Settings, p.Scope.Model, p.Rules = s, model, w.cfg.Rules(model)
	out := *r
	out.prefix = &p
	out.render(w.cfg.Builder)
	return &out
}

// PartTypes is the list of types that an agent with this part may start,
// PartEnvironment where it works, and PartDeferred the tools that it finds by
// ToolSearch: they are filled in for each agent.
const (
	PartTypes       = "agentTypes"
	PartEnvironment = "environment"
	PartDeferred    = "deferredTools"
)

// contexts fills in what the session tells agents with a pool: what their first
// message begins with, and, as the result, what is appended to their system prompt.
// claude and git name the parts that they do without, and at is where they work.
func (w *World) contexts(t *frontText, user []Part, pool *Pool, at *place, child bool, claude, git string) (system string) {
	kept := func(parts []Part) []Part {
		out := slices.DeleteFunc(slices.Clone(parts), func(p Part) bool {
			return !p.stands(pool, child)
		})
		for i := range out {
			switch out[i].Name {
			case PartDeferred:
				out[i].Text = strings.Join(tool.Names(pool.Deferred), "\n")
			case PartGitStatus:
				out[i].Text = at.gitStatus(out[i].Text)
			}
		}
		return out
	}
	context, names := userContext(kept(user), claude)
	system, t.systemParts = systemContext(kept(w.cfg.SystemContext), git)
	for _, p := range kept(w.cfg.Opening) {
		if p.Name == git {
			continue
		}
		if p.Name == PartGitStatus {
			t.systemParts = append(t.systemParts, p.Name)
		}
		t.first = w.reminder(t.first, p, at)
	}
	if t.userParts = names; names != nil {
		t.first = append(t.first, context)
	}
	for _, p := range kept(w.cfg.Attached) {
		t.first = w.reminder(t.first, p, at)
	}
	return system
}

// reminder appends a part as a block of its own.
func (w *World) reminder(blocks []string, p Part, at *place) []string {
	switch p.Name {
	case PartTypes:
		p.Text = tool.TypeList(w.types())
	case PartEnvironment:
		p.Text = strings.TrimPrefix(w.environment(at), "# Environment\n")
	}
	if p.Text == "" {
		return blocks
	}
	return append(blocks, Reminder(p.Name, p.Text))
}

// Reminder is a part's text as it stands in a block of its own.
func Reminder(name, text string) string {
	return "<system-reminder>\n# " + name + "\n" + strings.TrimRight(text, "\n") + "\n</system-reminder>\n"
}

// userContext is the text that is prepended to the messages (LOOP-10), without
// the parts that are left out.
func userContext(parts []Part, omit string) (text string, names []string) {
	if text, names = joined(parts, omit, "# ", "\n"); names != nil {
		text = "<system-reminder>\nContext of this session. It may or may not matter to the task.\n" + text + "</system-reminder>\n"
	}
	return text, names
}

// systemContext is the text that is appended to the system prompt.
func systemContext(parts []Part, omit string) (text string, names []string) {
	return joined(parts, omit, "\n", ":\n")
}

// joined is the texts of parts, each under its name.
func joined(parts []Part, omit, before, after string) (text string, names []string) {
	var pieces []string
	for _, p := range parts {
		if p.Name != omit && p.Text != "" {
			names = append(names, p.Name)
			pieces = append(pieces, before, p.Name, after, strings.TrimRight(p.Text, "\n"), "\n")
		}
	}
	return strings.Join(pieces, ""), names
}
