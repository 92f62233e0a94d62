package sim

import (
	"maps"
	"path"
	"slices"
	"strings"

	"agentsim/scenarios"
)

// pickable bounds the files that a path may come to stand for: one page of the
// Read tool.
const (
	pickableLines = 1500
	pickableBytes = 96 << 10
)

// rebind makes a scenario's work fit a project that is not its own. A path that
// the project does not hold stands for a file of it: equal paths for equal
// files, different ones for different files as long as there are enough, none of
// which the scenario names itself, with the same extension where there are.
// Which file, is drawn by the seed. A fact's
// line is folded into the file's length. A project that holds every path is left
// as it is. Of one in which a search does not find all files at once the work is in
// one directory, which the user names.
func (r *run) rebind() {
	missing := r.missingPaths()
	if len(missing) == 0 {
		return
	}
	named := r.namedPaths()
	if place, files := r.settle(len(named)); place != "" {
		r.within, r.stands = place, map[string]string{}
		r.draw(named, place, files, true, map[string]bool{}, r.stands)
		r.draw(named, place, files, false, map[string]bool{}, r.stands)
	} else {
		r.stands = r.assign(missing)
	}
	sc := *r.spec.Scenario
	sc.Project.Facts = slices.Clone(sc.Project.Facts)
	for i := range sc.Project.Facts {
		f := &sc.Project.Facts[i]
		f.File = r.standsFor(f.File)
		f.Line = r.folded(f.File, f.Line)
	}
	sc.Injections = slices.Clone(sc.Injections)
	for i := range sc.Injections {
		x := &sc.Injections[i]
		x.File = r.standsFor(x.File)
		x.Line = r.folded(x.File, x.Line)
	}
	sc.Work = slices.Clone(sc.Work)
	for i := range sc.Work {
		r.rebindItem(&sc.Work[i])
	}
	r.scenario = &sc
}

// folded is a line number folded into a file's length.
func (r *run) folded(file string, line int) int {
	if v, ok := r.fs.Stat(file); ok && v.Lines > 0 {
		return (line-1)%v.Lines + 1
	}
	return line
}

func (r *run) rebindItem(it *scenarios.Item) {
	if r.within != "" {
		it.About = strings.TrimSpace(strings.TrimSuffix(it.About, ".") + " (in " + r.within + ")")
	}
	it.Reads, it.FoundIn, it.Edits, it.Knows = slices.Clone(it.Reads), slices.Clone(it.FoundIn), slices.Clone(it.Edits), slices.Clone(it.Knows)
	for i := range it.Reads {
		it.Reads[i].Path = r.standsFor(it.Reads[i].Path)
	}
	for i := range it.FoundIn {
		it.FoundIn[i].Path = r.standsFor(it.FoundIn[i].Path)
	}
	for i := range it.Edits {
		it.Edits[i].File.Path = r.standsFor(it.Edits[i].File.Path)
	}
	for i, name := range it.Knows {
		if p, ok := strings.CutPrefix(name, scenarios.SummaryOf); ok {
			it.Knows[i] = scenarios.SummaryOf + r.standsFor(p)
		}
	}
}

func (r *run) standsFor(p string) string {
	if to, ok := r.stands[p]; ok {
		return to
	}
	return p
}

// missingPaths are the named paths that the project does not hold.
func (r *run) missingPaths() []string {
	return slices.DeleteFunc(r.namedPaths(), func(p string) bool {
		_, ok := r.fs.Stat(p)
		return ok
	})
}

// namedPaths are the literal paths of facts and work, sorted.
func (r *run) namedPaths() []string {
	var out []string
	add := func(p string) {
		if p != "" && !scenarios.IsGlob(p) {
			out = append(out, p)
		}
	}
	for _, f := range r.spec.Scenario.Project.Facts {
		add(f.File)
	}
	for _, x := range r.spec.Scenario.Injections {
		add(x.File)
	}
	for _, it := range r.spec.Scenario.Work {
		for _, s := range slices.Concat(it.FoundIn, it.Reads) {
			add(s.Path)
		}
		for _, e := range it.Edits {
			add(e.File.Path)
		}
		for _, name := range it.Knows {
			if p, ok := strings.CutPrefix(name, scenarios.SummaryOf); ok {
				add(p)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// assign gives each missing path a file that nothing else of the scenario uses,
// of its own extension while there are any, then of any; only once all are taken
// does a file stand for several paths.
func (r *run) assign(missing []string) map[string]string {
	out, taken := map[string]string{}, map[string]bool{}
	for _, p := range r.namedPaths() {
		taken[p] = true
	}
	byExt := map[string][]string{}
	for _, p := range missing {
		byExt[path.Ext(p)] = append(byExt[path.Ext(p)], p)
	}
	exts := slices.Sorted(maps.Keys(byExt))
	for _, free := range [...]bool{true, false} {
		for _, own := range [...]bool{true, false} {
			for _, ext := range exts {
				want := ext
				if !own {
					want = ""
				}
				r.draw(byExt[ext], ext, r.pickable(want), free, taken, out)
			}
		}
	}
	return out
}

// draw gives the paths that have no file yet one of files, in an order that the
// seed and their extension decide: free ones alone, or all of them in turn.
func (r *run) draw(paths []string, ext string, files []string, free bool, taken map[string]bool, out map[string]string) {
	if len(files) == 0 {
		return
	}
	order := make([]int, len(files))
	r.key.Sub("project").Sub(ext).Perm(order)
	next := 0
	for _, p := range paths {
		if out[p] != "" {
			continue
		}
		for free && next < len(order) && taken[files[order[next]]] {
			next++
		}
		if free && next == len(order) {
			return
		}
		file := files[order[next%len(order)]]
		out[p], taken[file] = file, true
		next++
	}
}

// pickable are the project's files of an extension, "" for any, that one page
// of the Read tool can hold.
func (r *run) pickable(ext string) []string {
	var out []string
	for _, p := range r.fs.Paths() {
		v, _ := r.fs.Stat(p)
		if (ext == "" || path.Ext(p) == ext) && v.Lines > 0 && v.Lines <= pickableLines && v.Bytes <= pickableBytes {
			out = append(out, p)
		}
	}
	return out
}
