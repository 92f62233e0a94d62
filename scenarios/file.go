package scenarios

import "strings"

// File is a scenario file: one scenario and the variants, grid and sweep that
// are made of it.
type File struct {
	Path   string   // as given to Parse
	Name   string   // of the scenario
	Why    string   // why it exists
	LookAt []string // what to look at
	Matrix []Axis
	Sweep  []Axis // a second dimension that a sweep runs over; run leaves it alone
	Expect []*Expect

	seeds    []uint64
	size     int // bytes of the text
	src      *source
	base     *node
	variants []pair
	foreign  bool
	dir      *projectFiles                     // the foreign ones; nil where they are not known
	read     func(path string) ([]byte, error) // of the files beside it; nil without any
	beside   map[string]string                 // what has been read of them
}

// Option changes how a file is read and checked.
type Option func(*File)

// ForeignProject says that the scenario runs on files which are not its own, so
// that its paths, globs and lines are not held against its own ones.
func ForeignProject(f *File) { f.foreign = true }

// OnDirectory is ForeignProject with the paths of those files: what the scenario
// names is a file of its own, for which another may stand, or one of them.
func OnDirectory(paths []string) Option {
	return func(f *File) { f.foreign, f.dir = true, filesAt(paths) }
}

// Beside gives the scenario the files beside it, which it may name for quantiles.
// read takes a path that does not leave the scenario's directory, with slashes.
func Beside(read func(path string) ([]byte, error)) Option {
	return func(f *File) { f.read = read }
}

// Axis is one dimension of a grid.
type Axis struct {
	Path   string
	Values []string // as written

	pos    pos
	values []*node
}

// Short is the last step of the axis's path, by which cells are named.
func (a Axis) Short() string { return a.Path[strings.LastIndexByte(a.Path, '.')+1:] }

// fileKeys are the keys of a file that are no part of its scenario.
var fileKeys = []string{"variants", "matrix", "sweep", "seeds"}

// Limits on what one file may ask for.
const (
	MaxVariants = 64   // variants of a file
	MaxCells    = 1024 // variants times cells of the matrix
	MaxSeeds    = 10_000
	MaxWork     = 16 << 20 // bytes of the file times cells, which is what checking costs
)

// Parse reads and checks a scenario file with every variant in it. The error is
// an *Errors.
func Parse(filename string, src []byte, opts ...Option) (*File, error) {
	text := strings.ReplaceAll(string(src), "\r\n", "\n")
	f := &File{Path: filename, size: len(text), src: newSource(filename, text), beside: map[string]string{}}
	for _, set := range opts {
		set(f)
	}
	var errs errorList
	root, bad := parseNode(f.src, text)
	if bad != nil {
		errs.list = append(errs.list, bad)
		return nil, errs.err()
	}
	if root.kind != kindMap {
		errs.add(root.pos, "a scenario begins with name:", "a scenario is a mapping, not %s", root.kind)
		return nil, errs.err()
	}
	f.split(root, &errs)
	f.head(&errs)
	if len(errs.list) == 0 {
		f.checkAll(&errs)
	}
	if err := errs.err(); err != nil {
		return nil, err
	}
	return f, nil
}

// split parts the file's own keys from the scenario's.
func (f *File) split(root *node, errs *errorList) {
	d := newDecoder(errs, root.pos)
	f.base = &node{kind: kindMap, pos: root.pos}
	for _, p := range root.pairs {
		at := place{p.key, p.key}
		switch p.key {
		case "variants":
			f.readVariants(d, p.val, at)
		case "matrix":
			f.Matrix = readAxes(d, p.val, at)
		case "sweep":
			f.Sweep = readAxes(d, p.val, at)
		case "seeds":
			f.readSeeds(d, p.val)
		default:
			f.base.pairs = append(f.base.pairs, p)
		}
	}
	if f.seeds != nil && f.base.get("seed") != nil {
		errs.add(f.base.get("seed").pos, "keep seeds", "both seed and seeds are given")
	}
	f.bound(root, errs)
}

// bound refuses grids that would take long to check.
func (f *File) bound(root *node, errs *errorList) {
	n := max(len(f.variants), 1) * cellCount(f.Matrix)
	switch {
	case n > MaxCells:
		errs.add(f.gridAt(root), "", "variants and matrix make more than %d cells", MaxCells)
	case n > 1 && n*f.size > MaxWork:
		errs.add(f.gridAt(root), "take axes or text away", "%d cells of a file of %d bytes are too many to check", n, f.size)
	}
}

