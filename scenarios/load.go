package scenarios

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"agentsim/scenarios/document"
	"agentsim/scenarios/expect"
)

// decode reads a tree over the defaults.
func (f *File) decode(tree *document.Node, errs *document.Problems) (*Scenario, *document.Decoder) {
	s := Defaults()
	d := document.NewDecoder(lang, errs, f.src.At(1, 1))
	d.Beside = f.fileBeside
	d.Value(f.spread(tree, d), reflect.ValueOf(s).Elem(), document.Place{})
	listed(f, s, d)
	measure(f, s, d)
	s.lengthen(d)
	s.flags(d)
	populate(s)
	return s, d
}

// head reads what the file says of itself, and its expectations.
func (f *File) head(errs *document.Problems) {
	n, own := f.base.Get("expect"), *f.base
	if n == nil { // expectations alone speak of what else the file says
		own.Pairs = slices.DeleteFunc(slices.Clone(own.Pairs), func(p document.Pair) bool { return p.Key != "name" && p.Key != "about" })
	}
	s, d := f.decode(&own, &document.Problems{})
	f.Name, f.Why, f.LookAt = s.Name, s.About.Why, s.About.LookAt
	if s.Name == "" {
		errs.Add(d.Where("name"), "name: my-scenario", "the scenario has no name")
	}
	if n == nil {
		return
	}
	for i, e := range s.Expect {
		if i < len(n.Items) && n.Items[i].Kind == document.String {
			f.readExpectation(e, n.Items[i], s.known(f.plainNames()), errs)
		}
	}
}

// Known are the names that a path to a metric may hold.
func (f *File) Known() expect.Known {
	s, _ := f.decode(f.base, &document.Problems{})
	return s.known(f.plainNames())
}

// known are what an expectation may speak of: among the types of agents those that
// the scenario names, which a directory's files may define.
func (s *Scenario) known(variants []string) expect.Known {
	types := slices.Concat([]string{"main", "fork"}, s.listedTypes(), minimalTypes, []string{"worker"}, s.definedNames())
	add := func(name string) {
		if name != "" && !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	add(s.Type)
	if s.Hidden != (HiddenSpec{}) {
		types = append(types, "title", "suggestion", "away")
	}
	for i := range s.Work {
		add(s.Work[i].Agent.Type)
	}
	for _, start := range s.Starts() {
		add(start.Type)
	}
	return expect.Known{Variants: variants, Types: types, Roots: s.RootNames()}
}

func (f *File) readExpectation(text string, n *document.Node, in expect.Known, errs *document.Problems) {
	x, bad := expect.Parse(text, in)
	if bad != nil {
		p := n.Pos.Right(bad.Col)
		if n.Quote {
			p = p.Right(1)
		}
		errs.Add(p, bad.Hint, "%s", bad.Msg)
		return
	}
	x.At = n.Pos.Line
	f.Expect = append(f.Expect, x)
}

// checkOverridden is checkAll, of the file as it is written or, where that has mistakes,
// with the overrides that it is read for. The mistakes are those of the file.
func checkOverridden(f *File, errs *document.Problems) {
	f.checkAll(nil, errs)
	if len(errs.List) == 0 || len(f.sets) == 0 {
		return
	}
	var then document.Problems
	if f.checkAll(f.sets, &then); len(then.List) == 0 {
		*errs = then
	}
}

// checkAll checks every variant and cell, with overrides laid over it.
func (f *File) checkAll(sets []string, errs *document.Problems) {
	f.teamless = map[string]*teamless{}
	for _, name := range f.VariantNames() {
		var own document.Problems
		tree := f.laid(f.tree(name, &own), sets, &own)
		if tree == nil {
			errs.Merge(&own)
			return
		}
		if s, d := f.decode(tree, &own); len(own.List) == 0 {
			f.unread[name] = unreadIn(f, s)
			f.check(s, d)
		}
		errs.Merge(&own)
		if len(errs.List) >= document.MaxErrors {
			return
		}
	}
	f.checkSweep(errs)
}

// checkSweep tries each value of each axis of the sweep on the first variant.
func (f *File) checkSweep(errs *document.Problems) {
	for _, a := range f.Sweep {
		for _, v := range a.values {
			tree := f.tree(f.VariantNames()[0], errs)
			next := f.set(tree, a.Path, v, a.pos, errs)
			if next == nil {
				break
			}
			f.decode(next, errs)
		}
	}
}

// MaxBesideBytes bounds a file that a scenario names.
const MaxBesideBytes = 512 << 10

// fileBeside is the text of a file beside the scenario. What it holds becomes part
// of the effective scenario, so that neither a run nor its replay depends on the
// file. It is read once, whatever variants there are.
func (f *File) fileBeside(d *document.Decoder, n *document.Node) (string, bool) {
	const hint = "a path beside the scenario"
	if n.Kind != document.String {
		d.Fail(n, hint, "file takes a path, not %s", n.Kind)
		return "", false
	}
	if why := badPath(n.Text); why != "" {
		d.Fail(n, cmp.Or(shortest(n.Text), hint), "file %q %s", n.Text, strings.Replace(why, "leaves the project", "leaves the scenario's directory", 1))
		return "", false
	}
	if f.read == nil {
		d.Fail(n, "write its lines in place of {file: …}", "file %q cannot be read: this scenario stands in no directory", n.Text)
		return "", false
	}
	if text, ok := f.beside[n.Text]; ok {
		return text, true
	}
	src, err := f.read(n.Text)
	switch {
	case err != nil:
		d.Fail(n, hint, "file %q cannot be read: %v", n.Text, err)
	case len(src) > MaxBesideBytes:
		d.Fail(n, "512 KiB are the most", "file %q is too large", n.Text)
	case !utf8.Valid(src):
		d.Fail(n, "save the file as UTF-8", "file %q is not UTF-8 text", n.Text)
	default:
		f.beside[n.Text] = string(src)
		return string(src), true
	}
	return "", false
}
