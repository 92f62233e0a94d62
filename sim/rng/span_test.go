package rng

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSpans(t *testing.T) {
	t.Run("LLM-06 KRN-09 a span whose durations are k times as long draws times k times as long", rapid.MakeCheck(spansScale))
	t.Run("LLM-06 a drawn time keeps its bounds and belongs to its key, whatever the parameters", rapid.MakeCheck(spansKeepBounds))
	t.Run("LLM-06 a uniform time reaches both its ends", uniformEnds)
	t.Run("LLM-06 drawn times follow their distributions: median, mean and quantiles", spansFollow)
}

// drawSpan makes a span; its durations are microseconds up to most.
func drawSpan(t *rapid.T, most int64) Span {
	lo := rapid.Int64Range(0, most).Draw(t, "lo")
	hi := rapid.Int64Range(lo, most).Draw(t, "hi")
	s := Span{Lo: lo * Micro, Hi: hi * Micro}
	shape := Shape(rapid.Uint8Range(0, uint8(Empirical)).Draw(t, "shape"))
	if shape == 0 {
		return s
	}
	s.Dist = &Dist{Shape: shape, A: rapid.Int64Range(1, most).Draw(t, "a"), Lo: lo, Hi: hi}
	switch shape {
	case Lognormal:
		s.Dist.B = rapid.Int64Range(1, MaxSigma).Draw(t, "sigma")
	case Gamma:
		s.Dist.B = rapid.Int64Range(1, MaxHalves).Draw(t, "halves")
	case Empirical:
		s.Dist.Points = []Quantile{{0, lo}, {rapid.Int64Range(1, Millionth-1).Draw(t, "share"), rapid.Int64Range(lo, hi).Draw(t, "between")}, {Millionth, hi}}
	}
	return s
}

// times is the span with every duration k times as long.
func times(s Span, k int64) Span {
	s.Lo, s.Hi = s.Lo*k, s.Hi*k
	if s.Dist == nil {
		return s
	}
	d := *s.Dist
	d.A, d.Lo, d.Hi, d.Points = d.A*k, d.Lo*k, d.Hi*k, append([]Quantile(nil), d.Points...)
	for i := range d.Points {
		d.Points[i].Value *= k
	}
	s.Dist = &d
	return s
}

func spansScale(t *rapid.T) {
	s, k := drawSpan(t, 1e11), rapid.Int64Range(1, 1000).Draw(t, "k")
	key, longer := Root(rapid.Uint64().Draw(t, "seed")), times(s, k)
	if one, many := s.Draw(key), longer.Draw(key); many != k*one {
		t.Fatalf("%d ns became %d, not %d times as long", one, many, k)
	}
}

func spansKeepBounds(t *rapid.T) {
	s, key := drawSpan(t, math.MaxInt64/Micro), Root(rapid.Uint64().Draw(t, "seed"))
	got := s.Draw(key)
	if got < s.Lo || got > s.Hi || got != s.Draw(key) {
		t.Fatalf("%d of %d to %d", got, s.Lo, s.Hi)
	}
}

func uniformEnds(t *testing.T) {
	s := Span{Lo: 2 * Micro, Hi: 5 * Micro}
	least, most := s.Hi, s.Lo
	for i := range uint64(20_000) {
		got := s.Draw(Root(42).At(i))
		least, most = min(least, got), max(most, got)
	}
	if least != s.Lo || most != s.Hi {
		t.Errorf("from %d to %d ns, want %d to %d", least, most, s.Lo, s.Hi)
	}
}

// spansFollow compares the share of draws below a time with what the distribution
// says it is.
func spansFollow(t *testing.T) {
	open := func(d Dist) *Span { return &Span{Lo: 0, Hi: math.MaxInt64, Dist: &d} }
	const us = Micro
	for _, c := range []struct {
		name  string
		span  *Span
		below int64
		share float64
	}{
		{"uniform", &Span{Lo: 1e6 * us, Hi: 3e6 * us}, 2e6 * us, 0.5},
		{"lognormal's median", open(Dist{Shape: Lognormal, A: 300_000, B: 800}), 300_000 * us, 0.5},
		{"lognormal, one sigma up", open(Dist{Shape: Lognormal, A: 300_000, B: 800}), int64(300_000 * math.Exp(0.8) * us), 0.8413},
		{"exponential", open(Dist{Shape: Exponential, A: 300_000}), 300_000 * us, 1 - 1/math.E},
		{"gamma of shape 1", open(Dist{Shape: Gamma, A: 300_000, B: 2}), 300_000 * us, 1 - 1/math.E},
		{"empirical", &Span{Dist: &Dist{Shape: Empirical, Points: []Quantile{{0, 100}, {900_000, 200}, {Millionth, 900}}}}, 150 * us, 0.45},
	} {
		n, total := 0, 20_000
		for i := range total {
			if c.span.Draw(Root(42).At(uint64(i))) < c.below {
				n++
			}
		}
		if got := float64(n) / float64(total); math.Abs(got-c.share) > 0.012 {
			t.Errorf("%s: %.3f of all draws are below %d ns, want %.3f", c.name, got, c.below, c.share)
		}
	}
}
