package policy

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
)

// step is the fold: it applies one block to the state.
func (f *folder) step(role llm.Role, b *llm.Block) {
	switch b.Kind {
	case llm.Text:
		f.s.verifies = f.s.verifies || role == llm.NoRole && strings.Contains(b.Content.Raw(), verdictAsked)
		f.s.plans = f.s.plans || role == llm.NoRole && strings.Contains(b.Content.Raw(), criticalTitle)
		n := f.t.read(b.Content)
		f.goal(role, b.Content, n)
		if role == llm.User {
			planText(f, b.Content.Raw(), n.summary)
			teamText(f, b.Content.Raw(), n)
		}
		f.text(role, b.Content, n)
	case llm.ToolUse:
		f.toolUse(b)
	case llm.ToolResult:
		f.result(b)
	case llm.ToolDef:
		f.learn(f.t.read(b.Content))
		f.tool(b.Name)
		f.pool(b.Name)
		f.defined(b.Name)
		planTool(f, b.Name)
	case llm.ToolReference:
		f.defined(b.Name)
	case llm.Document:
		f.learn(f.t.read(b.Content))
	case llm.Thinking, llm.Image:
		// One's own thinking teaches nothing; an image is not read.
	}
}

// goal counts the user's messages and takes what was asked for first, of a lead. What the client tells
// beside, and what others report, asks for nothing.
func (f *folder) goal(role llm.Role, p *llm.Payload, n *note) {
	raw := p.Raw()
	if role != llm.User || f.s.assign != nil || n.do != nil || n.notice || n.asks || isMail(raw) || strings.HasPrefix(raw, contextOpen) {
		return
	}
	f.s.heard++
	switch {
	case f.s.goal != "":
	case n.summary:
		_, asked, _ := strings.Cut(raw, asks)
		f.s.goal, _, _ = strings.Cut(asked, "\n")
		_, times, _ := strings.Cut(raw, spoke)
		times, _, _ = strings.Cut(times, "\n")
		if n, err := strconv.Atoi(times); err == nil {
			f.s.heard = n
		}
	default:
		f.s.goal = goalOf(raw)
	}
}

// learn takes what counts in any block: facts, gists, places.
func (f *folder) learn(n *note) {
	s := &f.s
	for _, i := range n.facts {
		s.facts = s.facts.with(i)
	}
	for _, i := range n.gists {
		s.gists = s.gists.with(i)
	}
	for _, i := range n.paths {
		s.seen = s.seen.with(i)
	}
	for i := range n.places {
		f.place(n.places[i])
	}
	f.news(n)
}

// place enters a fact's place unless it is known.
func (f *folder) place(p place) {
	for q := f.s.places; q != nil; q = q.next {
		if q.fact == p.fact && q.file == p.file && q.line == p.line {
			return
		}
	}
	p.next = f.s.places
	f.s.places = &p
}

// news takes the versions that a report of an edit left behind: whoever knows
// an older one knows that it is old.
func (f *folder) news(n *note) {
	for _, v := range n.on {
		for _, i := range n.done {
			if f.t.editsFile(i, v.file) && f.s.files.at(v.file).newest != v.hash {
				f.file(v.file).newest = v.hash
			}
		}
	}
}

func (t *Table) editsFile(item, file int) bool {
	return slices.ContainsFunc(t.items[item].edits, func(e int) bool { return t.edits[e].file == file })
}

func (f *folder) text(role llm.Role, p *llm.Payload, n *note) {
	f.learn(n)
	if role == llm.User && !n.summary && !n.notice {
		f.tempted(n, false)
		f.s.seen = f.s.seen.or(f.t.mentions(p))
	}
	switch {
	case role == llm.Assistant:
		f.own(n)
	case role == llm.User && n.summary:
		f.summary(n)
	case role == llm.User && n.notice:
		f.tempted(n, true)
		f.notification(n)
	case role == llm.User && n.do != nil && !isMail(p.Raw()):
		f.assignment(n.do)
		f.reopen(n)
	}
}

