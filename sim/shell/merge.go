package shell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"agentsim/sim/workspace"
)

// merging is a merge that waits for its conflicts to be resolved.
type merging struct {
	theirs    *Repo
	conflicts []string // paths that are not resolved, sorted
}

// message is the commit's; git names the branch that it is on, unless that is main.
func (g *merging) message(ours *Repo) string {
	text := "Merge branch '" + g.theirs.Name() + "'"
	if ours.branch != "" {
		text += " into " + ours.Name()
	}
	return text
}

// Conflict is a file that two branches, or two who work in one tree, changed apart from
// each other.
type Conflict struct {
	Path         string
	Ours, Theirs int32  // who changed it last on each side
	Base, Other  string // hashes of the versions that each began from, "" for none
}

// unmerged reports whether a path waits to be resolved.
func (r *Repo) unmerged(p string) bool {
	return r.merging != nil && slices.Contains(r.merging.conflicts, p)
}

// resolve notes that a path has been resolved.
func (r *Repo) resolve(p string) {
	if r.merging != nil {
		r.merging.conflicts = slices.DeleteFunc(r.merging.conflicts, func(x string) bool { return x == p })
	}
}

// gitBranch lists the branches.
func gitBranch(c *call) int {
	if _, rest, ok := c.options(""); !ok || len(rest) > 0 {
		return 129
	}
	byName := func(a, b *Repo) int { return strings.Compare(a.Name(), b.Name()) }
	for _, b := range slices.SortedFunc(slices.Values(c.m.env.Repo.store.branches), byName) {
		mark := "+ " // checked out in a tree of its own
		if b == c.m.env.Repo {
			mark = "* "
		}
		c.out.put(mark + b.Name() + "\n")
	}
	return 0
}

// gitMerge brings another branch into this one.
func gitMerge(c *call) int {
	f, names, ok := c.options("q abort no-edit")
	repo := c.m.env.Repo
	switch {
	case !ok:
		return 129
	case f.has("abort"):
		return c.abortMerge()
	case len(names) != 1:
		return c.complain(1, "name one branch")
	case repo.merging != nil:
		return c.unfinished()
	}
	theirs := repo.store.branch(names[0])
	if theirs == nil || theirs.head == nil {
		c.err.put("merge: " + names[0] + " - not something we can merge\n")
		return 1
	}
	base := repo.head.base(theirs.head)
	say := func(text string) int {
		if !f.has("q") {
			c.out.put(text + "\n")
		}
		return 0
	}
	if base == theirs.head {
		return say("Already up to date.")
	}
	if staged := c.staged(); len(staged) > 0 && base != repo.head {
		var names []string
		for _, t := range staged {
			names = append(names, t.path)
		}
		c.err.put("error: Your local changes to the following files would be overwritten by merge:\n  " + strings.Join(names, " ") + "\nMerge with strategy ort failed.\n")
		return 2
	}
	all, why := c.compare(base, theirs)
	if why != "" && base == repo.head {
		c.err.put(why) // first, as where git's output is no terminal
		say("Updating " + repo.head.hash + ".." + theirs.head.hash)
		return 1
	}
	if why != "" {
		c.err.put(why + "Merge with strategy ort failed.\n")
		return 2
	}
	ours, list := repo.head, []delta{}
	if base == repo.head {
		for _, x := range all {
			if !x.staged {
				c.take(&x)
			}
		}
		repo.head = theirs.head
		c.m.wrote.add("merge of " + theirs.Name())
	} else if status := c.merge(&merging{theirs: theirs}, all); status != 0 {
		return status
	}
	if f.has("q") {
		return 0
	}
	for _, x := range all {
		now := repo.store.at(repo.head, x.path)
		if !c.m.charge(16 * (len(content(x.ours)) + len(content(now)))) {
			return 1
		}
		list = append(list, newDelta(x.path, x.ours, now))
	}
	text := "Merge made by the 'ort' strategy.\n"
	if base == ours {
		text = "Updating " + ours.hash + ".." + theirs.head.hash + "\nFast-forward\n"
	}
	return say(strings.TrimSuffix(text+stat(list)+modes(list), "\n"))
}

// threeWay is a path that a merge may change: before both, on either side, and what
// comes of it.
type threeWay struct {
	path               string
	base, ours, theirs *workspace.File
	by                 int32 // who changed it on the other side
	staged             bool  // it was staged here as it is there
}

