package shell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/workspace"
)

// tracked is one path that may differ from the last commit: what that holds there,
// what the next one would, and what stands in the project, each nil for nothing.
type tracked struct {
	path            string
	head, next, now *workspace.File
}

// tracked lists the paths that may differ from the last commit, sorted: those that some
// of names names, or a directory above; all of them where there are no names.
func (c *call) tracked(names []string) (out []tracked) {
	for _, p := range c.m.env.Repo.touched() {
		if c.m.charge(entryWork) && c.under(names, p) {
			out = append(out, c.m.env.Repo.track(p))
		}
	}
	return out
}

// staged lists what the next commit changes.
func (c *call) staged() []tracked {
	return slices.DeleteFunc(c.tracked(nil), func(t tracked) bool { return change(t.head, t.next) == ' ' })
}

func content(f *workspace.File) string {
	if f == nil {
		return ""
	}
	return f.Content()
}

// change is the letter of a change.
func change(from, to *workspace.File) byte {
	switch {
	case from == to || from != nil && to != nil && from.Version() == to.Version():
		return ' '
	case from == nil:
		return 'A'
	case to == nil:
		return 'D'
	}
	return 'M'
}

func gitCommands() map[string]command {
	return map[string]command{"status": {gitStatus, true}, "diff": {gitDiff, true}, "log": {gitLog, true}, "add": {gitAdd, false}, "commit": {gitCommit, false},
		"show": {gitShow, true}, "blame": {gitOlder, true}, "merge": {gitMerge, false}, "branch": {gitBranch, false}}
}

// runGit runs a command of git, on this run's changes; what came before them is the
// world's to draw.
func runGit(c *call) int {
	if len(c.args) == 0 {
		return c.complain(1, "give a command")
	}
	sub, ok := gitCommands()[c.args[0]]
	if !ok {
		c.m.unknown.add("git " + brief(c.args[0]))
		return c.complain(1, c.args[0]+" is not available in this shell")
	}
	if !c.m.charge(entryWork * len(c.m.env.FS.Log())) {
		return 1
	}
	if c.m.env.Repo.open(c.m.env.FS); c.m.env.Repo.None {
		return c.complain(128, "not a git repository (or any of the parent directories): .git")
	}
	c.name, c.args = "git "+c.args[0], c.args[1:]
	return c.inTree(sub)
}

// inTree runs a command of git in the worktree in which the shell is. In another one
// than its own it only looks.
func (c *call) inTree(sub command) int {
	t, _, ok := c.m.find(c.m.dir)
	if !ok || t.fs == c.m.env.FS || t.temp {
		return sub.run(c)
	}
	if !sub.reads {
		return c.complain(1, "this is another worktree, which this shell only looks at: cd "+c.m.env.Root+" first")
	}
	own := c.m.env
	defer func() { c.m.env = own }()
	there := *own
	there.FS, there.Repo, there.Root = t.fs, own.Repo.of(t.fs), own.FS.Root(own.Root, t.fs)
	c.m.env = &there
	return sub.run(c)
}

// gitOlder looks at what was committed before the run.
func gitOlder(c *call) int {
	if c.m.env.Drawn == nil {
		name := ""
		c.m.unknown.add(c.name)
		c.name, name, _ = strings.Cut(c.name, " ")
		return c.complain(1, name+" is not available in this shell")
	}
	return c.older()
}

// older prints what is drawn of what came before the run, nothing where nothing is.
func (c *call) older() int {
	if c.m.env.Drawn == nil || c.m.outside(c.streams, "", 0) {
		return 0
	}
	return c.m.status
}

func gitStatus(c *call) int {
	f, _, ok := c.options("short s porcelain")
	if !ok {
		return 129
	}
	x := c.standing()
	if len(f) == 0 {
		c.out.put(x.long(c.m.env.Repo))
		return 0
	}
	for _, line := range x.short {
		c.out.put(line + "\n")
	}
	for _, p := range x.untracked {
		c.out.put("?? " + p + "\n")
	}
	return 0
}

func gitDiff(c *call) int {
	c.cutPaths()
	f, names, ok := c.options("cached staged stat name-only")
	if !ok {
		return 129
	}
	r, ok := c.revisions(names)
	switch staged := f.has("cached") || f.has("staged"); {
	case !ok:
		return 128
	case r.older: // the tree's own changes are known, and are among those
		if r.dots == "" {
			c.diffIndex(f, staged, r.paths)
		}
		return c.older()
	case len(r.with)+len(r.without) > 2 || staged && len(r.with) > 0 && r.with[0] != c.m.env.Repo.head:
		return c.complain(129, "this shell's git diff takes two revisions at most, and none but HEAD with --cached")
	case len(r.with) == 2:
		c.diffCommits(f, r.with[0], r.with[1], r.paths)
	case r.dots != "":
		from := r.without[0]
		if r.dots == "..." {
			from = from.base(r.with[0])
		}
		c.diffCommits(f, from, r.with[0], r.paths)
	case len(r.with) == 1 && !staged:
		c.diffTree(f, r.with[0], r.paths)
	default:
		c.diffIndex(f, staged, r.paths)
	}
	return 0
}

