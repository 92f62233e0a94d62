package audit

import (
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// lookBack is how far behind a breakpoint an entry may end and be found.
const lookBack = 19

// lastAnswer is the call before this one, as far as the next can read what it
// left.
type lastAnswer struct {
	marks     []marked // of the request at hand
	left      marked   // the last one of the call before; no node when it left nothing to be sure of
	start     vtime.Instant
	held      int64 // tokens that it read and wrote
	prompt    int64
	behind    *behind       // what its requests begin with, and
	before    vtime.Instant // when something behind the same root was last asked for
	model     string
	known     bool // before is
	resettled bool // settings have changed since the agent started
	reached   bool // what the call before left is within reach of a breakpoint
}

// marked is a breakpoint and the place of its entry, with what is asked of the node when
// that has left the processor's caches.
type marked struct {
	*llm.Node
	at    int32 // -1 where it is not known
	sweep int32 // up to which it is certain
	pos   int32
	level llm.Level
}

func newMarked(n *llm.Node) marked { return marked{n, -1, 0, n.Pos, n.Level} }

// behind is a root of prefixes.
type behind struct {
	root llm.Hash
	used vtime.Instant // by the last request behind it
	once bool          // there is one
}

// entry is a prefix that requests have marked. It holds no pointer, since there are
// many, and fills a line of the processor's caches.
type entry struct {
	hash   llm.Hash
	began  vtime.Instant // first instant at which a response to one of them began
	read   vtime.Instant // first read of it, while none had begun that is known of
	tokens int64         // as many as were read or written up to there; 0 while not known
	used   vtime.Instant // last
	flying int32         // of them whose response is still to come
	begun  bool          // one has begun
	early  bool          // it was read while none had
	held   bool          // there is such an entry at this place
	up     int32         // place + 1 of the longest entry in front of it when it was last written, 0 for none
	_      int32
}

// cacheBooks is the section on the cache and on bills.
type cacheBooks struct {
	*ledger
	at     places
	list   entries
	free   []int32
	roots  map[llm.Hash]*behind
	long   bool          // a marker of one hour was met
	many   int           // as many entries are gone through
	sweeps int32         // how often they were
	oldest vtime.Instant // none was used last before
}

func newCacheBooks(l *ledger) cacheBooks {
	return cacheBooks{ledger: l, at: places{slots: make([]uint64, fewPlaces)}, roots: map[llm.Hash]*behind{}, many: 1024}
}

// sent notes what a request marks.
func (c *cacheBooks) sent(a *agent, b *transcript.Request, now vtime.Instant) {
	l := &a.last
	l.model = b.Model
	marks := b.Breakpoints
	if b.Automatic {
		// The last block that can be marked: thinking, which cannot, ends no request.
		marks = append(marks[:len(marks):len(marks)], llm.Breakpoint{Node: b.Head})
	}
	for i := range marks {
		if i == len(l.marks) {
			l.marks = append(l.marks, marked{})
		}
		m := &l.marks[i]
		if n := marks[i].Node; m.Node != n {
			*m = newMarked(n)
		}
		e := c.made(m)
		e.used = now
		e.flying++
		c.long = c.long || marks[i].TTL == llm.TTL1h
	}
	l.marks = l.marks[:len(marks)]
	l.reached = l.reaches()
	c.asked(a, now)
	if c.at.n >= c.many && c.oldest.Add(c.life()) < now {
		c.forget(now)
	}
}

// asked notes that something behind the agent's root is asked for.
func (c *cacheBooks) asked(a *agent, now vtime.Instant) {
	l := &a.last
	if l.behind == nil || l.behind.root != a.root {
		if l.behind = c.roots[a.root]; l.behind == nil {
			l.behind = &behind{root: a.root}
			c.roots[a.root] = l.behind
		}
	}
	l.before, l.known = l.behind.used, l.behind.once
	l.behind.used, l.behind.once = now, true
}

// made is the entry of a prefix, a new one where there is none. m.at is a guess where it
// is, and then where it is.
func (c *cacheBooks) made(m *marked) *entry {
	e, slot := c.find(m)
	if e != nil {
		return e
	}
	if k := len(c.free); k > 0 {
		m.at, c.free = c.free[k-1], c.free[:k-1]
	} else {
		m.at = c.list.more()
	}
	e = c.list.at(m.at)
	*e = entry{hash: m.Hash, held: true}
	c.at.add(m.Hash, m.at, slot)
	return e
}

// find is the entry of a prefix, nil where there is none, and the slot at which the search
// for that has ended.
func (c *cacheBooks) find(m *marked) (e *entry, slot uint64) {
	if e = c.guessed(m); e != nil {
		return e, 0
	}
	m.sweep = c.sweeps
	if m.at, slot = c.at.find(&c.list, m.Hash); m.at >= 0 {
		e = c.list.at(m.at)
	}
	return e, slot
}

// guessed is the entry of a prefix where it is in the place that is guessed.
func (c *cacheBooks) guessed(m *marked) *entry {
	if m.at < 0 {
		return nil
	}
	e := c.list.at(m.at)
	if m.sweep != c.sweeps {
		if !e.held || e.hash != m.Hash {
			return nil
		}
		m.sweep = c.sweeps
	}
	return e
}

// forget drops the entries that nobody can read any more: for a lifetime no request
// has marked or read them, or one that goes on from them.
func (c *cacheBooks) forget(now vtime.Instant) {
	life := c.life()
	for i := c.list.n - 1; i >= 0; i-- { // what goes on from others is mostly behind them, so that each is walked once
		for e := c.list.at(i); e.up > 0 && c.list.at(e.up-1).used < e.used; {
			up := c.list.at(e.up - 1)
			up.used, e = e.used, up
		}
	}
	c.oldest = now
	for i := range c.list.n {
		switch e := c.list.at(i); {
		case !e.held:
		case e.flying == 0 && e.used.Add(life) < now:
			*e = entry{}
			c.free = append(c.free, i)
		default:
			c.oldest = min(c.oldest, e.used)
		}
	}
	c.at.fill(len(c.at.slots), &c.list)
	c.sweeps++
	c.many = max(4096, c.at.n*2)
}

// life is how long an entry may be read after its last use.
func (c *cacheBooks) life() vtime.Duration {
	if c.long {
		return llm.TTL1h.Duration() + c.opt.LateExpiry
	}
	return llm.TTL5m.Duration() + c.opt.LateExpiry
}

// landed notes that the agent's request has its response: one that began, or
// none. It is CACHE-L2 for those who read what it wrote in the meantime.
func (u *cacheBooks) landed(a *agent, began vtime.Instant) {
	for i := range a.last.marks {
		e := u.list.at(a.last.marks[i].at)
		e.used = max(e.used, began) // it lives from then on
		if e.flying == 0 {
			continue
		}
		e.flying-- // while it flies, its place is its own
		if began > 0 && (!e.begun || began < e.began) {
			e.began, e.begun = began, true
		}
		if e.early && e.flying == 0 {
			e.early = false
			if u.fails(cacheL2, e.begun && e.began <= e.read) {
				u.report(cacheL2, a, "nobody to read what it writes before its response begins", "a read at "+e.read.String())
			}
		}
	}
}

// response is what a call was billed.
func (u *Auditor) response(a *agent, b *transcript.Response) {
	r := b.Resp
	a.own = a.own.Plus(r.Usage)
	a.billed, a.lost, a.gaveUp = r.Usage, llm.Usage{}, false
	a.count.asked(u.ledger, a, b.Call, b.Attempt)
	a.count.over()
	a.escapes.comes(u.ledger, a, r.Started)
	u.starts.turned(a)
	if !a.aside {
		a.conduct.answered(r)
		a.window.answered(r.Usage.Total())
	}
	u.cache.parts(a, &r.Usage, &r.Cache)
	u.cache.grows(a, b)
	u.cache.first(a, b)
	u.cache.landed(a, r.Began)
	u.cache.readable(a, r)
	u.cache.keeps(a, b)
	u.history.answered(a, b.Head)
	if r.Stop == llm.Refusal {
		a.digest = "" // what it says is no summary
	}
	a.progress.answered(r.Usage)
	for q := a; q != nil && q.life != nil; q = q.parent {
		q.meters.answers++
		q.meters.output += r.Usage.Output
		q.meters.wait += r.Began.Sub(r.Started)
	}
}

// answered is ISO-11 for an answer: it stands behind the agent's own request.
func (u *history) answered(a *agent, head *llm.Node) {
	uses := a.uses[:0]
	if a.lent {
		uses, a.lent = nil, false
	}
	n := head
	for ; n != a.sent && n.Parent != nil && (a.sent == nil || n.Pos > a.sent.Pos); n = n.Parent {
		if a.hand != nil {
			u.handoffs.tainted(a, n)
		}
		if !n.IsBorder() && n.Block.Kind == llm.ToolUse {
			uses = append(uses, a.path.useOf(n.Block, a.place))
		}
	}
	if u.fails(iso11, a.sent != nil && (n == a.sent || n.Hash == a.sent.Hash)) {
		u.report(iso11, a, "an answer to its own request", "one to another")
	}
	if a.aside {
		a.uses, a.digest = nil, a.textBehind(head, 0)
		return
	}
	for i, j := 0, len(uses)-1; i < j; i, j = i+1, j-1 {
		uses[i], uses[j] = uses[j], uses[i]
	}
	a.noted(head)
	a.spoken.cutOff = a.conduct.cuts == 1 && len(uses) == 0
	a.seen, a.uses, a.calls = head, uses, a.calls[:0]
}

// apiError is what a call was billed that came to nothing.
func (u *Auditor) apiError(a *agent, b *transcript.APIError) {
	a.own = a.own.Plus(b.Err.Usage)
	if b.Err.Usage.Total() > 0 {
		a.lost = b.Err.Usage
	}
	a.gaveUp = b.GivesUp && b.Err.Type != "aborted"
	a.count.failed(b)
	a.conduct.failed(u.ledger, a, b)
	u.cache.landed(a, b.Err.Began)
	u.cache.parts(a, &b.Err.Usage, &b.Err.Cache)
	u.cache.cutShort(a, b.Err)
	a.last.left.Node = nil
}

// parts is CACHE-L1: no part is negative, and tokens are read to a place and
// written to one behind it.
func (u *cacheBooks) parts(a *agent, x *llm.Usage, c *llm.CacheReport) {
	ok := min(x.Input, x.Write5m, x.Write1h, x.Read, x.Output) >= 0 && (x.Read == 0 || c.ReadTo != nil) && (x.Written() == 0 || c.WrittenTo != nil) &&
		(c.ReadTo == nil || c.WrittenTo == nil || c.ReadTo.Pos < c.WrittenTo.Pos)
	if u.fails(cacheL1, ok) {
		u.report(cacheL1, a, "parts of a prompt: read up to a place, written from there to another, the rest plain", usage(*x))
	}
}

func usage(x llm.Usage) string {
	return "input " + decimal(x.Input) + ", written " + decimal(x.Write5m) + "+" + decimal(x.Write1h) + ", read " + decimal(x.Read) + ", output " + decimal(x.Output)
}

// grows is CACHE-L1 from call to call: a prompt that goes on from another is not
// shorter.
func (u *cacheBooks) grows(a *agent, b *transcript.Response) {
	x := b.Resp.Usage
	if a.last.prompt > 0 && b.Resp.Iterations == nil {
		if u.fails(cacheL1, x.Prompt() >= a.last.prompt) {
			u.report(cacheL1, a, "a prompt of at least "+decimal(a.last.prompt)+" tokens, as before", decimal(x.Prompt()))
		}
	}
	a.last.prompt = 0
	if !a.aside && b.Resp.Iterations == nil {
		a.last.prompt = x.Prompt()
	}
}

// readable is CACHE-L2: what is read ends where a request marked it whose
// response had begun, with as many tokens, and something behind the same root
// was used within a lifetime.
func (u *cacheBooks) readable(a *agent, r *llm.Response) {
	var read *marked
	if n := r.Cache.ReadTo; n != nil {
		read = a.last.guess(n)
		e, _ := u.find(read)
		if u.fails(cacheL2, e != nil) {
			u.report(cacheL2, a, "a prefix that a request has marked", "position "+decimal(int64(n.Pos))+", which none did")
			return
		}
		u.readEntry(a, e, r)
	}
	if n := r.Cache.WrittenTo; n != nil && r.Iterations == nil {
		e := u.made(a.last.guess(n))
		e.used, e.tokens = max(e.used, r.Began), r.Usage.Read+r.Usage.Written()
		u.chain(a, read)
	}
}

// chain notes which entries the marks of a request that writes go on from: the one that
// it reads, then each from the one before.
func (u *cacheBooks) chain(a *agent, read *marked) {
	up, from := int32(0), int32(0)
	if read != nil {
		up, from = read.at+1, read.pos
	}
	// A write refreshes the entries that it passes: what the call before left, and what that goes on from.
	if left := &a.last.left; left.Node != nil && left.pos > from && u.guessed(left) != nil {
		up, from = left.at+1, left.pos
	}
	for i := range a.last.marks {
		if m := &a.last.marks[i]; m.pos > from {
			u.list.at(m.at).up, up = up, m.at+1
		}
	}
}

// guess is a prefix and where its entry is likely to be: what the call before left, or
// what this one marks.
func (l *lastAnswer) guess(n *llm.Node) *marked {
	if l.left.Node == n {
		return &l.left
	}
	for i := range l.marks {
		if l.marks[i].Node == n {
			return &l.marks[i]
		}
	}
	m := newMarked(n)
	return &m
}

func (u *cacheBooks) readEntry(a *agent, e *entry, r *llm.Response) {
	if u.fails(cacheL2, e.tokens == 0 || e.tokens == r.Usage.Read || r.Iterations != nil) {
		u.report(cacheL2, a, decimal(e.tokens)+" tokens read, as were written", decimal(r.Usage.Read))
	}
	switch {
	case e.begun && e.began <= r.Started:
	case e.flying > 0:
		if !e.early || r.Started < e.read {
			e.read, e.early = r.Started, true
		}
	default:
		if u.fails(cacheL2, false) {
			u.report(cacheL2, a, "nothing read before a response that writes it begins", "a read at "+r.Started.String())
		}
	}
	e.used = max(e.used, r.Began)
	l := &a.last
	if u.fails(cacheL2, l.known && r.Started <= l.before.Add(u.life())) {
		u.report(cacheL2, a, "nothing read that was last used at "+l.before.String(), "a read at "+r.Started.String())
	}
}

// keeps is CACHE-L3, and notes what this call leaves for the next.
func (u *cacheBooks) keeps(a *agent, b *transcript.Response) {
	r, last := b.Resp, &a.last
	if last.left.Node != nil && last.model == b.Model && r.Iterations == nil && last.reached && r.Started <= last.start.Add(llm.TTL5m.Duration()) {
		switch r.Cache.Miss.Reason {
		case llm.MissNotYetReadable, llm.MissNoise, llm.MissUndecided, llm.MissBelowMinimum:
		default:
			if u.fails(cacheL3, r.Usage.Read >= last.held) {
				u.report(cacheL3, a, "at least "+decimal(last.held)+" tokens read, as the call before left them", decimal(r.Usage.Read))
			}
		}
	}
	last.left.Node = nil
	if k := len(last.marks); k > 0 && r.Iterations == nil && !a.aside {
		last.left, last.start, last.held = last.marks[k-1], r.Started, r.Usage.Read+r.Usage.Written()
	}
}

// reaches reports whether what the call before left is within reach of a breakpoint of this
// one, most often the last.
func (l *lastAnswer) reaches() bool {
	left := &l.left
	if left.Node == nil || left.level != llm.Messages {
		return false
	}
	for i := len(l.marks) - 1; i >= 0; i-- {
		m := &l.marks[i]
		if m.level != llm.Messages || m.pos < left.pos || m.pos-left.pos > lookBack {
			continue
		}
		n := m.Node
		for n != left.Node && n.Pos > left.pos {
			n = n.Parent
		}
		if n == left.Node || n.Hash == left.Hash {
			return true
		}
	}
	return false
}

// endBills is CACHE-L6.
func (u *cacheBooks) endBills(a *agent, b *transcript.AgentEnd) {
	if u.fails(cacheL6, b.Own == a.own) {
		u.report(cacheL6, a, "its calls: "+usage(a.own), usage(b.Own))
	}
	if all := a.own.Plus(a.below); u.fails(cacheL6, b.Rolled == all) {
		u.report(cacheL6, a, "its calls and its descendants': "+usage(all), usage(b.Rolled))
	}
	for q := a.parent; q != nil; q = q.parent {
		q.below = q.below.Plus(a.own)
	}
}

// endMeters is ISO-14.
func (u *cacheBooks) endMeters(a *agent, b *transcript.AgentEnd) {
	m := &a.meters
	if u.fails(iso14, b.Answers == m.answers && b.OutputTokens == m.output && b.FirstToken == m.wait) {
		u.report(iso14, a, decimal(m.answers)+" answers of "+decimal(m.output)+" tokens, "+m.wait.String()+" waited for them",
			decimal(b.Answers)+" answers of "+decimal(b.OutputTokens)+" tokens, "+b.FirstToken.String()+" waited for them")
	}
}
