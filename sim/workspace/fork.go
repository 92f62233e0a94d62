package workspace

import (
	"maps"
	"slices"
	"strings"

	"agentsim/sim/llm"
)

// family is a tree and those forked from it, which share directories.
type family struct {
	shared []string
	trees  []*FS
}

// Fork is a tree of its own with the files of this one, but at the paths of differ with
// those that at gives, nil for none. It is at dir of the first tree of the family, which
// no other one is at. What the directories of shared hold is in both, and
// what is written there is written in both. Directories without a file are left behind.
func (f *FS) Fork(dir string, differ []string, at func(p string) *File, shared []string) *FS {
	if f.family == nil {
		f.family = &family{shared: shared, trees: []*FS{f}}
	}
	out := f.Copy()
	out.family, out.at = f.family, dir
	for _, p := range differ {
		if !f.family.has(p) {
			out.set(p, at(p))
		}
	}
	f.family.trees = append(f.family.trees, out)
	return out
}

// Copy is a tree with what stands in this one. Nothing that is done in either reaches
// the other.
func (f *FS) Copy() *FS {
	f.lent = true
	return &FS{base: f.base, files: maps.Clone(f.files), paths: f.paths, lent: true, searches: map[Search]*llm.Payload{}, links: maps.Clone(f.links)}
}

// Leave takes a forked tree out of its family: what others write to shared directories
// no longer reaches it.
func (f *FS) Leave() {
	if f.family != nil {
		f.family.trees = slices.DeleteFunc(f.family.trees, func(t *FS) bool { return t == f })
	}
}

// Tree says in which tree of the family an absolute path lies, and where in it, "" for
// the tree's own directory. root is where this one is. ok is false outside of all. What
// they share lies in this one.
func (f *FS) Tree(root, abs string) (t *FS, rel string, ok bool) {
	if rel, ok = Within(root, abs); f.family == nil || ok && f.at != "" {
		return f, rel, ok
	}
	project := strings.TrimSuffix(root, "/"+f.at)
	t = f.family.trees[0]
	rel, ok = Within(project, abs)
	for _, other := range f.family.trees[1:] {
		if in, is := Within(project+"/"+other.at, abs); is {
			t, rel, ok = other, in, is
			break
		}
	}
	if f.family.has(rel) {
		t = f
	}
	return t, rel, ok
}

// Root is where another tree of the family is, where this one is at root.
func (f *FS) Root(root string, t *FS) string {
	return strings.TrimSuffix(strings.TrimSuffix(root, "/"+f.at)+"/"+t.at, "/")
}

// Within is an absolute path as one below a directory, "" for the directory itself.
func Within(dir, abs string) (rel string, ok bool) {
	rest, ok := strings.CutPrefix(abs, dir)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return strings.TrimPrefix(rest, "/"), true
}

// Trees lists the directories of the other trees that are below a directory of this one,
// sorted: those of the first tree of a family.
func (f *FS) Trees(dir string) (dirs []string) {
	if f.family == nil || f.at != "" {
		return nil
	}
	for _, t := range f.family.trees[1:] {
		if _, below := Within("/"+dir, "/"+t.at); below || dir == "" {
			dirs = append(dirs, t.at)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// As is the file under another name, as those have it who see it from elsewhere.
func (f *File) As(name string) *File { return &File{path: name, text: f.text} }

// has reports whether a path lies in a shared directory.
func (m *family) has(p string) bool { return m != nil && Below(m.shared, p) }

// Below reports whether a path is one of some directories or lies below it.
func Below(dirs []string, p string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return p == d || strings.HasPrefix(p, d+"/") })
}

// spread sets what stands at a path of a shared directory in the other trees.
func (f *FS) spread(p string, file *File) {
	if !f.family.has(p) {
		return
	}
	for _, t := range f.family.trees {
		if t != f {
			t.set(p, file)
		}
	}
}

// set makes a file, nil for none, the present one at a path.
func (f *FS) set(p string, file *File) {
	i, found := slices.BinarySearch(f.paths, p)
	if found != (file != nil) {
		f.own()
		if found {
			f.paths = slices.Delete(f.paths, i, i+1)
		} else {
			f.paths = slices.Insert(f.paths, i, p)
		}
	}
	f.files[p] = file
	clear(f.searches)
}
