package scenarios

import (
	"fmt"
	"strconv"
	"strings"

	"agentsim/sim/rng"
)

// distributions are the words of a size that is no plain number.
var distributions = []string{"constant", "uniform", "lognormal", "exponential", "gamma", "empirical"}

// examples show each distribution as it is written.
var examples = map[string]string{
	"lognormal":   "such as {lognormal: {median: 300, sigma: 0.8, max: 5_000}}",
	"exponential": "such as {exponential: {mean: 300, max: 5_000}}",
	"gamma":       "such as {gamma: {shape: 2.5, scale: 150, max: 5_000}}",
	"empirical":   "such as empirical: \"0,100 0.5,300 1,900\", or one line of CSV for each quantile",
}

// distribution reads what stands behind a distribution's name. min is 0 unless it
// is given; max must be: a draw without an end would be one of any size.
func (d *decoder) distribution(name string, n *node, at place) Size {
	if name == "empirical" {
		return d.empirical(n)
	}
	keys := map[string][]string{"lognormal": {"median", "sigma"}, "exponential": {"mean"}, "gamma": {"scale", "shape"}}[name]
	if n.kind != kindMap {
		d.fail(n, examples[name], "%s takes %s and max, and min if need be", name, strings.Join(keys, ", "))
		return Size{}
	}
	for _, p := range n.pairs {
		if all := append(keys[:len(keys):len(keys)], "min", "max"); !contains(all, p.key) {
			d.errs.add(p.pos, didYouMeanOr(p.key, all), "unknown key %q in %s", p.key, name)
			return Size{}
		}
	}
	for _, k := range append(keys[:len(keys):len(keys)], "max") {
		if n.get(k) == nil {
			d.fail(n, examples[name], "%s needs %s", name, k)
			return Size{}
		}
	}
	dist := &rng.Dist{A: d.integer(n.get(keys[0]), at, 1, maxLarge), Hi: d.integer(n.get("max"), at, 0, maxLarge)}
	if v := n.get("min"); v != nil {
		dist.Lo = d.integer(v, at, 0, maxLarge)
	}
	switch name {
	case "lognormal":
		dist.Shape, dist.B = rng.Lognormal, d.thousandths(n.get("sigma"), "sigma", 1, rng.MaxSigma, 1)
	case "exponential":
		dist.Shape = rng.Exponential
	case "gamma":
		dist.Shape, dist.B = rng.Gamma, d.thousandths(n.get("shape"), "shape", 500, rng.MaxHalves*500, 500)/500
	}
	if dist.Lo > dist.Hi {
		d.fail(n.get("max"), "swap min and max", "%s from %d to %d is empty", name, dist.Lo, dist.Hi)
	}
	return Size{Lo: dist.Lo, Hi: dist.Hi, Set: true, Dist: dist}
}

// thousandths reads a number with three decimals at most, from lo to hi
// thousandths and a multiple of step.
func (d *decoder) thousandths(n *node, name string, lo, hi, step int64) int64 {
	v, err := decimal(n.text, 3)
	if (n.kind != kindInt && n.kind != kindFloat) || err != nil || v < lo || v > hi || v%step != 0 {
		d.fail(n, fmt.Sprintf("from %s to %s, in steps of %s", decimalText(lo, 3), decimalText(hi, 3), decimalText(step, 3)), "%s cannot be %s", name, n.text)
		return lo
	}
	return v
}

// decimal reads a number with so many decimals at most, as a whole number of its
// smallest unit.
func decimal(text string, places int) (int64, error) {
	whole, rest, _ := strings.Cut(text, ".")
	if len(rest) > places || strings.HasPrefix(rest, "+") || strings.HasPrefix(rest, "-") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(strings.ReplaceAll(whole, "_", "")+rest+strings.Repeat("0", places-len(rest)), 10, 64)
}

// decimalText writes what decimal reads.
func decimalText(v int64, places int) string {
	s := fmt.Sprintf("%0*d", places+1, v)
	s = strings.TrimRight(s[:len(s)-places]+"."+s[len(s)-places:], "0")
	return strings.TrimSuffix(s, ".")
}

// maxQuantiles bounds an empirical distribution.
const maxQuantiles = 1000

// empirical reads quantiles as CSV: a share from 0 to 1 with six decimals at most,
// a comma, a number of tokens; both rise, from the share 0 to 1. A first line of
// words is a heading.
func (d *decoder) empirical(n *node) Size {
	const hint = "quantiles from 0 to 1, such as \"0,100 0.5,300 1,900\""
	if n.kind != kindString {
		d.fail(n, hint, "empirical takes a text: a quantile and its tokens on each line")
		return Size{}
	}
	dist := &rng.Dist{Shape: rng.Empirical}
	lines := strings.Fields(n.text)
	if len(lines) > 0 && strings.Trim(lines[0], "abcdefghijklmnopqrstuvwxyz_,") == "" {
		lines = lines[1:]
	}
	for i, line := range lines {
		share, number, _ := strings.Cut(line, ",")
		p, err := decimal(share, 6)
		v, err2 := decimal(number, 0)
		if err != nil || err2 != nil || p < 0 || p > rng.Millionth || v < 0 || v > maxLarge {
			d.fail(n, hint, "quantile %d, %q, is no share from 0 to 1 and a number of tokens", i+1, line)
			return Size{}
		}
		if last := len(dist.Points) - 1; last >= 0 && (p <= dist.Points[last].P || v < dist.Points[last].Value) {
			d.fail(n, "shares and tokens rise", "quantile %d, %q, is not above the one before", i+1, line)
			return Size{}
		}
		dist.Points = append(dist.Points, rng.Quantile{P: p, Value: v})
	}
	last := len(dist.Points) - 1
	if last < 1 || last >= maxQuantiles || dist.Points[0].P != 0 || dist.Points[last].P != rng.Millionth {
		d.fail(n, hint, "empirical has from 2 to %d quantiles, the first of 0 and the last of 1", maxQuantiles)
		return Size{}
	}
	dist.Lo, dist.Hi = dist.Points[0].Value, dist.Points[last].Value
	return Size{Lo: dist.Lo, Hi: dist.Hi, Set: true, Dist: dist}
}

// distText writes a distribution as it is read.
func distText(d *rng.Dist) string {
	bounds := fmt.Sprintf("max: %d", d.Hi)
	if d.Lo > 0 {
		bounds = fmt.Sprintf("min: %d, %s", d.Lo, bounds)
	}
	switch d.Shape {
	case rng.Lognormal:
		return fmt.Sprintf("{lognormal: {median: %d, sigma: %s, %s}}", d.A, decimalText(d.B, 3), bounds)
	case rng.Exponential:
		return fmt.Sprintf("{exponential: {mean: %d, %s}}", d.A, bounds)
	case rng.Gamma:
		return fmt.Sprintf("{gamma: {shape: %s, scale: %d, %s}}", decimalText(d.B*500, 3), d.A, bounds)
	}
	var lines []string
	for _, q := range d.Points {
		lines = append(lines, decimalText(q.P, 6)+","+strconv.FormatInt(q.Value, 10))
	}
	return fmt.Sprintf("{empirical: %q}", strings.Join(lines, " "))
}
