package audit

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
)

// toldContext is LEAN-01 and LEAN-02 in the bytes: what an agent's start says of its
// contexts is what its first request tells.
func (u *starts) toldContext(a *agent, front *llm.Node, nodes []*llm.Node) {
	c := &a.facts.Context
	claude, git := false, false
	for _, n := range nodes {
		if !sharedContext(n) {
			break
		}
		text := n.Block.Content.Raw()
		claude = claude || strings.Contains(text, "\n# claudeMd\n")
		git = git || strings.HasPrefix(text, "<system-reminder>\n# gitStatus\n")
	}
	u.same(lean01, a, "CLAUDE.md in its first message:", word(slices.Contains(c.UserContext, "claudeMd")), word(claude))
	if s := u.opt.Session; s != nil && s.Minimal {
		return
	}
	for n := front.Parent; n != nil && !git; n = n.Parent {
		git = n.Level == llm.System && !n.IsBorder() && strings.Contains(n.Block.Content.Raw(), repository)
	}
	u.same(lean02, a, "git status in front of it:", word(slices.Contains(c.SystemContext, "gitStatus")), word(git))
}

// readOnly are the built-in types that are to change nothing, and what they do without.
var (
	readOnly = []string{"Explore", "Plan", "verification"}
	writing  = []string{"Agent", "Edit", "Write", "NotebookEdit"}
)

// builtIn are all tools that some built-in types may have.
var builtIn = map[string][]string{"statusline-setup": {"Read", "Edit"}, "claude-code-guide": {"Read", "Grep", "Glob", "WebFetch", "WebSearch"}}

// startBuiltIn is DEF-07 by tables of this package.
func (u *starts) startBuiltIn(a *agent) {
	typ := a.facts.Type
	if a.facts.Source != "agent:builtin:"+typ {
		return
	}
	all, known := builtIn[typ]
	if !known && !slices.Contains(readOnly, typ) {
		return
	}
	i := slices.IndexFunc(a.facts.Tools, func(name string) bool {
		return slices.Contains(writing, name) && !known || known && !slices.Contains(all, name)
	})
	if u.fails(def07, i < 0) {
		u.report(def07, a, "an agent of type "+typ+" without "+a.facts.Tools[i], a.facts.Tools[i])
	}
}
