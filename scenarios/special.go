package scenarios

import (
	"encoding/json"
	"path"
	"reflect"
	"strings"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// special reads the types that have short forms, and reports whether v is one.
func (d *decoder) special(n *node, v reflect.Value, at place) bool {
	switch p := v.Addr().Interface().(type) {
	case *vtime.Duration:
		*p = d.duration(n, at)
	case *Plan:
		*p = d.plan(n, at)
	case *Files:
		*p = d.files(n, at)
	case *Content:
		*p = d.content(n, at)
	case *Size:
		*p = d.size(n, at)
		d.boundSize(n, *p)
	case *rng.Span:
		*p = d.span(n, at)
	case *Selector:
		*p = d.selector(n, at)
	case *ToolTurn:
		*p = d.toolTurn(n, at)
	case *Expectation:
		*p = Expectation{Text: d.str(n, at), Line: n.pos.line}
	default:
		return d.enum(n, v, at)
	}
	return true
}

func (d *decoder) enum(n *node, v reflect.Value, at place) bool {
	if v.Type() != ttlType {
		return false
	}
	v.SetUint(uint64(d.ttl(n, at)))
	return true
}

// PlanNames are the breakpoint plans that have a name of their own (LOOP-12).
var PlanNames = []string{"agent", "automatic", "last", "none"}

func (d *decoder) plan(n *node, at place) (p Plan) {
	switch {
	case n.kind == kindMap:
		var long struct {
			Explicit []ExplicitMarks `yaml:"explicit"`
		}
		d.structure(n, reflect.ValueOf(&long).Elem(), at)
		if len(long.Explicit) == 0 {
			d.fail(n, "such as {explicit: [{from_call: 0, at: [-1]}]}", "%s marks nothing", at.ctx)
		}
		return Plan{Name: "explicit", Explicit: long.Explicit}
	case n.kind != kindString:
		d.wrongType(n, at, "the name of a plan", oneOf(PlanNames)+", or {explicit: […]}")
	case !contains(PlanNames, n.text):
		d.fail(n, didYouMeanOr(n.text, PlanNames), "unknown breakpoint plan %q", n.text)
	default:
		p.Name = n.text
	}
	return p
}

func (d *decoder) files(n *node, at place) (f Files) {
	const prefix = "embedded:"
	switch {
	case n.kind == kindMap:
		f.Literal = map[string]Content{}
		d.mapping(n, reflect.ValueOf(&f.Literal).Elem(), at)
		for _, p := range n.pairs {
			if why := badPath(p.key); why != "" {
				d.errs.add(p.pos, "a path inside the project, such as internal/a.go", "file %q %s", p.key, why)
			}
		}
	case n.kind != kindString:
		d.wrongType(n, at, "embedded:NAME or a mapping of paths to contents", takesDirectory)
	case !strings.HasPrefix(n.text, prefix):
		hint := didYouMean(n.text, prefixed(prefix, EmbeddedProjects()))
		if hint == "" {
			hint = takesDirectory
		}
		d.fail(n, hint, "%s is embedded:NAME or a mapping of paths to contents", at.ctx)
	default:
		f.Embedded = strings.TrimPrefix(n.text, prefix)
		if _, err := EmbeddedProject(f.Embedded); err != nil {
			d.errs.add(n.pos.right(len(prefix)), didYouMeanOr(f.Embedded, EmbeddedProjects()), "unknown embedded project %q", f.Embedded)
		}
	}
	return f
}

func prefixed(prefix string, list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = prefix + s
	}
	return out
}

