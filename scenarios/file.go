package scenarios

import (
	"strings"

	"agentsim/scenarios/document"
	"agentsim/scenarios/expect"
	"agentsim/sim/recording/profile"
)

// File is a scenario file: one scenario and the variants, grid and sweep that
// are made of it.
type File struct {
	Path   string   // as given to Parse
	Name   string   // of the scenario
	Why    string   // why it exists
	LookAt []string // what to look at
	Matrix []Axis
	Sweep  []Axis // a second dimension that a sweep runs over; run leaves it alone
	Expect []*expect.Line

	size     int // bytes of the text
	src      *document.Source
	base     *document.Node
	variants []document.Pair
	compared []string // the structures that compare makes variants of
	foreign  bool
	sets     []string                          // overrides that it is read for
	defined  bool                              // agents are defined beside the scenario and its project
	dir      *projectFiles                     // the foreign ones; nil where they are not known
	read     func(path string) ([]byte, error) // of the files beside it; nil without any
	beside   map[string]string                 // what has been read of them
	profiles map[string]*profile.Profile       // by name or path
	taken    map[string]*profile.Profile       // that figures came from, by Profile.taken
	unread   map[string][]section              // what nothing reads of a variant, by its name with its cell
	teamless map[string]*teamless              // tools that roots name and teams alone have, by name
}

// Option changes how a file is read and checked.
type Option func(*File)

// ForeignProject says that the scenario runs on files which are not its own, so
// that its paths, globs and lines are not held against its own ones.
func ForeignProject(f *File) { f.foreign = true }

// Defining says that agents are defined beside the scenario and its project, so that it
// may name types that are not known here.
func Defining(f *File) { f.defined = true }

// Setting gives the overrides that the scenario is run with: what they mend is no mistake
// of its own.
func Setting(sets []string) Option {
	return func(f *File) { f.sets = sets }
}

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

	pos    document.Pos
	values []*document.Node
}

// Short is the last step of the axis's path, by which cells are named.
func (a Axis) Short() string { return a.Path[strings.LastIndexByte(a.Path, '.')+1:] }

// fileKeys are the keys of a file that are no part of its scenario.
var fileKeys = []string{"compare", "variants", "matrix", "sweep"}

// Limits on what one file may ask for.
const (
	MaxVariants = 64       // variants of a file
	MaxCells    = 1024     // variants times cells of the matrix
	MaxWork     = 16 << 20 // bytes of the file times cells, which is what checking costs
)

