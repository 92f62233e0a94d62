package scenarios

import (
	"reflect"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agentsim/scenarios/document"
)

// Each makes an item of the work for each group of files, NAME-1, NAME-2, and so
// on. Every other key of the item is each one's.
type Each struct {
	Files string `yaml:"files"` // glob of the project's files, such as pkg/**/*.go; each item reads its own, in the order of their paths
	Count int    `yaml:"count"` // how many of the files, spread evenly over those that match; 0 is all
	Into  int    `yaml:"into"`  // how many items, each with about as many files; instead of by
	By    int    `yaml:"by"`    // how many files one item reads, 1 by default; the last item may have fewer
	As    string `yaml:"as"`    // the items' name: review makes review-1, review-2, …; after: [review] waits for all of them
}

// maxEach is how many items one each makes.
const maxEach = 1_000

// spreader puts items in the place of those that say each.
type spreader struct {
	*document.Decoder
	file *File
	tree *document.Node
	made map[string][]*document.Node // name → ids of the items
}

// spread is a tree with the items that each makes, the tree itself where nothing
// says each.
func (f *File) spread(tree *document.Node, d *document.Decoder) *document.Node {
	s := spreader{Decoder: d, file: f, tree: tree, made: map[string][]*document.Node{}}
	work := tree.Get("work")
	var items []*document.Node
	for i, it := range work.Elements() {
		if it.Get("each") == nil {
			items = append(items, it)
		} else {
			items = append(items, s.items(it, document.Place{Path: "work[" + itoa(i) + "].each", Ctx: "each"})...)
		}
	}
	if len(s.made) == 0 {
		return tree
	}
	for i, it := range items {
		items[i] = s.named(it, "after")
	}
	if agents := tree.Get("agents"); agents != nil {
		tree = tree.With("agents", s.named(agents, "scope"))
	}
	return tree.With("work", work.Listing(items))
}

// items are those that one each makes.
func (s *spreader) items(it *document.Node, at document.Place) (out []*document.Node) {
	n := it.Get("each")
	var e Each
	before := len(s.Errs.List)
	s.Structure(n, reflect.ValueOf(&e).Elem(), at)
	if len(s.Errs.List) > before {
		return nil
	}
	all := s.files(n, &e)
	for _, files := range e.groups(all) {
		id := text(e.As+"-"+itoa(len(out)+1), n)
		out = append(out, reading(it.With("id", id).With("each", nil), files))
		s.made[e.As] = append(s.made[e.As], id)
	}
	switch id := it.Get("id"); {
	case e.By > 0 && e.Into > 0:
		s.Fail(n.Get("into"), "by says how many files one item reads, into how many items there are", "each has both by and into")
	case id != nil:
		s.Fail(id, "each: {as: "+id.Text+", …}", "each names its items itself")
	case e.As == "":
		s.Fail(n, "as: review makes review-1, review-2, …", "each does not say what its items are called")
	case len(out) > maxEach:
		s.Fail(n, "by: "+itoa((len(all)+maxEach-1)/maxEach), "each makes %d items, more than %d", len(out), maxEach)
	}
	return out
}

// groups are the files of each item.
func (e *Each) groups(files []*document.Node) (out [][]*document.Node) {
	if n := min(e.Into, len(files)); n > 0 {
		for i := range n {
			out = append(out, files[i*len(files)/n:(i+1)*len(files)/n])
		}
		return out
	}
	return slices.Collect(slices.Chunk(files, max(e.By, 1)))
}

