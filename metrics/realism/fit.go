package realism

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"agentsim/sim/recording/profile"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Line is one figure on both sides.
type Line struct {
	Role, Figure        string
	Unit                profile.Unit
	Recorded, Simulated *profile.Figure // Simulated is nil where the runs have none
	Off                 [2]int64        // at P50 and P90, as profile.Unit.Apart has it
	Bound               [2]int64
	Bounded             bool
	Floor               []int64 // as in profile.Figure
	// KS is the Kolmogorov–Smirnov distance, from 0 to 1; W1 the first Wasserstein
	// distance, in the figure's unit.
	KS, W1 float64
}

// Missed reports whether a bounded figure is further off than its bound.
func (l *Line) Missed() bool {
	return l.Bounded && (l.Simulated == nil || l.Off[0] > l.Bound[0] || l.Off[1] > l.Bound[1])
}

// excess is how far off the figure is, in what is allowed: its bound, else its floor.
func (l *Line) excess() float64 {
	allowed := l.Bound[:]
	if !l.Bounded {
		if allowed = l.Floor; len(allowed) == 0 {
			return 0
		}
	}
	worst, zero := 0.0, int64(1000)
	if l.shares() {
		zero = 0
	}
	for i, a := range allowed {
		worst = max(worst, float64(l.Off[i]-zero)/float64(max(a-zero, 1)))
	}
	return worst
}

func (l *Line) shares() bool { return l.Unit == profile.Share || l.Unit == profile.Thousandth }

// Family is the model family of a side's role.
func Family(p *profile.Profile, role string) string {
	if r := largest(p, role); r != nil {
		return r.Family
	}
	return ""
}

// Compare sets what was simulated against what was recorded, for each figure of main
// threads and sub-agents, the worst first: those that miss their bound, then by how
// far off they are. Both sides are of the family with most threads; recorded tokens are
// converted to those of the simulated one. Floors are those of
// a third profile, where halves of it are compared.
func Compare(recorded, simulated, floors *profile.Profile, c Check) (out []Line) {
	for _, role := range []string{profile.Main, profile.SubAgent} {
		of, with, far := largest(recorded, role), largest(simulated, role), largest(floors, role)
		if of == nil || with == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(of.Figures)) {
			f := of.Figures[name]
			if f.Thin {
				continue
			}
			l := Line{Role: role, Figure: name, Unit: profile.KindOf(name).Unit, Recorded: &f}
			if l.Unit == profile.Tokens && of.Family != with.Family {
				f.Q = converted(f.Q, of.Family, with.Family)
			}
			l.Floor = far.Figures[name].Floor
			if g, ok := with.Figures[name]; ok {
				l.Simulated = &g
			} else if strings.HasSuffix(name, ".mix") {
				l.Simulated = &profile.Figure{Share: new(int64)} // no such use: nothing was left out
			}
			l.Bound, l.Bounded = c.bound(role, name, l.Unit, l.Floor)
			if l.Simulated != nil {
				l.measure()
			}
			if l.Simulated != nil || l.Bounded {
				out = append(out, l)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Line) int {
		return -cmp.Or(boolean(a.Missed(), b.Missed()), cmp.Compare(a.excess(), b.excess()))
	})
	return out
}

// converted are recorded tokens in those of the simulated models.
func converted(q []int64, from, to string) []int64 {
	out := make([]int64, len(q))
	for i, n := range q {
		out[i] = profile.Convert(n, from, to)
	}
	return out
}

// largest is the role in the family with most threads; nil where there is none.
func largest(p *profile.Profile, role string) (best *profile.Role) {
	for i := range p.Sources {
		for k := range p.Sources[i].Roles {
			r := &p.Sources[i].Roles[k]
			if r.Role == role && r.Type == "" && r.Threads > 0 && (best == nil || r.Threads > best.Threads) {
				best = r
			}
		}
	}
	return best
}

// Misses is how many of the bounded figures are further off than their bound.
func Misses(lines []Line) (missed, of int) {
	for i := range lines {
		if lines[i].Bounded {
			of++
			if lines[i].Missed() {
				missed++
			}
		}
	}
	return missed, of
}

func boolean(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// measure works out the distances.
func (l *Line) measure() {
	if l.Unit == profile.Share {
		l.Off[0] = l.Unit.Apart(*l.Recorded.Share, *l.Simulated.Share)
		l.KS = float64(l.Off[0]) / 1000
		l.W1 = l.KS
		return
	}
	for i, p := range [...]int{50, 90} {
		l.Off[i] = l.Unit.Apart(l.Recorded.Percentile(p), l.Simulated.Percentile(p))
	}
	a, b := floatsOf(l.Recorded.Q), floatsOf(l.Simulated.Q)
	l.KS = stat.KolmogorovSmirnov(a, nil, b, nil)
	l.W1 = floats.Distance(a, b, 1) / float64(len(a))
}

func floatsOf(x []int64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// Splits is how often sessions are parted to be compared with what was made of the
// other half.
const Splits = 20

// Halves is what a simulation comes to against halves of the sessions that it has not
// seen, both ways.
type Halves struct {
	Lines []HalvesLine // in the order of the table of bounds
	// Simulated and Copied are how many bounded figures missed, in each of the 2·Splits
	// comparisons: of the simulation, and of the other half itself, sorted.
	Simulated, Copied []int
	Of                int // figures with a bound
}

// HalvesLine is how often one figure missed its bound.
type HalvesLine struct {
	Role, Figure      string
	Bound             [2]int64
	Simulated, Copied int
}

// Median is the lower median of counts.
func Median(counts []int) int { return counts[(len(counts)-1)/2] }

// Against parts what was measured and compares each half with what simulate makes of
// the other.
func Against(m *profile.Measure, simulate func(seen *profile.Profile) (*profile.Profile, error)) (*Halves, error) {
	h := &Halves{}
	whole := m.Profile()
	for split := range Splits {
		sides := [2]*profile.Profile{m.Half(split, false), m.Half(split, true)}
		for i, unseen := range sides {
			seen := sides[1-i]
			made, err := simulate(seen)
			if err != nil {
				return nil, err
			}
			h.Simulated = append(h.Simulated, h.count(Compare(unseen, made, whole, Generalisation), false))
			h.Copied = append(h.Copied, h.count(Compare(unseen, seen, whole, Generalisation), true))
		}
	}
	slices.Sort(h.Simulated)
	slices.Sort(h.Copied)
	return h, nil
}

// count enters the misses of one comparison.
func (h *Halves) count(lines []Line, copied bool) int {
	for i := range lines {
		l := &lines[i]
		if !l.Bounded {
			continue
		}
		at := slices.IndexFunc(h.Lines, func(x HalvesLine) bool { return x.Role == l.Role && x.Figure == l.Figure })
		if at < 0 {
			at = len(h.Lines)
			h.Lines = append(h.Lines, HalvesLine{Role: l.Role, Figure: l.Figure, Bound: l.Bound})
		}
		switch {
		case l.Missed() && copied:
			h.Lines[at].Copied++
		case l.Missed():
			h.Lines[at].Simulated++
		}
	}
	missed, of := Misses(lines)
	h.Of = max(h.Of, of)
	return missed
}