// own is what the model itself said it had finished.
func (f *folder) own(n *note) {
	f.close(n.done, n.failed)
	if f.leads() {
		f.told(n.failed)
	}
	if len(n.done)+len(n.failed) > 0 {
		f.s.summed = false
	}
}

func (f *folder) close(done, failed []int) {
	s := &f.s
	for _, i := range done {
		s.done, s.failed, s.lost = s.done.with(i), s.failed.without(i), s.lost.without(i)
		if f.t.merges && s.assign == nil && !f.t.items[i].apart {
			for _, e := range f.t.items[i].edits {
				s.edited = s.edited.with(e) // in the lead's directory, so that it is the lead's to commit
			}
		}
	}
	for _, i := range failed {
		s.failed, s.lost = s.failed.with(i), s.lost.without(i)
	}
}

// assignment begins anew: the items are open again.
func (f *folder) assignment(a *assignment) {
	s := &f.s
	if s.assign != nil && s.assign.fork && !a.fork {
		a = &assignment{a.items, true, a.apart} // once a fork, always a fork
	}
	s.assign = a
	f.handOver(a.items)
	for _, i := range a.items {
		s.done, s.failed, s.lost = s.done.without(i), s.failed.without(i), s.lost.without(i)
		for _, e := range f.t.items[i].edits {
			s.edited = s.edited.without(e)
		}
	}
}

// notification is a child's end.
func (f *folder) notification(n *note) {
	if f.leads() {
		f.heard(n)
		return
	}
	f.close(n.done, n.failed)
	if n.about >= 0 {
		f.ended(n.about)
	}
	for _, b := range n.branches {
		branched(f, b)
	}
}

// ended settles an item whose child ended without saying how it went: nothing says
// that it was done.
func (f *folder) ended(item int) {
	if s := &f.s; !s.done.has(item) && !s.failed.has(item) {
		s.failed, s.lost = s.failed.with(item), s.lost.with(item)
	}
}

func (f *folder) toolUse(b *llm.Block) {
	n := f.t.read(b.Content)
	f.learn(n)
	if f.leads() {
		f.handOut(b.Name, n)
	} else if b.Name == f.t.names.agent && n.do != nil {
		for _, i := range n.do.items {
			f.s.launched = f.s.launched.with(i)
		}
	}
	teamUse(f, b, n)
	f.gaveIn(b, n)
	f.s.open = append(f.s.open, use{b.ID, b.Name, b.Content})
}

// siblingError answers a tool use that ended with another one's error.
const siblingError = "<tool_use_error>Sibling tool call errored</tool_use_error>"

func (f *folder) result(b *llm.Block) {
	i := slices.IndexFunc(f.s.open, func(u use) bool { return u.id == b.ID })
	if i < 0 {
		f.learn(f.t.read(b.Content))
		f.tempted(f.t.read(b.Content), false)
		return
	}
	u := f.s.open[i]
	f.s.open = slices.Delete(f.s.open, i, i+1)
	if b.IsError && b.Content.Raw() == siblingError {
		return // it was cancelled, so it is as if it had not been asked
	}
	n, asked := f.t.read(b.Content), f.t.read(u.input)
	f.learn(n)
	f.tempted(n, u.name == f.t.names.agent)
	f.callResult(&u, b)
	planResult(f, &u, b)
	treeResult(f, &u, b)
	teamResult(f, &u, b)
	switch u.name {
	case f.t.names.read:
		f.readResult(b, n, asked)
	case f.t.names.edit:
		f.editResult(b, n, asked)
	case f.t.names.grep, f.t.names.glob:
		f.searchResult(b, asked)
	case f.t.names.agent:
		if f.leads() {
			f.engaged(&u, b, n, asked)
		} else {
			f.agentResult(n, asked)
		}
	case f.t.names.send:
		f.sent(&u, b, asked)
	case f.t.names.bash:
		f.runResult(b, n, asked)
		f.searchResult(b, asked)
		f.lookResult(b, asked)
	case f.t.names.write:
		f.padResult(b, asked)
	}
}

const agentTool = "Agent"

