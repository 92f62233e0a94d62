package report

import (
	"fmt"
	"strconv"

	"agentsim/metrics"
)

// Sides prints a figure before and after such that the two can be told apart; nil
// is one that nobody knows.
func Sides(before, after *metrics.Value) (string, string) {
	show := func(v *metrics.Value) string {
		if v == nil {
			return "–"
		}
		return Figure(*v)
	}
	x, y := show(before), show(after)
	if before != nil && after != nil && x == y && before.Cmp(*after) != 0 {
		return apart(*before, *after)
	}
	return x, y
}

// apart prints two figures that look alike with as few more decimals as tell them
// apart, counts exactly.
func apart(a, b metrics.Value) (x, y string) {
	switch a.Unit {
	case metrics.Ratio:
		for places := 4; x == y && places < 18; places++ {
			x, y = strconv.FormatFloat(a.Float(), 'f', places, 64), strconv.FormatFloat(b.Float(), 'f', places, 64)
		}
	case metrics.Picodollars, metrics.Nanoseconds:
		for unit := int64(1e11); x == y && unit > 1; unit /= 10 {
			x, y = metrics.Whole(round(a.Num, unit)*unit, a.Unit).String(), metrics.Whole(round(b.Num, unit)*unit, b.Unit).String()
		}
	}
	if x == y {
		return a.String(), b.String()
	}
	return x, y
}

// Difference is how far a figure is from what it was, in parts of that; "" where
// that is nothing, where both are the same and where one is not known.
func Difference(before, after *metrics.Value) string {
	if before == nil || after == nil || before.Num == 0 || before.Cmp(*after) == 0 {
		return ""
	}
	a, b := before.Float(), after.Float()
	part := (b - a) / a * 100
	switch {
	case part > -0.05 && part < 0:
		return "-0.0 %"
	case part >= 1000:
		return fmt.Sprintf("×%.1f", b/a)
	}
	return fmt.Sprintf("%+.1f %%", part)
}

// More prints a difference with its sign.
func More(v metrics.Value) string {
	if v.Num > 0 {
		return "+" + Figure(v)
	}
	return Figure(v)
}

// Between prints an interval of differences; "" for none.
func Between(low, high *metrics.Value) string {
	if low == nil {
		return ""
	}
	return More(*low) + " … " + More(*high)
}

// Exact is a figure for machines, in a unit that a column beside it names; a ratio
// is a decimal, as everywhere.
func Exact(v *metrics.Value) Value {
	switch {
	case v == nil:
		return None()
	case v.Unit == metrics.Ratio:
		return Ratio(v.Num, v.Den)
	}
	return Count(v.Num)
}
