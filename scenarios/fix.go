package scenarios

import (
	"slices"
	"strings"

	"agentsim/scenarios/document"
)

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
