package metrics

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"agentsim/sim/vtime"
)

// Unit is what a value counts.
type Unit string

// The units.
const (
	Count       Unit = "count"
	Tokens      Unit = "tokens"
	Bytes       Unit = "bytes"
	Picodollars Unit = "picodollars"
	Nanoseconds Unit = "ns"
	Ratio       Unit = "ratio"
)

// Value is an exact figure, Num ÷ Den; Den is 1 but for ratios and never 0 or
// less in a valid one.
type Value struct {
	Num  int64 `json:"num"`
	Den  int64 `json:"den"`
	Unit Unit  `json:"unit"`
}

// Whole is a value that is no fraction.
func Whole(n int64, u Unit) Value { return Value{n, 1, u} }

// Cmp compares two values exactly: -1, 0 or 1.
func (v Value) Cmp(o Value) int {
	l := new(big.Int).Mul(big.NewInt(v.Num), big.NewInt(o.Den))
	return l.Cmp(new(big.Int).Mul(big.NewInt(o.Num), big.NewInt(v.Den)))
}

// Comparable reports whether comparing two values makes sense: both are money,
// both are time, or neither is.
func (v Value) Comparable(o Value) bool {
	special := func(u Unit) Unit {
		if u == Picodollars || u == Nanoseconds {
			return u
		}
		return ""
	}
	return special(v.Unit) == special(o.Unit)
}

// Float is the value as a floating-point number, for printing only.
func (v Value) Float() float64 { return float64(v.Num) / float64(v.Den) }

// String prints the value exactly: 12/31, $1.602, 2m31s, 4031.
func (v Value) String() string {
	switch {
	case v.Unit == Picodollars && v.Den == 1:
		return dollars(v.Num)
	case v.Unit == Nanoseconds && v.Den == 1:
		return vtime.Duration(v.Num).String()
	case v.Den == 1:
		return strconv.FormatInt(v.Num, 10)
	}
	return fmt.Sprintf("%d/%d", v.Num, v.Den)
}

// MarshalJSON writes a number, or a ratio as a text such as "12/31". The unit is
// that of the metric.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.Unit == Ratio {
		return fmt.Appendf(nil, `"%d/%d"`, v.Num, v.Den), nil
	}
	return strconv.AppendInt(nil, v.Num, 10), nil
}

// UnmarshalJSON reads what MarshalJSON writes, a number as a count.
func (v *Value) UnmarshalJSON(text []byte) error {
	num, den, ratio := strings.Cut(strings.Trim(string(text), `"`), "/")
	*v = Whole(0, Count)
	var err, bad error
	if v.Num, err = strconv.ParseInt(num, 10, 64); ratio {
		v.Unit = Ratio
		v.Den, bad = strconv.ParseInt(den, 10, 64)
	}
	if err != nil || bad != nil || v.Den < 1 {
		return fmt.Errorf("%s is no figure: write a whole number, or two with a slash as in \"12/31\"", text)
	}
	return nil
}

// dollars prints picodollars without rounding and without trailing zeros.
func dollars(n int64) string {
	if n < 0 {
		return "-" + dollars(-n)
	}
	return "$" + Decimal(n, 12)
}

// Decimal is n with its point so many places to the left, without trailing zeros.
func Decimal(n int64, places int) string {
	sign, digits := "", strconv.FormatInt(n, 10)
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	if len(digits) <= places {
		digits = strings.Repeat("0", places-len(digits)+1) + digits
	}
	whole, part := digits[:len(digits)-places], strings.TrimRight(digits[len(digits)-places:], "0")
	if part == "" {
		return sign + whole
	}
	return sign + whole + "." + part
}

const picoPerDollar = 1_000_000_000_000

// ParseValue reads a value as tables print it: 9, 4_000, 10k, 1.2 M, 0.95, 95 %,
// $1.60, 2m31s. Money and time carry their unit; everything else is a plain number,
// with at most 12 decimals.
func ParseValue(s string) (Value, error) {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "$"); ok {
		v, err := parseDecimal(rest)
		if err != nil || v.Num > (1<<63-1)/picoPerDollar*v.Den {
			return Value{}, fmt.Errorf("%q is not an amount: write dollars, such as $1.60", s)
		}
		pico := new(big.Int).Mul(big.NewInt(v.Num), big.NewInt(picoPerDollar/v.Den))
		return Whole(pico.Int64(), Picodollars), nil
	}
	if rest, ok := strings.CutSuffix(s, "%"); ok {
		v, err := parseDecimal(strings.TrimSpace(rest))
		if err != nil || v.Den > picoPerDollar/100 {
			return Value{}, fmt.Errorf("%q is not a percentage: write a number and %%, such as 95 %%", s)
		}
		return Value{v.Num, v.Den * 100, Ratio}, nil
	}
	if v, err := parseDecimal(s); err == nil {
		return v, nil
	}
	if v, ok := parseMany(s); ok {
		return v, nil
	}
	d, err := vtime.ParseDuration(s)
	if err != nil {
		return Value{}, fmt.Errorf("%q is no value: write a number, a percentage, dollars ($1.60) or a duration (2m31s)", s)
	}
	return Whole(int64(d), Nanoseconds), nil
}

// thousands are the endings of large numbers.
var thousands = map[byte]int64{'k': 1_000, 'M': 1_000_000, 'G': 1_000_000_000}

// parseMany reads a number with an ending: 10k, 1.2 M.
func parseMany(s string) (Value, bool) {
	if s == "" {
		return Value{}, false
	}
	by := thousands[s[len(s)-1]]
	v, err := parseDecimal(strings.TrimSpace(s[:len(s)-1]))
	if by == 0 || err != nil || v.Num > (1<<63-1)/by || v.Num < -(1<<63-1)/by {
		return Value{}, false
	}
	if v.Num *= by; v.Num%v.Den == 0 {
		v = Whole(v.Num/v.Den, Count)
	}
	return v, true
}

// parseDecimal reads digits with optional underscores, sign and decimals.
func parseDecimal(s string) (Value, error) {
	whole, frac, point := strings.Cut(strings.ReplaceAll(s, "_", ""), ".")
	if point && (frac == "" || len(frac) > 12 || strings.TrimLeft(frac, "0123456789") != "") {
		return Value{}, strconv.ErrSyntax
	}
	n, err := strconv.ParseInt(whole+frac, 10, 64)
	if err != nil {
		return Value{}, err
	}
	v := Value{n, 1, Count}
	for range frac {
		v.Den *= 10
		v.Unit = Ratio
	}
	return v, nil
}

// Op compares two values: one of < <= == != >= >.
type Op string

// Ops are the operators as messages list them.
const Ops = "< <= == != >= >"

// FindOp finds the first operator of a text; "" where there is none, or where what
// stands at that place is none.
func FindOp(text string) (at int, op Op) {
	at = strings.IndexAny(text, "<>=!")
	for _, o := range [...]Op{"<=", ">=", "==", "!=", "<", ">"} {
		if at >= 0 && strings.HasPrefix(text[at:], string(o)) {
			return at, o
		}
	}
	return at, ""
}

// Holds reports whether the comparison is true of values in this order: below 0, 0 or
// above 0, as from Value.Cmp.
func (o Op) Holds(order int) bool {
	switch o {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case ">=":
		return order >= 0
	}
	return order > 0
}
