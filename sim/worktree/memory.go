package worktree

import (
	"fmt"

	"agentsim/sim/shell"
	"agentsim/sim/workspace"
)

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
	fs, repo, err := m.Repo.Worktree(m.FS, Branch(slug), m.Linked)
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