// files are the project's files that an each means.
func (s *spreader) files(n *document.Node, e *Each) (out []*document.Node) {
	have := s.file.dir
	if have == nil {
		own := Scenario{}
		quiet := document.NewDecoder(lang, &document.Problems{}, n.Pos)
		if files := s.tree.Get("project").Get("files"); files != nil {
			quiet.Value(files, reflect.ValueOf(&own.Project.Files).Elem(), document.Place{})
		}
		have = filesOf(&own)
	}
	switch {
	case e.Files == "":
		s.Fail(n, `files: "pkg/**/*.go"`, "each does not say for which files")
		return nil
	case !doublestar.ValidatePattern(e.Files):
		s.Fail(n.Get("files"), "such as internal/**/*.go", "bad glob %q", e.Files)
		return nil
	case halfStars(e.Files):
		s.Fail(n.Get("files"), wholeStars, "glob %q has ** beside other characters, where it means *", e.Files)
		return nil
	}
	for _, p := range have.sorted {
		if doublestar.MatchUnvalidated(e.Files, p) {
			out = append(out, text(p, n))
		}
	}
	switch {
	case len(out) == 0:
		hint := "the files are " + someOf(have.sorted)
		if len(have.sorted) == 0 {
			hint = takesDirectory
		}
		s.Fail(n.Get("files"), hint, "glob %q matches no file", e.Files)
	case e.Count < 0 || e.Count > len(out):
		s.Fail(n.Get("count"), "at most "+itoa(len(out)), "each takes %d files, and glob %q matches %d", e.Count, e.Files, len(out))
		return nil
	case e.Count > 0:
		for i := range e.Count {
			out[i] = out[i*len(out)/e.Count]
		}
		out = out[:e.Count]
	}
	if e.By == 0 && e.Into > len(out) && len(out) > 0 {
		s.Fail(n.Get("into"), "at most "+itoa(len(out)), "each makes %d items of %s", e.Into, document.Counted(len(out), "file"))
		return nil
	}
	return out
}

const wholeStars = "** stands for directories where it is a whole step: pkg/**/*.go"

// halfStars reports whether ** is a part of a step, where it means no more than *.
func halfStars(glob string) bool {
	return slices.ContainsFunc(strings.Split(glob, "/"), func(step string) bool { return step != "**" && strings.Contains(step, "**") })
}

// reading is an item that reads files besides what it says itself.
func reading(it *document.Node, files []*document.Node) *document.Node {
	list := it.Get("reads")
	if list != nil && list.Kind != document.List {
		return it // told when it is decoded
	}
	return it.With("reads", it.Listing(slices.Concat(list.Elements(), files)))
}

// named is a mapping in whose list of names that of an each means all its items.
func (s *spreader) named(n *document.Node, key string) *document.Node {
	list := n.Get(key)
	if list == nil || list.Kind != document.List {
		return n
	}
	var out []*document.Node
	for _, name := range list.Items {
		if s.made[name.Text] == nil {
			out = append(out, name)
		}
		for _, id := range s.made[name.Text] {
			out = append(out, text(id.Text, name))
		}
	}
	return n.With(key, list.Listing(out))
}

// text is a text in the place of a node.
func text(s string, at *document.Node) *document.Node {
	return &document.Node{Kind: document.String, Text: s, Pos: at.Pos}
}

// set lays a value over that at a path, which may name an item that each makes.
func (f *File) set(tree *document.Node, path string, val *document.Node, at document.Pos, errs *document.Problems) *document.Node {
	var quiet document.Problems
	if out := lang.SetPath(tree, scenarioType, path, val, at, &quiet); out != nil && len(quiet.List) == 0 {
		return out
	}
	tree = f.spread(tree, document.NewDecoder(lang, &document.Problems{}, at))
	return lang.SetPath(tree, scenarioType, path, val, at, errs)
}

// scope holds the scope against the work.
func (c *checker) scope() {
	var ids []string
	known, seen := map[string]bool{}, map[string]bool{}
	for _, it := range c.s.Work {
		ids = append(ids, it.ID)
		known[it.ID] = true
	}
	for i, id := range c.s.Scope {
		path := "scope[" + itoa(i) + "]"
		if len(ids) > 0 && !known[id] && !c.Errs.Full() {
			c.bad(path, document.DidYouMeanOr(id, ids), "the scope names %q, which is no work item", id)
		}
		if seen[id] {
			c.bad(path, "", "the scope names %q twice", id)
		}
		seen[id] = true
	}
}

// narrow leaves the items of the scope and forgets the scope, so that a scenario
// has one meaning and one text.
func (s *Scenario) narrow() {
	if len(s.Scope) == 0 {
		return
	}
	out := func(id string) bool { return !slices.Contains(s.Scope, id) }
	s.Work = slices.DeleteFunc(slices.Clone(s.Work), func(it Item) bool { return out(it.ID) })
	for i := range s.Work {
		s.Work[i].After = slices.DeleteFunc(slices.Clone(s.Work[i].After), out)
	}
	s.Scope = nil
}
