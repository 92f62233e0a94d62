package document

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

const (
	maxSmall = 1_000_000_000         // ranges of counts, such as processes or lines
	MaxLarge = 1_000_000_000_000_000 // range of quantities, such as tokens
	// MaxDuration is the longest time a scenario may name, ten years.
	MaxDuration = 87_600 * vtime.Hour
)

// Str reads text.
func (d *Decoder) Str(n *Node, at Place) string {
	switch hint := d.lang.hint(at.Path, n); {
	case n.Kind == String, n.Kind == Bool && d.lang.Word != nil && d.lang.Word(at.Path):
		return n.Text
	case hint != "":
		d.WrongType(n, at, "text", hint)
	case n.Kind == Int || n.Kind == Float || n.Kind == Bool:
		d.WrongType(n, at, "text", "write it in quotes: "+Quoted(n.Text))
	case n.Kind == Map && len(n.Pairs) == 1 && n.Pairs[0].Val.Kind == String:
		text := Quoted(n.Pairs[0].Key + ": " + n.Pairs[0].Val.Text)
		d.Fail(n, "put it in quotes: "+text, "%s must be text; %s was read as a mapping", at.Ctx, text)
	case n.Kind == List:
		d.WrongType(n, at, "text", "one of them here; variants, or a matrix, compare several")
	default:
		d.WrongType(n, at, "text", "")
	}
	return ""
}

func (d *Decoder) boolean(n *Node, at Place) bool {
	if n.Kind != Bool {
		d.WrongType(n, at, "true or false", "")
		return false
	}
	return strings.EqualFold(n.Text, "true")
}

func (d *Decoder) integer(n *Node, at Place, in Range) int64 {
	n = d.lang.inDigits(n, at.Path)
	if n.Kind != Int {
		d.WrongType(n, at, "a whole number", numberHint(n))
		return 0
	}
	v, err := ParseInt(n.Text)
	switch {
	case err != nil && isDigits(strings.TrimLeft(n.Text, "+-")) && !leadingZero(n.Text):
		d.Fail(n, in.Hint, "%s is out of range: from %d to %d", at.Ctx, in.Least, in.Most)
	case err != nil:
		d.Fail(n, "write digits only, such as 6_000", "%s is not a decimal number: %s", at.Ctx, n.Text)
	case v < in.Least || v > in.Most:
		d.Fail(n, in.Hint, "%s is out of range: from %d to %d", at.Ctx, in.Least, in.Most)
	default:
		return v
	}
	return 0
}

func numberHint(n *Node) string {
	switch {
	case n.Quote:
		return "write it without quotes"
	case n.Kind == String && strings.ContainsAny(n.Text, "kKM,%"):
		return "write 6_000 or 6k"
	case n.Kind == Map || n.Kind == List || n.Kind == Null:
		return ""
	}
	return "digits only, such as 6_000"
}

// inDigits is a number with an ending, as tables print it, in digits alone: 2400 for
// 2.4k, 4000 for 4 k; and where a share is counted in parts, 80 for 80%. Everything
// else is the node itself.
func (l *Language) inDigits(n *Node, path string) *Node {
	if n.Kind != String || n.Quote {
		return n
	}
	end := n.Text[max(len(n.Text)-1, 0):]
	zeros := map[string]int{"k": 3, "M": 6, "G": 9}[end]
	if parts := l.Shares[path]; end == "%" && parts > 0 {
		zeros = len(strconv.FormatInt(parts/100, 10)) - 1
	} else if zeros == 0 {
		return n
	}
	whole, frac, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(n.Text, end), " "), ".")
	if !isDigits(whole) || len(frac) > zeros || frac != "" && !isDigits(frac) {
		return n
	}
	digits := strings.TrimLeft(whole+frac+strings.Repeat("0", zeros-len(frac)), "0_")
	return &Node{Kind: Int, Text: cmp.Or(digits, "0"), Pos: n.Pos, Plain: n.Plain}
}

func leadingZero(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return len(s) > 1 && s[0] == '0'
}

// ParseInt reads a decimal number, in which _ may part digits.
func ParseInt(s string) (int64, error) {
	if leadingZero(s) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
}

// unsigned reads a seed, a whole number from 0 on.
func (d *Decoder) unsigned(n *Node, at Place) uint64 {
	if n.Kind == Int && !leadingZero(n.Text) {
		if v, err := strconv.ParseUint(strings.ReplaceAll(n.Text, "_", ""), 10, 64); err == nil {
			return v
		}
	}
	if n.Kind == List {
		d.WrongType(n, at, "one whole number", "write the first alone; sweep --seeds 3 and bench --seeds 3 run three from it on")
		return 0
	}
	d.Fail(n, "", "%s is a whole number from 0 to %d", at.Ctx, uint64(math.MaxUint64))
	return 0
}

func (d *Decoder) duration(n *Node, at Place) vtime.Duration {
	if n.Kind == Int || n.Kind == Float && n.Text[0] != '.' {
		d.Fail(n, "write "+n.Text+"s, "+n.Text+"ms or another unit", "%s has no unit: %s", at.Ctx, n.Text)
		return 0
	}
	if n.Kind != String {
		d.WrongType(n, at, "a duration", "such as 250ms, 5m or 1h")
		return 0
	}
	v, err := vtime.ParseDuration(n.Text)
	switch {
	case err != nil:
		d.Fail(n, "a number with a unit, such as 250ms, 5m or 1h", "%s is not a duration: %q", at.Ctx, n.Text)
	case v < 0 || v > MaxDuration:
		d.Fail(n, "", "%s is out of range: from 0s to 87600h", at.Ctx)
	default:
		return v
	}
	return 0
}

// lifetimes are the ways to write those that there are.
var lifetimes = map[string]llm.TTL{"5m": llm.TTL5m, "300s": llm.TTL5m, "1h": llm.TTL1h, "60m": llm.TTL1h, "3600s": llm.TTL1h}

func (d *Decoder) ttl(n *Node, at Place) llm.TTL {
	ttl, ok := lifetimes[n.Text]
	if n.Kind != String || !ok {
		d.Fail(n, "", "%s is 5m or 1h", at.Ctx)
		return llm.TTL5m
	}
	return ttl
}
