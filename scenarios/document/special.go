package document

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// special reads the types that have short forms, and reports whether v is one.
func (d *Decoder) special(n *Node, v reflect.Value, at Place) bool {
	switch p := v.Addr().Interface().(type) {
	case *vtime.Duration:
		*p = d.duration(n, at)
	case *rng.Span:
		*p = d.span(n, at)
	case *llm.TTL:
		*p = d.ttl(n, at)
	case form:
		p.Decode(d, n, at)
	default:
		return false
	}
	return true
}

// Size is a literal number or a draw: `350`, `{uniform: [200, 500]}`, or another of
// the distributions.
type Size struct {
	Lo, Hi int64 // Lo == Hi is a constant
	Set    bool
	Dist   *rng.Dist // nil: all numbers from Lo to Hi alike
}

// Whole says that a size is overridden whole.
func (Size) Whole() {}

// Decode reads a size of a piece of content.
func (s *Size) Decode(d *Decoder, n *Node, at Place) {
	*s = d.size(n, at)
	d.boundSize(n, *s)
}

// Flow is a size on one line.
func (s Size) Flow() (string, bool) {
	switch {
	case s.Dist != nil:
		return distText(s.Dist, tokens), true
	case s.Lo == s.Hi:
		return strconv.FormatInt(s.Lo, 10), true
	}
	return fmt.Sprintf("{uniform: [%d, %d]}", s.Lo, s.Hi), true
}

// CountGiven counts the keys that a mapping has.
func CountGiven(n *Node, keys ...string) (count int) {
	for _, k := range keys {
		if n.Get(k) != nil {
			count++
		}
	}
	return count
}

func (d *Decoder) size(n *Node, at Place) Size {
	if d.lang.inDigits(n, at.Path).Kind == Int {
		v := d.integer(n, at, Range{Least: 0, Most: MaxLarge})
		return Size{Lo: v, Hi: v, Set: true}
	}
	if n.Kind != Map {
		d.WrongType(n, at, "a number or a distribution: one of "+strings.Join(distributions, ", "), tokens.example(""))
		return Size{}
	}
	return d.draw(n, at, tokens)
}

// draw reads one distribution.
func (d *Decoder) draw(n *Node, at Place, m *measure) Size {
	if len(n.Pairs) != 1 {
		d.WrongType(n, at, m.name+" or a distribution: one of "+strings.Join(distributions, ", "), m.example(""))
		return Size{}
	}
	switch p := n.Pairs[0]; {
	case p.Key == "constant":
		v := m.read(d, p.Val, at, 0)
		return Size{Lo: v, Hi: v, Set: true}
	case p.Key == "uniform":
		return d.uniform(p.Val, at, m)
	case slices.Contains(distributions[2:], p.Key):
		return d.distribution(p.Key, p.Val, at, m)
	default:
		d.Errs.Add(p.Pos, DidYouMeanOr(p.Key, distributions), "unknown distribution %q in %s", p.Key, at.Ctx)
	}
	return Size{}
}

func (d *Decoder) uniform(n *Node, at Place, m *measure) Size {
	if n.Kind != List || len(n.Items) != 2 {
		d.Fail(n, m.example("uniform"), "uniform takes a list of two numbers, the least and the greatest")
		return Size{}
	}
	lo, hi := m.read(d, n.Items[0], at, 0), m.read(d, n.Items[1], at, 0)
	if lo > hi {
		d.Fail(n, "swap them", "uniform from %s to %s is empty", m.text(lo), m.text(hi))
	}
	return Size{Lo: lo, Hi: hi, Set: true}
}

// JSON writes a node as JSON and keeps the order of its keys.
func (d *Decoder) JSON(n *Node) string { return n.joined(":", ",", JSONText, d.jsonScalar) }

func (d *Decoder) jsonScalar(n *Node) string {
	s := strings.ToLower(strings.ReplaceAll(n.Text, "_", ""))
	if !json.Valid([]byte(s)) {
		d.Fail(n, "put it in quotes, or write a plain decimal", "%s has no form in JSON", n.Text)
		return "null"
	}
	return s
}

// JSONText is a text as JSON writes it.
func JSONText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Limits on content that a scenario asks to be generated.
const (
	MaxContentTokens = 10_000_000 // of one piece
	MaxContentBytes  = 64 << 20   // of one piece
	MaxBlocks        = 10_000     // into which one piece may be split
	MaxGenerated     = 256 << 20  // bytes of all pieces of a scenario
)

// TokenBytes is what a token counts for among the bytes of all pieces.
const TokenBytes = 4

// boundSize refuses a piece of too many tokens.
func (d *Decoder) boundSize(n *Node, s Size) {
	if s.Hi > MaxContentTokens {
		d.Fail(n, "", "more than %d tokens in one piece", MaxContentTokens)
		return
	}
	d.Generates(n, s.Hi*TokenBytes)
}

// Generates adds a piece to those of the scenario; the one with which they become
// too much is told.
func (d *Decoder) Generates(n *Node, bytes int64) {
	before := d.generated
	d.generated += bytes
	if before <= MaxGenerated && d.generated > MaxGenerated {
		d.Fail(n, "smaller pieces, or fewer", "with this the scenario generates more than %d bytes, a token taken for %d", MaxGenerated, TokenBytes)
	}
}
