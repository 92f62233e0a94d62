package baseline

import (
	"math/big"
	"path"
	"slices"
	"strings"

	"agentsim/metrics"
	"agentsim/scenarios/document"
)

// Threshold is a limit on one metric:
//
//	[SCENARIO, SCENARIO: ] PATH OP LIMIT
//
// A PATH is a metric, of every variant, or VARIANT.METRIC, as in expectations; all is
// every variant, and a cell of a matrix goes by its name: fork[reads_per_turn=4].cost.
// Scenarios and variants may hold * and ? as in file names. OP is one of < <= == != >=
// >. A LIMIT is a value as in expectations (9, 10k, 95 %, $1.60, 2m31s); base, which is
// the baseline's figure; or base with a part or an amount more or less: base+2%,
// base-$0.10, and +2% for short.
type Threshold struct {
	Text string

	scenarios []string // patterns; nil for all
	variant   string   // pattern
	metric    Metric
	op        metrics.Op
	limit     limit
	whole     string // as it was given
	alone     bool   // there is no baseline: any metric of a run will do
}

// limit is what a figure is held against.
type limit struct {
	base  bool
	add   metrics.Value // to the base, or the constant
	share bool          // add is a part of the base
}

// ParseThreshold reads one threshold of the command line. The error is an
// *document.Error that points into it.
func ParseThreshold(text string) (*Threshold, error) {
	t := &Threshold{Text: strings.TrimSpace(text), whole: text}
	return t, t.read(text)
}

// ParseLimit reads one where there is no baseline: of any metric of a run, with a limit
// of its own.
func ParseLimit(text string) (*Threshold, error) {
	t := &Threshold{Text: strings.TrimSpace(text), whole: text, alone: true}
	if err := t.read(text); err != nil {
		return nil, err
	}
	if t.limit.base {
		return nil, t.wrong(len(text)-len(strings.TrimLeft(text, " \t")), "a limit of its own, such as cost <= $1.60", "%q speaks of a baseline, and there is none here", t.Text)
	}
	return t, nil
}

