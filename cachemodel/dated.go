package cachemodel

import (
	"cmp"
	"fmt"
)

// Newest is the newest day, year-month-day, of which the table knows prices.
func Newest() string {
	day := ""
	for i := range profiles {
		day = max(day, profiles[i].Date)
	}
	return day
}

// OnDay returns an error when the table knows no price of the model for a day: it
// lies before the model's first or after the table's newest. A model that was
// retired by then has a price still; see Retirement.
func (p *Profile) OnDay(day string) error {
	first := cmp.Or(p.From, p.Date)
	if day < first {
		return fmt.Errorf("model %s has no price on %s: change the day to %s or later, or the model", p.Pinned(), day, first)
	}
	if newest := Newest(); day > newest {
		return fmt.Errorf("no price is known for %s: change the day to %s or earlier", day, newest)
	}
	return nil
}

// Retirement says that the model was retired by a day, or will be later; "" where
// no date is known.
func (p *Profile) Retirement(day string) string {
	switch {
	case p.Retired == "":
		return ""
	case day < p.Retired:
		return "retires on " + p.Retired
	}
	return "retired on " + p.Retired
}

// Assume is the profile with the figures that no source gives taken from the
// models that Like leads to, and what was taken, for people. hidden says whether
// hidden tool tokens count.
func (p *Profile) Assume(hidden bool) (*Profile, []string) {
	q := *p
	var taken []string
	say := func(from *Profile, format string, n ...any) {
		taken = append(taken, fmt.Sprintf("%s: "+format+", as of %s (not published)", append(append([]any{p.ID}, n...), from.ID)...))
	}
	if !p.Found.Minimum {
		from := p.like(func(m *Profile) bool { return m.Found.Minimum })
		q.Minimum = from.Minimum
		say(from, "minimum cacheable length %d tok", q.Minimum)
	}
	if hidden && !p.Found.Hidden {
		from := p.like(func(m *Profile) bool { return m.Found.Hidden })
		q.HiddenAuto, q.HiddenForced = from.HiddenAuto, from.HiddenForced
		say(from, "%d hidden tok for tools (%d where one is forced)", q.HiddenAuto, q.HiddenForced)
	}
	if p.Window == 0 {
		from := p.like(func(m *Profile) bool { return m.Window > 0 })
		q.Window = from.Window
		say(from, "window %d tok", q.Window)
	}
	return &q, taken
}

// like is the nearest model down the chain of Like that has a figure.
func (p *Profile) like(has func(*Profile) bool) *Profile {
	for m := p; m.Like != ""; {
		next, err := Lookup(m.Like)
		if err != nil {
			break
		}
		if m = next; has(m) {
			return m
		}
	}
	panic("cachemodel: nothing stands in for a figure of " + p.ID)
}
