package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/sim/vtime"
)

// Quantity prints a count to three figures: 812, 1.10 k, 21.4 k, 2.91 M.
func Quantity(n int64) string {
	if n < 0 {
		return "-" + Quantity(-n)
	}
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	unit := int64(1000)
	for _, suffix := range []string{" k", " M", " G"} {
		if s, ok := threeFigures(n, unit); ok {
			return s + suffix
		}
		unit *= 1000
	}
	return strconv.FormatInt((n+unit/2000)/(unit/1000), 10) + " G"
}

// threeFigures prints n in units of unit; ok is false when it rounds to 1000 or
// more of them.
func threeFigures(n, unit int64) (s string, ok bool) {
	switch h := round(n, unit/100); {
	case h < 1000:
		return fmt.Sprintf("%d.%02d", h/100, h%100), true
	case round(n, unit/10) < 1000:
		h = round(n, unit/10)
		return fmt.Sprintf("%d.%d", h/10, h%10), true
	case round(n, unit) < 1000:
		return strconv.FormatInt(round(n, unit), 10), true
	}
	return "", false
}

// round divides half up.
func round(n, by int64) int64 { return (n + by/2) / by }

// Money prints picodollars as dollars: $12.30, and below ten cents with two
// significant figures more.
func Money(p cachemodel.Picodollars) string {
	if p != 0 && abs(p) < tenCents {
		return dollars(p, 4)
	}
	return dollars(p, 2)
}

// dollars prints picodollars with two or four decimals.
func dollars(p cachemodel.Picodollars, places int) string {
	const dollar = 1_000_000_000_000
	sign := ""
	if p < 0 {
		sign = "-"
	}
	n, per := int64(abs(p)), int64(100)
	if places == 4 {
		per = 10_000
	}
	h := round(n, dollar/per)
	return fmt.Sprintf("%s$%d.%0*d", sign, h/per, places, h%per)
}

// Time prints a duration as people say it: 9m12s, 12.3s, 250ms.
func Time(d vtime.Duration) string { return scale{longest: max(d, -d)}.time(d) }

// Percent prints a ratio with one decimal: 95.9 %.
func Percent(num, den int64) string { return percent(num, den, 10) }

// Percent2 prints a ratio with two decimals.
func Percent2(num, den int64) string { return percent(num, den, 100) }

// Percent3 prints a ratio with three decimals.
func Percent3(num, den int64) string { return percent(num, den, 1000) }

// percent prints a ratio in parts of 100·scale.
func percent(num, den, scale int64) string {
	if den <= 0 {
		return "–"
	}
	if num < 0 {
		return "-" + percent(-num, den, scale)
	}
	q, r := num/den, num%den // num×100·scale may not fit
	t := q*100*scale + (r*100*scale+den/2)/den
	return fmt.Sprintf("%d.%0*d %%", t/scale, len(strconv.FormatInt(scale, 10))-1, t%scale)
}

// Figure prints a metric the way its unit is read.
func Figure(v metrics.Value) string {
	switch v.Unit {
	case metrics.Picodollars:
		return Money(cachemodel.Picodollars(v.Num))
	case metrics.Nanoseconds:
		return Time(vtime.Duration(v.Num))
	case metrics.Ratio:
		return strconv.FormatFloat(v.Float(), 'f', 3, 64)
	}
	return Quantity(v.Num)
}

// FineMoney prints picodollars as dollars with four decimals, for columns in
// which small differences count: $0.3290.
func FineMoney(p cachemodel.Picodollars) string { return dollars(p, 4) }

// Times prints num/den, of which den is 0 or more, as a factor to three figures:
// 0.192×, -7.35×.
func Times(num, den int64) string {
	switch {
	case den <= 0:
		return "–"
	case num < 0:
		return "-" + Times(-num, den)
	}
	q, r := num/den, num%den // num×1000 may not fit
	n := q*1000 + (r*1000+den/2)/den
	switch {
	case n < 1000:
		return fmt.Sprintf("0.%03d×", n)
	case n < 10_000:
		n = round(n, 10)
		return fmt.Sprintf("%d.%02d×", n/100, n%100)
	case n < 100_000:
		n = round(n, 100)
		return fmt.Sprintf("%d.%d×", n/10, n%10)
	}
	return fmt.Sprintf("%d×", round(n, 1000))
}