// diffIndex shows what stands in the tree otherwise than in the index, or, staged, in
// the index otherwise than in the head. What was never added is not tracked.
func (c *call) diffIndex(f flags, staged bool, names []string) {
	for _, t := range c.tracked(names) {
		from, to := t.next, t.now
		if staged {
			from, to = t.head, t.next
		}
		if change(from, to) != ' ' && (from != nil || staged) {
			c.showChange(f, t.path, from, to)
		}
	}
	c.showStat()
}

func (c *call) showChange(f flags, p string, from, to *workspace.File) {
	switch {
	case !c.m.charge(16 * (len(content(from)) + len(content(to)))):
	case f.has("name-only"):
		c.out.put(p + "\n")
	case f.has("stat"):
		c.deltas = append(c.deltas, newDelta(p, from, to))
	default:
		c.out.put(patch(p, from, to))
	}
}

// showStat prints what showChange has collected for --stat.
func (c *call) showStat() {
	c.out.put(stat(c.deltas))
	c.deltas = nil
}

func sideName(side, p string, f *workspace.File) string {
	if f == nil {
		return nullDevice
	}
	return side + p
}

func gitLog(c *call) int {
	c.cutPaths()
	f, names, ok := c.options("n: oneline")
	if !ok {
		return 129
	}
	most, err := strconv.Atoi(f["n"])
	if err != nil && f.has("n") {
		return c.complain(129, "invalid number "+f["n"])
	}
	r, ok := c.revisions(names)
	switch {
	case !ok:
		return 128
	case r.older:
		return c.older()
	case c.m.env.Repo.head == nil && c.m.env.Drawn == nil:
		return c.fatal("your current branch '" + c.m.env.Repo.Name() + "' does not have any commits yet")
	}
	for i, k := range c.reached(r) {
		first, _, _ := strings.Cut(k.message, "\n")
		switch {
		case f.has("n") && i >= most:
			return 0
		case f.has("oneline"):
			c.out.put(k.hash + " " + first + "\n")
		default:
			c.showCommit(k)
		}
	}
	if r.dots != "" {
		return 0
	}
	return c.older()
}

// showCommit prints the head of a commit.
func (c *call) showCommit(k *commit) {
	c.out.put("commit " + k.hash + "\n\n    " + strings.ReplaceAll(k.message, "\n", "\n    ") + "\n\n")
}

func gitAdd(c *call) int {
	f, names, ok := c.options("A")
	if !ok {
		return 129
	}
	if len(names) == 0 && !f.has("A") {
		c.out.put("Nothing specified, nothing added.\n")
		return 0
	}
	for _, n := range names {
		known := func(t tracked) bool { return t.next != nil }
		if !c.isPath(n) && !slices.ContainsFunc(c.tracked([]string{n}), known) {
			return c.fatal("pathspec '" + n + "' did not match any files")
		}
	}
	for _, t := range c.tracked(names) {
		c.m.stage(&t)
	}
	return 0
}

func (m *machine) stage(t *tracked) {
	m.env.Repo.resolve(t.path)
	if change(t.next, t.now) == ' ' {
		return
	}
	if m.env.Repo.staged == nil {
		m.env.Repo.staged = map[string]*workspace.File{}
	}
	m.env.Repo.staged[t.path], t.next = t.now, t.now
	m.wrote.add("the index")
}

func gitCommit(c *call) int {
	f, rest, ok := c.options("m: a q no-edit")
	if !ok {
		return 129
	}
	repo := c.m.env.Repo
	if !f.has("m") && repo.merging != nil {
		f["m"] = repo.merging.message(repo)
	}
	if !f.has("m") || len(rest) > 0 {
		return c.complain(1, "give a message with -m, and stage files with git add or -a")
	}
	if f.has("a") {
		for _, t := range c.tracked(nil) {
			if t.next != nil {
				c.m.stage(&t)
			}
		}
	}
	staged := c.staged()
	if repo.merging != nil && len(repo.merging.conflicts) > 0 {
		for _, p := range repo.merging.conflicts {
			c.out.put("U\t" + p + "\n")
		}
		c.err.put("error: Committing is not possible because you have unmerged files.\n" + fixThem)
		return c.fatal("Exiting because of an unresolved conflict.")
	}
	if len(staged) == 0 && repo.merging == nil {
		x := c.standing()
		c.out.put(x.long(repo))
		return 1
	}
	var list []delta
	for _, t := range staged {
		if !f.has("q") && repo.merging == nil && c.m.charge(16*(len(content(t.head))+len(content(t.next)))) {
			list = append(list, newDelta(t.path, t.head, t.next))
		}
	}
	first := ""
	if repo.head == nil {
		first = " (root-commit)"
	}
	k := repo.commit(staged, f["m"])
	c.m.wrote.add("commit " + k.hash)
	if !f.has("q") {
		title, _, _ := strings.Cut(k.message, "\n")
		c.out.put(fmt.Sprintf("[%s%s %s] %s\n", repo.Name(), first, k.hash, title) + sums(list) + modes(list))
	}
	return 0
}
