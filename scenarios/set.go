package scenarios

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"agentsim/scenarios/document"
)

// patchOf parts what a variant says itself from the paths of its set.
func patchOf(variant *document.Node) (own *document.Node, paths []document.Pair) {
	own = &document.Node{Kind: document.Map, Pos: variant.Pos}
	for _, p := range variant.Pairs {
		if p.Key != "set" {
			own.Pairs = append(own.Pairs, p)
		} else if p.Val.Kind == document.Map {
			paths = append(paths, p.Val.Pairs...)
		}
	}
	return own, paths
}

// over lays a variant over a tree: what it says itself, then its paths.
func (f *File) over(tree, variant *document.Node, errs *document.Problems) *document.Node {
	if set := variant.Get("set"); set != nil && set.Kind != document.Map {
		errs.Add(set.Pos, "such as {work.1.output: 400}", "set must be a mapping of paths to values, not %s", set.Kind)
	}
	own, paths := patchOf(variant)
	out := lang.Overlay(tree, own, scenarioType, errs)
	for _, p := range paths {
		if next := f.set(out, p.Key, p.Val, p.Pos, errs); next != nil {
			out = next
		}
	}
	return out
}

// CheckSets refuses overrides that none of these variants reads, and reports those
// that give again what something else gives: a later override, a variant's set or the
// matrix, and what the file says that nothing reads because of them. The error is an
// *Errors.
func (f *File) CheckSets(variants, sets []string) (twice []string, err error) {
	var errs document.Problems
	for i, set := range sets {
		path, value, _ := strings.Cut(set, "=")
		if slices.ContainsFunc(sets[i+1:], func(later string) bool {
			again, ok := strings.CutPrefix(later, path+"=")
			return ok && !(strings.HasPrefix(value, "{") && strings.HasPrefix(again, "{")) // keys of both stay
		}) {
			twice = append(twice, "--set "+set+" has no effect: a later --set gives "+path+" again")
			continue
		}
		if names := toldApart(f, variants, path); names != "" {
			errs.Add(document.NewSource("--set", set).At(1, 1), "leave it out, or run one of them with --variant", "variants that say %s themselves would no longer be what they are called: %s", lang.Short(path), names)
			continue
		}
		twice = append(twice, f.given(variants, path)...)
		if takesNothing(f, variants, sets, i) {
			errs.Add(document.NewSource("--set", set).At(1, 1), "set what a profile gives to another value, such as model.wander.uses=0",
				"null takes away what the file gives, and nothing in it gives %s", path)
		}
		why, unread := whyOf(variants, func(name string) string { return f.Unread(name, sets, set) })
		if unread {
			errs.Add(document.NewSource("--set", set).At(1, 1), cmp.Or(instead[lang.Short(path)], "leave it out"), "nothing reads %s: %s", path, why)
		}
	}
	for _, a := range f.Sweep {
		if names := toldApart(f, variants, a.Path); names != "" {
			errs.Add(document.NewSource("--set", a.Path).At(1, 1), "sweep one of them with --variant", "variants that say %s themselves would no longer be what they are called: %s", a.Path, names)
		}
	}
	return append(twice, unreadWith(f, variants, sets)...), errs.Err()
}

// unreadWith tells what the file says and a variant reads, and with the overrides none.
func unreadWith(f *File, variants, sets []string) (told []string) {
	if len(sets) == 0 {
		return nil
	}
	was := f.idle(variants)
	for _, x := range under(f, variants, sets).idle(variants) {
		if x.overrides() || slices.ContainsFunc(was, x.same) {
			continue
		}
		x.in = "runs with --set " + strings.Join(sets, " --set ")
		told = append(told, x.String())
	}
	return told
}

// toldApart names the variants, where there are several, or one called by its structure,
// and each says something of its own at a path: it is what they differ in.
func toldApart(f *File, variants []string, path string) string {
	var names []string
	for _, v := range f.variants {
		if !slices.ContainsFunc(variants, func(name string) bool { return name == v.Key || strings.HasPrefix(name, v.Key+"[") }) {
			continue
		}
		at, _ := patchOf(v.Val)
		for _, key := range strings.Split(lang.Short(path), ".") {
			if at != nil {
				at = at.Get(key)
			}
		}
		if at == nil {
			return ""
		}
		names = append(names, v.Key)
	}
	if len(names) == 1 && !slices.Contains(f.compared, names[0]) {
		return ""
	}
	return strings.Join(names, ", ")
}

// takesNothing reports whether an override is a null for what none of these variants gives.
func takesNothing(f *File, variants, sets []string, i int) bool {
	path, text, _ := strings.Cut(sets[i], "=")
	val, bad := limits.Parse(document.NewSource("--set", text), text)
	return bad == nil && val.Kind == document.Null && !slices.ContainsFunc(variants, func(name string) bool {
		tree := f.tree(name, &document.Problems{})
		with, without := f.untrimmed(tree, sets), f.untrimmed(tree, slices.Delete(slices.Clone(sets), i, i+1))
		return with == nil || f.Gives(name, sets[:i], lang.Short(path)) || !reflect.DeepEqual(with, without)
	})
}

// given says where a variant's set gives a path that an override gives too.
func (f *File) given(variants []string, path string) (out []string) {
	for _, v := range f.variants {
		_, paths := patchOf(v.Val)
		played := slices.ContainsFunc(variants, func(name string) bool { return name == v.Key || strings.HasPrefix(name, v.Key+"[") })
		for _, p := range paths {
			if played && p.Key == path {
				out = append(out, f.Path+": set of variant "+v.Key+" has no effect on "+path+": --set gives it again")
			}
		}
	}
	return out
}

// Fix is the file with overrides of the form path=value held against its axes: an
// axis of the matrix keeps the one value that its path is set to, and one of the
// sweep goes. An override that holds an axis among other things is refused, since
// cells would not be what they are named; the error is an *Errors.
func (f *File) Fix(sets []string) (*File, error) {
	out := *f
	out.Matrix, out.Sweep = slices.Clone(f.Matrix), slices.Clone(f.Sweep)
	var errs document.Problems
	for _, set := range sets {
		path, text, _ := strings.Cut(set, "=")
		path = lang.Short(path)
		for i := range out.Matrix {
			a := &out.Matrix[i]
			if a.Path != path {
				continue
			}
			if val, bad := limits.Parse(document.NewSource("--set", text), text); bad == nil {
				a.values, a.Values = []*document.Node{val}, []string{called(val)}
			}
		}
		out.Sweep = slices.DeleteFunc(out.Sweep, func(a Axis) bool { return a.Path == path })
		for _, a := range slices.Concat(out.Matrix, out.Sweep) {
			if strings.HasPrefix(a.Path, path+".") {
				errs.Add(document.NewSource("--set", set).At(1, 1), "write --set "+a.Path+"=…", "%s holds %s, which the scenario runs over", path, a.Path)
			}
		}
	}
	return &out, errs.Err()
}

// Over is the file with other axes for its sweep, which take the place of those
// of the matrix too, and with overrides held against them as Fix does.
func (f *File) Over(axes []Axis, sets []string) (*File, error) {
	out := *f
	out.Sweep = axes
	out.Matrix = slices.DeleteFunc(slices.Clone(f.Matrix), func(m Axis) bool {
		return slices.ContainsFunc(axes, func(a Axis) bool { return a.Path == m.Path })
	})
	return out.Fix(sets)
}
