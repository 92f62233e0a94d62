package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/scenarios/document"
)

func itoa(n int) string { return strconv.Itoa(n) }

// VariantNames lists the variants in the order of the file, each with every
// cell of the matrix: fork, or fork[prompting=lazy,reads_per_turn=2]. A file
// without variants has the one variant "", or the cells alone.
func (f *File) VariantNames() []string {
	var out []string
	for _, v := range f.plainNames() {
		for _, c := range f.Cells() {
			out = append(out, v+c)
		}
	}
	return out
}

// LineOf is the line of the file, from 1, on which a variant begins, or is named under
// compare; 1 where there are none.
func LineOf(f *File, variant string) int {
	plain, _, _ := strings.Cut(variant, "[")
	for _, v := range f.variants {
		if v.Key == plain {
			return max(1, v.Pos.Line)
		}
	}
	return 1
}

// plainNames are the variants without cells.
func (f *File) plainNames() []string {
	if len(f.variants) == 0 {
		return []string{""}
	}
	out := make([]string, len(f.variants))
	for i, v := range f.variants {
		out[i] = v.Key
	}
	return out
}

// Cells lists the suffixes that the matrix puts behind each variant's name;
// the one suffix "" without a matrix.
func (f *File) Cells() []string {
	out := make([]string, cellCount(f.Matrix))
	for i := range out {
		out[i] = f.cellName(i)
	}
	return out
}

// cellName names cell i; the last axis runs fastest.
func (f *File) cellName(i int) string {
	if len(f.Matrix) == 0 {
		return ""
	}
	parts := make([]string, len(f.Matrix))
	for a, v := range f.cell(i) {
		parts[a] = f.Matrix[a].Short() + "=" + f.Matrix[a].Values[v]
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// cell gives the index of each axis's value in cell i.
func (f *File) cell(i int) []int {
	out := make([]int, len(f.Matrix))
	for a := len(f.Matrix) - 1; a >= 0; a-- {
		n := len(f.Matrix[a].values)
		out[a], i = i%n, i/n
	}
	return out
}

// Effective is the scenario of one variant with overrides of the form
// path=value applied in order. It starts from Defaults and passes all checks;
// the error is an *Errors.
func (f *File) Effective(variant string, sets []string) (*Scenario, error) {
	var errs document.Problems
	tree := f.laid(f.tree(variant, &errs), sets, &errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	s, d := f.decode(tree, &errs)
	if len(errs.List) == 0 {
		f.check(s, d)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	s.trim()
	return s, nil
}

// Locate is an error about the value at a path of a variant, such as work[2],
// with its place: for what only a run can find out. The message may end in what
// to do. It is an *Errors.
func (f *File) Locate(variant string, sets []string, path, msg string) error {
	var errs document.Problems
	tree := f.laid(f.tree(variant, &errs), sets, &errs)
	if err := errs.Err(); err != nil {
		return err
	}
	_, d := f.decode(tree, &errs)
	what, hint := splitHint(msg)
	errs.List = nil
	errs.Add(d.Where(path), hint, "%s", what)
	return errs.Err()
}

// tree is the file's base with a variant and its cell laid over it.
func (f *File) tree(variant string, errs *document.Problems) *document.Node {
	plain, _, _ := strings.Cut(variant, "[")
	out := f.base
	if plain != "" || len(f.variants) > 0 {
		i := slices.IndexFunc(f.variants, func(v document.Pair) bool { return v.Key == plain })
		if i < 0 {
			errs.Add(f.src.At(1, 1), document.DidYouMeanOr(variant, f.VariantNames()), "no variant %q", variant)
			return nil
		}
		out = f.without(f.over(out, f.variants[i].Val, errs), plain)
	}
	for i, c := range f.Cells() {
		if plain+c == variant {
			return f.overlayCell(out, i, errs)
		}
	}
	errs.Add(f.src.At(1, 1), document.DidYouMeanOr(variant, f.VariantNames()), "no variant %q", variant)
	return nil
}

func (f *File) overlayCell(tree *document.Node, i int, errs *document.Problems) *document.Node {
	for a, v := range f.cell(i) {
		axis := f.Matrix[a]
		if next := f.set(tree, axis.Path, axis.values[v], axis.pos, errs); next != nil {
			tree = next
		}
	}
	return tree
}

// laid is a tree with arguments laid over it in order; nil after an error.
func (f *File) laid(tree *document.Node, sets []string, errs *document.Problems) *document.Node {
	for _, set := range sets {
		if tree != nil {
			tree = f.applySet(tree, set, errs)
		}
	}
	return tree
}

// applySet lays one path=value argument over a tree.
func (f *File) applySet(tree *document.Node, arg string, errs *document.Problems) *document.Node {
	src := document.NewSource("--set", arg)
	start := src.At(1, 1)
	path, text, ok := strings.Cut(arg, "=")
	if !ok || path == "" {
		errs.Add(start, "such as --set model.prompting=lazy", "%q is not path=value", arg)
		return nil
	}
	if strings.TrimSpace(text) == "" {
		errs.Add(start.Right(len([]rune(arg))), `"" is an empty text, null the default`, "%s has no value", path)
		return nil
	}
	if key, _ := document.CutPath(path); key == "expect" {
		errs.Add(start, "write them under expect: in the file", "--set gives no expectations: they are of the file, not of a variant")
		return nil
	}
	val, bad := limits.Parse(document.NewSource("--set", text), text)
	if bad != nil {
		errs.Add(start.Right(len([]rune(path))+1), "a value as it would stand in the file", "%s", bad.Msg)
		return nil
	}
	val = relocate(val, src, len([]rune(path))+1)
	return f.set(tree, path, val, start, errs)
}

// relocate moves the places of a value to where it stands in the argument.
func relocate(n *document.Node, src *document.Source, shift int) *document.Node {
	out := *n
	out.Pos = moved(n.Pos, src, shift)
	out.Pairs = append([]document.Pair(nil), n.Pairs...)
	for i, p := range out.Pairs {
		out.Pairs[i] = document.Pair{Key: p.Key, Pos: moved(p.Pos, src, shift), Val: relocate(p.Val, src, shift)}
	}
	out.Items = append([]*document.Node(nil), n.Items...)
	for i, it := range out.Items {
		out.Items[i] = relocate(it, src, shift)
	}
	return &out
}

func moved(p document.Pos, src *document.Source, shift int) document.Pos {
	if p.Line == 1 {
		p.Col += shift
	}
	return src.At(p.Line, p.Col)
}
