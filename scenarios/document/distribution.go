package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// distributions are the words of a size that is no plain number.
var distributions = []string{"constant", "uniform", "lognormal", "exponential", "gamma", "empirical"}

// distribution reads what stands behind a distribution's name. min is 0 unless it
// is given; max must be: a draw without an end would be one of any size.
func (d *Decoder) distribution(name string, n *Node, at Place, m *measure) Size {
	if name == "empirical" {
		return d.empirical(n, m)
	}
	keys := map[string][]string{"lognormal": {"median", "sigma"}, "exponential": {"mean"}, "gamma": {"scale", "shape"}}[name]
	if n.Kind != Map {
		d.Fail(n, m.example(name), "%s takes %s and max, and min if need be", name, strings.Join(keys, ", "))
		return Size{}
	}
	for _, p := range n.Pairs {
		if all := append(keys[:len(keys):len(keys)], "min", "max"); !slices.Contains(all, p.Key) {
			d.Errs.Add(p.Pos, DidYouMeanOr(p.Key, all), "unknown key %q in %s", p.Key, name)
			return Size{}
		}
	}
	for _, k := range append(keys[:len(keys):len(keys)], "max") {
		if n.Get(k) == nil {
			d.Fail(n, m.example(name), "%s needs %s", name, k)
			return Size{}
		}
	}
	dist := &rng.Dist{A: m.read(d, n.Get(keys[0]), at, 1), Hi: m.read(d, n.Get("max"), at, 0)}
	if v := n.Get("min"); v != nil {
		dist.Lo = m.read(d, v, at, 0)
	}
	switch name {
	case "lognormal":
		dist.Shape, dist.B = rng.Lognormal, d.thousandths(n.Get("sigma"), "sigma", 1, rng.MaxSigma, 1)
	case "exponential":
		dist.Shape = rng.Exponential
	case "gamma":
		dist.Shape, dist.B = rng.Gamma, d.thousandths(n.Get("shape"), "shape", 500, rng.MaxHalves*500, 500)/500
	}
	if dist.Lo > dist.Hi {
		d.Fail(n.Get("max"), "swap min and max", "%s from %s to %s is empty", name, m.text(dist.Lo), m.text(dist.Hi))
	}
	return Size{Lo: dist.Lo, Hi: dist.Hi, Set: true, Dist: dist}
}

// thousandths reads a number with three decimals at most, from lo to hi
// thousandths and a multiple of step.
func (d *Decoder) thousandths(n *Node, name string, lo, hi, step int64) int64 {
	v, err := Decimal(n.Text, 3)
	if (n.Kind != Int && n.Kind != Float) || err != nil || v < lo || v > hi || v%step != 0 {
		d.Fail(n, fmt.Sprintf("from %s to %s, in steps of %s", DecimalText(lo, 3), DecimalText(hi, 3), DecimalText(step, 3)), "%s cannot be %s", name, n.Text)
		return lo
	}
	return v
}

// Decimal reads a number with so many decimals at most, as a whole number of its
// smallest unit.
func Decimal(text string, places int) (int64, error) {
	whole, rest, _ := strings.Cut(text, ".")
	if len(rest) > places || strings.HasPrefix(rest, "+") || strings.HasPrefix(rest, "-") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(strings.ReplaceAll(whole, "_", "")+rest+strings.Repeat("0", places-len(rest)), 10, 64)
}

// DecimalText writes what Decimal reads.
func DecimalText(v int64, places int) string {
	s := fmt.Sprintf("%0*d", places+1, v)
	s = strings.TrimRight(s[:len(s)-places]+"."+s[len(s)-places:], "0")
	return strings.TrimSuffix(s, ".")
}

// maxQuantiles bounds an empirical distribution.
const maxQuantiles = 1000

