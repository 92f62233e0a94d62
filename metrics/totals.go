package metrics

import (
	"errors"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// Totals are the exact sums of the figures of many runs. What is of one run alone,
// such as its makespan, is not in them.
type Totals struct {
	Runs    int64
	Total   Tally
	Types   []Type  // by name
	Models  []Model // by name
	Items   Outcomes
	Started int64 // agents
	Events  uint64
}

// ErrTooLarge is a sum that 63 bits do not hold.
var ErrTooLarge = errors.New("the sums of so many sessions no longer fit into 63 bits, some 9.2 million dollars")

// Add adds the figures of a run.
func (t *Totals) Add(r *Run) error {
	if !fits(reflect.ValueOf(&t.Total).Elem(), reflect.ValueOf(&r.Total).Elem()) {
		return ErrTooLarge // each other sum is a part of these
	}
	t.Runs++
	t.Started += r.Started
	t.Events += r.Events
	t.Total.Add(&r.Total)
	t.Items.add(r.Items)
	for i := range r.Types {
		from := &r.Types[i]
		at, found := slices.BinarySearchFunc(t.Types, from.Name, func(a Type, name string) int { return strings.Compare(a.Name, name) })
		if !found {
			t.Types = slices.Insert(t.Types, at, Type{Name: from.Name, Structure: from.Structure})
		}
		to := &t.Types[at]
		to.Agents += from.Agents
		to.Tally.Add(&from.Tally)
		to.Items.add(from.Items)
		to.CutShort.add(from.CutShort)
	}
	for _, from := range r.Models {
		at, found := slices.BinarySearchFunc(t.Models, from.Name, func(a Model, name string) int { return strings.Compare(a.Name, name) })
		if !found {
			t.Models = slices.Insert(t.Models, at, Model{Name: from.Name, Prices: from.Prices, Unpriced: from.Unpriced})
		}
		to := &t.Models[at]
		to.Usage, to.Cost = to.Usage.Plus(from.Usage), to.Cost.Plus(from.Cost)
	}
	return nil
}

// Run is the totals in the form of a run's figures.
func (t *Totals) Run() *Run {
	return &Run{Started: t.Started, Total: t.Total, Types: t.Types, Models: t.Models, Items: t.Items, Events: t.Events}
}

func (o *Outcomes) add(p Outcomes) {
	o.Done += p.Done
	o.Rework += p.Rework
	o.Failed += p.Failed
	o.Wrong += p.Wrong
	o.Total += p.Total
}

// fits reports whether no sum of whole numbers, all from zero, is too large.
func fits(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !fits(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := range a.Len() {
			if !fits(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return a.Int() <= 1<<63-1-b.Int()
}

// Spread is how a figure varies between runs that are alike, kept exactly.
type Spread struct {
	N            int64
	Sum, Squares big.Int
}

// Add takes one of them in.
func (s *Spread) Add(n int64) {
	x := big.NewInt(n)
	s.N++
	s.Sum.Add(&s.Sum, x)
	s.Squares.Add(&s.Squares, x.Mul(x, x))
}

// Few are so few that how much they differ says little of how far off their sum is.
const Few = 10

// Half is half of the interval that holds, as a share of it, what a sum of more of the
// same would come to in 95 of 100 cases, by Student's t; false of fewer than Few.
func (s *Spread) Half() (share float64, ok bool) {
	half, ok := s.Within()
	if !ok || s.Sum.Sign() == 0 {
		return 0, false
	}
	sum, _ := new(big.Rat).SetInt(&s.Sum).Float64()
	return half / math.Abs(sum), true
}

// Within is that half in their own unit, of the sum of so many.
func (s *Spread) Within() (half float64, ok bool) {
	if s.N < Few {
		return 0, false
	}
	// variance = (N·Σx² − (Σx)²) / (N·(N−1)), exact up to here
	n := big.NewInt(s.N)
	top := new(big.Int).Mul(n, &s.Squares)
	top.Sub(top, new(big.Int).Mul(&s.Sum, &s.Sum))
	v, _ := new(big.Rat).SetFrac(top, new(big.Int).Mul(n, big.NewInt(s.N-1))).Float64()
	t := distuv.StudentsT{Sigma: 1, Nu: float64(s.N - 1)}.Quantile(0.975)
	return t * math.Sqrt(v*float64(s.N)), true
}
