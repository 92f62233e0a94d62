package scenarios

import (
	"errors"
	"strings"

	"agentsim/metrics"
	"agentsim/scenarios/document"
)

// Expect is one parsed line of `expect`:
//
//	[every variant: | VARIANT, VARIANT:] SIDE OP SIDE
//
// A SIDE is a constant (9, 4_000, 19k, 95 %, $1.60, 2m31s) or a metric, bare or
// behind what it is about: fork.cost, Explore.calls, fork/Explore.calls. The
// subject may also be a root by name, and with #N its Nth call, from 1:
// auto#2.tokens.read. OP is one of < <= == != >= >.
type Expect struct {
	Text        string
	Variants    []string // it is checked in each of these; nil when its sides name theirs
	Left, Right Side
	Op          string

	place *document.Node
}

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

// ExpectError is what is wrong with an expectation and where in its text.
type ExpectError struct {
	Col       int // from 0
	Msg, Hint string
}

var operators = []string{"<=", ">=", "==", "!=", "<", ">"}

// ParseExpect reads one expectation against the variants of its file and the
// subjects it may speak of: agent types and roots.
func ParseExpect(text string, variants, subjects []string) (*Expect, *ExpectError) {
	x := &Expect{Text: text}
	start := 0
	if prefix, _, ok := strings.Cut(text, ":"); ok {
		var bad *ExpectError
		if x.Variants, bad = parsePrefix(prefix, variants); bad != nil {
			return nil, bad
		}
		start = len(prefix) + 1
	}
	at, op := findOperator(text[start:])
	if op == "" {
		return nil, &ExpectError{start, "no comparison in " + document.Quoted(strings.TrimSpace(text[start:])), "one of < <= == != >= >"}
	}
	at += start
	x.Op = op
	var bad *ExpectError
	if x.Left, bad = parseSide(text, start, at, names{variants, subjects}); bad != nil {
		return nil, bad
	}
	if x.Right, bad = parseSide(text, at+len(op), len(text), names{variants, subjects}); bad != nil {
		return nil, bad
	}
	return x, x.settle(variants)
}

