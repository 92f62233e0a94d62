package judge

import (
	"math/bits"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/player"

	"github.com/zeebo/xxh3"
)

// Halves is how many parts sessions are split into.
const Halves = 2

// Half is the half that a session belongs to, by a hash of its origin and id.
func Half(s *recording.Session) int { return int(xxh3.HashString(s.Origin+"\x00"+s.ID) % Halves) }

// Predictor foretells what requests read.
type Predictor uint8

// The predictors: the model, and three that know nothing of a cache, for
// comparison.
const (
	ByModel   Predictor = iota
	ByNaive             // all that was left within the lifetime, of the same model; else nothing
	ByAlways            // all that was left
	BySwapped           // the model, with five minutes taken for an hour and an hour for five minutes
	Predictors
)

func (p Predictor) String() string {
	return [...]string{"model", "naive", "always read", "TTLs swapped"}[p]
}

// Errors are how far predictions are off: in tokens read, and in what is paid for
// the prompts, in picodollars.
type Errors struct{ Tokens, Money Error }

// Side counts requests that decide between predictors, by how they came out, and
// for how many of them each predictor said so: more than half of what was left was
// read, or less.
type Side struct {
	N     int64
	Right [Predictors]int64
}

// All is what all requests of an origin say, first ones of threads included.
type All struct {
	N, Exact, Lag int64 // Exact by the model; Lag missed the last writes only
	Read          int64
	Bill          int64 // for prompts, without answers, picodollars
	Off           [Predictors]Errors
	// Kept and Gone are the requests on which the predictors without a cache, and
	// the naive one with swapped lifetimes, do not agree.
	Kept, Gone Side
	// Loss is what the prompts of this origin are expected to cost beyond the model's
	// word, at the rates of the other half of its sessions.
	Loss int64
}

// stakes are what the prompts of each half cost had nothing been read, by
// transition and by whether they came within the lifetime, and what they cost
// beyond the model's word; in picodollars.
type stakes [Halves][Transitions][2]struct{ prompts, lost int64 }

// count adds a request: p is what each predictor foretells of its read.
func (a *All) count(r *recording.Request, v *Verdict, p [Predictors]int64) {
	read := r.Usage.Read
	a.N++
	a.Read += read
	a.Bill += paid(r, read)
	if p[ByModel] == read {
		a.Exact++
	}
	if v.Class == recording.Visibility {
		a.Lag++
	}
	for k, n := range p {
		a.Off[k].Tokens.add(n, read)
		a.Off[k].Money.add(paid(r, n), paid(r, read))
	}
}

// decide adds a request to the side on which it came out.
func (a *All) decide(r *recording.Request, v *Verdict, p [Predictors]int64) {
	kept := func(n int64) bool { return 2*n >= v.Expected }
	side := &a.Gone
	if kept(r.Usage.Read) {
		side = &a.Kept
	}
	side.N++
	for k, n := range p {
		if kept(n) == kept(r.Usage.Read) {
			side.Right[k]++
		}
	}
}

// paid is what a prompt costs of which so many tokens are read.
func paid(r *recording.Request, read int64) int64 {
	u := r.Usage
	can := u.Read + u.Written()
	u.Read, u.Output = min(read, can), 0
	if u.Write1h > 0 {
		u.Write5m, u.Write1h = 0, can-u.Read
	} else {
		u.Write5m = can - u.Read
	}
	f, err := cachemodel.Lookup(r.Model)
	if err != nil {
		panic("judge: a session was played that is not playable: " + err.Error())
	}
	return int64(f.Cost(u))
}

// naiveAt is the baseline: everything that the predecessor left, if it is younger
// than a lifetime and of the same model, else nothing.
func naiveAt(v *Verdict, r *recording.Request, s *recording.Session, ttl llm.TTL) int64 {
	if r.Pred < 0 || v.Age >= ttl.Duration() || s.Requests[r.Pred].Model != r.Model {
		return 0
	}
	return v.Expected
}

// other is the other lifetime.
func other(ttl llm.TTL) llm.TTL {
	if ttl == llm.TTL1h {
		return llm.TTL5m
	}
	return llm.TTL1h
}

// swapped are Options under which every lifetime is taken for the other.
func swapped(opt player.Options) player.Options {
	opt.Alter = func(_, _ int, a *player.Ask) { a.TTL = other(a.TTL) }
	return opt
}

// expect adds up what each half is expected to cost beyond the model's word, at
// the rates of the other half.
func (st *stakes) expect() (loss int64) {
	for h := range st {
		for t := range st[h] {
			for w, here := range st[h][t] {
				if from := st[1-h][t][w]; from.prompts > 0 {
					loss += part(here.prompts, from.lost, from.prompts)
				}
			}
		}
	}
	return loss
}

// part is n·of/whole, whose product may not fit; n and whole are above 0.
func part(n, of, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(max(of, -of)))
	q, _ := bits.Div64(hi, lo, uint64(whole))
	if of < 0 {
		return -int64(q)
	}
	return int64(q)
}

// note adds a request of half h.
func (st *stakes) note(h int, r *recording.Request, v *Verdict, predicted int64) {
	s := &st[h][v.Transition][v.within()]
	s.prompts += paid(r, 0)
	s.lost += paid(r, r.Usage.Read) - paid(r, predicted)
}

// Plus adds o to a.
func (a *All) Plus(o *All) {
	a.N, a.Exact, a.Lag, a.Read = a.N+o.N, a.Exact+o.Exact, a.Lag+o.Lag, a.Read+o.Read
	a.Bill, a.Loss = a.Bill+o.Bill, a.Loss+o.Loss
	a.Kept.N, a.Gone.N = a.Kept.N+o.Kept.N, a.Gone.N+o.Gone.N
	for k := range a.Off {
		a.Off[k].Tokens.plus(o.Off[k].Tokens)
		a.Off[k].Money.plus(o.Off[k].Money)
		a.Kept.Right[k] += o.Kept.Right[k]
		a.Gone.Right[k] += o.Gone.Right[k]
	}
}

// tellsAtLeast is for how many in a hundred of the deciding requests a predictor
// must foretell the side.
const tellsAtLeast = 80

// Tells reports whether a predictor foretells both sides often enough. Reading
// everything always fails on the one, swapped lifetimes on the other.
func (a *All) Tells(k Predictor) bool {
	return a.Kept.Right[k]*100 >= a.Kept.N*tellsAtLeast && a.Gone.Right[k]*100 >= a.Gone.N*tellsAtLeast
}