// badPath says what is wrong with a file path, "" if nothing is.
func badPath(p string) string {
	switch {
	case p == "":
		return "is empty"
	case len(p) > 500:
		return "is longer than 500 bytes"
	case strings.HasPrefix(p, "/"), strings.Contains(p, `\`), strings.Contains(p, ":"):
		return "is not a relative path with slashes"
	case strings.ContainsAny(p, "\x00\n\r\t"):
		return "holds a control character"
	}
	for _, part := range strings.Split(p, "/") {
		switch part {
		case "..":
			return "leaves the project"
		case ".", "":
			return "is not in its shortest form"
		}
	}
	return ""
}

// shortest is what to write for a bad path that has a shorter form.
func shortest(p string) string {
	if short := path.Clean(p); short != p && badPath(short) == "" {
		return "write " + short
	}
	return ""
}

func (d *decoder) content(n *node, at place) (c Content) {
	if n.kind == kindString {
		return Content{Text: n.text}
	}
	if n.kind != kindMap {
		d.wrongType(n, at, "text or {tokens: n}", "")
		return c
	}
	d.structure(n, reflect.ValueOf(&c).Elem(), at)
	d.boundContent(n, &c)
	if given := countGiven(n, "text", "tokens", "bytes"); given != 1 {
		d.fail(n, "", "%s has one of text, tokens and bytes", at.ctx)
	}
	if classes := []string{"prose", "code", "json"}; n.get("class") != nil && !contains(classes, c.Class) {
		d.fail(n.get("class"), didYouMeanOr(c.Class, classes), "unknown class %q", c.Class)
	}
	return c
}

func countGiven(n *node, keys ...string) (count int) {
	for _, k := range keys {
		if n.get(k) != nil {
			count++
		}
	}
	return count
}

func (d *decoder) size(n *node, at place) Size {
	if n.kind == kindInt {
		v := d.integer(n, at, 0, maxLarge)
		return Size{Lo: v, Hi: v, Set: true}
	}
	if n.kind != kindMap {
		hint := tokens.example("")
		if full := allDigits(n.text); full != "" {
			hint = "write " + full
		}
		d.wrongType(n, at, "a number or a distribution: one of "+strings.Join(distributions, ", "), hint)
		return Size{}
	}
	return d.draw(n, at, tokens)
}

// draw reads one distribution.
func (d *decoder) draw(n *node, at place, m *measure) Size {
	if len(n.pairs) != 1 {
		d.wrongType(n, at, m.name+" or a distribution: one of "+strings.Join(distributions, ", "), m.example(""))
		return Size{}
	}
	switch p := n.pairs[0]; {
	case p.key == "constant":
		v := m.read(d, p.val, at, 0)
		return Size{Lo: v, Hi: v, Set: true}
	case p.key == "uniform":
		return d.uniform(p.val, at, m)
	case contains(distributions[2:], p.key):
		return d.distribution(p.key, p.val, at, m)
	default:
		d.errs.add(p.pos, didYouMeanOr(p.key, distributions), "unknown distribution %q in %s", p.key, at.ctx)
	}
	return Size{}
}

func (d *decoder) uniform(n *node, at place, m *measure) Size {
	if n.kind != kindList || len(n.items) != 2 {
		d.fail(n, m.example("uniform"), "uniform takes a list of two numbers, the least and the greatest")
		return Size{}
	}
	lo, hi := m.read(d, n.items[0], at, 0), m.read(d, n.items[1], at, 0)
	if lo > hi {
		d.fail(n, "swap them", "uniform from %s to %s is empty", m.text(lo), m.text(hi))
	}
	return Size{Lo: lo, Hi: hi, Set: true}
}

func (d *decoder) selector(n *node, at place) (s Selector) {
	if n.kind == kindString {
		s.Path = n.text
	} else {
		d.structure(n, reflect.ValueOf(&s).Elem(), at)
		if n.kind == kindMap && countGiven(n, "path", "glob") != 1 {
			d.fail(n, "such as {glob: \"internal/**/*.go\", count: 3}", "%s has one of path and glob", at.ctx)
		}
	}
	if s.Path != "" {
		if why := badPath(s.Path); why != "" {
			d.fail(n, shortest(s.Path), "file %q %s", s.Path, why)
		}
	}
	return s
}

func (d *decoder) toolTurn(n *node, at place) (t ToolTurn) {
	if n.kind != kindMap {
		d.wrongType(n, at, "a mapping", "such as {name: Read, input: {file_path: a.go}}")
		return t
	}
	t.Raw = "{}"
	for _, p := range n.pairs {
		switch p.key {
		case "name":
			t.Name = d.str(p.val, at.field("name"))
		case "input":
			t.Raw = d.json(p.val)
		default:
			d.unknownKey(p, toolTurnType, at)
		}
	}
	if len(n.pairs) == countGiven(n, "name", "input") && t.Name == "" {
		d.fail(n, "", "%s names no tool", at.ctx)
	}
	return t
}

// json writes a node as JSON and keeps the order of its keys.
func (d *decoder) json(n *node) string {
	switch n.kind {
	case kindMap:
		parts := make([]string, len(n.pairs))
		for i, p := range n.pairs {
			parts[i] = jsonText(p.key) + ":" + d.json(p.val)
		}
		return "{" + strings.Join(parts, ",") + "}"
	case kindList:
		parts := make([]string, len(n.items))
		for i, it := range n.items {
			parts[i] = d.json(it)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case kindString:
		return jsonText(n.text)
	case kindNull:
		return "null"
	}
	return d.jsonScalar(n)
}

func (d *decoder) jsonScalar(n *node) string {
	s := strings.ToLower(strings.ReplaceAll(n.text, "_", ""))
	if !json.Valid([]byte(s)) {
		d.fail(n, "put it in quotes, or write a plain decimal", "%s has no form in JSON", n.text)
		return "null"
	}
	return s
}

func jsonText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
