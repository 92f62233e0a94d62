package audit

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// history is the section on how requests go on from what was there.
type history struct {
	*ledger
	gates    *gates
	forks    *forking
	handoffs *handing
	bytes    map[llm.ToolUseID]llm.Hash // of replaced results
	nodes    []*llm.Node                // scratch: new nodes of a request
	looked   int64                      // nodes of conversations that were gone through
}

// compactionAsk opens the message that asks for a summary. Neither it nor the
// answer is part of the conversation that goes on.
const compactionAsk = "<compaction-request>"

// cutOff opens what the client says behind an answer that was cut off, to
// whomever it happens.
const cutOff = "Your answer reached the limit of output tokens"

// request looks at what a request has that the agent's last one had not.
func (u *Auditor) request(a *agent, b *transcript.Request) {
	u.starts.invoking(a, b)
	u.aborts.heard(a)
	a.count.asked(u.ledger, a, b.Call, b.Attempt)
	if a.sent != nil && b.Head.Hash == a.sent.Hash { // tried again
		u.cache.sent(a, b, u.now)
		a.escapes.past(u.now)
		return
	}
	if b.Attempt > 0 && u.fails(iso13, false) {
		u.report(iso13, a, "the request that failed, again", "another one")
	}
	u.history.settleCalls(a)
	u.notices.late(a)
	nodes := u.history.fresh(a, b.Head)
	if a.hand != nil {
		for _, n := range nodes {
			u.handoffs.tainted(a, n)
		}
	}
	if err := llm.WellFormedSince(b.Head, a.formed); u.fails(loop04, err == nil) {
		u.report(loop04, a, "a well-formed request", err.Error())
	}
	if a.sent == nil || a.rebased != "" {
		u.begins(a, b, nodes)
	}
	u.read(a, nodes)
	u.servers.sent(a)
	summed := a.rebased == "compaction"
	a.seen, a.sent, a.aside, a.rebased, a.asked, a.cut = b.Head, b.Head, false, "", false, false
	if k := len(nodes); k > 0 && nodes[k-1].Role == llm.User && strings.HasPrefix(nodes[k-1].Block.Content.Raw(), compactionAsk) {
		a.aside, a.seen = true, b.Head.Parent
	} else {
		a.formed = b.Head
	}
	u.cache.sent(a, b, u.now)
	u.leads[a.ref].asked(a, &u.cache.list)
	a.window.sent(u.ledger, a, b.Model, summed)
	a.banners.sent(u.ledger, a)
	a.escapes.past(u.now)
}

// begins looks at a request that does not just go on from the agent's last one.
func (u *Auditor) begins(a *agent, b *transcript.Request, nodes []*llm.Node) {
	first := a.sent == nil && !a.resumed
	if first {
		u.first(a, b.Head, nodes)
		if !a.fork && len(nodes) > 0 {
			systemMarks(u.ledger, a, b, border(nodes[0]))
		}
	} else if a.sent == nil {
		front := border(b.Head)
		a.root = rootOf(front)
		if !a.fork {
			a.agents = u.filter.offered(a, front)
		}
	}
	if a.rebased == otherTools && !first {
		a.agents = u.filter.offered(a, border(b.Head))
	}
	u.history.opens(a, nodes, first)
}

// settleCalls is LOOP-04 on the record: every call has its result by now.
func (u *history) settleCalls(a *agent) {
	for i := range a.calls {
		if c := &a.calls[i]; u.fails(loop04, c.done) {
			u.report(loop04, a, "a result of "+c.name+" "+c.id.String()+" before the next request", "none")
		}
	}
}

