// Package worktree gives agents a working directory of their own on a branch of the
// project's repository.
//
// Rules:
//   - A worktree begins as the commit that its maker's branch is at: what was not
//     committed there is not in it.
//   - It is at Path of its slug and its branch is Branch of it, whatever the repository.
//   - Directories that are linked are those of the project itself, and are not tracked.
//   - It ends once: unchanged it goes with its branch, changed it stays.
//   - The repository in memory and git on a disk give the same answers, by the same test.
package worktree

import (
	"fmt"
	"strconv"
	"strings"

	"agentsim/sim/shell"
	"agentsim/sim/workspace"
)

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

// Dir is where worktrees are in the project.
const Dir = ".claude/worktrees"

// maxSlug is how long a slug may be, in bytes.
const maxSlug = 64

// CheckSlug says whether a slug can name a worktree: at most 64 letters, digits, dots,
// slashes, hyphens and underscores, in segments none of which is empty or made of dots,
// and which end as names of branches may.
func CheckSlug(slug string) error {
	if slug == "" || len(slug) > maxSlug {
		return fmt.Errorf("worktree %q: a slug has from 1 to %d characters, this one has %d", slug, maxSlug, len(slug))
	}
	for _, r := range slug {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("./-_", r) {
			return fmt.Errorf("worktree %q: %q cannot be in a slug: use letters, digits, '.', '/', '-' and '_'", slug, r)
		}
	}
	for part := range strings.SplitSeq(slug, "/") {
		switch {
		case part == "":
			return fmt.Errorf("worktree %q: a slug is no absolute path and has no empty segment: leave the '/' out", slug)
		case part == "." || strings.Contains(part, ".."):
			return fmt.Errorf("worktree %q: a slug does not leave its directory: leave %q out", slug, part)
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock"):
			return fmt.Errorf("worktree %q: git has no branches whose names end like %q: choose another end", slug, part)
		}
	}
	return nil
}

// flat is a slug as one name, so that no worktree lies in another. No other slug has it.
func flat(slug string) string { return strings.ReplaceAll(slug, "/", "+") }

// Path is where the worktree of a slug is, relative to the project.
func Path(slug string) string { return Dir + "/" + flat(slug) }

// Branch is the branch of a slug's worktree.
func Branch(slug string) string { return "worktree-" + flat(slug) }

// agentPrefix and idLength make the slug of an agent.
const (
	agentPrefix = "agent-"
	idLength    = 8
)

// AgentSlug is the slug of an agent with an id: of those that are not taken the first.
func AgentSlug(id string, taken func(slug string) bool) string {
	slug := agentPrefix + id[:min(idLength, len(id))]
	if !taken(slug) {
		return slug
	}
	for n := 2; ; n++ {
		if s := slug + "-" + strconv.Itoa(n); !taken(s) {
			return s
		}
	}
}

// Memory makes worktrees of a tree in memory, of the commit that its branch is at.
type Memory struct {
	FS     *workspace.FS
	Repo   *shell.Repo
	Linked []string // directories that are not copied
}

// Copy is a worktree in memory.
type Copy struct {
	FS   *workspace.FS
	Repo *shell.Repo
}

// Taken implements Repository.
func (m Memory) Taken(slug string) bool { return m.Repo.HasBranch(Branch(slug)) }

// Add implements Repository.
func (m Memory) Add(slug string) (Tree, error) {
	fs, repo, err := m.Repo.Worktree(m.FS, Branch(slug), Path(slug), m.Linked)
	if err != nil {
		return nil, fmt.Errorf("worktree %q: %w", slug, err)
	}
	return &Copy{FS: fs, Repo: repo}, nil
}

// Changed implements Tree.
func (c *Copy) Changed() (bool, error) { return c.Repo.Changed(), nil }

// Remove implements Tree.
func (c *Copy) Remove() error {
	c.Repo.Delete()
	c.FS.Leave()
	return nil
}
