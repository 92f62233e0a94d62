package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// LookBack is how many positions a breakpoint is looked up at, itself the first
// (CACHE-13).
const LookBack = 20

// AnthropicOptions are the points that Anthropic does not document and a
// scenario may decide otherwise.
type AnthropicOptions struct {
	LookbackCrossesLevels bool           // the look-back goes on across the borders of tools, system and messages (CACHE-16)
	LateExpiry            vtime.Duration // how long an entry outlives its lifetime (CACHE-23), ≥ 0
	CheckpointsCapped     bool           // on Bedrock a third breakpoint needs no more than a second (CACHE-18)
	VisibilityLag         VisibilityLag
	CollapseNoise         CollapseNoise
	// Batch makes every request part of a batch, of which BatchHits parts per
	// million find what is cached (CACHE-47).
	Batch     bool
	BatchHits int64
	// AccountCreated is the day, year-month-day, from which the account is; "" is
	// one from before any rule (CACHE-35). It is no undocumented point but an input.
	AccountCreated string
}

// DefaultAnthropicOptions are used where a scenario says nothing.
func DefaultAnthropicOptions() AnthropicOptions {
	return AnthropicOptions{LookbackCrossesLevels: true, BatchHits: BatchHits}
}

// Anthropic is the cache of the Claude API. One engine is the store of every
// organisation and workspace; a key holds its scope.
type Anthropic struct {
	opt     AnthropicOptions
	store   *store
	touched touched
	compare comparison // scratch of the diagnosis
	noisy   bool       // some request may be disturbed
	hidden  *place     // during the look-up of a request that lags: what it does not see
	limit   *int64     // during the look-up of a request with a limit: of its tokens
}

var _ Engine = (*Anthropic)(nil)

// NewAnthropic makes an empty cache.
func NewAnthropic(opt AnthropicOptions) *Anthropic {
	return &Anthropic{opt: opt, store: newStore(opt.LateExpiry), noisy: opt.Batch || opt.VisibilityLag.Share > 0 || opt.CollapseNoise.Share > 0}
}

// Entries is the number of entries in memory.
func (e *Anthropic) Entries() int {
	return e.store.classes[llm.TTL5m].live + e.store.classes[llm.TTL1h].live
}

// Admit looks the request up and renews what it reads.
func (e *Anthropic) Admit(now vtime.Instant, req *Request, a *Admission) error {
	e.store.index.lead(req.Head)
	a.reset(now, req)
	e.store.sweep(now)
	if err := e.refuses(req); err != nil {
		return err
	}
	if err := fillMarks(a); err != nil {
		return err
	}
	e.weighMarks(a)
	e.limit = req.Limit
	hit := e.lookUp(a, a.n)
	if e.limit != nil {
		e.limit, a.noise = nil, collapsed
	} else if e.noisy && hit != nil {
		hit = e.disturbed(a, hit)
	}
	a.uses = [ttlClasses]use{}
	if hit != nil {
		e.recordHit(a, hit)
	}
	e.bill(a)
	e.diagnose(a)
	e.touched.note(a)
	if hit != nil {
		e.store.refresh(hit, a)
	}
	e.reserve(a)
	a.state = admitted
	return nil
}

// weighMarks tells which breakpoints reach the minimum (CACHE-17, CACHE-19).
func (e *Anthropic) weighMarks(a *Admission) {
	req := a.Request
	if req.Profile.Platform == Bedrock && a.n > 2 {
		e.touched.checkpoints = true
	}
	for i := range a.marks[:a.n] {
		m := &a.marks[i]
		least := req.Profile.least(i, e.opt.CheckpointsCapped)
		m.Tokens = req.Counts.At(m.Node)
		m.Long = m.Tokens >= least
		if off := req.Counts.Err(m.Node); m.Tokens-off < least && least <= m.Tokens+off && off > 0 {
			m.Undecided = true
			a.Report.Undecided++
		}
	}
}

// lookUp finds the longest readable prefix over the first n breakpoints. The last
// breakpoint's window lies behind those of the others, so the first match is the
// longest.
func (e *Anthropic) lookUp(a *Admission, n int) *place {
	below := a.Request.Head.Pos + 1 // positions from here on have been looked at
	for i := n - 1; i >= 0; i-- {
		m := &a.marks[i]
		if !m.Long {
			continue
		}
		if n, p := e.lookUpFrom(m.Node, &below); p != nil {
			if a.Request.Counts.At(n) < a.Request.Profile.Minimum {
				return nil
			}
			a.Report.ReadTo = n
			return p
		}
	}
	return nil
}

// lookUpFrom walks one breakpoint's window, leaving out the positions from below
// on, and moves below.
func (e *Anthropic) lookUpFrom(n *llm.Node, below *int32) (*llm.Node, *place) {
	left := LookBack
	for ; left > 0 && n != nil; n = n.Parent {
		if n.IsBorder() {
			if n.Pos > 0 && left < LookBack {
				e.touched.crossing = true
			}
			if !e.opt.LookbackCrossesLevels {
				return nil, nil
			}
			continue
		}
		left--
		if n.Pos >= *below {
			continue
		}
		*below = n.Pos
		if p := e.readable(n.Hash); p != nil {
			return n, p
		}
	}
	return nil, nil
}

