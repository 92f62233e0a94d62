package audit

import (
	"maps"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// Servers is how tools of MCP servers stand in front of a session's agents.
type Servers struct {
	Search string   // front, deferred or inserted
	Keeps  bool     // tools of a connection that was lost stay in front
	Finds  bool     // ToolSearch is among the tools offered, as the client defines it itself
	Front  []string // tools that stand in front however others do
}

// servers is the section on MCP servers: whose tools agents have.
type servers struct {
	*ledger
	filter *filter
	listed map[string][]string // by server of the session: tools that agents are offered
	lost   map[string]uint64   // last event by which one was not connected any more
	is     map[string]string   // by server: its status
	moves  int                 // how often one of the session's changed
}

// What the client calls the search for tools, and what it tells of those that are found
// by it.
const (
	searchTool   = "ToolSearch"
	deferredPart = "deferredTools"
	deferredText = "<system-reminder>\n# " + deferredPart + "\n"
	foundOpen    = "Found: "
)

// fromServer reports whether a tool is a server's, or finds one.
func fromServer(name string) bool { return strings.HasPrefix(name, "mcp__") || name == searchTool }

// otherTools is why a history stands behind other tools.
const otherTools = "tools"

// otherSettings is why it stands behind other salts.
const otherSettings = "settings"

// rebases takes in that a history's bytes are made anew.
func (u *servers) rebases(a *agent, b *transcript.Rebase) {
	if b.Why == otherTools {
		more := int32(len(b.Tools) - len(a.facts.Tools))
		a.shift += more
		a.marking.moved(more)
		a.facts.Tools = slices.Clone(b.Tools)
		a.former.facts.Tools = a.facts.Tools // which it has when it is resumed too
	}
	switch {
	case b.Why == otherTools && a.rebased != "" && a.rebased != otherSettings:
	case b.Why == otherSettings && a.rebased == otherTools: // behind both, content alone is the same
	default:
		a.rebased = b.Why
	}
	a.last.resettled = a.last.resettled || b.Why != "compaction"
}

// compacted takes in that what was found is gone with the history; what was inserted
// stays in front. What can be found it knows as it did first, until it is told.
func (u *servers) compacted(a *agent) {
	a.deferred = a.opens
	if s := u.opt.Session; s == nil || s.Servers == nil || s.Servers.Search != "inserted" {
		a.found = nil
	}
}

// event takes in what became of a server of the session.
func (u *servers) event(by int32, b *transcript.Server) {
	if a := u.agent(by); a != nil {
		u.ownEvent(a, b)
		return
	}
	u.is[b.Name] = b.Status
	u.moves++
	switch b.Status {
	case "connected", "listed":
		u.listed[b.Name] = slices.Clone(b.Tools)
		return
	case "dropped":
		if u.opt.Session == nil || u.opt.Session.Servers == nil || !u.opt.Session.Servers.Keeps {
			delete(u.listed, b.Name)
		}
	}
	u.lost[b.Name] = u.seq
}

// gone reports whether a tool is of a server of the session that lists it no more.
func (u *servers) gone(tool string) bool {
	return strings.HasPrefix(tool, "mcp__") && !slices.Contains(u.listed[serverOf(tool)], tool)
}

// offered are the tools of the session's servers, in order: by server.
func (u *servers) offered() (out []string) {
	s := u.opt.Session.Servers
	if s == nil {
		return nil
	}
	if s.Search != "front" && !s.Finds {
		out = append(out, searchTool)
	}
	for _, name := range slices.Sorted(maps.Keys(u.listed)) {
		out = append(out, u.listed[name]...)
	}
	return out
}

// part splits tools of servers into those in front of an agent and those that stand
// there by name, where it can search.
func (u *servers) part(names []string, searches bool) (front, deferred []string) {
	s := u.opt.Session.Servers
	for _, name := range names {
		if s != nil && s.Search != "front" && searches && name != searchTool && !slices.Contains(s.Front, name) {
			deferred = append(deferred, name)
		} else {
			front = append(front, name)
		}
	}
	return front, deferred
}

// pool is what an agent is to hold of the session's servers now, by a rule.
func (u *servers) pool(r *rule, searches bool) (front, deferred []string) {
	var has []string
	for _, name := range u.offered() {
		if (r == nil || r.removedBy(name) == "") && !u.filter.gone(u.opt.Session, name) {
			has = append(has, name)
		}
	}
	return u.part(has, searches || slices.Contains(has, searchTool))
}

// starts notes the names of tools that an agent is told of as it starts.
func (u *servers) starts(a, p *agent) {
	if a.fork {
		a.found, a.deferred, a.opens = slices.Clone(p.found), p.deferred, p.opens
		return
	}
	if s := u.opt.Session; s == nil || s.Servers == nil {
		return
	}
	var r *rule
	if p != nil {
		x := ruleOf(a, p)
		r = &x
	}
	_, a.deferred = u.pool(r, inPool(a, searchTool))
	for _, server := range u.typeOf(a).Servers {
		if !u.brings(a, server) || !u.there(server) {
			continue
		}
		u.finds(a, u.listed[server])
	}
}

// finds takes in that an agent can search for those tools of a server that it brings that
// are deferred.
func (u *servers) finds(a *agent, tools []string) {
	_, more := u.part(tools, inPool(a, searchTool))
	a.deferred = append(slices.Clone(a.deferred), slices.DeleteFunc(more, func(name string) bool { return slices.Contains(a.deferred, name) })...)
}

// sent is MCP-06 and MCP-07 for a root's request: it defines the tools that servers list
// now, of those that are deferred the ones that it has found and inserted, and the others
// are told of.
func (u *servers) sent(a *agent) {
	s := u.opt.Session
	if s == nil || s.Servers == nil || a.parent != nil || s.coordinates() {
		return
	}
	front, deferred := u.pool(nil, inPool(a, searchTool))
	inserted := func(name string) bool { return s.Servers.Search == "inserted" && slices.Contains(a.found, name) }
	stands := make(map[string]bool, len(front)+len(deferred))
	for _, name := range front {
		stands[name] = true
	}
	for _, name := range deferred {
		stands[name] = stands[name] || inserted(name)
	}
	want := slices.DeleteFunc(u.offered(), func(name string) bool { return !stands[name] })
	has := slices.DeleteFunc(slices.Clone(a.facts.Tools), func(name string) bool { return !fromServer(name) })
	u.same(mcp06, a, "tools of servers", strings.Join(want, " "), strings.Join(has, " "))
	told := slices.Clone(a.deferred)
	if !slices.Equal(told, deferred) { // which mostly stand in one order
		slices.Sort(told)
		slices.Sort(deferred)
	}
	told, deferred = slices.DeleteFunc(told, inserted), slices.DeleteFunc(deferred, inserted)
	u.same(mcp07, a, "can be found", strings.Join(deferred, " "), strings.Join(told, " "))
}

// sameMessages reports whether a history is the one before behind other tools: the same
// blocks, as many as there were.
func sameMessages(old, now *llm.Node) bool {
	for !old.IsBorder() && !now.IsBorder() {
		if old.Block.Kind != now.Block.Kind || old.Block.Content.Identity() != now.Block.Content.Identity() {
			return false
		}
		old, now = old.Parent, now.Parent
	}
	return old.IsBorder() && now.IsBorder()
}

// told holds what an agent is told of tools that it can search for against what servers
// list, in front of its messages or behind what was said (MCP-07).
func (u *servers) told(a *agent, text string) {
	if s := u.opt.Session; s == nil || s.Servers == nil {
		return
	}
	_, rest, changed := strings.Cut(text, "These can be found now:\n")
	if !changed {
		rest = text
	}
	more, gone, _ := strings.Cut(rest, "These are gone:\n")
	lines := func(s string) (out []string) {
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "mcp__") {
				out = append(out, line)
			}
		}
		return out
	}
	if missing := lines(gone); changed || missing != nil {
		a.deferred = append(slices.DeleteFunc(slices.Clone(a.deferred), func(n string) bool { return slices.Contains(missing, n) }), lines(more)...)
		return
	}
	u.same(mcp07, a, "can be found", strings.Join(a.deferred, " "), strings.Join(lines(text), " "))
}

