package sim

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/rng"
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
// which the scenario names itself, with the same extension where there are, and
// none that is in front of agents. Which file, is drawn by the seed. A fact's
// line is folded into the file's length. A project that holds every path is left
// as it is. Of one in which a search does not find all files at once the work is in
// one directory, which the user names. A project whose files are all in front of its
// agents is an error: there is nothing to work on.
func (r *run) rebind() error {
	missing := r.missingPaths()
	if len(missing) == 0 {
		return nil
	}
	named := r.namedPaths()
	if place, files := r.chooseDirectory(len(named)); place != "" {
		r.within, r.stands = place, map[string]string{}
		r.draw(named, place, files, true, map[string]bool{}, r.stands)
		r.draw(named, place, files, false, map[string]bool{}, r.stands)
	} else {
		r.stands = r.assign(missing)
	}
	if len(r.stands) == 0 {
		return &ScenarioError{"project", fmt.Errorf("no file of the project can be worked on: all of it is in front of agents, or longer than one read shows")}
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
	return nil
}

// Stands are the paths of a run's scenario that its project does not have, each with the
// file of the project that it stands for; nil where the project is the scenario's own.
func (s *Spec) Stands() map[string]string {
	r := &run{spec: s, scenario: s.Scenario, key: rng.Root(s.Seed()), fs: s.Project.Open()}
	if r.rebind() != nil {
		return nil // the run says why
	}
	return r.stands
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

// missingPaths are the named paths that the project does not hold and, where there are
// any, those that are in front of its agents.
func (r *run) missingPaths() []string {
	own := true
	missing := slices.DeleteFunc(r.namedPaths(), func(p string) bool {
		_, ok := r.fs.Stat(p)
		own = own && ok
		return ok && kindOf(r, p) < frontFile
	})
	if own {
		return nil
	}
	return missing
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
// of its own extension while there are any, then one that agents read for what it
// says. Only once all are taken does a file stand for several paths, and only where
// there is nothing else does data, or what nobody reads.
func (r *run) assign(missing []string) map[string]string {
	out, taken := map[string]string{}, map[string]bool{}
	for _, p := range r.namedPaths() {
		taken[p] = true
	}
	byExt := map[string][]string{}
	for _, p := range missing {
		byExt[path.Ext(p)] = append(byExt[path.Ext(p)], p)
	}
	for _, from := range [...]struct {
		free, own  bool
		best, last fileKind
	}{
		{true, true, sourceFile, sourceFile}, {true, true, sideFile, sideFile}, {true, true, dataFile, dataFile},
		{true, false, sourceFile, sourceFile}, {true, false, sideFile, sideFile},
		{false, true, sourceFile, dataFile}, {false, false, sourceFile, sideFile},
		{true, false, dataFile, dataFile}, {false, false, dataFile, dataFile}, {true, false, madeFile, madeFile}, {false, false, madeFile, madeFile},
	} {
		for _, ext := range slices.Sorted(maps.Keys(byExt)) {
			want := ext
			if !from.own {
				want = ""
			}
			r.draw(byExt[ext], ext, r.pickable(want, from.best, from.last), from.free, taken, out)
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

// pickable are the project's files of an extension, "" for any, that agents read no
// less likely than last and no more than best, and that one page of the Read tool can
// hold.
func (r *run) pickable(ext string, best, last fileKind) []string {
	var out []string
	for _, p := range r.fs.Paths() {
		v, _ := r.fs.Stat(p)
		if (ext == "" || path.Ext(p) == ext) && v.Lines > 0 && v.Lines <= pickableLines && v.Bytes <= pickableBytes && best <= kindOf(r, p) && kindOf(r, p) <= last {
			out = append(out, p)
		}
	}
	return out
}
