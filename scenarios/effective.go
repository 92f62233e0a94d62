package scenarios

import (
	"strconv"
	"strings"
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

// plainNames are the variants without cells.
func (f *File) plainNames() []string {
	if len(f.variants) == 0 {
		return []string{""}
	}
	out := make([]string, len(f.variants))
	for i, v := range f.variants {
		out[i] = v.key
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
	var errs errorList
	tree := f.tree(variant, &errs)
	for _, s := range sets {
		if tree != nil {
			tree = applySet(tree, s, &errs)
		}
	}
	if err := errs.err(); err != nil {
		return nil, err
	}
	s, d := f.decode(tree, &errs)
	if len(errs.list) == 0 {
		f.check(s, d)
	}
	errs.list = dropUnused(errs.list)
	if err := errs.err(); err != nil {
		return nil, err
	}
	s.trim()
	return s, nil
}

// Locate is an error about the value at a path of a variant, such as work[2],
// with its place: for what only a run can find out. The message may end in what
// to do. It is an *Errors.
func (f *File) Locate(variant string, sets []string, path, msg string) error {
	var errs errorList
	tree := f.tree(variant, &errs)
	for _, s := range sets {
		if tree != nil {
			tree = applySet(tree, s, &errs)
		}
	}
	if err := errs.err(); err != nil {
		return err
	}
	_, d := f.decode(tree, &errs)
	what, hint := splitHint(msg)
	errs.list = nil
	errs.add(d.where(path), hint, "%s", what)
	return errs.err()
}

// dropUnused keeps what is wrong in one variant alone: a section that this
// variant does not use may serve another.
func dropUnused(list []*Error) (out []*Error) {
	for _, e := range list {
		if !e.unused {
			out = append(out, e)
		}
	}
	return out
}

// tree is the file's base with a variant and its cell laid over it.
func (f *File) tree(variant string, errs *errorList) *node {
	plain, _, _ := strings.Cut(variant, "[")
	out := f.base
	if plain != "" || len(f.variants) > 0 {
		v, ok := f.variant(plain)
		if !ok {
			errs.add(pos{f.src, 1, 1}, didYouMeanOr(variant, f.VariantNames()), "no variant %q", variant)
			return nil
		}
		out = overlay(out, v, scenarioType, errs)
	}
	for i, c := range f.Cells() {
		if plain+c == variant {
			return f.overlayCell(out, i, errs)
		}
	}
	errs.add(pos{f.src, 1, 1}, didYouMeanOr(variant, f.VariantNames()), "no variant %q", variant)
	return nil
}

func (f *File) variant(name string) (*node, bool) {
	for _, v := range f.variants {
		if v.key == name {
			return v.val, true
		}
	}
	return nil, false
}

func (f *File) overlayCell(tree *node, i int, errs *errorList) *node {
	for a, v := range f.cell(i) {
		axis := f.Matrix[a]
		if next := setPath(tree, scenarioType, axis.Path, axis.values[v], axis.pos, errs); next != nil {
			tree = next
		}
	}
	return tree
}

// applySet lays one path=value argument over a tree.
func applySet(tree *node, arg string, errs *errorList) *node {
	src := newSource("--set", arg)
	start := pos{src, 1, 1}
	path, text, ok := strings.Cut(arg, "=")
	if !ok || path == "" {
		errs.add(start, "such as --set model.prompting=lazy", "%q is not path=value", arg)
		return nil
	}
	if strings.TrimSpace(text) == "" {
		errs.add(start.right(len([]rune(arg))), `"" is an empty text, null the default`, "%s has no value", path)
		return nil
	}
	if key, _ := cutPath(path); key == "expect" {
		errs.add(start, "write them under expect: in the file", "--set gives no expectations: they are of the file, not of a variant")
		return nil
	}
	val, bad := parseNode(newSource("--set", text), text)
	if bad != nil {
		errs.add(start.right(len([]rune(path))+1), "a value as it would stand in the file", "%s", bad.Msg)
		return nil
	}
	val = relocate(val, src, len([]rune(path))+1)
	return setPath(tree, scenarioType, path, val, start, errs)
}

// relocate moves the places of a value to where it stands in the argument.
func relocate(n *node, src *source, shift int) *node {
	out := *n
	out.pos = moved(n.pos, src, shift)
	out.pairs = append([]pair(nil), n.pairs...)
	for i, p := range out.pairs {
		out.pairs[i] = pair{p.key, moved(p.pos, src, shift), relocate(p.val, src, shift)}
	}
	out.items = append([]*node(nil), n.items...)
	for i, it := range out.items {
		out.items[i] = relocate(it, src, shift)
	}
	return &out
}

func moved(p pos, src *source, shift int) pos {
	if p.line == 1 {
		p.col += shift
	}
	return pos{src, p.line, p.col}
}
