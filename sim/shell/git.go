package shell

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
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

// gitCommand cuts off the options before the subcommand that change nothing.
func gitCommand(args []string) []string {
	for len(args) > 0 && (args[0] == "--no-pager" || args[0] == "-P") {
		args = args[1:]
	}
	return args
}

// runGit knows status, diff, log, add and commit, of this run's changes only.
func runGit(c *call) int {
	args := gitCommand(c.args)
	if len(args) == 0 {
		return c.complain(1, "give a command")
	}
	if !c.m.charge(64 * len(c.m.env.FS.Log())) {
		return 1
	}
	sub := map[string]func(*call) int{"status": gitStatus, "diff": gitDiff, "log": gitLog, "add": gitAdd, "commit": gitCommit}[args[0]]
	if sub == nil {
		return c.complain(1, args[0]+" is not available in this shell")
	}
	c.args, c.name = args[1:], "git "+args[0]
	return sub(c)
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
	f, _, ok := c.options("s short porcelain")
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
	if len(f) == 0 {
		c.out.put("On branch main\n")
		if out.Len() == 0 {
			c.out.put("nothing to commit, working tree clean\n")
		}
	}
	c.out.put(out.String())
	return 0
}

func gitDiff(c *call) int {
	f, paths, ok := c.options("cached staged stat name-only")
	if !ok {
		return 129
	}
	fs, repo, staged := c.m.env.FS, c.m.env.Repo, f.has("cached") || f.has("staged")
	for _, p := range touched(fs) {
		if !c.m.chosen(paths, p) || c.m.halted != nil {
			continue
		}
		from, to := repo.next(fs, p), fs.File(p)
		if staged {
			from, to = repo.at(fs, p), repo.next(fs, p)
		} else if len(paths) > 0 && paths[0] == "HEAD" {
			from = repo.at(fs, p)
		}
		if same(from, to) || from == nil && !staged {
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

func (c *call) showChange(f flags, p string, from, to *workspace.File) {
	if f.has("name-only") {
		c.out.put(p + "\n")
		return
	}
	a, b := content(from), content(to)
	if !c.m.charge(16 * (len(a) + len(b))) {
		return
	}
	text := string(diff.Diff(sideName("a/", p, from), []byte(a), sideName("b/", p, to), []byte(b)))
	_, text, _ = strings.Cut(text, "\n")
	if f.has("stat") {
		added := strings.Count(text, "\n+") - 1 // less the line that names the side
		c.out.put(" " + p + " | +" + itoa(added) + " -" + itoa(strings.Count("\n"+text, "\n-")-1) + "\n")
		return
	}
	c.out.put("diff --git a/" + p + " b/" + p + "\n" + text)
}

func sideName(side, p string, f *workspace.File) string {
	if f == nil {
		return nullDevice
	}
	return side + p
}

func gitLog(c *call) int {
	if n := len(c.args); n > 0 && strings.Trim(c.args[n-1], "-0123456789") == "" {
		c.args = append(c.args[:n-1:n-1], "-n"+c.args[n-1][1:]) // git log -5
	}
	f, _, ok := c.options("n: oneline")
	most, err := strconv.Atoi(f["n"])
	if !ok || err != nil && f.has("n") {
		return 129
	}
	row := func(hash, message string) {
		if f.has("oneline") {
			message, _, _ = strings.Cut(message, "\n")
			c.out.put(hash + " " + message + "\n")
			return
		}
		c.out.put("commit " + hash + "\n\n    " + strings.ReplaceAll(message, "\n", "\n    ") + "\n\n")
	}
	all := append([]commit{{hash: firstCommit, message: "the project as it was when the run began"}}, c.m.env.Repo.commits...)
	for i, k := range slices.Backward(all) {
		if !f.has("n") || len(all)-i <= most {
			row(k.hash, k.message)
		}
	}
	return 0
}

func gitAdd(c *call) int {
	f, paths, ok := c.options("A all u")
	if !ok {
		return 129
	}
	if len(paths) == 0 && len(f) == 0 {
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
	f, rest, ok := c.options("m: a q")
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
	k := repo.commit(fs, paths, f["m"])
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