func (f *File) gridAt(root *node) pos {
	for _, key := range []string{"matrix", "variants"} {
		if n := root.get(key); n != nil {
			return n.pos
		}
	}
	return root.pos
}

// variantsHint shows the form of variants, with the names that are given.
func variantsHint(n *node) string {
	var out []string
	for _, it := range n.items {
		switch {
		case it.text == "fork":
			out = append(out, "fork: {strategy: fork, gates: {"+forkGate+": true}}")
		case contains(strategies, it.text):
			out = append(out, it.text+": {strategy: "+it.text+"}")
		}
	}
	if len(out) == 0 || len(out) < len(n.items) {
		return "such as {lazy: {model: {prompting: lazy}}}"
	}
	return "{" + strings.Join(out, ", ") + "}"
}

func (f *File) readVariants(d *decoder, n *node, at place) {
	if n.kind != kindMap || len(n.pairs) == 0 {
		d.wrongType(n, at, "a mapping of names to overrides", variantsHint(n))
		return
	}
	if len(n.pairs) > MaxVariants {
		d.fail(n, "a matrix makes grids", "more than %d variants", MaxVariants)
	}
	for _, p := range n.pairs {
		if !isVariantName(p.key) {
			d.errs.add(p.pos, "letters, digits and dashes", "bad variant name %q", p.key)
		}
		if p.val.kind != kindMap {
			d.wrongType(p.val, place{ctx: "variant " + quoted(p.key)}, "a mapping of what it overrides", "{} overrides nothing")
			continue
		}
		if e := p.val.get("expect"); e != nil {
			d.fail(e, `name the variant there: "`+p.key+`: cost < $1"`, "expect stands at the top of the file, not in a variant")
		}
		f.variants = append(f.variants, p)
	}
}

// isVariantName tells whether an expectation can name it: letters, digits,
// dashes and underscores.
func isVariantName(s string) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func readAxes(d *decoder, n *node, at place) (out []Axis) {
	if n.kind != kindList || len(n.items) == 0 {
		d.wrongType(n, at, "a list of axes", "such as [{path: model.prompting, values: [full, lazy]}]")
		return nil
	}
	for i, it := range n.items {
		ctx := place{ctx: at.ctx + " axis " + itoa(i+1)}
		a := Axis{pos: it.pos}
		if it.kind != kindMap {
			d.wrongType(it, ctx, "a mapping", "{path: …, values: […]}")
			continue
		}
		for _, p := range it.pairs {
			readAxisKey(d, p, &a, ctx)
		}
		if a.Path == "" || len(a.values) == 0 {
			d.fail(it, "{path: …, values: […]}", "%s needs a path and values", ctx.ctx)
			continue
		}
		out = append(out, a)
	}
	return out
}

func readAxisKey(d *decoder, p pair, a *Axis, ctx place) {
	switch p.key {
	case "path":
		a.Path, a.pos = d.str(p.val, place{ctx: "path of " + ctx.ctx}), p.val.pos
	case "values":
		if p.val.kind != kindList || len(p.val.items) > MaxCells {
			d.wrongType(p.val, place{ctx: "values of " + ctx.ctx}, "a list", "")
			return
		}
		for _, v := range p.val.items {
			a.values = append(a.values, v)
			a.Values = append(a.Values, flow(v))
		}
	default:
		d.errs.add(p.pos, didYouMeanOr(p.key, []string{"path", "values"}), "unknown key %q in %s", p.key, ctx.ctx)
	}
}

func (f *File) readSeeds(d *decoder, n *node) {
	if n.kind != kindList || len(n.items) == 0 || len(n.items) > MaxSeeds {
		d.fail(n, "such as [42, 43]", "seeds is a list of at least one and at most %d numbers", MaxSeeds)
		return
	}
	f.seeds = []uint64{}
	for _, it := range n.items {
		f.seeds = append(f.seeds, d.unsigned(it, place{ctx: "a seed"}))
	}
}

func cellCount(axes []Axis) int {
	n := 1
	for _, a := range axes {
		if n = n * len(a.values); n > MaxCells {
			return MaxCells + 1
		}
	}
	return n
}
