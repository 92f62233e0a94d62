package cachemodel

import (
	"fmt"
	"strings"
)

// Tariff is what stands over a model's list prices. Its parts multiply
// (CACHE-42).
type Tariff struct {
	Batch bool // half of every rate
	US    bool // inference in the US: 1.1 times every rate, on models from Claude 4.6 on
	Fast  bool // fast mode's own rates; not in a batch
}

// String names the parts of the tariff, "" for list prices.
func (t Tariff) String() string {
	var parts []string
	for _, part := range []struct {
		is   bool
		name string
	}{{t.Fast, "fast mode"}, {t.Batch, "batch (half)"}, {t.US, "US inference (1.1 times)"}} {
		if part.is {
			parts = append(parts, part.name)
		}
	}
	return strings.Join(parts, ", ")
}

// Under is the profile with the tariff in its rates. The error is a tariff that
// does not exist: fast mode in a batch or on a model without it, US inference on
// a model from before Claude 4.6, or rates that the tariff does not divide.
func (p *Profile) Under(t Tariff) (*Profile, error) {
	q := *p
	if t.Fast {
		switch {
		case t.Batch:
			return nil, fmt.Errorf("model %s: fast mode and batch exclude each other; leave one of them out", p.ID)
		case p.Fast == (Rates{}):
			return nil, fmt.Errorf("model %s has no fast mode; leave speed out or take claude-opus-5", p.ID)
		}
		q.Rates, q.Source = p.Fast, p.FastSource
	}
	if t.US && !p.PricedByRegion {
		return nil, fmt.Errorf("model %s takes no inference_geo: it is older than Claude 4.6; leave it out", p.ID)
	}
	for _, m := range []struct {
		is   bool
		n, d Picodollars
	}{{t.US, 11, 10}, {t.Batch, 1, 2}} {
		if !m.is {
			continue
		}
		var ok, above bool
		q.Rates, ok = q.Rates.times(m.n, m.d)
		q.Above, above = q.Above.times(m.n, m.d)
		if !ok || !above {
			return nil, fmt.Errorf("model %s: a rate times %d/%d is no whole number of picodollars per token; change the rate", p.ID, m.n, m.d)
		}
	}
	return &q, nil
}

// times multiplies each rate by n/d; false when one does not come out whole.
func (r Rates) times(n, d Picodollars) (Rates, bool) {
	whole := true
	by := func(x Picodollars) Picodollars {
		whole = whole && x*n%d == 0
		return x * n / d
	}
	return Rates{by(r.Input), by(r.Write5m), by(r.Write1h), by(r.Read), by(r.Output)}, whole
}