// fresh is the nodes of a request behind what has been looked at, oldest first,
// and the check that they stand behind it. The slice is good until the next call.
func (u *history) fresh(a *agent, head *llm.Node) []*llm.Node {
	since := a.seen
	if a.rebased != "" {
		a.last.prompt, a.last.left.Node = 0, nil
	}
	switch a.rebased {
	case "compaction":
		since, a.tagged = nil, false
	case "resume":
		since = a.left
	}
	u.nodes = u.nodes[:0]
	n := head
	shift := a.shift
	a.shift = 0
	for ; n.Parent != nil && !n.IsBorder() && (since == nil || n.Pos > since.Pos+shift); n = n.Parent {
		u.nodes = append(u.nodes, n)
	}
	slices.Reverse(u.nodes)
	u.looked += int64(len(u.nodes))
	switch {
	case since == nil:
	case a.fork && a.sent == nil && !a.resumed:
		u.made[frk03]++
		u.made[frk06]++
		if n.Hash != since.Hash && !u.opt.Rerender {
			u.forks.lostHistory(a, head)
		}
	case a.rebased == "" || a.rebased == "resume":
		if u.fails(iso13, n.Hash == since.Hash) {
			u.report(iso13, a, "its conversation up to position "+decimal(int64(since.Pos)), "another one, or less of it")
		}
	case a.rebased == otherTools:
		a.root = rootOf(head)
		if u.fails(iso13, n.Pos == since.Pos+shift && sameMessages(since, n)) {
			u.report(iso13, a, "the content of its conversation up to position "+decimal(int64(since.Pos+shift)), "another one, or less of it")
		}
	default: // other bytes around it, the same content
		a.root = rootOf(head)
		if u.fails(iso13, n.Pos == since.Pos+shift && (shift != 0 || n.Cum == since.Cum)) {
			u.report(iso13, a, "the content of its conversation up to position "+decimal(int64(since.Pos)), "another one, or less of it")
		}
		for ; n.Parent != nil && !n.IsBorder(); n = n.Parent {
			u.keepsBytes(a, n.Block)
		}
	}
	return u.nodes
}

// first looks at an agent's first request.
func (u *Auditor) first(a *agent, head *llm.Node, nodes []*llm.Node) {
	switch {
	case a.fork:
		if a.agents, a.attached, a.root = a.parent.forkedFrom(); a.root == (llm.Hash{}) { // its parent has ended
			a.root = rootOf(head)
		}
		u.forks.firstOfFork(a, nodes)
		return
	case len(nodes) == 0:
		return
	}
	a.opens = a.deferred
	front := border(nodes[0])
	a.agents, a.attached = u.filter.offered(a, front), attachedTypes(nodes)
	a.root = rootOf(front)
	u.launches.offered(a)
	u.starts.toldContext(a, front, nodes)
	if s := u.opt.Session; s != nil && !s.Laid {
		u.fronts.system(a, front)
		u.fronts.messages(a, nodes)
	}
	if s := u.opt.Session; s != nil && s.Servers != nil && a.parent != nil && !s.Minimal && (s.Laid || len(u.servers.typeOf(a).Inline) > 0) {
		found := slices.Contains(a.facts.Context.UserContext, deferredPart) ||
			slices.ContainsFunc(nodes, func(n *llm.Node) bool { return strings.HasPrefix(n.Block.Content.Raw(), deferredText) })
		u.same(mcp07, a, "tools that can be found, attached:", word(len(a.deferred) > 0), word(found))
	}
	u.coordinators.firstOfCoordinator(a, front, nodes)
	if a.parent != nil {
		a.starts(nodes)
		u.canaries.firstOfChild(a, nodes)
	}
}

// opens is LOOP-07 for what an agent's messages begin with.
func (u *history) opens(a *agent, nodes []*llm.Node, first bool) {
	switch {
	case len(a.facts.Context.UserContext) == 0 || len(nodes) == 0:
	case first && !a.fork:
		a.opening = nodes[0].Block.Content.Identity()
	case a.rebased != "compaction" || a.opening == llm.Hash{}:
	case u.fails(loop07, nodes[0].Block.Content.Identity() == a.opening):
		u.report(loop07, a, "the user context in front of the summary", short(nodes[0].Block.Content.Raw()))
	}
}

// rootOf is the hash of a chain's first node.
func rootOf(n *llm.Node) llm.Hash {
	for n.Parent != nil {
		n = n.Parent
	}
	return n.Hash
}

// forkedFrom is what a fork's requests have in common with its parent's.
func (a *agent) forkedFrom() (agents, attached string, root llm.Hash) {
	if a.life == nil {
		return "", "", llm.Hash{}
	}
	return a.agents, a.attached, a.root
}

