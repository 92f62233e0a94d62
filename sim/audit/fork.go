package audit

import (
	"encoding/json"
	"strings"

	"agentsim/sim/llm"
)

// forking is the section on forks.
type forking struct {
	*ledger
	siblings map[llm.Hash]*siblings // by the answer that they were forked from
}

// The fixed texts of forks.
const (
	forkSource   = "agent:builtin:fork"
	forkTag      = "<fork-boilerplate>"
	forkKeyword  = "FORK_DIRECTIVE: "
	placeholder  = "Fork started — processing in background"
	forkInFork   = "Fork is not available inside a forked worker."
	notification = "<task-notification"
)

// siblings are the forks of one answer.
type siblings struct {
	waiting int      // whose first request is still to come
	before  llm.Hash // what the first of them sent up to its directive
	first   string   // its lineage
}

// startFork is FRK-09 for every child, and notes where a fork begins.
func (u *forking) startFork(a, p *agent) {
	typed := u.opt.TypedChildren && !a.fork
	if u.fails(frk09, typed || p.facts.Source != forkSource && !p.tagged) {
		u.report(frk09, a, "no agent that a fork makes", "one made by "+p.lineage)
	}
	if u.fails(frk09, a.fork == (a.facts.Source == forkSource)) {
		u.report(frk09, a, "query source "+forkSource+" of forks and of no other", a.facts.Source)
	}
	if !a.fork {
		return
	}
	a.point, a.seen, a.formed, a.replaced = p.seen, p.seen, p.formed, p.replaced
	if !u.opt.Rerender {
		a.opening = p.opening
	}
	if u.fails(iso08, u.opt.Rerender || a.facts.Context.Replacements >= p.replaced) {
		u.report(iso08, a, "at least "+decimal(int64(p.replaced))+" replacement decisions, those of its parent", decimal(int64(a.facts.Context.Replacements)))
	}
	if a.point == nil {
		return
	}
	k := u.siblings[a.point.Hash]
	if k == nil {
		k = &siblings{}
		u.siblings[a.point.Hash] = k
	}
	k.waiting++
	a.kin = k
}

// leaveKin forgets siblings once none of them is still to speak.
func (u *forking) leaveKin(a *agent) {
	if a.kin == nil {
		return
	}
	if a.kin.waiting--; a.kin.waiting == 0 {
		delete(u.siblings, a.point.Hash)
	}
	a.kin = nil
}

// firstOfFork holds a fork's first request against its parent's history: nodes
// are what stands behind the history.
func (u *forking) firstOfFork(a *agent, nodes []*llm.Node) {
	i := 0
	for _, x := range a.spawner {
		ok := i < len(nodes) && nodes[i].Block.Kind == llm.ToolResult && nodes[i].Block.ID == x.id && nodes[i].Block.Content.Raw() == placeholder
		if u.fails(frk03, ok) {
			u.report(frk03, a, "the placeholder for "+x.id.String(), tell(nodes, i))
		}
		i++
	}
	want, ok := a.prompt()
	at := min(i, len(nodes))
	if ok && u.fails(frk03, at < len(nodes) && saysAll(nodes[at], want) && strings.Contains(nodes[at].Block.Content.Raw(), forkTag)) {
		u.report(frk03, a, "its directive, whole: "+short(want), tell(nodes, at))
	}
	if ok && at < len(nodes) {
		raw := nodes[at].Block.Content.Raw()
		if u.fails(frk08, strings.HasPrefix(raw, forkTag) && strings.HasSuffix(raw, forkKeyword+want)) {
			u.report(frk08, a, "a directive that opens with "+forkTag+" and ends with "+forkKeyword, short(raw))
		}
	}
	if ok && at < len(nodes) {
		u.directs(a, nodes[at:])
		a.starts(nodes[at:])
	}
	if at == len(nodes) || a.kin == nil {
		return
	}
	before := nodes[at].Parent.Hash
	if a.kin.first == "" {
		a.kin.before, a.kin.first = before, a.lineage
	} else if u.fails(frk05, a.kin.before == before || u.opt.Rerender) {
		u.report(frk05, a, "the bytes of "+a.kin.first+" up to the directive", "others, up to position "+decimal(int64(nodes[at].Parent.Pos)))
	}
	u.leaveKin(a)
}

// lostHistory is FRK-03 or FRK-06, whichever a fork breaks that does not stand
// behind its parent's history.
func (u *forking) lostHistory(a *agent, head *llm.Node) {
	if border(head).Hash != border(a.point).Hash {
		u.report(frk06, a, "the parent's rendered tools and system prompt", "others")
		return
	}
	u.report(frk03, a, "the parent's history up to position "+decimal(int64(a.point.Pos)), "another one")
}

// border is the border before the messages of a chain. It walks the whole chain.
func border(n *llm.Node) *llm.Node {
	for n.Parent != nil && !(n.IsBorder() && n.Level == llm.Messages) {
		n = n.Parent
	}
	return n
}

// prompt is what the call that made the agent asks of it; ok is false when that
// is not known.
func (a *agent) prompt() (string, bool) {
	if a.spawned.input == nil || a.edited || a.parent.life != nil && a.parent.edited {
		return "", false
	}
	var in struct {
		Prompt string `json:"prompt"`
	}
	if err := json.Unmarshal([]byte(a.spawned.input.Raw()), &in); err != nil || in.Prompt == "" {
		return "", false
	}
	return defuser.Replace(in.Prompt), true
}

// defuser does to a prompt what keeps it from passing for a notification.
var defuser = strings.NewReplacer("<task-notification", "&lt;task-notification", "</task-notification", "&lt;/task-notification")

func saysAll(n *llm.Node, text string) bool {
	return n.Role == llm.User && n.Block.Kind == llm.Text && strings.Contains(n.Block.Content.Raw(), text)
}

// tell says what stands at a place of a request.
func tell(nodes []*llm.Node, i int) string {
	if i >= len(nodes) {
		return "the end of the request"
	}
	b := nodes[i].Block
	return nodes[i].Role.String() + " " + b.Kind.String() + " " + short(b.Content.Raw())
}

// short is the beginning of a text, on one line.
func short(s string) string {
	s = strings.Join(strings.Fields(s[:min(len(s), 200)]), " ")
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
