package document

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

func spanText(s rng.Span) string {
	switch {
	case s.Literal():
		return vtime.Duration(s.Lo).String()
	case s.Dist != nil:
		return distText(s.Dist, micros)
	}
	return fmt.Sprintf("{uniform: [%s, %s]}", vtime.Duration(s.Lo), vtime.Duration(s.Hi))
}

// Flow writes a node on one line.
func Flow(n *Node) string {
	return n.joined(": ", ", ", Text, func(n *Node) string { return n.Text })
}

// joined writes a node on one line, its texts and its other scalars each in a way.
func (n *Node) joined(colon, comma string, text func(string) string, other func(*Node) string) string {
	var parts []string
	switch n.Kind {
	case Map:
		for _, p := range n.Pairs {
			parts = append(parts, text(p.Key)+colon+p.Val.joined(colon, comma, text, other))
		}
		return "{" + strings.Join(parts, comma) + "}"
	case List:
		for _, it := range n.Items {
			parts = append(parts, it.joined(colon, comma, text, other))
		}
		return "[" + strings.Join(parts, comma) + "]"
	case String:
		return text(n.Text)
	case Null:
		return "null"
	}
	return other(n)
}

// FlowFields writes the fields of a struct that are not zero on one line.
func FlowFields(v any) string {
	var parts []string
	x := reflect.ValueOf(v)
	for i := range x.NumField() {
		v := x.Field(i)
		if isEmpty(v) { // most are
			continue
		}
		f, isKey := fieldOf(x.Type(), i)
		if s, ok := flowText(reflect.Indirect(v)); ok && isKey {
			parts = append(parts, Text(f.Key)+": "+s)
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// flowText is a scalar, or a list of what stands on one line.
func flowText(v reflect.Value) (string, bool) {
	if v.Kind() != reflect.Slice {
		return scalarText(v)
	}
	parts := make([]string, v.Len())
	for i := range parts {
		parts[i], _ = scalarText(v.Index(i))
	}
	return "[" + strings.Join(parts, ", ") + "]", true
}

// Text writes a string bare where that cannot be misread, else in double
// quotes.
func Text(s string) string {
	if isBare(s) {
		return s
	}
	return quote(s)
}

var reserved = map[string]bool{"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true}

func isBare(s string) bool {
	if s == "" || reserved[strings.ToLower(s)] || strings.HasSuffix(s, " ") {
		return false
	}
	for i, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		inner := c >= '0' && c <= '9' || strings.ContainsRune("_./- ", c)
		if !letter && (i == 0 || !inner) {
			return false
		}
	}
	return true
}

// quote writes a double-quoted YAML string with the escapes that YAML and JSON
// share.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < 0x10000 && !unicode.IsPrint(c):
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