// read goes through new blocks: results, notifications, and what else may stand
// in a user message.
func (u *Auditor) read(a *agent, nodes []*llm.Node) {
	i := 0
	inherits := a.fork && a.sent == nil && !a.resumed
	for _, n := range nodes {
		if n.Role != llm.User {
			continue
		}
		switch b := n.Block; b.Kind {
		case llm.ToolResult:
			u.history.keepsBytes(a, b)
			if !inherits && len(a.uses) > 0 {
				u.result(a, i, b)
				i++
			}
		case llm.Text:
			u.text(a, n, i, inherits)
		case llm.ToolReference:
			u.servers.reference(a, b)
		default:
			a.spoken.heard += len(b.Content.Raw())
		}
	}
	if a.parent != nil && a.sent == nil && a.left == nil {
		a.spoken = spoken{} // by what its first messages are held to
	}
	a.spoken.sent(u.ledger, a)
	u.plans.sent(a)
	if a.rebased == "compaction" {
		u.history.summary(a, nodes)
	}
	if len(a.calls) > 1 {
		u.neighbours.outlasted(a)
	}
	if u.fails(loop02, inherits || i == len(a.uses) || a.rebased == "compaction") {
		u.report(loop02, a, decimal(int64(len(a.uses)))+" results", decimal(int64(i)))
	}
	a.uses, a.calls, a.ignored, a.looks = a.uses[:0], a.calls[:0], nil, nil
	if u.fails(frk09, a.rebased != "compaction" || a.tagged || a.facts.Source != forkSource) {
		u.report(frk09, a, "the directive of a fork behind its summary", "none")
	}
	u.notices.missing(a)
	u.teams.unheard(a)
}

// text is a text block of the user's side, behind so many results.
func (u *Auditor) text(a *agent, n *llm.Node, results int, inherits bool) {
	raw := n.Block.Content.Raw()
	if strings.Contains(raw, forkTag) {
		a.tagged = true
	}
	if !strings.HasPrefix(raw, notification) {
		u.notices.unforged(a, raw)
	}
	switch {
	case a.rebased != "compaction" && !inherits && u.teams.heard(a, raw):
	case strings.HasPrefix(raw, deferredText) && a.sent != nil:
		u.servers.told(a, raw)
	case strings.HasPrefix(raw, planText):
		if u.plans.told(a, raw); a.sent == nil {
			a.spoken.text(a, raw) // part of what its user said first
		}
	case strings.HasPrefix(raw, notification):
		u.notices.behindResults(a, raw, results)
		u.notices.wellFormed(a, raw)
		u.tasks.arrived(a, raw)
	case a.background && !inherits && (len(a.mail) > 0 || len(a.told) > 0) && u.notices.heardMessage(a, n, raw):
	case inherits || a.rebased == "compaction":
	default:
		a.spoken.text(a, raw)
		if a.parent != nil && a.sent != nil && !strings.HasPrefix(raw, cutOff) {
			u.canaries.quoted(a, n, raw)
		}
	}
}

// result is LOOP-02 for one result: it answers the use at its place with what was
// recorded for it. What the tool says tells what the agent knows (ISO-02).
func (u *Auditor) result(a *agent, i int, b *llm.Block) {
	if i >= len(a.uses) || a.uses[i].id != b.ID {
		if u.fails(loop02, false) {
			u.report(loop02, a, "the results in the order of their uses", "that of "+b.ID.String()+" at place "+decimal(int64(i+1)))
		}
		return
	}
	c := a.recorded(b.ID)
	_, replaced := u.history.replaced(b.ID)
	ok := c != nil && c.isError == b.IsError && c.bytes == len(b.Content.Raw())
	if u.fails(loop02, ok) {
		u.report(loop02, a, "the result of "+a.uses[i].name+" that was recorded", short(b.Content.Raw()))
	}
	u.neighbours.cancelled(a, c, b)
	if len(a.coming)+len(a.homes)+len(a.launched) > 0 {
		u.handoffs.cameHome(a, b, replaced)
		u.homes.brought(a, b, replaced)
		u.launches.returned(a, b, replaced)
	}
	u.history.whole(b, a, replaced)
	u.permissions.objected(a, c, b, replaced)
	u.ofTool(a, c, &a.uses[i], b, replaced)
	if a.looks != nil {
		u.tasks.shows(a, b, replaced)
	}
}

