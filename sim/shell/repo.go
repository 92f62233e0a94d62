package shell

import (
	"errors"
	"maps"
	"slices"

	"github.com/zeebo/xxh3"

	"agentsim/sim/workspace"
)

// Repo is a branch of the repository of a run's project with the tree in which it is
// checked out: what was staged and committed since the run began. What stood at its
// beginning is the commit before. The zero value is ready, and is the project's own.
type Repo struct {
	None  bool // the project is in no repository
	Empty bool // nothing was committed before the run

	branch  string // "" is main
	ignored []string
	fs      *workspace.FS // nil until something is asked of it
	head    *commit       // nil where nothing was committed
	started *commit       // the head when the branch was made
	staged  map[string]*workspace.File
	merging *merging
	store   *store
}

// store is what the branches of a repository have in common.
type store struct {
	first    *workspace.FS // whose beginning is the first commit
	empty    bool
	branches []*Repo
	commits  int
}

type commit struct {
	n             int // of the store, in order
	hash, message string
	parents       []*commit
	files         map[string]*workspace.File // since the first commit: what stands there, nil for nothing
}

// Why a repository has no worktrees.
var (
	ErrNone  = errors.New("the project is not in a git repository")
	ErrEmpty = errors.New("the git repository has no commit yet to start from")
	ErrTaken = errors.New("there is a branch of that name")
)

// open makes the repository of a tree where nothing was asked of it before.
func (r *Repo) open(fs *workspace.FS) {
	if r.store != nil {
		return
	}
	r.fs, r.store = fs, &store{first: fs, empty: r.Empty, branches: []*Repo{r}}
	if !r.Empty {
		r.head = &commit{hash: fs.Began()[:7], message: "the project as it was when the run began"}
	}
}

// Name is the branch's.
func (r *Repo) Name() string {
	if r.branch == "" {
		return "main"
	}
	return r.branch
}

// Ignore names directories that are not tracked.
func (r *Repo) Ignore(dirs []string) { r.ignored = dirs }

// Worktree makes a branch of the head of this one, whose tree is fs, and a tree at dir of
// the project in which it is checked out. The directories of shared are in both and are not tracked.
func (r *Repo) Worktree(fs *workspace.FS, branch, dir string, shared []string) (*workspace.FS, *Repo, error) {
	r.open(fs)
	switch {
	case r.None:
		return nil, nil, ErrNone
	case r.head == nil:
		return nil, nil, ErrEmpty
	case r.store.branch(branch) != nil:
		return nil, nil, ErrTaken
	}
	tree := fs.Fork(dir, r.touched(), func(p string) *workspace.File { return r.store.at(r.head, p) }, shared)
	out := &Repo{branch: branch, ignored: shared, fs: tree, head: r.head, started: r.head, store: r.store}
	r.store.branches = append(r.store.branches, out)
	return tree, out, nil
}

// Copy is the branch with its history and what is staged, in a copy of its tree. Other
// branches are not in it.
func (r *Repo) Copy(fs *workspace.FS) *Repo {
	out := &Repo{None: r.None, Empty: r.Empty, branch: r.branch, ignored: r.ignored}
	if r.store == nil {
		return out
	}
	out.fs, out.head, out.started, out.staged = fs, r.head, r.started, maps.Clone(r.staged)
	if m := r.merging; m != nil {
		out.merging = &merging{theirs: m.theirs, conflicts: slices.Clone(m.conflicts)}
	}
	out.store = &store{first: r.store.first, empty: r.store.empty, branches: []*Repo{out}, commits: r.store.commits}
	return out
}

// Delete takes the branch away.
func (r *Repo) Delete() {
	r.store.branches = slices.DeleteFunc(r.store.branches, func(b *Repo) bool { return b == r })
}

// Changed reports whether anything was committed since the branch was made, or stands
// in its tree that is not committed, tracked or not.
func (r *Repo) Changed() bool {
	return r.head != r.started || slices.ContainsFunc(r.touched(), func(p string) bool {
		t := r.track(p)
		return change(t.head, t.next) != ' ' || change(t.next, t.now) != ' '
	})
}