// ParseAll reads several by one of the two.
func ParseAll(texts []string, parse func(string) (*Threshold, error)) (out []*Threshold, err error) {
	for _, text := range texts {
		t, err := parse(text)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (t *Threshold) read(text string) error {
	start := 0
	if prefix, _, ok := strings.Cut(text, ":"); ok {
		if err := t.readScenarios(prefix); err != nil {
			return err
		}
		start = len(prefix) + 1
	}
	cells := max(strings.LastIndexByte(text, ']'), start)
	at, op := metrics.FindOp(text[cells:])
	if at < 0 {
		return t.wrong(start, "one of "+metrics.Ops+", such as cost <= +2%", "no comparison in %q", strings.TrimSpace(text[start:]))
	}
	if at, t.op = at+cells, op; op == "" {
		return t.wrong(at, "one of "+metrics.Ops, "no such comparison")
	}
	if err := t.readPath(text[start:at], start); err != nil {
		return err
	}
	return t.readLimit(text[at+len(t.op):], at+len(t.op))
}

// wrong is an error at byte col of the threshold.
func (t *Threshold) wrong(col int, hint, format string, args ...any) error {
	return source{document.NewSource("--threshold", t.whole)}.errorAt(1, col, hint, format, args...)
}

func (t *Threshold) readScenarios(prefix string) error {
	col := 0
	for part := range strings.SplitSeq(prefix, ",") {
		name := strings.TrimSpace(part)
		at := col + strings.Index(part, name)
		if scenario, variant, ok := strings.Cut(name, "/"); ok {
			return t.wrong(at, "write "+scenario+": "+variant+".cost …", "%q is no scenario: the variant comes before the metric", name)
		}
		if _, err := path.Match(name, ""); err != nil || name == "" {
			return t.wrong(at, "a scenario, with * for any text; the variant comes before the metric, as in fork.cost", "%q selects nothing", name)
		}
		t.scenarios = append(t.scenarios, name)
		col += len(part) + 1
	}
	return nil
}

// readPath reads a metric, or VARIANT.METRIC.
func (t *Threshold) readPath(raw string, col int) error {
	name := strings.TrimSpace(raw)
	col += len(raw) - len(strings.TrimLeft(raw, " \t"))
	t.variant = "*"
	if dot := strings.IndexByte(name[strings.LastIndexByte(name, ']')+1:], '.') + strings.LastIndexByte(name, ']') + 1; dot > 0 && name[dot] == '.' {
		if variant := name[:dot]; !metrics.Reserved(variant) {
			t.variant = strings.ReplaceAll(variant, "[", `\[`)
		}
		if strings.ContainsAny(t.variant, ", /") && !strings.HasSuffix(t.variant, "]") {
			return t.wrong(col, "a line for each variant, such as fork.cost <= +2%", "%q is no variant", name[:dot])
		}
		if t.variant != "*" || name[:dot] == metrics.Each {
			name, col = name[dot+1:], col+dot+1
		}
	}
	m, ok := Find(name)
	if n, is := metrics.Find(name); t.alone && is {
		m, ok = Metric{Name: name, Unit: n.Unit}, true
	}
	switch {
	case name == "":
		return t.wrong(col, "such as cost <= +2%", "the metric is missing")
	case !ok && t.alone:
		return t.wrong(col, "one of "+metricNames()+", agents", "no metric %q", name)
	case !ok:
		return t.wrong(col, "one of "+metricNames(), "no metric %q in baselines", name)
	}
	t.metric = m
	return nil
}

func metricNames() string {
	var names []string
	for _, m := range known {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

const limitHint = "a number, 10k, 95 %, $1.60, 2m31s, base, base+2% or +2%"

func (t *Threshold) readLimit(raw string, col int) error {
	text := strings.TrimSpace(raw)
	col += len(raw) - len(strings.TrimLeft(raw, " \t"))
	rest, base := strings.CutPrefix(text, "base")
	t.limit.base = base || strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-")
	col += len(text) - len(rest)
	rest = strings.TrimLeft(rest, " ")
	sign, amount := "", rest
	if t.limit.base && rest != "" {
		sign, amount = rest[:1], strings.TrimSpace(rest[1:])
	}
	if text == "" || sign != "" && (sign != "+" && sign != "-" || amount == "") {
		return t.wrong(col, limitHint, "%q is no limit", text)
	}
	if amount == "" {
		t.limit.add = metrics.Value{Den: 1, Unit: t.metric.Unit}
		return nil
	}
	v, err := metrics.ParseValue(amount)
	if err != nil || strings.HasPrefix(amount, "-") && sign != "" {
		return t.wrong(col, limitHint, "%q is no limit", text)
	}
	if sign == "-" {
		v.Num = -v.Num
	}
	t.limit.add = v
	t.limit.share = t.limit.base && strings.HasSuffix(amount, "%")
	if !t.limit.base && strings.HasSuffix(amount, "%") && t.metric.Unit != metrics.Ratio {
		return t.wrong(col, "of the baseline's figure: +"+amount, "a share of what? %s is measured in %s", t.metric.Name, unitName(t.metric.Unit))
	}
	if !t.limit.share && !v.Comparable(metrics.Value{Den: 1, Unit: t.metric.Unit}) {
		return t.wrong(col, unitHint(t.metric.Unit), "%s is measured in %s", t.metric.Name, unitName(t.metric.Unit))
	}
	return nil
}

// unitName is a unit as people write it.
func unitName(u metrics.Unit) string {
	switch u {
	case metrics.Picodollars:
		return "dollars"
	case metrics.Nanoseconds:
		return "seconds"
	case metrics.Count:
		return "whole numbers"
	}
	return string(u)
}

func unitHint(u metrics.Unit) string {
	switch u {
	case metrics.Picodollars:
		return "money is written $1.60"
	case metrics.Nanoseconds:
		return "time is written 2m31s"
	}
	return "a plain number is written 4_000 or 0.95"
}

// Matches reports whether the threshold holds for a run.
func (t *Threshold) Matches(scenario, variant string) bool {
	in, _ := path.Match(t.variant, variant)
	return in && (t.scenarios == nil || slices.ContainsFunc(t.scenarios, func(pattern string) bool {
		ok, _ := path.Match(pattern, scenario)
		return ok
	}))
}

// Metric is the name of the metric that is limited.
func (t *Threshold) Metric() string { return t.metric.Name }

// NoMatch is the error of a threshold that holds for nothing that ran: it would
// pass forever.
func (t *Threshold) NoMatch(names []string) error {
	return t.wrong(len(t.whole)-len(strings.TrimLeft(t.whole, " \t")), "there is "+strings.Join(names, ", "), "%q selects no run", t.Text)
}

// Met reports whether a figure keeps the threshold. A limit that speaks of the
// baseline needs its figure; where before is nil such a limit is not met.
func (t *Threshold) Met(after metrics.Value, before *metrics.Value) bool {
	limit := rat(t.limit.add)
	if t.limit.base {
		if before == nil {
			return false
		}
		b := rat(*before)
		if t.limit.share {
			limit.Mul(limit, new(big.Rat).Abs(b))
		}
		limit.Add(limit, b)
	}
	return t.op.Holds(rat(after).Cmp(limit))
}

func rat(v metrics.Value) *big.Rat { return big.NewRat(v.Num, v.Den) }