// ofTool is what a result is held to by the tool that it is of.
func (u *Auditor) ofTool(a *agent, c *call, x *use, b *llm.Block, replaced bool) {
	switch x.name {
	case "Read", "Edit", "Write":
		u.tools.fileResult(a, x, b)
		u.neighbours.stale(a, c, x, b)
	case "Agent", "Task", "agent":
		u.launches.answered(a, c, x, b, replaced)
		u.trees.told(a, c, b, replaced)
		u.forks.forkCall(a, x, b)
		u.coordinators.workerCall(a, x, b)
		u.servers.refused(a, c, x, b)
	case sendTool:
		u.coordinators.stoppedCall(a, c, x, b)
	case searchTool:
		u.servers.answered(a, b)
	case exitTool:
		u.plans.answered(a, b, replaced)
	}
}

func (a *agent) recorded(id llm.ToolUseID) *call {
	for i := range a.calls {
		if a.calls[i].id == id {
			return &a.calls[i]
		}
	}
	return nil
}

// forkCall is FRK-14 for a fork, and FRK-09 for everybody else.
func (u *forking) forkCall(a *agent, x *use, b *llm.Block) {
	refused := b.IsError && b.Content.Raw() == forkInFork
	if a.fork || a.tagged {
		if u.opt.TypedChildren && typeIn(x.input) != "" {
			return
		}
		if u.fails(frk14, refused || !inPool(a, x.name) || b.IsError && cameBefore(b.Content.Raw())) {
			u.report(frk14, a, forkInFork, short(b.Content.Raw()))
		}
		return
	}
	if u.fails(frk09, !refused) {
		u.report(frk09, a, "no guard against forks: it is none", forkInFork)
	}
}

// cameBefore reports whether an error says that something else kept a call from
// running before anybody looked at what it asks for.
func cameBefore(text string) bool {
	for _, s := range [...]string{"Interrupted before it ran", "Permission to use ", "A hook blocked "} {
		if strings.HasPrefix(text, s) {
			return true
		}
	}
	return false
}

// replace is LOOP-11 for a decision: it is the first about a result, which has the
// size that was recorded, and makes it shorter. How long an agent took does not count
// in the size of its result.
func (u *history) replace(a *agent, b *transcript.Replace) {
	a.replaced++
	_, before := u.bytes[b.ID]
	c := a.recorded(b.ID)
	if u.fails(loop11, !before && c != nil && (c.bytes == b.From || isAgentTool(c.name)) && b.To < b.From) {
		u.report(loop11, a, "one decision about a result of its own, from its size to a smaller one", "from "+decimal(int64(b.From))+" to "+decimal(int64(b.To)))
	}
	if c != nil {
		c.bytes = b.To
	}
	u.bytes[b.ID] = llm.Hash{}
}

// whole is LOOP-11 for a result as it stands: one that is too long for that is replaced by
// what says so. Figures in results count otherwise than they are long, so a few bytes do not
// matter.
func (u *history) whole(b *llm.Block, a *agent, replaced bool) {
	s, raw := u.opt.Session, b.Content.Raw()
	if s == nil || s.Over == 0 || u.gates.changed["content-replacement"] || a.fork && u.opt.Rerender {
		return
	}
	const figures = 128
	if u.fails(loop11, replaced || len(raw) <= max(s.Over, s.Preview)+figures) {
		u.report(loop11, a, "a preview of what is longer than "+decimal(int64(s.Over))+" bytes", decimal(int64(len(raw)))+" bytes")
	}
	if replaced && u.fails(loop11, len(raw) <= s.Preview+figures && strings.HasSuffix(raw, " bytes replaced by this preview]")) {
		u.report(loop11, a, "a preview of at most "+decimal(int64(s.Preview))+" bytes that says that it is one", short(raw))
	}
}

// replaced reports whether a result is, and its bytes as far as they are known.
func (u *history) replaced(id llm.ToolUseID) (was llm.Hash, ok bool) {
	if len(u.bytes) > 0 {
		was, ok = u.bytes[id]
	}
	return was, ok
}

// keepsBytes is ISO-08 in the bytes: a replaced result looks the same wherever
// it stands.
func (u *history) keepsBytes(a *agent, b *llm.Block) {
	before, replaced := u.replaced(b.ID)
	if !replaced || b.Kind != llm.ToolResult || b.Content.Raw() == placeholder {
		return
	}
	now := b.Content.Identity()
	if before == (llm.Hash{}) {
		u.bytes[b.ID] = now
		return
	}
	if u.fails(iso08, now == before || u.opt.Rerender) {
		u.report(iso08, a, "the preview of "+b.ID.String()+" as it was first sent", short(b.Content.Raw()))
	}
}
