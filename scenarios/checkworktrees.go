package scenarios

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// What calls may ask for, and what a project may be in.
const (
	isolationOffered = "offered"  // calls may ask for a worktree
	Isolated         = "worktree" // … and the policy's lead does
	NoRepository     = "none"
	Uncommitted      = "empty" // a repository in which nothing is committed
	committed        = "committed"
)

// worktrees holds the scenario against what worktrees need.
func worktrees(c *checker) {
	s := c.s
	c.oneOf("isolation", "isolation", s.Isolation, isolationOffered, Isolated)
	c.oneOf("project.repository", "state of the repository", s.Project.Repository, committed, Uncommitted, NoRepository)
	if s.Stack == MinimalStack && s.Isolation != "" {
		c.bad("isolation", "take it away", "stack minimal has no worktrees")
	}
	merging(c)
	if s.Project.Repository == NoRepository && s.Project.GitStatus != nil {
		c.bad("project.git_status", "take it away", "a project in no repository has no git status")
	}
	for i, dir := range s.Project.Linked {
		if dir == "" || dir == "." || path.Clean(dir) != dir || path.IsAbs(dir) || strings.HasPrefix(dir, "..") {
			c.bad("project.linked["+itoa(i)+"]", "such as node_modules", "%q is no directory below the project", dir)
		}
	}
}

// mergeTools are the tools without which no lead merges what its agents did.
var mergeTools = []string{"Agent", "Read", "Edit", "Bash"}

// merging holds a scenario whose lead asks for worktrees against what merging needs.
func merging(c *checker) {
	s := c.s
	list, at, whose := s.offers()
	lacks := func(name string) bool {
		return list == nil && name == "Bash" || list != nil && !slices.Contains(*list, name)
	}
	switch i := slices.IndexFunc(mergeTools, lacks); {
	case s.Isolation != Isolated || !s.hasWork() || !s.spawns() || s.Stack == MinimalStack:
	case s.Strategy() == "coordinator" || s.Coordinates():
		c.bad("isolation", "such as "+isolationOffered, "a coordinator has no shell to merge branches in")
	case s.Project.Repository == NoRepository || s.Project.Repository == Uncommitted:
		c.bad("isolation", "such as "+isolationOffered, "no worktree can be made where nothing is committed")
	case i >= 0:
		c.bad("isolation", "tools: ["+strings.Join(usual, ", ")+"] below "+whose, "a lead that merges branches needs %s, which %s has not got", mergeTools[i], cmp.Or(at, "main"))
	}
}
