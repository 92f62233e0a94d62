package workspace

import (
	"iter"
	"slices"
	"strings"
)

// HasDir reports whether there is such a directory: any file stands below it, or
// another tree, or it was made; "" is the project itself.
func (f *FS) HasDir(dir string) bool {
	if dir == "" || dir == "." {
		return true
	}
	_, made := slices.BinarySearch(f.dirs, dir)
	return made || len(below(f.paths, dir)) > 0 || len(below(f.dirs, dir)) > 0 || len(f.Trees(dir)) > 0
}

// FilesBelow lists the files below a directory, sorted; "" is the project. The
// slice is good until the next write.
func (f *FS) FilesBelow(dir string) []string { return below(f.paths, dir) }

// DirsBelow lists a directory and those below it that MakeDir made, sorted; "" is
// the project.
func (f *FS) DirsBelow(dir string) []string {
	out := slices.Clone(below(f.dirs, dir))
	if _, made := slices.BinarySearch(f.dirs, dir); made {
		out = slices.Insert(out, 0, dir)
	}
	return out
}

// Size is the number of files and of directories that MakeDir made.
func (f *FS) Size() int { return len(f.paths) + len(f.dirs) }

// below is the part of a sorted list that lies below a directory.
func below(sorted []string, dir string) []string {
	if dir == "" {
		return sorted
	}
	from, _ := slices.BinarySearch(sorted, dir+"/")
	to, _ := slices.BinarySearch(sorted[from:], dir+afterSlash)
	return sorted[from : from+to]
}

// afterSlash is the character behind the slash: it sorts behind everything below.
const afterSlash = "0"

// Children gives the names in a directory and which are directories, each in a
// time that does not depend on what is below it. They come in three sorted parts,
// and a directory may be in all.
func (f *FS) Children(dir string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		if children(below(f.paths, dir), dir, false, yield) {
			_ = children(below(f.dirs, dir), dir, true, yield) && children(below(f.Trees(dir), dir), dir, true, yield)
		}
	}
}

// children gives the names of one part; false when no more are wanted.
func children(in []string, dir string, dirs bool, yield func(string, bool) bool) bool {
	skip := len(dir)
	if dir != "" {
		skip++
	}
	for len(in) > 0 {
		name, _, deeper := strings.Cut(in[0][skip:], "/")
		if !yield(name, dirs || deeper) {
			return false
		}
		past := 1
		if deeper {
			past, _ = slices.BinarySearch(in, in[0][:skip+len(name)]+afterSlash)
		}
		in = in[past:]
	}
	return true
}
