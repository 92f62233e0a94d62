package rundb

import (
	"time"

	"agentsim/cachemodel"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
)

// Pricing finds a model with its rates, the same profile each time.
type Pricing = func(model string) (*cachemodel.Profile, error)

// Prices are those that a run was recorded with: the user's own where it holds any,
// else the table's.
func Prices(db *sqlite.DB, info sqlite.RunInfo) (Pricing, error) {
	if info.Recorded() {
		s, start, err := db.RecordedHead(info.ID)
		if err != nil || s.Prices == nil {
			return cachemodel.Lookup, err
		}
		own, err := scenarios.ReadPrices(s.Prices.Name, s.Prices.Text)
		return own.Of(Day(int64(start))), err
	}
	stored, err := db.Spec(info.ID)
	if err != nil {
		return nil, err
	}
	spec, err := Rebuild(&stored)
	if err != nil {
		return nil, err
	}
	return PricesOf(spec), nil
}

// PricesOf are those of a run's own scenario.
func PricesOf(spec *sim.Spec) Pricing {
	p := &spec.Scenario.Provider
	return p.Prices.Of(p.PricedOn())
}

// Day is an instant's, which is nanoseconds: year-month-day.
func Day(at int64) string { return time.Unix(0, at).UTC().Format(time.DateOnly) }

// PricesOr are those that a run was recorded with, or the list's where nobody can tell.
func PricesOr(db *sqlite.DB, info sqlite.RunInfo) Pricing {
	if price, err := Prices(db, info); err == nil {
		return price
	}
	return cachemodel.Lookup
}

// Known reports whether a model has a price.
func Known(model string) bool {
	_, err := PriceOf(model)
	return err == nil
}
