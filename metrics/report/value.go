package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/sim/vtime"
)

// unit is what a value counts, and so how it is printed.
type unit uint8

const (
	texts  unit = iota // a text
	plain              // a number that is printed whole: 1,204
	digits             // a number that names something: a seed
	tokens             // tokens: 61.4 k
	money              // picodollars
	times              // nanoseconds of virtual time
	shares             // num/den, printed as percent
	ratios             // num/den, printed as a factor
	truths             // yes or no
	nested             // what only JSON can hold
)

// Unit is what the values of a column are in, where its names for machines say so. Both
// names give the exact value: one as a decimal, one as a whole number.
type Unit uint8

// The units. Any other figure or text has one name, the column's own.
const (
	Unnamed Unit = iota
	USD          // name_usd and name_picodollars
	Seconds      // name_s and name_ns
	Each         // each row in a unit of its own; for what only JSON holds
)

// names are what machines call a figure or text in such a unit.
func (u Unit) names(name string) []string {
	switch u {
	case USD:
		return []string{name + "_usd", name + "_picodollars"}
	case Seconds:
		return []string{name + "_s", name + "_ns"}
	}
	return []string{name}
}

// in is the unit that the names of a value say.
func (v Value) in() Unit {
	switch v.unit {
	case money:
		return USD
	case times:
		return Seconds
	}
	return Unnamed
}

// Mark says how a value compares with others. It is never the only sign: what is
// marked also says so in words or figures.
type Mark uint8

// The marks.
const (
	Unmarked Mark = iota
	Better
	Worse
)

// Value is one figure or text of a document. It prints itself for people, in one
// unit with the other values of its column, and for machines, exactly.
type Value struct {
	unit   unit
	absent bool // nobody knows it
	blank  bool // and people see nothing of it
	signed bool // people see a plus
	fine   bool // people see one decimal more
	mark   Mark
	n, d   int64
	text   string // what people see instead, if anything
	word   string // of a text, for machines
	inside any    // of what is nested
}

// None is what nobody knows: a dash for people, and left out for machines.
func None() Value { return Value{absent: true} }

// Text is a text.
func Text(s string) Value { return Value{text: s, word: s} }

// Count is a number that is printed whole.
func Count[N ~int | ~int32 | ~int64](n N) Value { return Value{unit: plain, n: int64(n)} }

// Unsigned is a number that names something and may need all 64 bits, such as a
// seed.
func Unsigned(n uint64) Value { return Value{unit: digits, n: int64(n)} }

// Tokens is a number of tokens.
func Tokens(n int64) Value { return Value{unit: tokens, n: n} }

// Dollars is an amount. Machines get it as name_usd, and exactly as
// name_picodollars.
func Dollars(p cachemodel.Picodollars) Value { return Value{unit: money, n: int64(p)} }

// Duration is a time. Machines get it as name_s, and exactly as name_ns.
func Duration(d vtime.Duration) Value { return Value{unit: times, n: int64(d)} }

// At is an instant, as the time since the run's start.
func At(t vtime.Instant) Value { return Duration(t.Sub(0)) }

// Share is num of den: 95.9 % for people, 0.959 for machines. Of nothing it is
// not known.
func Share(num, den int64) Value { return Value{unit: shares, n: num, d: den, absent: den <= 0} }

// Ratio is num/den as a number.
func Ratio(num, den int64) Value { return Value{unit: ratios, n: num, d: den, absent: den <= 0} }

// Bool is yes or no; machines get true or false.
func Bool(b bool) Value {
	v := Value{unit: truths, text: "no"}
	if b {
		v.n, v.text = 1, "yes"
	}
	return v
}

// List is a list of texts: joined for people, an array for machines.
func List(list []string) Value {
	return Value{unit: nested, text: strings.Join(list, ", "), inside: append([]string{}, list...)}
}

// Nested is what has no figure for people. Machines get its JSON; nil is nothing.
func Nested(inside any) Value { return Value{unit: nested, inside: inside, absent: inside == nil} }

// Objects are the rows of a table inside another one, for machines; none where it
// is empty.
func Objects(s *Sheet) Value {
	return Value{unit: nested, inside: json.RawMessage("[" + strings.Join(s.objects(JSON), ",") + "]"), absent: s.Len() == 0}
}

// Object is the first row of a table as one object, for machines; an empty one of a
// table without columns.
func Object(s *Sheet) Value {
	if rows := s.objects(JSON); len(rows) > 0 {
		return Value{unit: nested, inside: json.RawMessage(rows[0])}
	}
	return Value{unit: nested, inside: json.RawMessage("{}")}
}

// Metric is a metric's value in its unit.
func Metric(v metrics.Value) Value {
	switch v.Unit {
	case metrics.Picodollars:
		return Dollars(cachemodel.Picodollars(v.Num))
	case metrics.Nanoseconds:
		return Duration(vtime.Duration(v.Num))
	case metrics.Ratio:
		return Ratio(v.Num, v.Den)
	case metrics.Tokens:
		return Tokens(v.Num)
	}
	return Count(v.Num)
}

// If is the value where it is known, else none.
func (v Value) If(known bool) Value {
	if !known {
		v.absent = true
	}
	return v
}

// OrBlank is the value where a condition holds, else an empty cell for people and
// nothing for machines.
func (v Value) OrBlank(held bool) Value {
	if !held {
		return Value{unit: v.unit, blank: true, absent: true}
	}
	return v
}

// Fine shows a share with two decimals.
func (v Value) Fine() Value { v.fine = true; return v }

// Signed puts a plus in front of what is more than nothing.
func (v Value) Signed() Value { v.signed = true; return v }

// Marked says how the value compares with others.
func (v Value) Marked(m Mark) Value { v.mark = m; return v }

// As shows people a text in place of what machines get.
func (v Value) As(text string) Value { v.text = text; return v }

// String is the value alone, as people read it.
func (v Value) String() string { return Aligned([]Value{v})[0] }

// field is a value as machines get it: the name with its unit, and JSON.
type field struct {
	name string
	json string
}

// fields are what machines get of a value under a name; none of what is absent.
func (v Value) fields(name string) []field {
	names := v.in().names(name)
	switch {
	case v.absent:
		return nil
	case v.unit == digits:
		return []field{{name, strconv.FormatUint(uint64(v.n), 10)}}
	case v.unit == plain, v.unit == tokens:
		return []field{{name, strconv.FormatInt(v.n, 10)}}
	case v.unit == money:
		return []field{{names[0], metrics.Decimal(v.n, 12)}, {names[1], strconv.FormatInt(v.n, 10)}}
	case v.unit == times:
		return []field{{names[0], metrics.Decimal(v.n, 9)}, {names[1], strconv.FormatInt(v.n, 10)}}
	case v.unit == shares, v.unit == ratios:
		return []field{{name, strconv.FormatFloat(float64(v.n)/float64(v.d), 'f', 6, 64)}}
	case v.unit == truths:
		return []field{{name, strconv.FormatBool(v.n != 0)}}
	case v.unit == nested:
		return []field{{name, encode(v.inside)}}
	}
	return []field{{name, encode(v.word)}}
}

// encode is a value's JSON on one line. What cannot be encoded is a mistake of
// ours.
func encode(x any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(x); err != nil {
		panic(fmt.Sprintf("a document holds what is no JSON: %v", err))
	}
	return strings.TrimRight(b.String(), "\n")
}
