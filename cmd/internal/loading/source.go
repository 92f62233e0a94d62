package loading

import (
	"path/filepath"
	"strings"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/project"
)

// Source opens what a client reads of a directory: the directory, those that it lies in
// up to its repository's root, what git says, and the user's directory, "" for none.
// done closes it all.
func Source(dir, home string, limits hostdir.Limits) (from project.Source, done func(), err error) {
	var opened []*hostdir.Dir
	done = func() {
		for _, d := range opened {
			_ = d.Close() // it was read only
		}
	}
	open := func(name, called string) *hostdir.Dir {
		if err != nil {
			return nil
		}
		d, failed := hostdir.OpenDir(name)
		if failed != nil {
			err = ui.Failf(ui.Operating, "%s %s: %w", called, name, failed)
			return nil
		}
		opened = append(opened, d)
		return d
	}
	from = project.Source{Dir: open(dir, "project directory"), Name: filepath.ToSlash(filepath.Clean(dir)), Path: hostdir.Real(dir), HomeName: home}
	if home != "" {
		from.Home = open(home, "--home")
	}
	g, failed := hostdir.ReadGit(dir, limits)
	if err == nil && failed != nil {
		err = ui.Failf(ui.Operating, "project directory %s: %w", dir, failed)
	}
	if g != nil {
		from.Git = &project.Git{Branch: g.Branch, Main: g.Main, Status: g.Status, Commits: g.Commits}
		from.Nested = g.Nested
		for n := g.Depth; n > 0; n-- {
			from.Above = append(from.Above, open(filepath.Join(from.Path, strings.Repeat("../", n)), "directory"))
		}
	}
	if err != nil {
		done()
	}
	return from, done, err
}
