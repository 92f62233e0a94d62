package realism

import (
	"slices"

	"agentsim/sim/recording/profile"
)

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
