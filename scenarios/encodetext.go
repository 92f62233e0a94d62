package scenarios

import (
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

func sizeText(s Size) string {
	if s.Lo == s.Hi && s.Dist == nil {
		return strconv.FormatInt(s.Lo, 10)
	}
	if s.Dist != nil {
		return distText(s.Dist, tokens)
	}
	return fmt.Sprintf("{uniform: [%d, %d]}", s.Lo, s.Hi)
}

func spanText(s rng.Span) string {
	switch {
	case s.Literal():
		return vtime.Duration(s.Lo).String()
	case s.Dist != nil:
		return distText(s.Dist, micros)
	}
	return fmt.Sprintf("{uniform: [%s, %s]}", vtime.Duration(s.Lo), vtime.Duration(s.Hi))
}

func contentText(c Content) string {
	var parts []string
	switch {
	case c.Tokens.Set:
		parts = append(parts, "tokens: "+sizeText(c.Tokens))
	case c.Bytes > 0:
		parts = append(parts, "bytes: "+strconv.Itoa(c.Bytes))
	default:
		parts = append(parts, "text: "+text(c.Text))
	}
	if c.Class != "" {
		parts = append(parts, "class: "+text(c.Class))
	}
	if c.Blocks != 0 {
		parts = append(parts, "blocks: "+strconv.Itoa(c.Blocks))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func selectorText(s Selector) string {
	if s.Glob == "" && s.Count == 0 && s.Pick == "" {
		return text(s.Path)
	}
	var parts []string
	add := func(key, v string) {
		if v != "" {
			parts = append(parts, key+": "+text(v))
		}
	}
	add("path", s.Path)
	add("glob", s.Glob)
	if s.Count != 0 {
		parts = append(parts, "count: "+strconv.Itoa(s.Count))
	}
	add("pick", s.Pick)
	return "{" + strings.Join(parts, ", ") + "}"
}

func planText(p Plan) string {
	if p.Name != "explicit" {
		return text(p.Name)
	}
	parts := make([]string, len(p.Explicit))
	for i, m := range p.Explicit {
		at := strings.ReplaceAll(strings.Trim(fmt.Sprint(m.At), "[]"), " ", ", ")
		parts[i] = fmt.Sprintf("{from_call: %d, at: [%s]}", m.FromCall, at)
	}
	return "{explicit: [" + strings.Join(parts, ", ") + "]}"
}

// jsonFlow writes JSON as a YAML flow value: the same with spaces behind colons
// and commas.
func jsonFlow(raw string) string {
	n, err := parseNode(newSource("", raw), raw)
	if err != nil {
		return "{}"
	}
	return flow(n)
}

// flow writes a node on one line.
func flow(n *node) string {
	switch n.kind {
	case kindMap:
		parts := make([]string, len(n.pairs))
		for i, p := range n.pairs {
			parts[i] = text(p.key) + ": " + flow(p.val)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case kindList:
		parts := make([]string, len(n.items))
		for i, it := range n.items {
			parts[i] = flow(it)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case kindString:
		return text(n.text)
	case kindNull:
		return "null"
	}
	return n.text
}

// text writes a string bare where that cannot be misread, else in double
// quotes.
func text(s string) string {
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

func sortedStrings(v reflect.Value) []string {
	keys := v.MapKeys()
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.String()
	}
	sort.Strings(out)
	return out
}

func sortedInts(m map[int]int64) []int {
	out := make([]int, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Ints(out)
	return out
}
