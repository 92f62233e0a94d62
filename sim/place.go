package sim

import (
	"path"
	"slices"
	"strings"
)

// foundAtOnce is how many files of an extension a directory may have for one search
// of the Glob tool to find them all.
const foundAtOnce = 90

// chooseDirectory chooses the directory that work on somebody else's project is in, where the
// whole is too large for its files to be found at once, and the files of the extension
// that most of the directory's have. It has at least as many as are needed, else as
// many as any has; which of those that are in no other, the seed draws. There is none
// in a small project.
func (r *run) chooseDirectory(need int) (place string, files []string) {
	all, sizes := map[dirExt]int{}, map[dirExt][]string{}
	large, pickable := false, r.pickable("", sourceFile, sourceFile)
	for _, p := range r.fs.Paths() {
		ext := path.Ext(p)
		_, can := slices.BinarySearch(pickable, p)
		for dir := path.Dir(p); ; dir = path.Dir(dir) {
			k := dirExt{dir, ext}
			all[k]++
			if can {
				sizes[k] = append(sizes[k], p)
			}
			if dir == "." {
				large = large || all[k] > foundAtOnce
				break
			}
		}
	}
	if !large {
		return "", nil
	}
	fits := func(k dirExt) bool { return k.dir != "." && all[k] <= foundAtOnce }
	most := 0
	for k, list := range sizes { // order: the most of all
		if fits(k) {
			most = max(most, min(len(list), need))
		}
	}
	var fit []dirExt
	for k, list := range sizes { // order: sorted below
		if above := (dirExt{path.Dir(k.dir), k.ext}); fits(k) && !fits(above) && len(list) >= most {
			fit = append(fit, k)
		}
	}
	slices.SortFunc(fit, func(x, y dirExt) int { return strings.Compare(x.dir+" "+x.ext, y.dir+" "+y.ext) })
	if len(fit) == 0 {
		return "", nil
	}
	order := make([]int, len(fit))
	r.key.Sub("place").Perm(order)
	k := fit[order[0]]
	return k.dir, sizes[k]
}

// dirExt are the files of an extension below a directory.
type dirExt struct{ dir, ext string }