// empirical reads quantiles, from the scenario or from a file beside it.
func (d *Decoder) empirical(n *Node, m *measure) Size {
	switch {
	case n.Kind == Map && len(n.Pairs) == 1 && n.Pairs[0].Key == "file":
		text, ok := d.Beside(d, n.Pairs[0].Val)
		if !ok {
			return Size{}
		}
		return d.quantiles(n.Pairs[0].Val, text, "file "+Quoted(n.Pairs[0].Val.Text)+": ", m)
	case n.Kind != String:
		d.Fail(n, m.example("empirical")+", or {file: quantiles.csv}", "empirical takes a text: a quantile and its number on each line")
		return Size{}
	}
	return d.quantiles(n, n.Text, "", m)
}

// quantiles reads quantiles as CSV: a share from 0 to 1 with six decimals at most,
// a comma, a number; both rise, from the share 0 to 1. A first line of words is a
// heading.
func (d *Decoder) quantiles(n *Node, text, source string, m *measure) Size {
	dist := &rng.Dist{Shape: rng.Empirical}
	lines := strings.Fields(text)
	if len(lines) > 0 && strings.Trim(lines[0], "abcdefghijklmnopqrstuvwxyz_,") == "" {
		lines = lines[1:]
	}
	for i, line := range lines {
		share, number, _ := strings.Cut(line, ",")
		p, err := Decimal(share, 6)
		v, err2 := m.parse(number)
		if err != nil || err2 != nil || p < 0 || p > rng.Millionth || v < 0 || v > MaxLarge {
			d.Fail(n, m.example("empirical"), "%squantile %d, %q, is no share from 0 to 1 and %s", source, i+1, clip(line), m.name)
			return Size{}
		}
		if last := len(dist.Points) - 1; last >= 0 && (p <= dist.Points[last].P || v < dist.Points[last].Value) {
			d.Fail(n, "shares and "+m.many+" rise", "%squantile %d, %q, is not above the one before", source, i+1, clip(line))
			return Size{}
		}
		dist.Points = append(dist.Points, rng.Quantile{P: p, Value: v})
	}
	last := len(dist.Points) - 1
	if last < 1 || last >= maxQuantiles || dist.Points[0].P != 0 || dist.Points[last].P != rng.Millionth {
		d.Fail(n, m.example("empirical"), "%sempirical has from 2 to %d quantiles, the first of 0 and the last of 1", source, maxQuantiles)
		return Size{}
	}
	dist.Lo, dist.Hi = dist.Points[0].Value, dist.Points[last].Value
	return Size{Lo: dist.Lo, Hi: dist.Hi, Set: true, Dist: dist}
}

// clip is the beginning of a line, for a message.
func clip(line string) string {
	if r := []rune(line); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return line
}

// distText writes a distribution as it is read.
func distText(d *rng.Dist, m *measure) string {
	bounds := "max: " + m.text(d.Hi)
	if d.Lo > 0 {
		bounds = "min: " + m.text(d.Lo) + ", " + bounds
	}
	switch d.Shape {
	case rng.Lognormal:
		return fmt.Sprintf("{lognormal: {median: %s, sigma: %s, %s}}", m.text(d.A), DecimalText(d.B, 3), bounds)
	case rng.Exponential:
		return fmt.Sprintf("{exponential: {mean: %s, %s}}", m.text(d.A), bounds)
	case rng.Gamma:
		return fmt.Sprintf("{gamma: {shape: %s, scale: %s, %s}}", DecimalText(d.B*500, 3), m.text(d.A), bounds)
	}
	var lines []string
	for _, q := range d.Points {
		lines = append(lines, DecimalText(q.P, 6)+","+m.text(q.Value))
	}
	return fmt.Sprintf("{empirical: %q}", strings.Join(lines, " "))
}

// measure is what the numbers of a distribution count.
type measure struct {
	name  string // as messages say it
	many  string
	units []string
	// read is a parameter from lo on.
	read  func(d *Decoder, n *Node, at Place, lo int64) int64
	parse func(text string) (int64, error) // of a quantile
	text  func(v int64) string             // what parse reads
}