// compare lists the paths that the other side has changed. why is what stands in the
// way of changing them here, "" for nothing.
func (c *call) compare(base *commit, theirs *Repo) (out []threeWay, why string) {
	repo, s := c.m.env.Repo, c.m.env.Repo.store
	local, untracked := "", ""
	for _, p := range since(theirs.head) {
		x := threeWay{path: p, base: s.at(base, p), ours: s.at(repo.head, p), theirs: s.at(theirs.head, p), by: lastBy(theirs.fs, p)}
		if !c.m.charge(entryWork) || change(x.base, x.theirs) == ' ' || change(x.ours, x.theirs) == ' ' {
			continue
		}
		t := repo.track(p)
		switch {
		case base == repo.head && change(t.head, t.next) != ' ' && change(t.next, x.theirs) == ' ':
			x.staged = true
		case t.now != nil && change(t.head, t.now) != ' ' || change(t.head, t.next) != ' ':
			if t.head == nil && t.next == nil {
				untracked += "\t" + p + "\n"
			} else {
				local += "\t" + p + "\n"
			}
			continue
		}
		out = append(out, x)
	}
	if local != "" {
		why = "error: Your local changes to the following files would be overwritten by merge:\n" + local + "Please commit your changes or stash them before you merge.\n"
	}
	if untracked != "" {
		why += "error: The following untracked working tree files would be overwritten by merge:\n" + untracked + "Please move or remove them before you merge.\n"
	}
	if why != "" {
		why += "Aborting\n"
	}
	return out, why
}

// unfinished refuses another merge.
func (c *call) unfinished() int {
	if len(c.m.env.Repo.merging.conflicts) > 0 {
		c.err.put("error: Merging is not possible because you have unmerged files.\n" + fixThem)
		return c.fatal("Exiting because of an unresolved conflict.")
	}
	c.err.put("error: You have not concluded your merge (MERGE_HEAD exists).\nhint: Please, commit your changes before you merge.\n")
	return c.fatal("Exiting because of unfinished merge.")
}

const fixThem = "hint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\n"

// lastBy is who wrote a path of a tree last, -1 for nobody.
func lastBy(fs *workspace.FS, p string) int32 {
	for _, w := range slices.Backward(fs.Log()) {
		if w.Path == p {
			return w.By
		}
	}
	return -1
}

// merge makes the merged files, and the commit unless any is in conflict.
func (c *call) merge(g *merging, all []threeWay) int {
	repo, env := c.m.env.Repo, c.m.env
	for _, x := range all {
		if change(x.base, x.ours) == ' ' {
			c.take(&x)
			continue
		}
		merged, clean := mergeLines(content(x.base), content(x.ours), content(x.theirs), "HEAD", g.theirs.Name())
		kind := "content"
		switch {
		case x.ours == nil || x.theirs == nil:
			merged, clean, kind = content(x.ours)+content(x.theirs), false, "modify/delete"
		case x.base == nil:
			kind = "add/add"
			fallthrough
		default:
			c.out.put("Auto-merging " + x.path + "\n")
		}
		if !c.m.charge(16 * len(merged)) {
			return 1
		}
		ours := lastBy(env.FS, x.path)
		file := c.put(x.path, merged, env.Agent)
		c.m.merged = append(c.m.merged, x.path)
		if clean {
			c.m.stage(&tracked{path: x.path, head: x.ours, next: x.ours, now: file})
			continue
		}
		c.out.put("CONFLICT (" + kind + "): " + g.apart(&x) + "\n")
		g.conflicts = append(g.conflicts, x.path)
		version := ""
		if x.base != nil {
			version = x.base.Version().Hash
		}
		c.m.conflicts = append(c.m.conflicts, Conflict{Path: x.path, Ours: ours, Theirs: x.by, Base: version, Other: version})
	}
	repo.merging = g
	if len(g.conflicts) > 0 {
		c.out.put("Automatic merge failed; fix conflicts and then commit the result.\n")
		return 1
	}
	repo.commit(c.staged(), g.message(repo))
	c.m.wrote.add("merge of " + g.theirs.Name())
	return 0
}

// apart says how the sides differ at a path.
func (g *merging) apart(x *threeWay) string {
	left := func(here, there string) string {
		return x.path + " deleted in " + there + " and modified in " + here + ".  Version " + here + " of " + x.path + " left in tree."
	}
	switch {
	case x.theirs == nil:
		return left("HEAD", g.theirs.Name())
	case x.ours == nil:
		return left(g.theirs.Name(), "HEAD")
	}
	return "Merge conflict in " + x.path
}

// take makes the other side's file this one's, as theirs who wrote it, and stages it.
func (c *call) take(x *threeWay) {
	by := x.by
	if by < 0 {
		by = c.m.env.Agent
	}
	if x.theirs == nil {
		c.m.env.FS.Remove(x.path, by)
		c.m.wrote.add(x.path)
	} else {
		c.put(x.path, x.theirs.Content(), by)
	}
	c.m.stage(&tracked{path: x.path, head: x.ours, next: x.ours, now: c.m.env.FS.File(x.path)})
}

// put writes a merged file.
func (c *call) put(p, text string, by int32) *workspace.File {
	if _, err := c.m.env.FS.Write(p, text, by); err != nil {
		c.complain(1, err.Error())
	}
	c.m.changed(tree{fs: c.m.env.FS}, p)
	return c.m.env.FS.File(p)
}

