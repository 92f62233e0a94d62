package shell

import (
	"fmt"
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

type commit struct{ hash, message string }

// tracked is one path that may differ from the last commit: what that holds there,
// what the next one would, and what stands in the project, each nil for nothing.
type tracked struct {
	path            string
	head, next, now *workspace.File
}

// tracked lists the paths that were written in this run, sorted: those that some
// of names names, or a directory above; all of them where there are no names.
func (c *call) tracked(names []string) (out []tracked) {
	fs, repo := c.m.env.FS, c.m.env.Repo
	var paths []string
	for _, w := range fs.Log() {
		paths = append(paths, w.Path)
	}
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		named := func(name string) bool {
			_, ok := within(c.m.absolute(name), c.m.env.Root+"/"+p)
			return ok
		}
		if !c.m.charge(entryWork) || len(names) > 0 && !slices.ContainsFunc(names, named) {
			continue
		}
		t := tracked{path: p, now: fs.File(p)}
		t.head, _ = fs.Origin(p)
		if f, ok := repo.head[p]; ok {
			t.head = f
		}
		t.next = t.head
		if f, ok := repo.staged[p]; ok {
			t.next = f
		}
		out = append(out, t)
	}
	return out
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
		"show": {gitOlder, true}, "blame": {gitOlder, true}}
}

// runGit runs a command of git, on this run's changes; what came before them is the
// world's to draw.
func runGit(c *call) int {
	if len(c.args) == 0 {
		return c.complain(1, "give a command")
	}
	sub, ok := gitCommands()[c.args[0]]
	if !ok {
		return c.complain(1, c.args[0]+" is not available in this shell")
	}
	if !c.m.charge(entryWork * len(c.m.env.FS.Log())) {
		return 1
	}
	c.name, c.args = "git "+c.args[0], c.args[1:]
	return sub.run(c)
}

// gitOlder looks at what was committed before the run.
func gitOlder(c *call) int {
	if c.m.env.Drawn == nil {
		name := ""
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
	var out strings.Builder
	for _, t := range c.tracked(nil) {
		index, tree := change(t.head, t.next), change(t.next, t.now)
		if tree == 'A' {
			index, tree = '?', '?'
		}
		if index != ' ' || tree != ' ' {
			fmt.Fprintf(&out, "%c%c %s\n", index, tree, t.path)
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
	f, names, ok := c.options("cached staged stat")
	if !ok {
		return 129
	}
	staged, head := f.has("cached") || f.has("staged"), len(names) > 0 && names[0] == "HEAD"
	if head {
		names = names[1:]
	}
	for _, t := range c.tracked(names) {
		from, to := t.next, t.now
		if staged || head {
			from = t.head
		}
		if staged {
			to = t.next
		}
		if change(from, to) == ' ' || from == nil && !staged {
			continue // what was never added is not tracked
		}
		c.showChange(f, t.path, from, to)
	}
	if len(names) > 0 && strings.HasPrefix(names[0], "HEAD~") {
		return c.older()
	}
	return 0
}

func (c *call) showChange(f flags, p string, from, to *workspace.File) {
	a, b := content(from), content(to)
	if !c.m.charge(16 * (len(a) + len(b))) {
		return
	}
	text := string(diff.Diff(sideName("a/", p, from), []byte(a), sideName("b/", p, to), []byte(b)))
	_, text, _ = strings.Cut(text, "\n")
	if f.has("stat") {
		added := strings.Count(text, "\n+") - 1 // less the line that names the side
		c.out.put(fmt.Sprintf(" %s | +%d -%d\n", p, added, strings.Count("\n"+text, "\n-")-1))
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
	f, _, ok := c.options("n: oneline")
	if !ok {
		return 129
	}
	most, err := strconv.Atoi(f["n"])
	if err != nil && f.has("n") {
		return c.complain(129, "invalid number "+f["n"])
	}
	all := append([]commit{{"0000000", "the project as it was when the run began"}}, c.m.env.Repo.commits...)
	for i, k := range slices.Backward(all) {
		first, _, _ := strings.Cut(k.message, "\n")
		switch {
		case f.has("n") && len(all)-i > most:
			return 0
		case f.has("oneline"):
			c.out.put(k.hash + " " + first + "\n")
		default:
			c.out.put("commit " + k.hash + "\n\n    " + strings.ReplaceAll(k.message, "\n", "\n    ") + "\n\n")
		}
	}
	return c.older()
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
		if abs := c.m.absolute(n); !c.m.exists(abs) && len(c.tracked([]string{n})) == 0 {
			return c.complain(128, "pathspec '"+n+"' did not match any files")
		}
	}
	for _, t := range c.tracked(names) {
		c.m.stage(&t)
	}
	return 0
}

func (m *machine) stage(t *tracked) {
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
	f, rest, ok := c.options("m: a q")
	if !ok {
		return 129
	}
	if !f.has("m") || len(rest) > 0 {
		return c.complain(1, "give a message with -m, and stage files with git add or -a")
	}
	var staged []tracked
	for _, t := range c.tracked(nil) {
		if f.has("a") && t.next != nil {
			c.m.stage(&t)
		}
		if change(t.head, t.next) != ' ' {
			staged = append(staged, t)
		}
	}
	if len(staged) == 0 {
		c.out.put("On branch main\nnothing to commit\n")
		return 1
	}
	k := c.m.env.Repo.commit(staged, f["m"])
	c.m.wrote.add("commit " + k.hash)
	if !f.has("q") {
		first, _, _ := strings.Cut(k.message, "\n")
		c.out.put(fmt.Sprintf("[main %s] %s\n files changed: %d\n", k.hash, first, len(staged)))
	}
	return 0
}

// commit makes a commit of what is staged.
func (r *Repo) commit(staged []tracked, message string) commit {
	name := "0000000"
	if n := len(r.commits); n > 0 {
		name = r.commits[n-1].hash
	}
	if name += "\n" + message; r.head == nil {
		r.head = map[string]*workspace.File{}
	}
	for _, t := range staged {
		r.head[t.path] = t.next
		name += "\n" + t.path + "\n" + content(t.next)
	}
	clear(r.staged)
	const hex = "0123456789abcdef"
	sum, hash := xxh3.HashString(name), make([]byte, 7)
	for i := range hash {
		hash[i] = hex[sum>>(4*i)&15]
	}
	k := commit{string(hash), message}
	r.commits = append(r.commits, k)
	return k
}