// recordHit notes what the store knows of the entry that was read.
func (e *Anthropic) recordHit(a *Admission, p *place) {
	h := &a.Hit
	*h = Evidence{Key: p.hash, Tokens: p.tokens, Written: p.written, Readable: p.readable}
	for c := range p.lease {
		l := &p.lease[c]
		if !l.on {
			continue
		}
		if at := e.store.expiry(l, llm.TTL(c)); at > h.Expiry {
			h.Expiry, a.Report.Life, a.Report.Left = at, e.store.classes[c].life, at.Sub(a.Start)
		}
		h.Kept = h.Kept || l.kids > 0
	}
	if h.Kept {
		a.Report.Life, a.Report.Left = 0, 0
	}
	for i := range a.marks[:a.n] {
		// Behind the hit nothing is paid for, so no longer life is to be had.
		if m := &a.marks[i]; m.Node.Pos <= a.Report.ReadTo.Pos && !p.lease[m.TTL].on {
			m.life = 1 - m.TTL
		}
	}
	e.touched.hit(a, p)
	if late := e.opt.LateExpiry; late > 0 && !e.store.within(p, a.Start.Add(late)) {
		e.touched.expiry = true
	}
}

// bill splits the prompt: read up to the hit A, written at the 1 h rate up to
// the last such breakpoint B behind it, at the 5 m rate up to the last
// breakpoint C, plain input behind it (CACHE-15, CACHE-26).
func (e *Anthropic) bill(a *Admission) {
	var read int64
	var pos int32
	if n := a.Report.ReadTo; n != nil {
		read, pos = a.Request.Counts.At(n), n.Pos
	}
	long, last := read, read
	for i := range a.marks[:a.n] {
		m := &a.marks[i]
		if !m.Long || m.Node.Pos <= pos {
			continue
		}
		if last = m.Tokens; m.TTL == llm.TTL1h {
			long = last
		}
		a.Report.WrittenTo = m.Node
	}
	a.Usage = llm.Usage{Input: a.Prompt - last, Write1h: long - read, Write5m: last - long, Read: read}
}

// reserve finds or makes the places of the entries that the request is to make, now that
// what they stand behind is at hand.
func (e *Anthropic) reserve(a *Admission) {
	for i := range a.marks[:a.n] {
		if m := &a.marks[i]; m.Long {
			m.at = e.store.place(m.Node)
			m.at.awaited++
			m.read = a.Report.ReadTo != nil && m.Node.Pos <= a.Report.ReadTo.Pos
		}
	}
}

// Begin makes the request's entries readable, one for each breakpoint (CACHE-07,
// CACHE-28). Their lifetime counts from its start. A breakpoint within what was
// read makes an entry too, unless one stands there, and pays nothing for it.
func (e *Anthropic) Begin(now vtime.Instant, a *Admission) {
	a.begin(now)
	a.Settled = true
	e.store.sweep(now)
	e.store.confirm(a)
	for i := range a.marks[:a.n] {
		m := &a.marks[i]
		if !m.Long {
			continue
		}
		m.at.awaited--
		if m.read {
			if !m.at.live() {
				e.touched.behind = true
				e.write(now, a, m)
			}
			continue
		}
		e.write(now, a, m)
		e.touched.write(e.store, a, m.at)
		if m.Node == a.Report.WrittenTo {
			e.store.touch(m.at, a.Start)
		}
	}
}

// write makes one breakpoint's entry.
func (e *Anthropic) write(now vtime.Instant, a *Admission, m *Mark) {
	if !m.at.live() {
		m.at.tokens, m.at.written, m.at.readable = m.Tokens, a.Start, now
	}
	e.store.put(m.at, m.life, a.Start)
}

// End bills the request; one that never began gives its refreshes back.
func (e *Anthropic) End(_ vtime.Instant, a *Admission, how Ending, _ *llm.Node, output int64) llm.Usage {
	if a.state == admitted {
		e.store.undo(a)
		e.release(a)
	}
	return a.bill(how, output)
}

// Prime is a request of somebody else, who is billed for it: it is answered at once,
// and what it marks can be read.
func (e *Anthropic) Prime(now vtime.Instant, req *Request) error {
	var a Admission
	if err := e.Admit(now, req, &a); err != nil {
		return err
	}
	e.Begin(now, &a)
	e.End(now, &a, Completed, nil, 0)
	return nil
}

// release lets go the places of a request whose response never begins.
func (e *Anthropic) release(a *Admission) {
	for i := range a.marks[:a.n] {
		if m := &a.marks[i]; m.Long {
			m.at.awaited--
			e.store.prune(m.at)
		}
	}
}
