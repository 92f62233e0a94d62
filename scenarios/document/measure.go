package document

import (
	"strconv"
	"strings"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

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
		read:  func(d *Decoder, n *Node, at Place, lo int64) int64 { return d.integer(n, at, lo, MaxLarge) },
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
