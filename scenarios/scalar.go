package scenarios

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

const (
	maxSmall = 1_000_000_000         // ranges of counts, such as processes or lines
	maxLarge = 1_000_000_000_000_000 // range of quantities, such as tokens
	// MaxDuration is the longest time a scenario may name, ten years.
	MaxDuration = 87_600 * vtime.Hour
)

// bounds are the range of a whole number at a path. Only block positions may be
// negative: those count from the end.
func bounds(path string, k reflect.Kind) (lo, hi int64) {
	if k == reflect.Int {
		hi = maxSmall
	} else {
		hi = maxLarge
	}
	if strings.Contains(path, ".at[") {
		lo = -maxSmall
	}
	return lo, hi
}

func (d *decoder) str(n *node, at place) string {
	gate := strings.HasPrefix(at.path, "gates.") || strings.HasPrefix(at.path, "gate_flips[")
	switch {
	case n.kind == kindString, gate && n.kind == kindBool:
		return n.text
	case n.kind == kindInt || n.kind == kindFloat || n.kind == kindBool:
		d.wrongType(n, at, "text", "write it in quotes: "+quoted(n.text))
	case at.path == "permissions.children" && n.get("model") != nil:
		d.wrongType(n, at, "a permission mode", childrensModel)
	case n.kind == kindMap && len(n.pairs) == 1 && n.pairs[0].val.kind == kindString:
		text := quoted(n.pairs[0].key + ": " + n.pairs[0].val.text)
		d.fail(n, "put it in quotes: "+text, "%s must be text; %s was read as a mapping", at.ctx, text)
	case n.kind == kindList:
		d.wrongType(n, at, "text", "one of them here; variants, or a matrix, compare several")
	default:
		d.wrongType(n, at, "text", "")
	}
	return ""
}

func (d *decoder) boolean(n *node, at place) bool {
	if n.kind != kindBool {
		d.wrongType(n, at, "true or false", "")
		return false
	}
	return strings.EqualFold(n.text, "true")
}

func (d *decoder) integer(n *node, at place, lo, hi int64) int64 {
	if n.kind != kindInt {
		d.wrongType(n, at, "a whole number", numberHint(n))
		return 0
	}
	v, err := parseInt(n.text)
	switch {
	case err != nil && isDigits(strings.TrimLeft(n.text, "+-")) && !leadingZero(n.text):
		d.fail(n, "", "%s is out of range: from %d to %d", at.ctx, lo, hi)
	case err != nil:
		d.fail(n, "write digits only, such as 6_000", "%s is not a decimal number: %s", at.ctx, n.text)
	case v < lo || v > hi:
		d.fail(n, "", "%s is out of range: from %d to %d", at.ctx, lo, hi)
	default:
		return v
	}
	return 0
}

func numberHint(n *node) string {
	switch {
	case n.quote:
		return "write it without quotes"
	case allDigits(n.text) != "":
		return "write " + allDigits(n.text)
	case n.kind == kindString && strings.ContainsAny(n.text, "kKM,"):
		return "write all digits, such as 6_000"
	case n.kind == kindMap || n.kind == kindList || n.kind == kindNull:
		return ""
	}
	return "digits only, such as 6_000"
}

// allDigits writes a number with the ending k or M in full, such as 2_400 for 2.4k;
// "" where it is none.
func allDigits(text string) string {
	number, end := strings.TrimRight(text, "kKmM"), strings.ToLower(strings.TrimLeft(text, "0123456789._"))
	zeros := map[string]int{"k": 3, "m": 6}[end]
	whole, frac, _ := strings.Cut(number, ".")
	if zeros == 0 || whole == "" || len(frac) > zeros || strings.Trim(whole+frac, "0123456789") != "" {
		return ""
	}
	digits := strings.TrimLeft(whole+frac+strings.Repeat("0", zeros-len(frac)), "0")
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "_" + digits[i:]
	}
	return digits
}

func leadingZero(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return len(s) > 1 && s[0] == '0'
}

func parseInt(s string) (int64, error) {
	if leadingZero(s) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
}

func (d *decoder) unsigned(n *node, at place) uint64 {
	if n.kind == kindInt && !leadingZero(n.text) {
		if v, err := strconv.ParseUint(strings.ReplaceAll(n.text, "_", ""), 10, 64); err == nil {
			return v
		}
	}
	d.fail(n, "", "%s is a whole number from 0 to %d", at.ctx, uint64(math.MaxUint64))
	return 0
}

func (d *decoder) duration(n *node, at place) vtime.Duration {
	if n.kind == kindInt || n.kind == kindFloat && n.text[0] != '.' {
		d.fail(n, "write "+n.text+"s, "+n.text+"ms or another unit", "%s has no unit: %s", at.ctx, n.text)
		return 0
	}
	if n.kind != kindString {
		d.wrongType(n, at, "a duration", "such as 250ms, 5m or 1h")
		return 0
	}
	v, err := vtime.ParseDuration(n.text)
	switch {
	case err != nil:
		d.fail(n, "a number with a unit, such as 250ms, 5m or 1h", "%s is not a duration: %q", at.ctx, n.text)
	case v < 0 || v > MaxDuration:
		d.fail(n, "", "%s is out of range: from 0s to 87600h", at.ctx)
	default:
		return v
	}
	return 0
}

func (d *decoder) ttl(n *node, at place) llm.TTL {
	switch {
	case n.kind == kindString && n.text == "5m":
		return llm.TTL5m
	case n.kind == kindString && n.text == "1h":
		return llm.TTL1h
	}
	d.fail(n, "", "%s is 5m or 1h", at.ctx)
	return llm.TTL5m
}
