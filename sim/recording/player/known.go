package player

import (
	"slices"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// Known is what a playing takes as given instead of foretelling it: what the whole
// of the recordings shows of things that stand in no request. With it sessions can
// be played again, with something changed, in a world that is otherwise the same.
// All is by session and request.
type Known struct {
	// Static are the tokens of the static prefix that a conversation which begins
	// there begins with; 0 for unknown.
	Static [][]int64
	// Seen says that a request read that prefix, and nothing else: it was there,
	// whoever wrote it.
	Seen [][]bool
	// Warm says that others of the account keep that prefix alive.
	Warm [][]bool
	// Hidden is when the client sent a request of its own that went on from this
	// one's predecessor; 0 for never.
	Hidden [][]vtime.Instant
	// Left is how many tokens that request left to be read; 0 is what it went on from,
	// and so is a nil list.
	Left [][]int64
	// From is the request whose conversation this one goes on from, where that is
	// not its predecessor: Anew for none, AsTold for the predecessor.
	From [][]int32
}

// Values of Known.From.
const (
	AsTold int32 = -2
	Anew   int32 = -1
)

// nearly is which part of what was left may be missing from a read before it is
// taken for a lost history: one in so many tokens.
const nearly = 16

// Hindsight is what the whole of each session shows, where an entry outlives its
// lifetime by slack:
//   - A read of less than was left and alive shows a lost history: the request goes
//     on from the ancestor that left just what it read, else anew. Less than one token
//     in sixteen may be missing for nothing.
//   - So does one that came too late and read another static prefix than before.
//   - A read of more than was left, or of what had expired, shows a request of the
//     client's own that was not recorded.
//   - What a thread's first request read, one that came too late or one that lost its
//     history, is its static prefix. Others have that of the nearest such request of
//     their thread and model, earlier ones first, then of the nearest like thread.
//   - Others of the account keep it alive if it was read there; for the rest, if the
//     last one that began like them was when none had for a lifetime.
func Hindsight(sessions []*recording.Session, slack vtime.Duration) *Known {
	k := &Known{}
	for _, s := range sessions {
		n := len(s.Requests)
		h := hindsight{s: s, slack: slack, begins: make([]bool, n), static: make([]int64, n), seen: make([]bool, n), warm: make([]bool, n),
			hidden: make([]vtime.Instant, n), from: make([]int32, n), last: map[threadModel]int64{}}
		for i := range s.Requests {
			h.look(i)
		}
		h.spread()
		h.others()
		k.Static, k.Seen, k.Warm = append(k.Static, h.static), append(k.Seen, h.seen), append(k.Warm, h.warm)
		k.Hidden, k.From = append(k.Hidden, h.hidden), append(k.From, h.from)
	}
	return k
}

// hindsight looks at one session.
type hindsight struct {
	s      *recording.Session
	slack  vtime.Duration
	begins []bool // it read a static prefix at most
	static []int64
	seen   []bool
	warm   []bool
	hidden []vtime.Instant
	from   []int32
	last   map[threadModel]int64 // static prefix that a thread showed last
}

// look says what request i's own read shows.
func (h *hindsight) look(i int) {
	r := &h.s.Requests[i]
	read := r.Usage.Read
	h.from[i] = AsTold
	a := h.ancestor(r)
	switch {
	case r.Pred < 0 || a < 0:
		h.begins[i] = r.Pred < 0 || r.Compacted || read*2 < h.s.Expected(i)
	case h.follow(i, a):
	case read >= h.left(a):
	case !h.alive(a, r.Start):
		h.begins[i] = true
		h.changed(i)
	default:
		h.lost(i, a)
	}
	if h.begins[i] {
		h.own(i)
	}
}

// changed lets request i, which came too late, begin anew where it read another
// static prefix than the last one of its thread did: tools or system prompt have
// changed, so no lifetime would have kept its history.
func (h *hindsight) changed(i int) {
	r := &h.s.Requests[i]
	k := threadModel{r.Thread, r.Model}
	if last := h.last[k]; r.Usage.Read > 0 && last > 0 && last != r.Usage.Read {
		h.from[i] = Anew
	}
}

// own takes what request i read for its static prefix.
func (h *hindsight) own(i int) {
	r := &h.s.Requests[i]
	n := r.Usage.Read
	h.static[i], h.seen[i] = n, n > 0
	if n > 0 && h.begins[i] {
		h.last[threadModel{r.Thread, r.Model}] = n
	}
}

// left is what request i leaves to be read, in tokens.
func (h *hindsight) left(i int32) int64 {
	u := h.s.Requests[i].Usage
	return u.Read + u.Written()
}

// ancestor is the nearest request of r's model that r goes on from; -1 for none.
func (h *hindsight) ancestor(r *recording.Request) int32 {
	model := r.Model
	for {
		if r.Pred < 0 || r.Compacted {
			return -1
		}
		a := r.Pred
		if r = &h.s.Requests[a]; r.Model == model {
			return a
		}
	}
}

// alive reports whether what request a left could be read at an instant, if
// nothing used it since.
func (h *hindsight) alive(a int32, at vtime.Instant) bool {
	ttl, _ := h.s.Lifetime(int(a))
	return at.Sub(h.s.Requests[a].Start) <= ttl.Duration()+h.slack
}

// follow reports whether the recording shows that the client sent a request of its
// own before request i, and when: right after the last answer, or as late as it
// must have been. One of a model that strips thinking is also shown by a read that
// no recorded prompt explains.
func (h *hindsight) follow(i int, a int32) bool {
	r := &h.s.Requests[i]
	if !r.UserTurn || a != r.Pred || h.s.Threads[r.Thread].Kind != recording.Main {
		return false
	}
	p, e, read := &h.s.Requests[a], h.left(a), r.Usage.Read
	if p.Last <= p.Start || p.Last >= r.Start {
		return false
	}
	f, err := cachemodel.Lookup(r.Model)
	stripped := err == nil && f.StripsThinking && h.left(int32(i)) < e && read < e && read*2 >= e
	if !stripped && (read < e || read == e && h.alive(a, r.Start)) {
		return false
	}
	ttl, _ := h.s.Lifetime(int(a))
	at := p.Last
	if r.Start.Sub(at) > ttl.Duration()+h.slack {
		at = max(at, p.Start.Add(ttl.Duration()))
	}
	h.hidden[i] = at
	return true
}

// lost looks where request i went on from, which read less than was left for it.
func (h *hindsight) lost(i int, a int32) {
	r := &h.s.Requests[i]
	read, e := r.Usage.Read, h.left(a)
	for b := h.ancestor(&h.s.Requests[a]); b >= 0 && read > 0; b = h.ancestor(&h.s.Requests[b]) {
		if h.left(b) == read {
			h.from[i] = b
			return
		}
	}
	if e-read <= e/nearly {
		return
	}
	h.from[i] = Anew
	h.begins[i] = read*2 < e
	h.own(i)
}

// like names the requests whose conversations begin alike.
func like(s *recording.Session, r *recording.Request) staticKey {
	return staticKey{version: r.Version, model: r.Model, kind: kind(&s.Threads[r.Thread])}
}

type threadModel struct {
	thread int32
	model  string
}

// spread gives static prefixes to requests that show none of their own: those of
// their thread before those of like threads, earlier ones before later ones.
func (h *hindsight) spread() {
	order := make([]int, len(h.static))
	for i := range order {
		order[i] = i
	}
	weak := make([]int64, len(order))
	for range 2 { // what came before, then what came after
		thread, alike := map[threadModel]int64{}, map[staticKey]int64{}
		for _, i := range order {
			r := &h.s.Requests[i]
			t, l := threadModel{r.Thread, r.Model}, like(h.s, r)
			if h.begins[i] && h.seen[i] {
				thread[t], alike[l] = r.Usage.Read, r.Usage.Read
			}
			if h.from[i] == Anew {
				continue // what it read is all that was there
			}
			size := h.left(int32(i))
			if n := thread[t]; h.static[i] == 0 && n <= size {
				h.static[i] = n
			}
			if n := alike[l]; weak[i] == 0 && n <= size {
				weak[i] = n
			}
		}
		slices.Reverse(order)
	}
	for i, n := range h.static {
		if n == 0 {
			h.static[i] = weak[i]
		}
	}
}

// use is when requests that begin alike were last sent, and whether others kept
// what they begin with alive when they had not been for a while.
type use struct {
	at   vtime.Instant
	warm bool
}

// others says where others of the account keep a static prefix alive.
func (h *hindsight) others() {
	uses := map[staticKey]use{}
	for i := range h.s.Requests {
		r := &h.s.Requests[i]
		k := like(h.s, r)
		u, had := uses[k]
		ttl, _ := h.s.Lifetime(i)
		switch {
		case h.begins[i]:
			h.warm[i] = h.seen[i]
			if !had || r.Start.Sub(u.at) > ttl.Duration()+h.slack {
				u.warm = h.warm[i]
			}
		case h.from[i] == Anew:
			h.warm[i] = h.seen[i]
		default:
			h.warm[i] = u.warm
		}
		u.at = r.Start
		uses[k] = u
	}
}

// knownStatic is the static prefix of request i as Options.Known has it.
func (p *play) knownStatic(si, i int, model string) *static {
	r := &p.sessions[si].Requests[i]
	tokens := p.opt.Known.Static[si][i]
	if tokens > r.Usage.Read+r.Usage.Written() {
		tokens = 0
	}
	k := p.key(si, r, model)
	if st := p.statics[k]; st != nil && st.tokens == tokens {
		return st
	}
	return p.newStatic(k, tokens)
}

// warm reports whether others of the account keep alive what request i begins
// with.
func (p *play) warm(si, i int) bool {
	if k := p.opt.Known; k != nil {
		return k.Warm[si][i]
	}
	return p.shared[p.sessions[si].Origin] > 0
}

// recall is learn for what is known already.
func (p *play) recall(si, i int, now vtime.Instant) error {
	if !p.opt.Known.Seen[si][i] {
		return nil
	}
	a := p.ask(si, i)
	st := p.knownStatic(si, i, a.Model)
	_, err := p.send(now, &flight{static: st, end: st.block}, a)
	return err
}

// knownBase is base for a request whose source is known; ok is false where it is
// its predecessor.
func (p *play) knownBase(si, i int, model string, size int64) (n *llm.Node, tokens int64, st *static, ok bool) {
	if p.opt.Known == nil {
		return nil, 0, nil, false
	}
	switch from := p.opt.Known.From[si][i]; {
	case from == AsTold:
		return nil, 0, nil, false
	case from == Anew, p.ask(si, int(from)).Model != model:
		return nil, 0, nil, true
	default:
		f := p.build(si, int(from))
		if n := p.counts.At(f.end); n <= size {
			return f.end, n, f.static, true
		}
		return nil, 0, nil, true
	}
}
