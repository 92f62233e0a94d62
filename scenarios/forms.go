package scenarios

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/llm"
	"agentsim/sim/memo"
)

// PlanNames are the breakpoint plans that have a name of their own (LOOP-12).
var PlanNames = []string{"agent", "automatic", "last", "none"}

// Decode reads a plan by its name, or its marks.
func (p *Plan) Decode(d *document.Decoder, n *document.Node, at document.Place) {
	switch {
	case n.Kind == document.Map:
		var long struct {
			Explicit []llm.Marks `yaml:"explicit"`
		}
		d.Structure(n, reflect.ValueOf(&long).Elem(), at)
		if len(long.Explicit) == 0 {
			d.Fail(n, "such as {explicit: [{from_call: 0, at: [-1]}]}", "%s marks nothing", at.Ctx)
		}
		*p = Plan{Name: "explicit", Explicit: long.Explicit}
	case n.Kind != document.String:
		d.WrongType(n, at, "the name of a plan", document.OneOf(PlanNames)+", or {explicit: […]}")
	case !slices.Contains(PlanNames, n.Text):
		d.Fail(n, document.DidYouMeanOr(n.Text, PlanNames), "unknown breakpoint plan %q", n.Text)
	default:
		p.Name = n.Text
	}
}

// Decode reads embedded:NAME or a mapping of paths.
func (f *Files) Decode(d *document.Decoder, n *document.Node, at document.Place) {
	const prefix = "embedded:"
	switch {
	case n.Kind == document.Map:
		f.Literal = map[string]Content{}
		d.Mapping(n, reflect.ValueOf(&f.Literal).Elem(), at)
		for _, p := range n.Pairs {
			if why := badPath(p.Key); why != "" {
				d.Errs.Add(p.Pos, "a path inside the project, such as internal/a.go", "file %q %s", p.Key, why)
			}
		}
	case n.Kind != document.String:
		d.WrongType(n, at, "embedded:NAME or a mapping of paths to contents", takesDirectory)
	case !strings.HasPrefix(n.Text, prefix):
		hint := document.DidYouMean(n.Text, prefixed(prefix, EmbeddedProjects()))
		if hint == "" {
			hint = takesDirectory
		}
		d.Fail(n, hint, "%s is embedded:NAME or a mapping of paths to contents", at.Ctx)
	default:
		f.Embedded = strings.TrimPrefix(n.Text, prefix)
		if _, err := EmbeddedProject(f.Embedded); err != nil {
			d.Errs.Add(n.Pos.Right(len(prefix)), document.DidYouMeanOr(f.Embedded, EmbeddedProjects()), "unknown embedded project %q", f.Embedded)
		}
	}
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

// Decode reads text, or what to generate.
func (c *Content) Decode(d *document.Decoder, n *document.Node, at document.Place) {
	if n.Kind == document.String {
		*c = Content{Text: n.Text}
		return
	}
	if n.Kind != document.Map {
		d.WrongType(n, at, "text or {tokens: n}", "")
		return
	}
	d.Structure(n, reflect.ValueOf(c).Elem(), at)
	if text := n.Get("text"); text != nil && c.Text == "" {
		*c = Content{} // nothing is of no class
	}
	c.bound(d, n)
	if given := document.CountGiven(n, "text", "tokens", "bytes"); given != 1 {
		d.Fail(n, "", "%s has one of text, tokens and bytes", at.Ctx)
	}
	if classes := []string{"prose", "code", "json"}; n.Get("class") != nil && !slices.Contains(classes, c.Class) {
		d.Fail(n.Get("class"), document.DidYouMeanOr(c.Class, classes), "unknown class %q", c.Class)
	}
}

// Decode reads a path, or a pick from a glob.
func (s *Selector) Decode(d *document.Decoder, n *document.Node, at document.Place) {
	if n.Kind == document.String {
		s.Path = n.Text
	} else {
		d.Structure(n, reflect.ValueOf(s).Elem(), at)
		if n.Kind == document.Map && document.CountGiven(n, "path", "glob") != 1 {
			d.Fail(n, "such as {glob: \"internal/**/*.go\", count: 3}", "%s has one of path and glob", at.Ctx)
		}
	}
	if s.Path != "" {
		// A directory, or lines of a file, the check knows more about.
		whole, _, _ := strings.Cut(strings.TrimSuffix(s.Path, "/"), ":")
		if why := badPath(whole); why != "" {
			d.Fail(n, shortest(s.Path), "file %q %s", s.Path, why)
		}
	}
}

// Decode reads the name of a tool and its input, in the order of its keys.
func (t *ToolTurn) Decode(d *document.Decoder, n *document.Node, at document.Place) {
	if n.Kind != document.Map {
		d.WrongType(n, at, "a mapping", "such as {name: Read, input: {file_path: a.go}}")
		return
	}
	t.Raw = "{}"
	for _, p := range n.Pairs {
		switch p.Key {
		case "name":
			t.Name = d.Str(p.Val, at.Field("name"))
		case "input":
			t.Raw = d.JSON(p.Val)
		default:
			d.UnknownKey(p, reflect.TypeFor[ToolTurn](), at.Ctx)
		}
	}
	if len(n.Pairs) == document.CountGiven(n, "name", "input") && t.Name == "" {
		d.Fail(n, "", "%s names no tool", at.Ctx)
	}
}

// bound refuses what is generated by bytes, and split, beyond measure.
func (c *Content) bound(d *document.Decoder, n *document.Node) {
	if c.Bytes > document.MaxContentBytes {
		d.Fail(n.Get("bytes"), "", "more than %d bytes in one piece", document.MaxContentBytes)
		return
	}
	if c.Blocks > document.MaxBlocks {
		d.Fail(n.Get("blocks"), "", "more than %d blocks", document.MaxBlocks)
	}
	d.Generates(n, int64(c.Bytes))
}

// Whole says that a plan is overridden whole.
func (Plan) Whole() {}

// Whole says that a selector is overridden whole.
func (Selector) Whole() {}

// OwnLine says that each tool use has a line of its own.
func (ToolTurn) OwnLine() {}

// Entries are the files by path.
func (f Files) Entries() any { return f.Literal }

// Flow is embedded:NAME, false for literal files.
func (f Files) Flow() (string, bool) {
	return document.Text("embedded:" + f.Embedded), f.Embedded != ""
}

// inputs are those of tool uses on one line, by their JSON.
var inputs = memo.Some[string, string]{Most: 1 << 20}

// Flow is a tool use on one line.
func (t ToolTurn) Flow() (string, bool) {
	input := inputs.Get(t.Raw, func() (string, int) {
		n, err := limits.Parse(document.NewSource("", t.Raw), t.Raw)
		if err != nil {
			return "", 0
		}
		flow := document.Flow(n)
		return flow, len(t.Raw) + len(flow)
	})
	return "{name: " + document.Text(t.Name) + ", input: " + input + "}", input != ""
}

// Flow is text, or what to generate.
func (c Content) Flow() (string, bool) {
	if c == (Content{Text: c.Text}) {
		return document.Text(c.Text), true
	}
	return document.FlowFields(c), true
}

// Flow is a path, or a pick.
func (s Selector) Flow() (string, bool) {
	if s == (Selector{Path: s.Path}) {
		return document.Text(s.Path), true
	}
	return document.FlowFields(s), true
}

// Flow is a plan by its name, or its marks.
func (p Plan) Flow() (string, bool) {
	if p.Name != "explicit" {
		return document.Text(p.Name), true
	}
	parts := make([]string, len(p.Explicit))
	for i, m := range p.Explicit {
		at := strings.ReplaceAll(strings.Trim(fmt.Sprint(m.At), "[]"), " ", ", ")
		parts[i] = fmt.Sprintf("{from_call: %d, at: [%s]}", m.FromCall, at)
	}
	return "{explicit: [" + strings.Join(parts, ", ") + "]}", true
}

// Decode reads a text, which is why the scenario exists, or a mapping.
func (a *About) Decode(d *document.Decoder, n *document.Node, at document.Place) {
	if n.Kind == document.String {
		a.Why = n.Text
		return
	}
	d.Structure(n, reflect.ValueOf(a).Elem(), at)
}

// Flow is the text where there is no more.
func (a About) Flow() (string, bool) {
	return document.Text(a.Why), a.Why != "" && len(a.LookAt) == 0 && a.Source == ""
}
