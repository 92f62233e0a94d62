package document

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// Encode writes a value as YAML: one text for one meaning, which reads back to an
// equal value. Keys on top may be left out, as are fields that are zero in it and
// in the defaults.
func Encode(v, defaults any, skip map[string]bool) []byte {
	e := &encoder{skip: skip}
	e.fields(reflect.ValueOf(v).Elem(), reflect.ValueOf(defaults).Elem(), 0, true)
	return []byte(e.b.String())
}

type encoder struct {
	b    strings.Builder
	skip map[string]bool // keys on top and of blocks
}

// fields writes a struct's fields, each on its own lines. A field that is zero
// is left out unless its default is not zero.
func (e *encoder) fields(v, def reflect.Value, indent int, top bool) {
	for _, f := range FieldsOf(v.Type()) {
		if top && e.skip[f.Key] {
			continue
		}
		x := v.Field(f.Index)
		var d reflect.Value
		if def.IsValid() {
			d = def.Field(f.Index)
		}
		if isEmpty(x) && (!d.IsValid() || isEmpty(d)) {
			continue
		}
		if f.Block {
			e.block(f.Key, x, d, indent)
			continue
		}
		e.entry(f.Key, x, d, indent)
	}
}

// block writes a block, unless everything in it is left out.
func (e *encoder) block(key string, v, def reflect.Value, indent int) {
	sub := encoder{skip: e.skip}
	if sub.fields(v, def, indent+1, true); sub.b.Len() > 0 {
		e.pad(indent)
		e.b.WriteString(key + ":\n" + sub.b.String())
	}
}

// isEmpty is the zero value, or an empty list or mapping; a pointer that is set
// is never empty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Pointer:
		return v.IsNil()
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			if !isEmpty(v.Field(i)) {
				return false
			}
		}
		return true
	}
	return v.IsZero()
}

func (e *encoder) pad(indent int) { e.b.WriteString(strings.Repeat("  ", indent)) }

func (e *encoder) entry(key string, v, def reflect.Value, indent int) {
	e.pad(indent)
	e.b.WriteString(Text(key))
	e.b.WriteByte(':')
	e.value(v, def, indent)
}

// value writes v after "key:" or "-": on the same line if it is short, else
// indented below.
func (e *encoder) value(v, def reflect.Value, indent int) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
		def = reflect.Value{}
	}
	if s, ok := scalarText(v); ok {
		e.b.WriteString(" " + s + "\n")
		return
	}
	switch v.Kind() {
	case reflect.Slice:
		e.list(v, indent)
	case reflect.Map:
		e.mapping(v, indent)
	case reflect.Struct:
		e.structure(v, def, indent)
	}
}

func (e *encoder) structure(v, def reflect.Value, indent int) {
	if x, ok := v.Interface().(entries); ok {
		e.mapping(reflect.ValueOf(x.Entries()), indent)
		return
	}
	if isEmpty(v) && !def.IsValid() {
		e.b.WriteString(" {}\n")
		return
	}
	e.b.WriteByte('\n')
	e.fields(v, def, indent+1, false)
}

func (e *encoder) list(v reflect.Value, indent int) {
	if short, ok := shortList(v); ok {
		e.b.WriteString(" " + short + "\n")
		return
	}
	e.b.WriteByte('\n')
	for i := 0; i < v.Len(); i++ {
		e.pad(indent + 1)
		e.b.WriteByte('-')
		e.element(v.Index(i), indent+1)
	}
}

// element writes a list's element; the first key of a mapping stands on the
// dash's line.
func (e *encoder) element(v reflect.Value, indent int) {
	if s, ok := scalarText(v); ok {
		e.b.WriteString(" " + s + "\n")
		return
	}
	if v.Kind() != reflect.Struct || isEmpty(v) {
		e.value(v, reflect.Value{}, indent)
		return
	}
	var sub encoder
	sub.fields(v, reflect.Value{}, indent+1, false)
	e.b.WriteByte(' ')
	e.b.WriteString(strings.TrimLeft(sub.b.String(), " "))
}

const flowWidth = 100 // characters up to which a list stands on one line

func shortList(v reflect.Value) (string, bool) {
	width, parts := 0, make([]string, v.Len())
	for i := range parts {
		if _, own := v.Index(i).Interface().(ownLine); own {
			return "", false
		}
		s, ok := scalarText(v.Index(i))
		if width += len(s) + 2; !ok || width > flowWidth {
			return "", false
		}
		parts[i] = s
	}
	return "[" + strings.Join(parts, ", ") + "]", true
}

func (e *encoder) mapping(v reflect.Value, indent int) {
	if v.Len() == 0 {
		e.b.WriteString(" {}\n")
		return
	}
	e.b.WriteByte('\n')
	if m, ok := v.Interface().(map[int]int64); ok {
		e.counts(m, indent)
		return
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, k := range keys {
		e.entry(k.String(), v.MapIndex(k), reflect.Value{}, indent+1)
	}
}

func (e *encoder) counts(m map[int]int64, indent int) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		e.pad(indent + 1)
		fmt.Fprintf(&e.b, "%d: %d\n", k, m[k])
	}
}

// scalarText is a value that stands on one line, false if it does not.
func scalarText(v reflect.Value) (string, bool) {
	switch x := v.Interface().(type) {
	case vtime.Duration:
		return x.String(), true
	case llm.TTL:
		return x.String(), true
	case rng.Span:
		return spanText(x), true
	case oneLine:
		return x.Flow()
	}
	switch v.Kind() {
	case reflect.String:
		return Text(v.String()), true
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), true
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), true
	case reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), true
	}
	return "", false
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
	for _, f := range FieldsOf(x.Type()) {
		v := x.Field(f.Index)
		if isEmpty(v) {
			continue
		}
		if s, ok := flowText(reflect.Indirect(v)); ok {
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
