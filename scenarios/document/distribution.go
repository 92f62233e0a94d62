package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/rng"
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