func (f *folder) readResult(b *llm.Block, n, asked *note) {
	switch {
	case n.page == nil && asked.target < 0:
	case b.IsError:
		f.s.absent = f.s.absent.with(asked.target)
	case n.page == nil:
		f.preview(f.file(asked.target), b.Content)
	default:
		f.pageRead(n, f.s.files.at(n.page.file).hash != n.page.hash || n.page.from <= 1 && n.page.to >= n.page.total)
		f.page(f.file(n.page.file), n.page, b.Content)
		f.s.gone = f.s.gone.without(n.page.file)
		if k := f.s.files.at(n.page.file); k.to >= k.total {
			f.s.gists = f.s.gists.with(n.page.file)
		}
	}
}

// page enters lines of a version. Lines of another version, or of an unknown one
// that a preview showed, give way; lines that do not join the known ones become
// the window.
func (f *folder) page(k *known, p *page, text *llm.Payload) {
	if k.hash != p.hash || k.stale {
		*k = known{limit: k.limit, tries: k.tries}
	}
	before := k.to
	k.stuck = false
	k.hash, k.newest, k.total, k.stale = p.hash, p.hash, p.total, false
	if p.from <= k.to+1 {
		k.to = max(k.to, p.to)
	} else {
		k.lo, k.hi = p.from, p.to
	}
	if k.lo <= k.to+1 {
		k.to = max(k.to, k.hi)
	}
	if p.from <= 1 || k.text == nil {
		k.text, k.whole = text, p.from <= 1 && p.to >= p.total
	}
	if k.to == before && k.to < k.total && p.from == before+1 {
		k.stuck = true
	}
}

// preview enters what a replaced result still shows.
func (f *folder) preview(k *known, text *llm.Payload) {
	last := f.t.lastLine(text)
	if k.stale {
		*k = known{limit: k.limit, tries: k.tries}
	}
	if k.stuck = last <= k.to; k.stuck {
		return
	}
	if k.limit = last - k.to; k.text == nil {
		k.text = text
	}
	k.to, k.total = last, last+1
}

// maxTries is how often a file may be read or edited in vain.
const maxTries = 5

func (f *folder) editResult(b *llm.Block, n, asked *note) {
	if asked.target < 0 {
		return
	}
	k := f.file(asked.target)
	if b.IsError {
		k.stale, k.tries = true, k.tries+1
		return
	}
	k.tries = 0
	if n.page != nil {
		k.hash, k.newest, k.to, k.total, k.stale = n.page.hash, n.page.hash, n.page.to, n.page.total, n.page.from > 1
	}
	f.changed(asked.target)
	f.editWritten(asked)
	switch {
	case asked.mends:
		mended(f, asked.target)
	case !asked.fixes:
		f.editMade(asked.target)
	}
}

// editMade strikes off the first open edit of the file among the items that
// this agent has.
func (f *folder) editMade(file int) {
	for e := range f.t.edits {
		d := &f.t.edits[e]
		if d.file == file && !f.s.edited.has(e) && f.s.has(d.item) {
			f.s.edited = f.s.edited.with(e)
			return
		}
	}
}

// has reports whether an item is the agent's own to do.
func (s *state) has(item int) bool {
	if s.assign != nil {
		return slices.Contains(s.assign.items, item)
	}
	return !s.launched.has(item)
}

func (f *folder) searchResult(b *llm.Block, asked *note) {
	if asked.search < 0 {
		return
	}
	f.s.searched = f.s.searched.with(asked.search)
	if b.IsError {
		return
	}
	listed := f.t.listing(b.Content)
	if f.t.read(b.Content).cut {
		f.s.cut = f.s.cut.with(asked.search)
	}
	f.s.seen = f.s.seen.or(listed)
	if fact := f.t.searches[asked.search].fact; fact >= 0 {
		for _, file := range slices.Backward(listed.list(nil)) { // the newest place is tried first
			f.place(place{fact: fact, file: file})
		}
	}
}

func (f *folder) agentResult(n, asked *note) {
	if n.launched || asked.do == nil {
		return
	}
	f.close(n.done, n.failed)
	for _, i := range asked.do.items {
		f.ended(i)
	}
	for _, b := range n.branches {
		branched(f, branch{b.name, asked.do.items})
	}
}
