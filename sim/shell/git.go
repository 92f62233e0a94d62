package shell

import (
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"agentsim/sim/workspace"
)

// Repo is the repository of a run's project: what was staged and committed
// since the run began. What stood at its beginning is the commit before. The
// zero value is ready.
type Repo struct {
	commits []commit
	head    map[string]*workspace.File // committed since: what stands there, nil for nothing
	staged  map[string]*workspace.File
}

type commit struct {
	hash, message string
	paths         []string
}

// at is what the last commit holds at a path, nil for nothing.
func (r *Repo) at(fs *workspace.FS, p string) *workspace.File {
	if f, ok := r.head[p]; ok {
		return f
	}
	if f, changed := fs.Origin(p); changed {
		return f
	}
	return fs.File(p)
}

// next is what the next commit would hold at a path.
func (r *Repo) next(fs *workspace.FS, p string) *workspace.File {
	if f, ok := r.staged[p]; ok {
		return f
	}
	return r.at(fs, p)
}

// touched lists the paths that may differ from the last commit, sorted.
func touched(fs *workspace.FS) []string {
	var out []string
	for _, w := range fs.Log() {
		out = append(out, w.Path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func same(a, b *workspace.File) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Version().Hash == b.Version().Hash
}

func content(f *workspace.File) string {
	if f == nil {
		return ""
	}
	return f.Content()
}

// gitEffect reads for what looks, and writes for everything else.
func gitEffect(_ set, args []string) effect {
	args = gitCommand(args)
	if len(args) == 0 {
		return reading
	}
	switch args[0] {
	case "status", "diff", "log", "show", "rev-parse", "ls-files":
		return reading
	case "branch":
		if len(args) == 1 || args[1] == "--show-current" {
			return reading
		}
	}
	return writing
}

// gitCommand cuts off the options before the subcommand that change nothing.
func gitCommand(args []string) []string {
	for len(args) > 0 && (args[0] == "--no-pager" || args[0] == "-P") {
		args = args[1:]
	}
	return args
}

// runGit knows status, diff, log, show, ls-files, branch, rev-parse, add and
// commit, of this run's changes only.
func runGit(c *call) int {
	args := gitCommand(c.args)
	if len(args) == 0 {
		return c.complain(1, "give a command")
	}
	if !c.m.charge(64 * len(c.m.env.FS.Log())) {
		return 1
	}
	sub := args[0]
	c.args, c.name = args[1:], "git "+sub
	switch sub {
	case "status":
		return gitStatus(c)
	case "diff":
		return gitDiff(c)
	case "log":
		return gitLog(c)
	case "show":
		return gitShow(c)
	case "ls-files":
		for _, p := range c.m.env.FS.Paths() {
			if c.m.env.Repo.next(c.m.env.FS, p) != nil {
				c.out.put(p + "\n")
			}
		}
		return 0
	case "branch", "rev-parse":
		return gitBranch(c, sub)
	case "add":
		return gitAdd(c)
	case "commit":
		return gitCommit(c)
	}
	c.name = "git"
	return c.complain(1, sub+" is not available in this shell")
}

func gitBranch(c *call, sub string) int {
	text := "* main\n"
	if sub == "rev-parse" {
		text = c.m.env.Repo.last() + "\n"
		if slices.Contains(c.args, "--abbrev-ref") {
			text = "main\n"
		}
	}
	if slices.Contains(c.args, "--show-current") {
		text = "main\n"
	}
	c.out.put(text)
	return 0
}

// firstCommit is what stands before the run, of which nothing else is known.
const firstCommit = "0000000"

func (r *Repo) last() string {
	if n := len(r.commits); n > 0 {
		return r.commits[n-1].hash
	}
	return firstCommit
}

// change is the letter of a change, 0 for none.
func change(from, to *workspace.File) byte {
	switch {
	case same(from, to):
		return ' '
	case from == nil:
		return 'A'
	case to == nil:
		return 'D'
	}
	return 'M'
}

func gitStatus(c *call) int {
	f, _, ok := c.options("s short=s porcelain=s b branch=b")
	if !ok {
		return 129
	}
	fs, repo := c.m.env.FS, c.m.env.Repo
	var out strings.Builder
	for _, p := range touched(fs) {
		index := change(repo.at(fs, p), repo.next(fs, p))
		tree := change(repo.next(fs, p), fs.File(p))
		if tree == 'A' {
			index, tree = '?', '?'
		}
		if index != ' ' || tree != ' ' {
			out.WriteString(string([]byte{index, tree}) + " " + p + "\n")
		}
	}
	if !f.has("s") {
		c.out.put("On branch main\n")
		if out.Len() == 0 {
			c.out.put("nothing to commit, working tree clean\n")
		}
	}
	c.out.put(out.String())
	return 0
}

func gitDiff(c *call) int {
	f, paths, ok := c.options("cached=s staged=s s stat=t t name-only=n n name-status=n")
	if !ok {
		return 129
	}
	fs, repo := c.m.env.FS, c.m.env.Repo
	for _, p := range touched(fs) {
		if !c.m.chosen(paths, p) || c.m.halted != nil {
			continue
		}
		from, to := repo.next(fs, p), fs.File(p)
		if f.has("s") {
			from, to = repo.at(fs, p), repo.next(fs, p)
		} else if len(paths) > 0 && paths[0] == "HEAD" {
			from = repo.at(fs, p)
		}
		if same(from, to) || from == nil && !f.has("s") {
			continue // what was never added is not tracked
		}
		c.showChange(f, p, from, to)
	}
	return 0
}

// chosen reports whether some path names p or a directory above it.
func (m *machine) chosen(paths []string, p string) bool {
	limited := false
	for _, q := range paths {
		if q == "HEAD" {
			continue
		}
		limited = true
		if _, ok := within(m.absolute(q), m.env.Root+"/"+p); ok {
			return true
		}
	}
	return !limited
}

func (c *call) showChange(f *flags, p string, from, to *workspace.File) {
	switch {
	case f.has("n"):
		c.out.put(p + "\n")
	case f.has("t"):
		added, gone := 0, 0
		for _, h := range c.m.hunks(lines(content(from)), lines(content(to))) {
			added, gone = added+h.b1-h.b0, gone+h.a1-h.a0
		}
		c.out.put(" " + p + " | +" + itoa(added) + " -" + itoa(gone) + "\n")
	default:
		c.out.put("diff --git a/" + p + " b/" + p + "\n" + c.m.unified(sideName("a/", p, from), sideName("b/", p, to), content(from), content(to)))
	}
}

func sideName(side, p string, f *workspace.File) string {
	if f == nil {
		return nullDevice
	}
	return side + p
}

func gitLog(c *call) int {
	if _, _, ok := c.options("n: max-count=n: oneline 1 2 3 4 5 6 7 8 9 0 p stat name-only"); !ok {
		return 129
	}
	repo := c.m.env.Repo
	short := slices.Contains(c.args, "--oneline")
	row := func(hash, message string) {
		if short {
			message, _, _ = strings.Cut(message, "\n")
			c.out.put(hash + " " + message + "\n")
			return
		}
		c.out.put("commit " + hash + "\n\n    " + strings.ReplaceAll(message, "\n", "\n    ") + "\n\n")
	}
	most := len(repo.commits) + 1
	for i, a := range c.args {
		if n, ok := fieldNumber(strings.TrimLeft(a, "-n")); ok && (a[0] == '-' || i > 0 && c.args[i-1] == "-n") {
			most = min(most, n)
		}
	}
	for i := len(repo.commits) - 1; i >= 0 && most > 0; i-- {
		row(repo.commits[i].hash, repo.commits[i].message)
		most--
	}
	if most > 0 {
		row(firstCommit, "the project as it was when the run began")
	}
	return 0
}

func gitShow(c *call) int {
	for _, k := range c.m.env.Repo.commits {
		if len(c.args) > 0 && k.hash == c.args[0] || len(c.args) == 0 && k.hash == c.m.env.Repo.last() {
			c.out.put("commit " + k.hash + "\n\n    " + k.message + "\n\n" + strings.Join(k.paths, "\n") + "\n")
			return 0
		}
	}
	return c.complain(128, "nothing is known of this commit")
}

func gitAdd(c *call) int {
	f, paths, ok := c.options("A all=A u update=u v")
	if !ok {
		return 129
	}
	if len(paths) == 0 && !f.has("A") && !f.has("u") {
		c.out.put("Nothing specified, nothing added.\n")
		return 0
	}
	status := 0
	for _, p := range paths {
		if _, ok := within(c.m.env.Root, c.m.absolute(p)); !ok || !c.m.exists(c.m.absolute(p)) && !c.m.known(p) {
			status = c.complain(128, "pathspec '"+p+"' did not match any files")
		}
	}
	fs := c.m.env.FS
	for _, p := range touched(fs) {
		if status == 0 && c.m.chosen(paths, p) && !(f.has("u") && c.m.env.Repo.next(fs, p) == nil) {
			c.m.stage(p)
		}
	}
	return status
}

// known reports whether something was written at a path in this run.
func (m *machine) known(name string) bool {
	rel, ok := within(m.env.Root, m.absolute(name))
	_, changed := m.env.FS.Origin(rel)
	return ok && changed
}

func (m *machine) stage(p string) {
	fs, repo := m.env.FS, m.env.Repo
	now := fs.File(p)
	if same(repo.next(fs, p), now) {
		return
	}
	if repo.staged == nil {
		repo.staged = map[string]*workspace.File{}
	}
	repo.staged[p] = now
	m.wrote.add("the index")
}

func gitCommit(c *call) int {
	f, rest, ok := c.options("m: message=m: a all=a q quiet=q n no-verify=n allow-empty")
	if !ok {
		return 129
	}
	if !f.has("m") || len(rest) > 0 {
		return c.complain(1, "give a message with -m, and stage files with git add or -a")
	}
	fs, repo := c.m.env.FS, c.m.env.Repo
	if f.has("a") {
		for _, p := range touched(fs) {
			if repo.next(fs, p) != nil {
				c.m.stage(p)
			}
		}
	}
	var paths []string
	for _, p := range touched(fs) {
		if !same(repo.at(fs, p), repo.next(fs, p)) {
			paths = append(paths, p)
		}
	}
	if len(paths) == 0 {
		c.out.put("On branch main\nnothing to commit\n")
		return 1
	}
	k := repo.commit(fs, paths, f.value("m"))
	c.m.wrote.add("commit " + k.hash)
	if !f.has("q") {
		first, _, _ := strings.Cut(k.message, "\n")
		c.out.put("[main " + k.hash + "] " + first + "\n files changed: " + itoa(len(paths)) + "\n")
	}
	return 0
}

// commit makes a commit of what is staged.
func (r *Repo) commit(fs *workspace.FS, paths []string, message string) commit {
	name := r.last() + "\n" + message
	if r.head == nil {
		r.head = map[string]*workspace.File{}
	}
	for _, p := range paths {
		r.head[p] = r.next(fs, p)
		name += "\n" + p + "\n" + content(r.head[p])
	}
	clear(r.staged)
	const hex = "0123456789abcdef"
	sum, hash := xxh3.HashString(name), make([]byte, 7)
	for i := range hash {
		hash[i] = hex[sum>>(4*i)&15]
	}
	k := commit{string(hash), message, paths}
	r.commits = append(r.commits, k)
	return k
}
