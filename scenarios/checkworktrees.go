package scenarios

import (
	"path"
	"strings"
)

// What calls may ask for, and what a project may be in.
const (
	isolationOffered = "offered" // calls may ask for a worktree
	NoRepository     = "none"
	Uncommitted      = "empty" // a repository in which nothing is committed
	committed        = "committed"
)

// worktrees holds the scenario against what worktrees need.
func worktrees(c *checker) {
	s := c.s
	c.oneOf("isolation", "isolation", s.Isolation, isolationOffered)
	c.oneOf("project.repository", "state of the repository", s.Project.Repository, committed, Uncommitted, NoRepository)
	if s.Stack == MinimalStack && s.Isolation != "" {
		c.bad("isolation", "take it away", "stack minimal has no worktrees")
	}
	if s.Project.Repository == NoRepository && s.Project.GitStatus != nil {
		c.bad("project.git_status", "take it away", "a project in no repository has no git status")
	}
	for i, dir := range s.Project.Linked {
		if dir == "" || dir == "." || path.Clean(dir) != dir || path.IsAbs(dir) || strings.HasPrefix(dir, "..") {
			c.bad("project.linked["+itoa(i)+"]", "such as node_modules", "%q is no directory below the project", dir)
		}
	}
}
