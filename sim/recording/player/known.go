package player

import (
	"slices"

	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// Known is what a playing takes as given. It lets sessions be played again, with
// something changed, in a world that is otherwise the same.
type Known struct {
	// Static has, by session and request, the tokens of the static prefix that a
	// conversation which begins there begins with; 0 for unknown.
	Static [][]int64
	// Seen says that a request read that prefix, and nothing else: it was there,
	// whoever wrote it.
	Seen [][]bool
	// Warm says whether others of the account keep that prefix alive, as
	// Played.Warm of an earlier playing has it; nil: it is learned.
	Warm [][]bool
}

// Hindsight is what the whole of each session tells of the static prefixes in it:
// that of a request is what it read itself, where it read nothing else, then what
// the nearest such request of its thread and model read, earlier ones first, then
// the nearest of a like thread.
func Hindsight(sessions []*recording.Session) *Known {
	k := &Known{Static: make([][]int64, len(sessions)), Seen: make([][]bool, len(sessions))}
	for si, s := range sessions {
		k.Static[si] = hindsight(s)
		k.Seen[si] = make([]bool, len(s.Requests))
		for i := range s.Requests {
			k.Seen[si][i] = onlyStatic(s, i)
		}
	}
	return k
}

// seenStatic are the static prefixes met so far, by thread and by like threads.
type seenStatic struct {
	thread map[threadModel]int64
	like   map[staticKey]int64
}

type threadModel struct {
	thread int32
	model  string
}

func hindsight(s *recording.Session) []int64 {
	out := make([]int64, len(s.Requests))
	order := make([]int, len(s.Requests))
	for i := range order {
		order[i] = i
	}
	weak := make([]int64, len(out))
	for range 2 { // what came before, then what came after
		seen := seenStatic{map[threadModel]int64{}, map[staticKey]int64{}}
		for _, i := range order {
			r := &s.Requests[i]
			t, l := threadModel{r.Thread, r.Model}, staticKey{version: r.Version, model: r.Model, kind: kind(&s.Threads[r.Thread])}
			if onlyStatic(s, i) {
				seen.thread[t], seen.like[l] = r.Usage.Read, r.Usage.Read
			}
			size := r.Usage.Read + r.Usage.Written()
			if n := seen.thread[t]; out[i] == 0 && n <= size {
				out[i] = n
			}
			if n := seen.like[l]; weak[i] == 0 && n <= size {
				weak[i] = n
			}
		}
		slices.Reverse(order)
	}
	for i, n := range out {
		if n == 0 {
			out[i] = weak[i]
		}
	}
	return out
}

// onlyStatic reports whether request i read nothing but a static prefix: a
// thread's first one does, and one that lost its history.
func onlyStatic(s *recording.Session, i int) bool {
	r := &s.Requests[i]
	return r.Usage.Read > 0 && (r.Pred < 0 || r.Usage.Read*2 < s.Expected(i))
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
	if k := p.opt.Known; k != nil && k.Warm != nil {
		return k.Warm[si][i]
	}
	return p.shared[p.sessions[si].Origin] > 0
}

// recall is learn for what is known already.
func (p *play) recall(si, i int, now vtime.Instant) error {
	k, s := p.opt.Known, p.sessions[si]
	if r := &s.Requests[i]; k.Warm == nil && p.out[si][i].alone && (r.Pred < 0 || r.Usage.Read*2 < s.Expected(i)) {
		p.witness(s.Origin, r.Usage.Read > 0)
	}
	if !k.Seen[si][i] {
		return nil
	}
	a := p.ask(si, i)
	st := p.knownStatic(si, i, a.Model)
	_, err := p.send(now, &flight{static: st, end: st.block}, a)
	return err
}