// Aligned prints the values of one column: all of a kind in one unit and with as
// many decimals, so that numbers put to the right stand with their points below
// one another.
func Aligned(column []Value) []string {
	scale := scaleOf(column)
	out := make([]string, len(column))
	for i, v := range column {
		switch {
		case v.blank:
		case v.absent && v.text == "":
			out[i] = "–"
		case v.text != "" || v.unit == texts || v.unit == nested:
			out[i] = v.text
		default:
			out[i] = scale.print(v)
		}
		if v.signed && !v.absent && v.n > 0 {
			out[i] = "+" + out[i]
		}
	}
	return out
}

// scale is how the figures of a column are printed.
type scale struct {
	tokens   int64 // one unit of tokens: 1, 1000 or 1000000
	decimals int   // of tokens
	cents    bool  // amounts in whole cents
	longest  vtime.Duration
}

// scaleOf finds the largest unit in which the smallest number of tokens keeps two
// figures and the largest one three, as far as two decimals go, and whether all amounts can be told in cents.
func scaleOf(column []Value) scale {
	s := scale{tokens: 1, cents: true}
	least, most := int64(0), int64(0)
	for _, v := range column {
		n := max(v.n, -v.n)
		switch {
		case v.absent || v.text != "" || n == 0:
		case v.unit == tokens:
			most = max(most, n)
			if least == 0 || n < least {
				least = n
			}
		case v.unit == money && n < int64(tenCents):
			s.cents = false
		case v.unit == times:
			s.longest = max(s.longest, vtime.Duration(n))
		}
	}
	for _, unit := range []int64{1_000_000, 1000} {
		if most >= unit && least >= unit/10 {
			s.tokens = unit
			break
		}
	}
	if s.tokens > 1 {
		for s.decimals = 0; s.decimals < 2 && (least*pow10(s.decimals) < 10*s.tokens || most*pow10(s.decimals) < 100*s.tokens); {
			s.decimals++
		}
	}
	return s
}

func pow10(n int) int64 { return int64(math.Pow10(n)) }

func (s scale) print(v Value) string {
	switch v.unit {
	case tokens:
		return s.quantity(v.n)
	case money:
		if s.cents {
			return dollars(cachemodel.Picodollars(v.n), 2)
		}
		return dollars(cachemodel.Picodollars(v.n), 4)
	case times:
		return s.time(vtime.Duration(v.n))
	case digits:
		return strconv.FormatUint(uint64(v.n), 10)
	case shares:
		if v.fine {
			return percent(v.n, v.d, 100)
		}
		return percent(v.n, v.d, 10)
	case ratios:
		return strconv.FormatFloat(float64(v.n)/float64(v.d), 'f', 3, 64)
	}
	return separated(v.n)
}

// quantity prints tokens in the column's unit: 2,910 k.
func (s scale) quantity(n int64) string {
	if n < 0 {
		return "-" + s.quantity(-n)
	}
	suffix := map[int64]string{1: "", 1000: " k", 1_000_000: " M"}[s.tokens]
	if s.decimals == 0 {
		return separated(round(n, s.tokens)) + suffix
	}
	p := pow10(s.decimals)
	h := round(n, s.tokens/p)
	return fmt.Sprintf("%s.%0*d%s", separated(h/p), s.decimals, h%p, suffix)
}

// time prints a duration in the unit of the column's longest one.
func (s scale) time(d vtime.Duration) string {
	switch {
	case d < 0:
		return "-" + s.time(-d)
	case s.longest < vtime.Second:
		return fmt.Sprintf("%dms", round(int64(d), int64(vtime.Millisecond)))
	case s.longest < vtime.Minute:
		t := round(int64(d), int64(vtime.Second)/10)
		return fmt.Sprintf("%d.%ds", t/10, t%10)
	}
	t := round(int64(d), int64(vtime.Second))
	if round(int64(s.longest), int64(vtime.Second)) < 3600 {
		return fmt.Sprintf("%dm%02ds", t/60, t%60)
	}
	return fmt.Sprintf("%dh%02dm%02ds", t/3600, t/60%60, t%60)
}

// separated prints a number as 61,402.
func separated(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// title is a column's title without the blank that puts numbers to the right.
func title(head string) (name string, right bool) {
	name = strings.TrimPrefix(head, " ")
	return name, name != head
}
