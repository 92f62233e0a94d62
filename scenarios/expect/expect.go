// Package expect reads what a scenario expects of its runs and judges it by their
// figures. It is the one room of scenarios that sees metrics.
package expect

import (
	"slices"
	"strings"

	"agentsim/metrics"
	"agentsim/scenarios/document"
)

// Line is one line of `expect`: SIDE OP SIDE.
//
// A SIDE is a value (9, 4_000, 19k, 95 %, $1.60, 2m31s) or a path to a metric (see
// metrics.Path): fork.cost, all.Explore.calls, three-seconds.second.1.tokens.read. In
// a file without variants its first step is left out. OP is one of < <= == != >= >.
type Line struct {
	Text        string
	At          int      // its line in the file, from 1
	Variants    []string // it is checked in each of these; nil when its sides name theirs
	Left, Right Side
	Op          metrics.Op
}

// Known are the names that a path to a metric may hold.
type Known = metrics.Known

// Idled is an act of a user for whom there was nothing to act on.
type Idled = metrics.Idled

// Reserved reports whether a name has a meaning of its own in an expectation.
func Reserved(name string) bool { return metrics.Reserved(name) }

// Side is one side of an expectation.
type Side struct {
	Text     string // as written
	Constant bool
	Value    metrics.Value // of a constant
	Variant  string        // "" is the variant at hand
	Subject  string        // an agent type, a root, or ROOT#CALL; "" is the whole run
	Metric   string

	col  int
	unit metrics.Value // zero of its unit
}

// Error is what is wrong with an expectation and where in its text.
type Error struct {
	Col       int // from 0
	Msg, Hint string
}

// Parse reads one expectation against the names of its file; without variants
// these have the one name "".
func Parse(text string, in Known) (*Line, *Error) {
	x := &Line{Text: text}
	at, op := metrics.FindOp(text)
	if op == "" {
		return nil, &Error{0, "no comparison in " + document.Quoted(strings.TrimSpace(text)), "one of " + metrics.Ops}
	}
	x.Op = op
	var bad *Error
	if x.Left, bad = parseSide(text, 0, at, in); bad != nil {
		return nil, bad
	}
	if x.Right, bad = parseSide(text, at+len(op), len(text), in); bad != nil {
		return nil, bad
	}
	return x, x.resolve(in.Variants)
}

// resolve decides in which variants the line is checked and whether its sides
// can be compared.
func (x *Line) resolve(variants []string) *Error {
	if x.Left.Constant && x.Right.Constant {
		return &Error{x.Left.col, "both sides are constants", "compare a metric, such as cost"}
	}
	if !x.Left.unit.Comparable(x.Right.unit) {
		return &Error{x.Right.col, x.Left.Text + " and " + x.Right.Text + " have different units", unitHint(x)}
	}
	if bad := x.possible(); bad != nil {
		return bad
	}
	if x.Left.Variant == "" && !x.Left.Constant || x.Right.Variant == "" && !x.Right.Constant {
		x.Variants = variants
	}
	return nil
}

// The metrics that are parts of a whole. A saving is below 0 where writing cost
// more than reading saved; no other metric ever is.
const (
	hitRatio = "cache.hit_ratio"
	saving   = "cost.saving"
)

// possible refuses a constant that the metric beside it can never reach.
func (x *Line) possible() *Error {
	c, m := &x.Left, &x.Right
	if !c.Constant {
		c, m = m, c
	}
	switch {
	case !c.Constant || m.Metric == "":
	case c.Value.Num < 0 && m.Metric != saving:
		return &Error{c.col, m.Text + " is never below 0, so " + c.Text + " decides nothing", "a value from 0 on"}
	case (m.Metric == hitRatio || m.Metric == saving) && c.Value.Num > c.Value.Den:
		return &Error{c.col, m.Text + " is a part of a whole, so " + c.Text + " decides nothing", "at most 1, such as 0.95 or 95 %"}
	}
	return nil
}

func unitHint(x *Line) string {
	unit := x.Left.unit.Unit
	if x.Left.Constant {
		unit = x.Right.unit.Unit
	}
	switch unit {
	case metrics.Picodollars:
		return "money is written $1.60"
	case metrics.Nanoseconds:
		return "time is written 2m31s"
	}
	return "a plain number is written 4_000, 4k or 0.95"
}

func parseSide(text string, from, to int, in Known) (Side, *Error) {
	raw := text[from:to]
	s := Side{Text: strings.TrimSpace(raw), col: from + len(raw) - len(strings.TrimLeft(raw, " "))}
	if s.Text == "" {
		return s, &Error{s.col, "one side of the comparison is missing", ""}
	}
	if v, err := metrics.ParseValue(s.Text); err == nil {
		s.Constant, s.Value, s.unit = true, v, metrics.Value{Den: 1, Unit: v.Unit}
		return s, nil
	}
	return s, s.reference(in)
}

// reference reads a path.
func (s *Side) reference(in Known) *Error {
	p, bad := metrics.ParsePath(s.Text, in)
	first, _, _ := strings.Cut(s.Text, ".")
	switch {
	case bad != nil && strings.ContainsAny(s.Text[:1], "$-0123456789") && !slices.Contains(in.Variants, first) && p.Subject == "":
		return &Error{s.col, document.Quoted(s.Text) + " is no value", "a number, 10k, 95 %, $1.60 or 2m31s"}
	case bad != nil:
		return &Error{s.col + bad.Col, bad.Msg, pathHint(bad)}
	case p.Variant == "" && len(in.Variants) > 0 && in.Variants[0] != "":
		return &Error{s.col, document.Quoted(s.Text) + " names no variant", "did you mean " + document.Quoted(metrics.Each+"."+s.Text) + "?"}
	}
	if s.Variant = p.Variant; s.Variant == metrics.Each {
		s.Variant = ""
	}
	s.Subject, s.Metric, s.unit = p.Subject, p.Metric.Name, metrics.Value{Den: 1, Unit: p.Metric.Unit}
	return nil
}

// pathHint is what to write for a step of a path that is unknown.
func pathHint(e *metrics.PathError) string {
	if near := document.Nearest(e.Word, e.Names); near != "" {
		return "did you mean " + document.Quoted(e.Before+near+e.After) + "?"
	}
	return document.OneOf(e.Names)
}