// tokens are the numbers of a size; micros, microseconds, those of a time.
var (
	tokens = &measure{
		name:  "a number of tokens",
		many:  "tokens",
		units: []string{"0.8", "2.5", "150", "300", "350", "5_000", "[200, 500]", "0,100 0.5,300 1,900"},
		read: func(d *Decoder, n *Node, at Place, lo int64) int64 {
			return d.integer(n, at, Range{Least: lo, Most: MaxLarge})
		},
		parse: func(text string) (int64, error) { return Decimal(text, 0) },
		text:  func(v int64) string { return strconv.FormatInt(v, 10) },
	}
	micros = &measure{
		name:  "a time",
		many:  "times",
		units: []string{"0.8", "2.5", "150ms", "300ms", "350ms", "5s", "[200ms, 500ms]", "0,100ms 0.5,300ms 1,900ms"},
		read:  (*Decoder).micros,
		parse: parseMicros,
		text:  func(v int64) string { return vtime.Duration(v * rng.Micro).String() },
	}
)

// example shows a distribution as it is written, in the measure's units.
func (m *measure) example(name string) string {
	u := m.units
	switch name {
	case "lognormal":
		return "such as {lognormal: {median: " + u[3] + ", sigma: " + u[0] + ", max: " + u[5] + "}}"
	case "exponential":
		return "such as {exponential: {mean: " + u[3] + ", max: " + u[5] + "}}"
	case "gamma":
		return "such as {gamma: {shape: " + u[1] + ", scale: " + u[2] + ", max: " + u[5] + "}}"
	case "uniform":
		return "such as {uniform: " + u[6] + "}"
	case "empirical":
		return `quantiles from 0 to 1, such as "` + u[7] + `"`
	}
	return "such as " + u[4] + ", or {uniform: " + u[6] + "}"
}

// micros reads a parameter of a drawn time. Its whole microseconds are what makes
// draws grow exactly as it does (KRN-09).
func (d *Decoder) micros(n *Node, at Place, lo int64) int64 {
	before := len(d.Errs.List)
	v := d.duration(n, at)
	switch {
	case len(d.Errs.List) > before:
	case v%vtime.Microsecond != 0:
		d.Fail(n, "such as 250us, 300ms or 5s", "%s is drawn in whole microseconds, not from %s", at.Ctx, v)
	case int64(v) < lo*rng.Micro:
		d.Fail(n, "", "%s is out of range: from %s to 87600h", at.Ctx, vtime.Duration(lo*rng.Micro))
	default:
		return int64(v / vtime.Microsecond)
	}
	return lo
}

func parseMicros(text string) (int64, error) {
	v, err := vtime.ParseDuration(text)
	if err != nil || v < 0 || v > MaxDuration || v%vtime.Microsecond != 0 {
		return 0, strconv.ErrSyntax
	}
	return int64(v / vtime.Microsecond), nil
}

// span reads a time: literal, or one of the distributions.
func (d *Decoder) span(n *Node, at Place) rng.Span {
	if n.Kind != Map {
		if n.Kind == Null || n.Kind == List || n.Kind == Bool {
			d.WrongType(n, at, "a duration or a distribution: one of "+strings.Join(distributions, ", "), micros.example(""))
			return rng.Span{}
		}
		v := int64(d.duration(n, at))
		return rng.Span{Lo: v, Hi: v}
	}
	s := d.draw(n, at, micros)
	out := rng.Span{Lo: s.Lo * rng.Micro, Hi: s.Hi * rng.Micro, Dist: s.Dist}
	switch {
	case at.Path != d.lang.Spread || !s.Set || out.Dist != nil:
	case out.Literal():
		d.Fail(n, "add it to queue; a duration by itself is the upper bound of a uniform jitter", "%s is always the same", at.Ctx)
	case out.Lo == 0:
		out.Lo = out.Hi // as it is without the distribution
	}
	return out
}
