package audit

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// requiredWait is how long a call of the Agent tool waits for servers (MCP-03).
const requiredWait = 30 * vtime.Second

// serverOf is the server of a tool, "" where it is none's.
func serverOf(name string) string {
	rest, is := strings.CutPrefix(name, "mcp__")
	server, _, _ := strings.Cut(rest, "__")
	if !is {
		return ""
	}
	return server
}

// typeOf is what a definition says of an agent, nothing of one that has none.
func (u *servers) typeOf(a *agent) Type {
	if s := u.opt.Session; s != nil && a.parent != nil && !a.fork {
		return s.Types[a.facts.Type]
	}
	return Type{}
}

// brings reports whether an agent has the tools of a server by its definition.
func (u *servers) brings(a *agent, server string) bool {
	t := u.typeOf(a)
	if server == "" || u.opt.Session == nil || u.opt.Session.PluginsOnly && !t.Trusted {
		return false
	}
	return slices.Contains(t.Servers, server) || slices.Contains(t.Inline, server)
}

// brought is an agent's tools with those of the servers that its definition brings: what
// the session's list, and what its own do (MCP-02).
func (u *servers) brought(a *agent, want []string) []string {
	t := u.typeOf(a)
	add := func(names []string) {
		names, _ = u.part(names, slices.Contains(want, searchTool))
		for _, name := range names {
			if !slices.Contains(want, name) {
				want = append(want, name)
			}
		}
	}
	for _, server := range t.Servers {
		if u.brings(a, server) && u.there(server) {
			add(u.listed[server])
		}
	}
	add(slices.DeleteFunc(slices.Clone(a.facts.Tools), func(name string) bool {
		server := serverOf(name)
		return !slices.Contains(t.Inline, server) || !u.brings(a, server)
	}))
	return want
}

// there reports whether a server of the session is connected.
func (u *servers) there(server string) bool {
	return u.is[server] == "connected" || u.is[server] == "listed"
}

// meets reports whether the servers that a type needs are there, each with a tool.
func (u *servers) meets(t Type) bool {
	return !slices.ContainsFunc(t.Required, func(server string) bool { return !u.there(server) || len(u.listed[server]) == 0 })
}

// begins is MCP-02 and MCP-03 for a child as it starts.
func (u *servers) begins(a *agent) {
	t := u.typeOf(a)
	if len(t.Servers)+len(t.Inline) > 0 {
		names := slices.Sorted(slices.Values(a.facts.Tools))
		if u.fails(mcp02, len(slices.Compact(names)) == len(a.facts.Tools)) {
			u.report(mcp02, a, "each tool once", strings.Join(a.facts.Tools, " "))
		}
	}
	if len(t.Required) > 0 && u.fails(mcp03, u.meets(t)) {
		u.report(mcp03, a, "no agent of "+a.facts.Type+": it needs "+strings.Join(t.Required, ", "), "one")
	}
}

// refused is MCP-03 for a call that starts no agent since servers are not there: it says
// which, and did not wait for longer than it may.
func (u *servers) refused(a *agent, c *call, x *use, b *llm.Block) {
	s := u.opt.Session
	if s == nil || c == nil || c.child || !b.IsError {
		return
	}
	t := s.Types[field(x.input, "subagent_type")]
	if u.meets(t) || c.verdict != allowed || c.judged || c.refusal != "cannot be started" { // which is for another reason
		return
	}
	_, told, _ := strings.Cut(b.Content.Raw(), "MCP servers")
	for _, server := range t.Required {
		if !u.there(server) && u.fails(mcp03, a.cut || strings.Contains(told, server)) {
			u.report(mcp03, a, "an error that names "+server, short(b.Content.Raw()))
		}
	}
	if waited := min(c.took, c.ended.Sub(c.from)); u.fails(mcp03, waited <= requiredWait) {
		u.report(mcp03, a, "an error after 30s at most", waited.String())
	}
}

// ownEvent is MCP-01, MCP-04 and ISO-10 for a server that an agent opened.
func (u *servers) ownEvent(a *agent, b *transcript.Server) {
	if b.Status == "closed" {
		a.opened = slices.DeleteFunc(a.opened, func(s string) bool { return s == b.Name })
		if u.fails(iso10, a.life == nil && u.now == a.ended) {
			u.report(iso10, a, "server "+b.Name+" closed as it ends", "closed at "+u.now.String())
		}
		return
	}
	a.opened = append(a.opened, b.Name)
	u.finds(a, b.Tools)
	t := u.typeOf(a)
	if u.fails(mcp01, slices.Contains(t.Inline, b.Name)) {
		u.report(mcp01, a, "its parent's connection to "+b.Name, "one of its own")
	}
	if u.fails(mcp04, !u.opt.Session.PluginsOnly || t.Trusted) {
		u.report(mcp04, a, "no server, as it is no plugin's", b.Name)
	}
}

// ended is ISO-10 and MCP-01 for the end of the run: nothing is left open by those who
// have ended.
func (u *servers) ended() {
	for _, a := range u.agents {
		if a == nil || a.parent == nil || a.life != nil {
			continue
		}
		if len(a.opened) > 0 {
			u.made[iso10]++
			u.report(iso10, a, "its servers closed", strings.Join(a.opened, ", ")+" open")
		}
	}
}

// workers is CRD-03 for the servers that a coordinator is told of: those whose tools its
// workers have now.
func (u *servers) workers(a *agent, text string) {
	if u.opt.Session.Servers == nil {
		return
	}
	_, told, _ := strings.Cut(text, "these MCP servers: ")
	told, _, _ = strings.Cut(told, "\n")
	var want []string
	for _, name := range u.offered() {
		if server := serverOf(name); server != "" && !slices.Contains(want, server) && !u.filter.gone(u.opt.Session, name) {
			want = append(want, server)
		}
	}
	u.same(crd03, a, "MCP servers", strings.Join(want, ", "), told)
}

// rebases takes in that a history's bytes are made anew. A root's Agent tool is rendered anew
// where types need servers, else it stays as it was, whatever the gates say by now.
func (u *fronts) rebases(a *agent, b *transcript.Rebase) {
	u.servers.rebases(a, b)
	if b.Why != otherTools || a.parent != nil || u.opt.Session == nil {
		return
	}
	for _, t := range u.opt.Session.Types { // order: any
		if len(t.Required) > 0 {
			a.offer = u.offers()
			return
		}
	}
}
