package shell

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/workspace"
)

// minHash is how many digits of a commit's hash name it at least.
const minHash = 4

// rev is the commit that a name leads to: HEAD, a branch or a hash, each with ~N or ^N
// behind it; nil for none. What came before the run is one commit, however far back;
// older reports that further ones were asked for.
func (r *Repo) rev(name string) (k *commit, older bool) {
	end := strings.IndexAny(name, "~^")
	if end < 0 {
		end = len(name)
	}
	k = r.named(name[:end])
	for rest := name[end:]; k != nil && rest != ""; {
		sign, digits := rest[0], rest[1:len(rest)-len(strings.TrimLeft(rest[1:], "0123456789"))]
		if rest = rest[1+len(digits):]; sign != '~' && sign != '^' {
			return nil, false
		}
		n, err := strconv.Atoi(digits)
		switch {
		case err != nil && digits != "":
			return nil, false
		case err != nil:
			n = 1
		}
		if sign == '^' && n > 1 {
			if n > len(k.parents) {
				return nil, false
			}
			k, n = k.parents[n-1], 0
		}
		for ; n > 0 && len(k.parents) > 0; n-- {
			k = k.parents[0]
		}
		older = older || n > 0
	}
	if older && r.store.empty {
		return nil, false
	}
	return k, older
}

// named is the commit of a name alone, nil for none.
func (r *Repo) named(name string) *commit {
	if name == "HEAD" || name == "" || name == "@" {
		return r.head
	}
	if b := r.store.branch(name); b != nil {
		return b.head
	}
	if len(name) < minHash {
		return nil
	}
	for _, b := range r.store.branches {
		for k := range b.head.before(map[*commit]bool{}) { // order: hashes differ
			if strings.HasPrefix(k.hash, name) {
				return k
			}
		}
	}
	return nil
}

// revisions are what a command of git is to look at.
type revisions struct {
	with, without []*commit // of A..B, B is with and A without
	dots          string    // ".." or "..." where one was named so
	paths         []string
	older         bool // something was named that the run does not know, and the world may
}

// revisions reads the operands of a command: revisions, and paths, which -- may part. ok is
// false where one is neither, which was said.
func (c *call) revisions(names []string) (out revisions, ok bool) {
	repo := c.m.env.Repo
	for _, n := range names {
		a, b, dots := ranged(n)
		from, before := repo.rev(a)
		to, older := repo.rev(b)
		switch {
		case (older || before && dots != "") && c.m.env.Drawn != nil:
			out.older = true
		case dots != "" && from != nil && to != nil:
			out.dots, out.with, out.without = dots, append(out.with, to), append(out.without, from)
		case dots == "" && to != nil:
			out.with = append(out.with, to)
		case c.dashed == nil && c.isPath(n):
			out.paths = append(out.paths, n)
		case c.m.env.Drawn != nil:
			out.older = true
		default:
			return out, c.unknown(n) == 0
		}
	}
	out.paths = append(out.paths, c.dashed...)
	return out, true
}

func (c *call) unknown(name string) int {
	return c.fatal("ambiguous argument '" + brief(name) + "': unknown revision or path not in the working tree.\n" +
		"Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'")
}

// cutPaths takes the operands behind -- away from those before.
func (c *call) cutPaths() {
	if at := slices.Index(c.args, "--"); at >= 0 {
		c.dashed, c.args = append([]string{}, c.args[at+1:]...), c.args[:at]
	}
}

// fatal says what is wrong as git does and returns the status.
func (c *call) fatal(text string) int {
	c.err.put("fatal: " + text + "\n")
	return 128
}

// ranged takes A..B and A...B apart; anything else is b alone.
func ranged(name string) (a, b, dots string) {
	for _, dots := range [...]string{"...", ".."} {
		if a, b, found := strings.Cut(name, dots); found && !strings.Contains(name, "/..") && !strings.HasPrefix(name, "../") {
			return a, b, dots
		}
	}
	return "HEAD", name, ""
}

// isPath reports whether a name is one of a file or a directory that is there.
func (c *call) isPath(name string) bool { return c.m.exists(c.m.absolute(name)) }

