package profile

import (
	"cmp"
	"slices"

	"agentsim/sim/rng"
)

// sample is one observation of one session. A share's is a part of a whole: the value
// holds the part in its upper half.
type sample struct {
	value   int64
	session int32
	hash    uint32 // decides which samples go where there are too many
}

// maxSamples is how many of one figure are kept. Of more, those whose hash ends in
// zeros: which ones does not depend on their order.
const maxSamples = 1 << 17

// series are the samples of one figure.
type series struct {
	samples []sample
	zeros   uint // a sample is kept whose hash ends in so many
	counts  []sessionCount
}

// sessionCount is how many samples a session has given.
type sessionCount struct {
	session int32
	n       int64
}

func (x *series) add(v int64, session int32, hash uint32) {
	if k := len(x.counts); k == 0 || x.counts[k-1].session != session {
		x.counts = append(x.counts, sessionCount{session: session})
	}
	x.counts[len(x.counts)-1].n++
	if hash&(1<<x.zeros-1) != 0 {
		return
	}
	x.samples = append(x.samples, sample{v, session, hash})
	for len(x.samples) > maxSamples {
		x.zeros++
		x.samples = slices.DeleteFunc(x.samples, func(s sample) bool { return s.hash&(1<<x.zeros-1) != 0 })
	}
}

func sharePart(part, whole int64) int64 { return part<<32 | whole }

// Halvings is how often the sessions are parted.
const Halvings = 200

// sides says of each session, for each halving, in which half it is.
type sides [Halvings][]bool

// part halves the sessions: in each halving they are put in order by a hash of their
// identity, source by source, and go to the halves by turns.
func part(sessions []session) *sides {
	var out sides
	order := make([]int, len(sessions))
	keys := make([]uint64, len(sessions))
	for h := range Halvings {
		for i := range sessions {
			order[i] = i
			keys[i] = rng.Root(0).Sub("halving").Sub(sessions[i].key).At(uint64(h)).Uint64()
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(sessions[a].stratum(), sessions[b].stratum()), cmp.Compare(keys[a], keys[b]))
		})
		out[h] = make([]bool, len(sessions))
		for at, i := range order {
			out[h][i] = at%2 == 1
		}
	}
	return &out
}

// figure describes the samples of sessions that count. ok is false where there is
// none.
func (x *series) figure(unit Unit, counts func(session int32) bool, halves *sides) (f Figure, ok bool) {
	for _, c := range x.counts {
		if counts(c.session) {
			f.N += c.n
			f.Sessions++
		}
	}
	samples := slices.DeleteFunc(slices.Clone(x.samples), func(s sample) bool { return !counts(s.session) })
	if len(samples) == 0 {
		return f, false
	}
	f.Thin = f.N < ThinBelow
	if unit == Share {
		parted := func(half []bool, side bool) (part, whole int64) { return shareOf(samples, half, side) }
		part, whole := parted(nil, false)
		f.Share = new(thousandths(part, whole))
		f.Floor = floor(halves, 1, func(half []bool) (d [2]int64, ok bool) {
			a, n := parted(half, false)
			b, m := parted(half, true)
			return [2]int64{distance(thousandths(a, n), thousandths(b, m))}, n > 0 && m > 0
		})
		return f, true
	}
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.value, b.value) })
	for i := range Steps + 1 {
		f.Q = append(f.Q, samples[rank(len(samples), i)].value)
	}
	f.Floor = floor(halves, 2, func(half []bool) (d [2]int64, ok bool) {
		a, b, ok := middles(samples, half)
		if !ok {
			return d, false
		}
		return [2]int64{unit.Apart(a[0], b[0]), unit.Apart(a[1], b[1])}, true
	})
	return f, true
}

// rank is the place of quantile i of Steps among n sorted values: the smallest that so
// much of the sample does not exceed.
func rank(n, i int) int { return max((n*i+Steps-1)/Steps-1, 0) }

func thousandths(part, whole int64) int64 {
	if whole == 0 {
		return 0
	}
	return (part*1000 + whole/2) / whole
}

func shareOf(samples []sample, half []bool, side bool) (part, whole int64) {
	for _, s := range samples {
		if half == nil || half[s.session] == side {
			part += s.value >> 32
			whole += s.value & (1<<32 - 1)
		}
	}
	return part, whole
}

// middles are P50 and P90 of both halves of sorted samples; ok is false where one half
// has none.
func middles(samples []sample, half []bool) (a, b [2]int64, ok bool) {
	var n, seen [2]int
	side := func(s sample) int {
		if half[s.session] {
			return 1
		}
		return 0
	}
	for _, s := range samples {
		n[side(s)]++
	}
	var out [2][2]int64
	for _, s := range samples {
		h := side(s)
		for k, i := range [2]int{Steps / 2, Steps * 9 / 10} {
			if seen[h] == rank(n[h], i) {
				out[h][k] = s.value
			}
		}
		seen[h]++
	}
	return out[0], out[1], n[0] > 0 && n[1] > 0
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// ratio is the larger over the smaller in thousandths. Nothing counts as one.
func ratio(a, b int64) int64 { return max(a, b, 1) * 1000 / max(min(a, b), 1) }

// floor is the P95 of the first k distances between halves, where at least half of all
// halvings have samples on both sides.
func floor(halves *sides, k int, apart func(half []bool) ([2]int64, bool)) []int64 {
	var all [2][]int64
	if halves == nil {
		return nil
	}
	for _, half := range halves {
		if d, ok := apart(half); ok {
			for i := range k {
				all[i] = append(all[i], d[i])
			}
		}
	}
	if len(all[0])*2 < Halvings {
		return nil
	}
	var out []int64
	for i := range k {
		slices.Sort(all[i])
		out = append(out, all[i][rank(len(all[i]), Steps*95/100)])
	}
	return out
}