// answered takes in what a search has found.
func (u *servers) answered(a *agent, b *llm.Block) {
	if list, ok := strings.CutPrefix(b.Content.Raw(), foundOpen); ok && !b.IsError {
		a.found = append(a.found, strings.Split(strings.TrimSuffix(list, "."), ", ")...)
	}
}

// reference is MCP-07 for a definition behind the results: a search has found it.
func (u *servers) reference(a *agent, b *llm.Block) {
	if u.fails(mcp07, slices.Contains(a.found, b.Name)) {
		u.report(mcp07, a, "no definition of "+b.Name+", which no search has found", "one")
	}
}

// called is MCP-05 for the result of a call: one of a server that is not connected as
// the call begins, or no more as it ends, is an error.
func (u *servers) called(a *agent, c *call, b *transcript.ToolResult) {
	if len(u.is) == 0 || c.began == 0 {
		return
	}
	server := serverOf(c.name)
	if _, shared := u.is[server]; !shared || slices.Contains(a.opened, server) || slices.Contains(u.typeOf(a).Inline, server) {
		return
	}
	gone := u.lost[server] > c.began || !u.there(server)
	if u.fails(mcp05, !gone || b.IsError) {
		u.report(mcp05, a, "an error: server "+server+" is "+u.is[server], "a result")
	}
}