// settle decides in which variants the line is checked and whether its sides
// can be compared.
func (x *Expect) settle(variants []string) *ExpectError {
	if x.Left.Constant && x.Right.Constant {
		return &ExpectError{x.Left.col, "both sides are constants", "compare a metric, such as cost"}
	}
	if !x.Left.unit.Comparable(x.Right.unit) {
		return &ExpectError{x.Right.col, x.Left.Text + " and " + x.Right.Text + " have different units", unitHint(x)}
	}
	if bad := x.possible(); bad != nil {
		return bad
	}
	if x.Variants == nil && (x.Left.Variant == "" && !x.Left.Constant || x.Right.Variant == "" && !x.Right.Constant) {
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
func (x *Expect) possible() *ExpectError {
	c, m := &x.Left, &x.Right
	if !c.Constant {
		c, m = m, c
	}
	switch {
	case !c.Constant || m.Metric == "":
	case c.Value.Num < 0 && m.Metric != saving:
		return &ExpectError{c.col, m.Text + " is never below 0, so " + c.Text + " decides nothing", "a value from 0 on"}
	case (m.Metric == hitRatio || m.Metric == saving) && c.Value.Num > c.Value.Den:
		return &ExpectError{c.col, m.Text + " is a part of a whole, so " + c.Text + " decides nothing", "at most 1, such as 0.95 or 95 %"}
	}
	return nil
}

func unitHint(x *Expect) string {
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
	return "a plain number is written 4_000 or 0.95"
}

func parsePrefix(prefix string, variants []string) ([]string, *ExpectError) {
	if strings.TrimSpace(prefix) == "every variant" {
		return variants, nil
	}
	var out []string
	col := 0
	for _, part := range strings.Split(prefix, ",") {
		name := strings.TrimSpace(part)
		if name == "" || !document.Contains(variants, name) {
			col += strings.Index(part, name)
			return nil, &ExpectError{col, "no variant " + document.Quoted(name), variantHint(name, variants)}
		}
		out = append(out, name)
		col += len(part) + 1
	}
	return out, nil
}

func variantHint(name string, variants []string) string {
	if len(variants) == 1 && variants[0] == "" {
		return "this file has no variants"
	}
	return document.DidYouMeanOr(name, append(append([]string(nil), variants...), "every variant"))
}

func findOperator(s string) (at int, op string) {
	at = strings.IndexAny(s, "<>=!")
	if at < 0 {
		return 0, ""
	}
	for _, o := range operators {
		if strings.HasPrefix(s[at:], o) {
			return at, o
		}
	}
	return 0, ""
}

// names are what a side may begin with.
type names struct{ variants, subjects []string }

// begin reports whether a text that begins as a number does begins with the name
// of a variant or subject, and goes on with a metric.
func (in names) begin(text string) bool {
	i := strings.IndexAny(text, "./")
	if i < 0 || i+1 == len(text) || text[i+1] >= '0' && text[i+1] <= '9' {
		return false
	}
	return document.Contains(in.variants, text[:i]) || document.Contains(in.subjects, plainSubject(text[:i]))
}

func parseSide(text string, from, to int, in names) (Side, *ExpectError) {
	raw := text[from:to]
	s := Side{Text: strings.TrimSpace(raw), col: from + len(raw) - len(strings.TrimLeft(raw, " "))}
	if s.Text == "" {
		return s, &ExpectError{s.col, "one side of the comparison is missing", ""}
	}
	if c := s.Text[0]; (c == '$' || c == '-' || c >= '0' && c <= '9') && !in.begin(s.Text) {
		return s, s.constant()
	}
	return s, s.reference(in)
}

func (s *Side) constant() *ExpectError {
	v, err := parseConstant(s.Text)
	if err != nil {
		return &ExpectError{s.col, document.Quoted(s.Text) + " is no value", "a number, 95 %, $1.60 or 2m31s"}
	}
	s.Constant, s.Value, s.unit = true, v, metrics.Value{Den: 1, Unit: v.Unit}
	return nil
}

// parseConstant is metrics.ParseValue with the suffixes k and M.
func parseConstant(text string) (metrics.Value, error) {
	factor := int64(1)
	switch text[len(text)-1] {
	case 'k':
		factor = 1_000
	case 'M':
		factor = 1_000_000
	default:
		return metrics.ParseValue(text)
	}
	v, err := metrics.ParseValue(strings.TrimSpace(text[:len(text)-1]))
	if err != nil || v.Num > document.MaxLarge {
		return v, errNoValue
	}
	v.Num *= factor
	return v, nil
}

var errNoValue = errors.New("too large")

// reference reads [VARIANT/][SUBJECT.]METRIC, or VARIANT.METRIC.
func (s *Side) reference(in names) *ExpectError {
	rest := s.Text
	if v, after, ok := strings.Cut(rest, "/"); ok {
		if v != "" && !document.Contains(in.variants, v) {
			return &ExpectError{s.col, "no variant " + document.Quoted(v), variantHint(v, in.variants)}
		}
		s.Variant, rest = v, after
	}
	head, after, dotted := strings.Cut(rest, ".")
	switch {
	case isMetric(rest):
		s.Metric = rest
	case dotted && s.Variant == "" && head != "" && document.Contains(in.variants, head):
		s.Variant, s.Metric = head, after
	case dotted && document.Contains(in.subjects, plainSubject(head)):
		s.Subject, s.Metric = head, after
	case dotted && isMetric(after):
		candidates := append(append([]string(nil), in.variants...), in.subjects...)
		return &ExpectError{s.col, "no variant, agent type or root " + document.Quoted(head), document.DidYouMeanOr(head, candidates)}
	default:
		s.Metric = rest
	}
	return s.known()
}

func isMetric(name string) bool {
	_, ok := metrics.Find(name)
	return ok
}

// plainSubject is a subject without the number of a call.
func plainSubject(s string) string {
	name, _, _ := strings.Cut(s, "#")
	return name
}

func (s *Side) known() *ExpectError {
	m, ok := metrics.Find(s.Metric)
	if !ok {
		return &ExpectError{s.col, "unknown metric " + document.Quoted(s.Metric), metricHint(s.Text, s.Metric)}
	}
	s.unit = metrics.Value{Den: 1, Unit: m.Unit}
	return nil
}

func metricHint(text, metric string) string {
	var names []string
	for _, n := range metrics.Names() {
		names = append(names, n.Name)
	}
	if n := document.Nearest(metric, names); n != "" {
		return "did you mean " + document.Quoted(strings.TrimSuffix(text, metric)+n) + "?"
	}
	return "see the list of metrics: " + document.OneOf(names)
}