// Parse reads and checks a scenario file with every variant in it. The error is
// an *Errors.
func Parse(filename string, src []byte, opts ...Option) (*File, error) {
	text := strings.ReplaceAll(string(src), "\r\n", "\n")
	f := &File{Path: filename, size: len(text), src: document.NewSource(filename, text), beside: map[string]string{}, unread: map[string][]section{}}
	for _, set := range opts {
		set(f)
	}
	var errs document.Problems
	bounds := *limits
	if f.foreign {
		bounds.Bytes = MaxOnDirectory
	}
	root, bad := bounds.Parse(f.src, text)
	if bad != nil {
		errs.List = append(errs.List, bad)
		return nil, errs.Err()
	}
	if root.Kind != document.Map {
		errs.Add(root.Pos, "a scenario begins with agentsim: 1", "a scenario is a mapping, not %s", root.Kind)
		return nil, errs.Err()
	}
	if f.version(root, &errs); len(errs.List) > 0 {
		return nil, errs.Err()
	}
	f.split(root, &errs)
	f.head(&errs)
	if len(errs.List) == 0 {
		checkOverridden(f, &errs)
	}
	if len(errs.List) == 0 {
		f.checkUnread(&errs)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// ProjectOf is what a scenario's text says of its project's directory and heads, ""
// for nothing, before anything in it is checked.
func ProjectOf(src []byte) (directory, heads string) {
	bounds := *limits
	bounds.Bytes = MaxOnDirectory
	text := strings.ReplaceAll(string(src), "\r\n", "\n")
	root, bad := bounds.Parse(document.NewSource("", text), text)
	if bad != nil || root.Get("project") == nil {
		return "", ""
	}
	f := &File{base: &document.Node{Kind: document.Map}}
	for _, p := range root.Pairs {
		if p.Key == "project" {
			f.base.Pairs = append(f.base.Pairs, f.directory(p))
		}
	}
	return f.OfProject("directory"), f.OfProject("heads")
}

// split parts the file's own keys from the scenario's.
func (f *File) split(root *document.Node, errs *document.Problems) {
	d := document.NewDecoder(lang, errs, root.Pos)
	f.base = &document.Node{Kind: document.Map, Pos: root.Pos}
	for _, p := range root.Pairs {
		at := document.Place{Path: p.Key, Ctx: p.Key}
		switch p.Key {
		case "compare":
			f.readCompare(d, p.Val, at)
		case "variants":
			f.readVariants(d, p.Val, at)
		case "matrix":
			f.Matrix = readAxes(d, p.Val, at)
		case "sweep":
			f.Sweep = readAxes(d, p.Val, at)
		case "project":
			f.base.Pairs = append(f.base.Pairs, f.directory(p))
		default:
			f.base.Pairs = append(f.base.Pairs, p)
		}
	}
	f.compare(root)
	structured(f, root, errs)
	f.bound(root, errs)
}

// directory makes `project: DIR` long, and notes that the files of a directory are
// not the scenario's own.
func (f *File) directory(p document.Pair) document.Pair {
	if p.Val.Kind == document.String {
		p.Val = &document.Node{Kind: document.Map, Pos: p.Val.Pos, Pairs: []document.Pair{{Key: "directory", Pos: p.Val.Pos, Val: p.Val}}}
	}
	f.foreign = f.foreign || p.Val.Get("directory") != nil
	return p
}

// OfProject is what the scenario says of its project's directory or heads, "" for
// nothing.
func (f *File) OfProject(key string) string {
	if n := f.base.Get("project").Get(key); n != nil {
		return n.Text
	}
	return ""
}

// Gives reports whether a variant with overrides says something at a path, such as
// provider.model, rather than leave it to the default.
func (f *File) Gives(variant string, sets []string, path string) bool {
	tree := f.laid(f.tree(variant, &document.Problems{}), sets, &document.Problems{})
	for _, key := range strings.Split(path, ".") {
		if tree = tree.Get(key); tree == nil {
			return false
		}
	}
	return true
}

// bound refuses grids that would take long to check.
func (f *File) bound(root *document.Node, errs *document.Problems) {
	n := max(len(f.variants), 1) * cellCount(f.Matrix)
	switch {
	case n > MaxCells:
		errs.Add(f.gridAt(root), "", "variants and matrix make more than %d cells", MaxCells)
	case n > 1 && n*f.size > MaxWork:
		errs.Add(f.gridAt(root), "take axes or text away", "%d cells of a file of %d bytes are too many to check", n, f.size)
	}
}

func (f *File) gridAt(root *document.Node) document.Pos {
	for _, key := range []string{"matrix", "variants"} {
		if n := root.Get(key); n != nil {
			return n.Pos
		}
	}
	return root.Pos
}

func (f *File) readVariants(d *document.Decoder, n *document.Node, at document.Place) {
	if n.Kind != document.Map || len(n.Pairs) == 0 {
		d.WrongType(n, at, "a mapping of names to overrides", variantsHint(n))
		return
	}
	if len(n.Pairs) > MaxVariants {
		d.Fail(n, "a matrix makes grids", "more than %d variants", MaxVariants)
	}
	for _, p := range n.Pairs {
		switch {
		case !isVariantName(p.Key):
			d.Errs.Add(p.Pos, "letters, digits and dashes", "bad variant name %q", p.Key)
		case expect.Reserved(p.Key):
			d.Errs.Add(p.Pos, reservedName, "bad variant name %q", p.Key)
		}
		if p.Val.Kind != document.Map {
			d.WrongType(p.Val, document.Place{Ctx: "variant " + document.Quoted(p.Key)}, "a mapping of what it overrides", "{} overrides nothing")
			continue
		}
		if e := p.Val.Get("expect"); e != nil {
			d.Fail(e, "name the variant there: "+p.Key+".cost < $1", "expect stands at the top of the file, not in a variant")
		}
		f.variants = append(f.variants, p)
	}
}

// reservedName is what is wrong with the name all, or that of a metric.
const reservedName = "another name: in an expectation the word has a meaning of its own"

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

func readAxes(d *document.Decoder, n *document.Node, at document.Place) (out []Axis) {
	if n.Kind != document.Map || len(n.Pairs) == 0 {
		d.WrongType(n, at, "a mapping of paths to lists of values", "such as {model.prompting: [full, lazy]}")
		return nil
	}
	for _, p := range n.Pairs {
		a := Axis{Path: lang.Short(p.Key), pos: p.Pos}
		if p.Val.Kind != document.List || len(p.Val.Items) == 0 || len(p.Val.Items) > MaxCells {
			d.WrongType(p.Val, document.Place{Ctx: at.Ctx + " of " + p.Key}, "a list of values", p.Key+": [full, lazy]")
			continue
		}
		for _, v := range p.Val.Items {
			a.values = append(a.values, v)
			a.Values = append(a.Values, called(v))
		}
		out = append(out, a)
	}
	return out
}

// called is a value in the name of a cell: as it was written where that is a word.
func called(v *document.Node) string {
	if v.Kind == document.String && isVariantName(strings.ReplaceAll(v.Text, ".", "-")) {
		return v.Text
	}
	return document.Flow(v)
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
