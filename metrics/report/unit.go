package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/sim/vtime"
)

// format prints the values of one column: all of a kind in one unit and with as
// many decimals, so that numbers put to the right stand with their points below
// one another.
func format(column []Value) []string {
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
	if s.longest < vtime.Hour {
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
