package worktree

// Repository makes worktrees: Memory of a run's project, and in tests git on a disk.
type Repository interface {
	// Taken reports whether there is a worktree or a branch of a slug.
	Taken(slug string) bool
	// Add makes the worktree of a slug that is not taken.
	Add(slug string) (Tree, error)
}

// Tree is one worktree as its repository has it.
type Tree interface {
	// Changed reports whether it holds anything but the commit that it was made of:
	// committed, not committed or not tracked. The error is that this cannot be told.
	Changed() (bool, error)
	// Remove takes it away with its branch.
	Remove() error
}

// Worktree is one from its making to its end.
type Worktree struct {
	Slug string
	Tree
	ended bool
	kept  bool
}

// Make makes the worktree of a slug.
func Make(r Repository, slug string) (*Worktree, error) {
	if err := CheckSlug(slug); err != nil {
		return nil, err
	}
	t, err := r.Add(slug)
	if err != nil {
		return nil, err
	}
	return &Worktree{Slug: slug, Tree: t}, nil
}

// End ends a worktree, once: unchanged it is removed with its branch, and kept where
// it is changed, or nobody can tell, or it cannot be removed. A second end says what the
// first one came to.
func (w *Worktree) End() (kept bool) {
	if !w.ended {
		changed, err := w.Changed()
		w.ended, w.kept = true, changed || err != nil || w.Remove() != nil
	}
	return w.kept
}

// Reopen goes on with a worktree that has ended: it ends once more.
func (w *Worktree) Reopen() { w.ended = false }
