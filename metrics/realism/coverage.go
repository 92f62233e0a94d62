package realism

import (
	"math"
	"slices"
	"strings"

	"agentsim/sim/recording"
	"agentsim/sim/recording/profile"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Draws is how many bills a forecast draws for a session; Bins into how many parts the
// integral transform is counted.
const (
	Draws = 200
	Bins  = 10
)

// Coverage is how well forecasts of one source's bills did on sessions that they had
// not seen.
type Coverage struct {
	Source   string
	Sessions int
	Forms    [Forms]Score
	Plain    Score // of the bills of the half that was seen, which know nothing
}

// Score is what forecasts of one form come to over all splits, both ways.
type Score struct {
	Covered [Splits]float64 // of a split's bills, those within P10 to P90
	Band    float64         // median of P90 over P10
	CRPS    float64         // of the log bill, mean
	PIT     [Bins]int       // how many bills lie above so many tenths of the draws
	bands   []float64
	scores  []float64
}

// Mean is the mean coverage.
func (s *Score) Mean() float64 { return stat.Mean(s.Covered[:], nil) }

// Skill is by how much the score is better than another one, as a share.
func (s *Score) Skill(than *Score) float64 { return 1 - s.CRPS/than.CRPS }

// What coverage is judged by.
const (
	manySessions = 60   // from which on a share of four fifths is told from its neighbours
	nominal      = 0.80 // of the bills lie in a band from P10 to P90
)

// Bound is what is asked of a form.
type Bound struct{ Low, High, Skill, Band float64 } // Band is 0 where none is asked

// Asked is what is asked of a form for so many sessions; ok is false where nothing is.
func Asked(f Form, sessions int) (b Bound, ok bool) {
	switch f {
	case Before:
		b = Bound{Skill: 0.25, Band: 8}
	case AsItRan:
		b = Bound{Skill: 0.60, Band: 3}
	default:
		return b, false
	}
	b.Low, b.High = 0.75, 0.85
	if sessions < manySessions {
		b.Band = 0
		b.Low, b.High = likely(sessions)
	}
	return b, true
}

// likely are the shares between which that of a band that holds nominally lies, 95 times
// in 100.
func likely(n int) (low, high float64) {
	d := distuv.Binomial{N: float64(n), P: nominal}
	at := func(p float64) float64 {
		k := 0.0
		for d.CDF(k) < p {
			k++
		}
		return k / float64(n)
	}
	return at(0.025), at(0.975)
}

// Missed names the bounds that a form misses.
func (c *Coverage) Missed(f Form) (out []string) {
	b, ok := Asked(f, c.Sessions)
	s := &c.Forms[f]
	for _, x := range []struct {
		what string
		bad  bool
	}{
		{"covered", s.Mean() < b.Low || s.Mean() > b.High},
		{"skill", s.Skill(&c.Plain) < b.Skill},
		{"band", b.Band > 0 && s.Band > b.Band},
	} {
		if ok && x.bad {
			out = append(out, x.what)
		}
	}
	return out
}

// Cover parts the sessions of each source in two, draws the bills of each half from the
// profile of the other, and says how often the bands held.
func Cover(sources map[string][]*recording.Session) (out []Coverage) {
	for name, list := range sources { // order: sorted below
		m := profile.New(profile.Options{Joined: true})
		var all []session
		for _, s := range list {
			if x, ok := sessionOf(s); ok {
				m.Add("", s)
				all = append(all, x)
			}
		}
		slices.SortFunc(all, func(a, b session) int { return strings.Compare(a.ID, b.ID) })
		if len(all) < profile.ThinBelow {
			continue
		}
		out = append(out, cover(name, m, all))
	}
	slices.SortFunc(out, func(a, b Coverage) int { return strings.Compare(a.Source, b.Source) })
	return out
}

func cover(name string, m *profile.Measure, all []session) Coverage {
	c := Coverage{Source: name, Sessions: len(all)}
	for split := range Splits {
		var sides [2][]session
		for i := range all {
			if side, ok := m.Side(split, all[i].Session); ok && side {
				sides[1] = append(sides[1], all[i])
			} else if ok {
				sides[0] = append(sides[0], all[i])
			}
		}
		for i, unseen := range sides {
			c.half(split, newGenerator(m.Half(split, i == 0), sides[1-i]), sides[1-i], unseen)
		}
	}
	for _, s := range []*Score{&c.Plain, &c.Forms[Before], &c.Forms[WithAgents], &c.Forms[AsItRan]} {
		slices.Sort(s.bands)
		s.Band, s.CRPS = stat.Quantile(0.5, stat.Empirical, s.bands, nil), stat.Mean(s.scores, nil)
		for i := range s.Covered {
			s.Covered[i] /= float64(len(all))
		}
	}
	return c
}

// half judges the bills of one half.
func (c *Coverage) half(split int, g *generator, seen, unseen []session) {
	plain := make([]float64, len(seen))
	for i := range seen {
		plain[i] = math.Log(seen[i].bill)
	}
	slices.Sort(plain)
	var draws [Forms][Draws]float64
	for i := range unseen {
		x := &unseen[i]
		y := math.Log(x.bill)
		c.Plain.enter(split, plain, y)
		for n := range Draws {
			for form, bill := range g.forecasts(x, x.key.At(uint64(split)).At(uint64(n))) {
				draws[form][n] = math.Log(bill)
			}
		}
		for form := range draws {
			slices.Sort(draws[form][:])
			c.Forms[form].enter(split, draws[form][:], y)
		}
	}
}

// enter judges one bill by sorted draws, both in logarithms.
func (s *Score) enter(split int, draws []float64, y float64) {
	low, high := stat.Quantile(0.1, stat.Empirical, draws, nil), stat.Quantile(0.9, stat.Empirical, draws, nil)
	if low <= y && y <= high {
		s.Covered[split]++
	}
	s.bands = append(s.bands, math.Exp(high-low))
	s.scores = append(s.scores, crps(draws, y))
	below := stat.CDF(y, stat.Empirical, draws, nil)
	s.PIT[min(int(below*Bins), Bins-1)]++
}

// crps is the continuous ranked probability score of sorted draws: their mean distance
// from what came, less half of that from one another.
func crps(draws []float64, y float64) float64 {
	n := float64(len(draws))
	spread := 0.0
	for i, x := range draws {
		spread += x * (2*float64(i) + 1 - n)
	}
	away := slices.Clone(draws)
	floats.AddConst(-y, away)
	return floats.Norm(away, 1)/n - spread/(n*n)
}