// Unmerged lists the paths that were changed since the branch was made and that another
// has not got: what is not committed, and all of it where that one was not merged there.
func (r *Repo) Unmerged(into *Repo) (paths []string) {
	merged := into.head.before(map[*commit]bool{})[r.head]
	for _, p := range r.touched() {
		t := r.track(p)
		if change(t.head, t.now) != ' ' || !merged && change(r.store.at(r.started, p), t.head) != ' ' {
			paths = append(paths, p)
		}
	}
	return paths
}

// branch is the one of a name, nil for none.
func (s *store) branch(name string) *Repo {
	for _, b := range s.branches {
		if b.Name() == name {
			return b
		}
	}
	return nil
}

// of is the branch that is checked out in a tree.
func (r *Repo) of(fs *workspace.FS) *Repo {
	return r.store.branches[slices.IndexFunc(r.store.branches, func(b *Repo) bool { return b.fs == fs })]
}

// at is the file at a path of a commit, nil for none.
func (s *store) at(k *commit, p string) *workspace.File {
	if k == nil {
		return nil
	}
	if f, ok := k.files[p]; ok || s.empty {
		return f
	}
	if f, changed := s.first.Origin(p); changed {
		return f
	}
	return s.first.File(p)
}

// touched lists the paths that may differ from the head, sorted.
func (r *Repo) touched() (paths []string) {
	for _, w := range r.fs.Log() {
		paths = append(paths, w.Path)
	}
	if r.store.empty {
		paths = append(paths, r.fs.Paths()...)
	}
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(p string) bool { return workspace.Below(r.ignored, p) || workspace.IsHome(p) })
}

func (r *Repo) track(p string) tracked {
	t := tracked{path: p, now: r.fs.File(p), head: r.store.at(r.head, p)}
	t.next = t.head
	if f, ok := r.staged[p]; ok {
		t.next = f
	}
	return t
}

// commit makes a commit of what is staged.
func (r *Repo) commit(staged []tracked, message string) *commit {
	name := "0000000"
	k := &commit{message: message, files: map[string]*workspace.File{}}
	if r.head != nil {
		name, k.parents = r.head.hash, []*commit{r.head}
		maps.Copy(k.files, r.head.files)
	}
	if r.merging != nil {
		k.parents = append(k.parents, r.merging.theirs.head)
		name += r.merging.theirs.head.hash
	}
	name += "\n" + message
	for _, t := range staged {
		k.files[t.path] = t.next
		name += "\n" + t.path + "\n" + content(t.next)
	}
	clear(r.staged)
	const hex = "0123456789abcdef"
	sum, hash := xxh3.HashString(name), make([]byte, 7)
	for i := range hash {
		hash[i] = hex[sum>>(4*i)&15]
	}
	r.store.commits++
	k.n, k.hash = r.store.commits, string(hash)
	r.head, r.merging = k, nil
	return k
}

// before collects a commit and those it comes after.
func (k *commit) before(into map[*commit]bool) map[*commit]bool {
	if k != nil && !into[k] {
		into[k] = true
		for _, p := range k.parents {
			p.before(into)
		}
	}
	return into
}

// newest lists commits, the newest first.
func newest(all map[*commit]bool) []*commit {
	return slices.SortedFunc(maps.Keys(all), func(a, b *commit) int { return b.n - a.n })
}

// base is the newest commit that both come after or are, nil for none.
func (k *commit) base(other *commit) *commit {
	theirs := other.before(map[*commit]bool{})
	for _, k := range newest(k.before(map[*commit]bool{})) {
		if theirs[k] {
			return k
		}
	}
	return nil
}

// HasBranch reports whether there is a branch of a name.
func (r *Repo) HasBranch(name string) bool { return r.store != nil && r.store.branch(name) != nil }
