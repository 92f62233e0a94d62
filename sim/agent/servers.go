package agent

import (
	"slices"
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/mcp"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// whyTools is why a history stands behind other tools.
const whyTools = "tools"

// servers is what the world knows of the session's MCP servers.
type servers struct {
	moves []string       // what became of them, in order
	moved *kernel.Signal // fires with the next
}

// watchServers follows the session's servers.
func (w *World) watchServers() {
	if w.cfg.Servers == nil {
		return
	}
	w.servers.moved = kernel.NewSignal(w.cfg.Kernel, "an MCP server")
	w.cfg.Servers.Watch(w.cfg.Kernel, func(c *mcp.Connection, s mcp.Status) {
		w.epoch++
		w.servers.moves = append(w.servers.moves, c.Name+" "+string(s))
		w.recordServer(-1, c, s)
		fired := w.servers.moved
		w.servers.moved = kernel.NewSignal(w.cfg.Kernel, "an MCP server")
		fired.Fire()
	})
}

// RecordServers records how the session's servers stand as it begins.
func (w *World) RecordServers() {
	for _, c := range w.cfg.Servers.Shared() {
		w.recordServer(-1, c, c.Status())
	}
}

func (w *World) recordServer(by int32, c *mcp.Connection, s mcp.Status) {
	ev := &transcript.Server{Name: c.Name, Status: string(s)}
	if c.Status() == mcp.Connected {
		ev.Tools = tool.Names(c.Lists())
	}
	w.rec.emit(by, ev)
}

// offered is tools with those of the session's servers.
func (w *World) offered(own []*tool.Tool) []*tool.Tool {
	return append(own[:len(own):len(own)], w.cfg.Servers.Tools()...)
}

// ofRoot is what a root is offered: one that coordinates has tools of its own alone.
func (w *World) ofRoot(own []*tool.Tool) []*tool.Tool {
	if w.coordinator {
		return own
	}
	return w.offered(own)
}

// lay parts a pool's tools into those whose definitions stand in front of its agents
// and those that stand there by name alone, but for those that are inserted. Whoever
// cannot search has all in front.
func (w *World) lay(p *Pool, inserted []string) {
	if tool.Find(p.all, tool.SearchName) != nil {
		behind := func(t *tool.Tool) bool { return t.Deferred && !slices.Contains(inserted, t.Name) }
		p.Tools = slices.DeleteFunc(slices.Clone(p.all), behind)
		p.Deferred = slices.DeleteFunc(slices.Clone(p.all), func(t *tool.Tool) bool { return !behind(t) })
	}
	p.Names = tool.Names(p.Tools)
	for _, t := range p.Tools {
		p.Blocks = append(p.Blocks, llm.Block{Kind: llm.ToolDef, Name: t.Name, Content: llm.NewJSON(w.definition(t))})
	}
}

// inserting is a pool with more of its tools in front.
func (w *World) inserting(from *Pool, inserted []string) *Pool {
	of := *from.Pool
	p := &Pool{Pool: &of, all: from.all}
	w.lay(p, inserted)
	return p
}

// changeTools gives an agent that has begun another pool. Where other definitions stand in
// front from then on, its history stands behind them. What tools of the session itself
// say stays as it was rendered; of a root, whose Agent tool lists types by the servers
// that are there, that one is rendered anew.
func changeTools(a *Agent, p *Pool, why string) {
	old, now := a.ctx.Pool, *p
	now.Blocks = slices.Clone(p.Blocks)
	for i, t := range p.Tools {
		if j := slices.Index(old.Names, t.Name); j >= 0 && !t.MCP && (t.Name != tool.AgentName || a.root == nil || !a.w.requires()) {
			now.Blocks[i] = old.Blocks[j]
		}
	}
	a.ctx.Pool = &now
	same := 0
	for same < min(len(old.Blocks), len(now.Blocks)) && old.Blocks[same].Content.Identity() == now.Blocks[same].Content.Identity() {
		same++
	}
	if same == len(old.Blocks) && same == len(now.Blocks) {
		return
	}
	prefix, front := *a.front.prefix, *a.front
	prefix.Tools, front.prefix = now.Blocks, &prefix
	front.render(a.w.cfg.Builder)
	a.front = &front
	a.conv.rebase(a.w.cfg.Builder, &prefix)
	a.w.rec.emit(a.ref, &transcript.Rebase{Why: whyTools, Position: int32(same) + 1, Detail: why, Tools: now.Names})
}

// renew gives a root that starts now what the gates and the session's servers make of it
// by now.
func (r *Root) renew() {
	a := r.agent
	a.fitted = len(a.w.servers.moves)
	a.ctx.Pool = a.w.pool(nil, false, a.Mode(), a.w.ofRoot(r.spec.Offered))
	a.front = a.w.rootFront(a, a.ctx.Pool, a.client.req.Settings)
	a.conv.Prefix, a.conv.Border, a.conv.Head = a.front.prefix, a.front.border, a.front.border
}

// refit gives a root what the session's servers list now. Tools that are listed by
// name are told of behind what was said; sub-agents keep what they began with.
func (r *Root) refit() {
	a := r.agent
	w := a.w
	if a.fitted == len(w.servers.moves) {
		return
	}
	why := strings.Join(w.servers.moves[a.fitted:], ", ")
	a.fitted = len(w.servers.moves)
	p := w.pool(nil, false, a.Mode(), w.ofRoot(r.spec.Offered))
	if a.inserted != nil {
		p = w.inserting(p, a.inserted)
	}
	if text := difference(tool.Names(a.ctx.Pool.Deferred), tool.Names(p.Deferred)); text != "" {
		a.say(textMessage(Reminder(PartDeferred, text)))
	}
	changeTools(a, p, why)
}

// foundSince is what an agent is told of tools that can be found, or no more, since its
// first message named them.
func foundSince(a *Agent) []llm.Block {
	inserted := func(name string) bool { return slices.Contains(a.inserted, name) }
	text := difference(slices.DeleteFunc(slices.Clone(a.front.deferred), inserted), tool.Names(a.ctx.Pool.Deferred))
	if text == "" {
		return nil
	}
	return []llm.Block{textBlock(Reminder(PartDeferred, text))}
}

// difference says in words what of a list is new and what is gone, "" for nothing.
func difference(old, now []string) (text string) {
	lacks := func(list []string) func(string) bool {
		return func(name string) bool { return slices.Contains(list, name) }
	}
	if more := slices.DeleteFunc(slices.Clone(now), lacks(old)); len(more) > 0 {
		text = "These can be found now:\n" + strings.Join(more, "\n") + "\n"
	}
	if gone := slices.DeleteFunc(slices.Clone(old), lacks(now)); len(gone) > 0 {
		text += "These are gone:\n" + strings.Join(gone, "\n") + "\n"
	}
	return text
}

// toolOf is what a call of an agent means, nil for none: a tool of its pool, or one that
// it has found.
func toolOf(a *Agent, name string) *tool.Tool {
	if t := a.ctx.Pool.Find(name); t != nil {
		return t
	}
	t := tool.Find(a.ctx.Pool.Deferred, name)
	if t == nil || !found(a.conv.Head, t.Name) {
		return nil
	}
	return t
}

// found reports whether a conversation holds the definition of a deferred tool.
func found(head *llm.Node, name string) bool {
	for n := head; n != nil && n.Uses&llm.FoundTool != 0; n = n.Parent {
		if n.Block != nil && n.Block.Kind == llm.ToolReference && n.Block.Name == name {
			return true
		}
	}
	return false
}

// toolSearch runs ToolSearch. What it finds stands behind the results, or among the
// tools in front of the next request (MCP-07).
func toolSearch(a *Agent, use *llm.Block) tool.Result {
	list, err := tool.Search(a.ctx.Pool.Deferred, use.Content)
	switch {
	case err != nil:
		return failure(err.Error())
	case len(list) == 0:
		return tool.Result{Content: llm.NewText(llm.Prose, "No deferred tool was found.")}
	}
	names := strings.Join(tool.Names(list), ", ")
	out := tool.Result{Content: llm.NewText(llm.Prose, "Found: "+names+".")}
	if a.w.cfg.Servers.Policy == mcp.Inserted {
		a.searched = append(a.searched, tool.Names(list)...)
		return out
	}
	for _, t := range list {
		if !found(a.conv.Head, t.Name) {
			out.Behind = append(out.Behind, llm.Block{Kind: llm.ToolReference, Name: t.Name, Content: llm.NewJSON(tool.Definition(t))})
		}
	}
	return out
}

// insert puts what the searches of an answer have found in front of the next request.
// Forks of the same answer have the tools that it was an answer to (FRK-06).
func insert(a *Agent) {
	if a.searched == nil {
		return
	}
	why := "found " + strings.Join(a.searched, ", ")
	a.inserted, a.searched = append(a.inserted, a.searched...), nil
	changeTools(a, a.w.inserting(a.ctx.Pool, a.inserted), why)
}

// requires reports whether types of agents are hidden while servers are not there.
func (w *World) requires() bool {
	return slices.ContainsFunc(w.cfg.Definitions, func(d *Definition) bool { return len(d.Required) > 0 })
}
