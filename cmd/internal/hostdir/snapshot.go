package hostdir

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// commits is how many commits a client shows.
const commits = "5"

// Git is what git says of a directory now.
type Git struct {
	Branch, Main    string // "" where there is none
	Status, Commits []string

	Depth  int      // of the directory below the root of its work tree
	Nested []string // memory files of directories below it
}

// ReadGit asks git about a directory; nil outside a repository. Files of this
// program's are not in the status.
func ReadGit(dir string, limits Limits) (*Git, error) {
	root, err := realDir(dir)
	if err != nil {
		return nil, err
	}
	l := limits.filled()
	listed, err := l.gitFiles(root)
	if err != nil || listed == nil {
		return nil, err
	}
	ask := func(args ...string) string {
		out, err := l.git(root, args...)
		if err != nil {
			return "" // nothing is checked out, or there is no such branch
		}
		return strings.TrimRight(string(out), "\n")
	}
	l.settings = withoutFilters(ask)
	g := &Git{Branch: ask("branch", "--show-current"), Main: mainBranch(ask), Depth: strings.Count(ask("rev-parse", "--show-prefix"), "/")}
	for _, f := range listed.files {
		if strings.HasSuffix(f, "/CLAUDE.md") && !strings.HasPrefix(f, ".claude/") {
			g.Nested = append(g.Nested, f)
		}
	}
	if g.Status, err = l.status(filepath.Join(root, strings.Repeat("../", g.Depth))); err != nil {
		return nil, err
	}
	if text := ask("log", "--no-show-signature", "-"+commits, "--format=%h %s"); text != "" {
		g.Commits = strings.Split(text, "\n")
	}
	return g, nil
}

// status is git's of the whole work tree at top, but for this program's files.
func (l Limits) status(top string) (out []string, err error) {
	in, err := OpenDir(top)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	said, err := l.git(top, "status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all")
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(strings.TrimRight(string(said), "\x00"), "\x00") {
		if len(line) < 4 {
			continue
		}
		files, fresh := []string{line[3:]}, strings.HasPrefix(line, Untracked)
		if strings.HasSuffix(line, "/") { // a directory of files that git does not know
			below, err := l.git(top, "ls-files", "-z", "--others", "--exclude-standard", "--", line[3:])
			if err != nil {
				return nil, err
			}
			files = strings.Split(strings.TrimRight(string(below), "\x00"), "\x00")
		}
		if slices.ContainsFunc(files, func(f string) bool { return !l.ownIn(in, top, f, fresh) }) {
			out = append(out, line)
		}
	}
	return out, nil
}

// Untracked begins the lines of git's status about what git does not know.
const Untracked = "?? "

// mainBranch is the branch that changes are merged into.
func mainBranch(ask func(...string) string) string {
	if ref := ask("symbolic-ref", "--short", "-q", "refs/remotes/origin/HEAD"); ref != "" {
		return strings.TrimPrefix(ref, "origin/")
	}
	for _, name := range []string{"main", "master"} {
		if ask("rev-parse", "-q", "--verify", "refs/heads/"+name) != "" {
			return name
		}
	}
	return ""
}

// withoutFilters turns off the programs by which a repository's settings have git
// read files: nothing of the project is executed. Variables of the environment do it: on
// a command line the name of a filter would end at a = in it.
func withoutFilters(ask func(...string) string) (out []string) {
	const what = `^filter\..*\.(clean|process|required)$`
	keys := strings.Split(strings.TrimRight(ask("config", "-z", "--name-only", "--get-regexp", what), "\x00"), "\x00")
	if keys[0] == "" {
		return nil
	}
	for i, key := range keys {
		value := ""
		if strings.HasSuffix(key, ".required") {
			value = "false"
		}
		out = append(out, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, value))
	}
	return append(out, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(keys)))
}

// Real is a file's absolute path without links, "" where it is not there.
func Real(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return ""
	}
	return real
}