// under reports whether some of names names a path of the project, or a directory above
// it; true where there are no names.
func (c *call) under(names []string, p string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, func(name string) bool {
		_, ok := workspace.Within(c.m.absolute(name), c.m.env.Root+"/"+p)
		return ok
	})
}

// since are the paths, sorted, that commits may have changed since the first one.
func since(commits ...*commit) (paths []string) {
	for _, k := range commits {
		if k != nil {
			paths = slices.AppendSeq(paths, maps.Keys(k.files)) // order: sorted below
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// diffCommits shows what one commit has otherwise than another.
func (c *call) diffCommits(f flags, from, to *commit, names []string) {
	s := c.m.env.Repo.store
	for _, p := range since(from, to) {
		if !c.m.charge(entryWork) {
			return
		}
		if a, b := s.at(from, p), s.at(to, p); c.under(names, p) && change(a, b) != ' ' {
			c.showChange(f, p, a, b)
		}
	}
	c.showStat()
}

// diffTree shows what stands in the tree, where it is tracked, otherwise than in a commit.
func (c *call) diffTree(f flags, from *commit, names []string) {
	repo := c.m.env.Repo
	paths := append(since(from, repo.head), repo.touched()...)
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		if !c.m.charge(entryWork) {
			return
		}
		t := repo.track(p)
		if t.next == nil {
			t.now = nil // not tracked
		}
		if a := repo.store.at(from, p); c.under(names, p) && change(a, t.now) != ' ' {
			c.showChange(f, p, a, t.now)
		}
	}
	c.showStat()
}

// reached lists the commits that revisions lead to, the newest first; of none, those of
// the branch.
func (c *call) reached(r revisions) []*commit {
	if len(r.with) == 0 {
		r.with = []*commit{c.m.env.Repo.head}
	}
	in, out := map[*commit]bool{}, map[*commit]bool{}
	for _, k := range r.with {
		k.before(in)
	}
	for _, k := range r.without {
		k.before(out)
	}
	if r.dots == "..." { // those of either side, but not of both
		for k := range out { // order: each is moved alone
			if !in[k] {
				in[k] = true
				delete(out, k)
			}
		}
	}
	maps.DeleteFunc(in, func(k *commit, _ bool) bool { return out[k] || !c.changes(k, r.paths) })
	return newest(in)
}

// changes reports whether a commit has some of some paths otherwise than each before it.
func (c *call) changes(k *commit, names []string) bool {
	s := c.m.env.Repo.store
	switch {
	case len(names) == 0 || c.m.env.Drawn != nil: // of those before, nobody knows what they changed
		return true
	case len(k.parents) == 0:
		return slices.ContainsFunc(names, func(name string) bool {
			abs := c.m.absolute(name)
			p, in := workspace.Within(c.m.env.Root, abs)
			return in && (c.m.isDir(abs) || s.at(k, p) != nil)
		})
	}
	return !slices.ContainsFunc(k.parents, func(before *commit) bool {
		return !slices.ContainsFunc(since(before, k), func(p string) bool {
			return c.under(names, p) && change(s.at(before, p), s.at(k, p)) != ' '
		})
	})
}

// gitShow prints a commit and what it changed, or a file as it was in one.
func gitShow(c *call) int {
	repo, args := c.m.env.Repo, append(c.args, "HEAD")
	name, p, file := strings.Cut(args[0], ":")
	k, older := repo.rev(name)
	switch {
	case c.m.env.Drawn != nil && (len(args) > 2 || k == nil || older || k.n == 0 && !file):
		return c.older()
	case len(args) > 2 || name == "" || name[0] == '-' || k == nil && c.isPath(name):
		return c.complain(129, "this shell's git show takes one commit, or a file of it as COMMIT:PATH")
	case k == nil:
		return c.unknown(name)
	case file && repo.store.at(k, p) == nil:
		return c.fatal("path '" + p + "' does not exist in '" + name + "'")
	case file:
		c.out.put(repo.store.at(k, p).Content())
	case k.n == 0:
		return c.complain(128, "what came before the run is not shown as a change: name a file of it as "+name+":PATH")
	default:
		c.showCommit(k)
		if len(k.parents) == 1 {
			c.diffCommits(flags{}, k.parents[0], k, nil)
		}
	}
	return 0
}