// abortMerge goes back to what stood before a merge that is not concluded.
func (c *call) abortMerge() int {
	repo := c.m.env.Repo
	if repo.merging == nil {
		return c.fatal("There is no merge to abort (MERGE_HEAD missing).")
	}
	repo.merging = nil
	clear(repo.staged)
	for _, t := range c.tracked(nil) {
		switch {
		case change(t.head, t.now) == ' ':
		case t.head == nil:
			c.m.env.FS.Remove(t.path, c.m.env.Agent)
			c.m.wrote.add(t.path)
		default:
			c.put(t.path, t.head.Content(), c.m.env.Agent)
		}
	}
	return 0
}

// hunk is a run of the base's lines and what one side has in its place.
type hunk struct {
	from, to int // lines of the base, from 0, without the last
	lines    []string
}

// hunks are the changes from a base to a side.
func hunks(base, side string) (out []hunk) {
	text := string(diff.Diff("a", []byte(base), "b", []byte(side)))
	_, text, _ = strings.Cut(text, "\n+++ b\n")
	at, open := 0, false
	for line := range strings.Lines(text) {
		switch line[0] {
		case '@':
			at, open = hunkStart(line), false
		case ' ':
			at++
			open = false
		case '-', '+':
			if !open {
				out, open = append(out, hunk{from: at, to: at}), true
			}
			h := &out[len(out)-1]
			if line[0] == '-' {
				at++
				h.to = at
			} else {
				h.lines = append(h.lines, line[1:])
			}
		case '\\': // what stands before it has no end
			if h := &out[len(out)-1]; open && len(h.lines) > 0 {
				last := &h.lines[len(h.lines)-1]
				*last = strings.TrimSuffix(*last, "\n")
			}
		}
	}
	return out
}

// hunkStart is the first line, from 0, that a head "@@ -l,n +l,n @@" names of the base.
func hunkStart(line string) (at int) {
	n := 0
	fmt.Sscanf(line, "@@ -%d,%d", &at, &n)
	return at - min(n, 1) // of none, the line before is named
}

// mergeLines makes the changes of both sides to a base. Where both change the same lines,
// or lines that touch, differently, both stand in it between marks, and it is not clean.
func mergeLines(base, ours, theirs, ourName, theirName string) (merged string, clean bool) {
	lines := slices.Collect(strings.Lines(base))
	var out strings.Builder
	a, b, at := hunks(base, ours), hunks(base, theirs), 0
	clean = true
	for len(a)+len(b) > 0 {
		from, to := first(a, b)
		na, nb := 0, 0
		for grown := true; grown; {
			grown = false
			for ; na < len(a) && a[na].from <= to; na++ {
				to, grown = max(to, a[na].to), true
			}
			for ; nb < len(b) && b[nb].from <= to; nb++ {
				to, grown = max(to, b[nb].to), true
			}
		}
		put(&out, lines[at:from])
		x, y := side(lines, a[:na], from, to), side(lines, b[:nb], from, to)
		switch {
		case nb == 0 || slices.Equal(x, y):
			put(&out, x)
		case na == 0:
			put(&out, y)
		default:
			clean = false
			apart(&out, x, y, ourName, theirName)
		}
		a, b, at = a[na:], b[nb:], to
	}
	put(&out, lines[at:])
	return out.String(), clean
}

// first is the range of the earlier of the next changes.
func first(a, b []hunk) (from, to int) {
	if len(b) == 0 || len(a) > 0 && a[0].from <= b[0].from {
		return a[0].from, a[0].to
	}
	return b[0].from, b[0].to
}

// side is what a side has in place of a range of the base's lines.
func side(lines []string, changes []hunk, from, to int) (out []string) {
	for _, h := range changes {
		out = append(append(out, lines[from:h.from]...), h.lines...)
		from = h.to
	}
	return append(out, lines[from:to]...)
}

func put(out *strings.Builder, lines []string) {
	for _, l := range lines {
		out.WriteString(l)
	}
}

// Marks around what is in conflict; the name of a side follows all but the middle one.
const (
	OursMark   = "<<<<<<< "
	middleMark = "=======\n"
	TheirsMark = ">>>>>>> "
)

// apart writes both sides of a conflict, without the lines that both begin or end with
// inside the marks.
func apart(out *strings.Builder, x, y []string, ours, theirs string) {
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		out.WriteString(x[0])
		x, y = x[1:], y[1:]
	}
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	ended := func(lines []string) {
		put(out, lines)
		if len(lines) > 0 && !strings.HasSuffix(lines[len(lines)-1], "\n") {
			out.WriteByte('\n')
		}
	}
	out.WriteString(OursMark + ours + "\n")
	ended(x[:len(x)-n])
	out.WriteString(middleMark)
	ended(y[:len(y)-n])
	out.WriteString(TheirsMark + theirs + "\n")
	put(out, x[len(x)-n:])
}
