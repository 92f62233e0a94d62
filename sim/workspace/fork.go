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
// those that at gives, nil for none. What the directories of shared hold is in both, and
// what is written there is written in both. Directories without a file are left behind.
func (f *FS) Fork(differ []string, at func(p string) *File, shared []string) *FS {
	if f.family == nil {
		f.family = &family{shared: shared, trees: []*FS{f}}
	}
	out := f.Copy()
	out.family = f.family
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
