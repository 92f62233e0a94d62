package scenarios

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"agentsim/sim/gate"
	"agentsim/sim/vtime"
)

// RemoteSpec is the link to remote environments.
type RemoteSpec struct {
	Latency   *vtime.Duration `yaml:"latency"`
	Loss      int64           `yaml:"loss"` // per cent of what is sent
	Reconnect *vtime.Duration `yaml:"reconnect"`
}

// What a link is like that is not said more of: our own assumption.
const (
	defaultLatency   = 100 * vtime.Millisecond
	defaultReconnect = 5 * vtime.Second
)

// What calls may ask for, and what a project may be in.
const (
	isolationOffered = "offered"  // calls may ask for a worktree, as they may where nothing is said
	Isolated         = "worktree" // … and the policy's lead does
	NoRepository     = "none"
	Uncommitted      = "empty" // a repository in which nothing is committed
	committed        = "committed"
)

// worktrees holds the scenario against what worktrees need.
func worktrees(c *checker) {
	s := c.s
	if s.Stack == MinimalStack && s.Isolation != "" {
		c.bad("isolation", "take it away", "stack minimal has no worktrees")
	}
	if s.Structure.Base() == Teamed && s.Isolation == Isolated {
		c.bad("isolation", "take it away, or structure: subagent or fork", "teammates of structure team work in their lead's directory, so no worktree is made")
	}
	merging(c)
	if s.Project.Repository == NoRepository && s.Project.GitStatus != nil {
		c.bad("project.git_status", "take it away", "a project in no repository has no git status")
	}
	remote(c)
	teamsPlace(c)
	if s.Project.Linked == nil {
		return
	}
	for i, dir := range *s.Project.Linked {
		if dir == "" || dir == "." || path.Clean(dir) != dir || path.IsAbs(dir) || strings.HasPrefix(dir, "..") {
			c.bad("project.linked["+itoa(i)+"]", "such as node_modules", "%q is no directory below the project", dir)
		} else if first, _, _ := strings.Cut(dir, "/"); first == ".git" {
			c.bad("project.linked["+itoa(i)+"]", "take it away", "git's own directory is in every worktree as git has it")
		} else if _, file := s.Project.Files.Literal[dir]; file {
			c.bad("project.linked["+itoa(i)+"]", "the directory that it is in, or take it away", "%q is a file, and directories are linked", dir)
		}
	}
}

// mayLink reports whether somebody may work in a worktree, or look at what git tracks.
func mayLink(s *Scenario) bool {
	shell := s.scripted(func(u *ToolTurn) bool { return slices.Contains([]string{"Bash", "run_shell"}, u.Name) })
	s.eachRoot(func(_ string, r *Root) { shell = shell || r.Tools != nil && slices.Contains(*r.Tools, "Bash") })
	apart := s.scripted(func(u *ToolTurn) bool { return s.call(u) != nil && strings.Contains(u.Raw, `"isolation"`) })
	return shell || apart || s.Isolation == Isolated && s.hasWork() && s.spawns() || s.DefinesAgents()
}

// mergeTools are the tools without which no lead merges what its agents did.
var mergeTools = []string{"Agent", "Read", "Edit", "Bash"}

// merging holds a scenario whose lead asks for worktrees against what merging needs.
func merging(c *checker) {
	s := c.s
	if s.Isolation != Isolated || !s.hasWork() || !s.spawns() || s.Stack == MinimalStack || s.teams() {
		return
	}
	list, _, whose := s.offers()
	why := Unmergeable(s, func(name string) bool {
		return list == nil && name == "Bash" && !c.file.foreign || list != nil && !slices.Contains(*list, name)
	})
	hint := "such as " + isolationOffered
	if strings.Contains(why, "needs") {
		hint = "tools: [" + strings.Join(usual, ", ") + "] below " + whose
	}
	if why != "" {
		c.bad("isolation", hint, "%s", why)
	}
}

// Unmergeable is why no branch of an agent's worktree is merged where its lead lacks some
// tools, "" where the lead merges it.
func Unmergeable(s *Scenario, lacks func(tool string) bool) string {
	_, at, _ := s.offers()
	switch i := slices.IndexFunc(mergeTools, lacks); {
	case s.Structure.Base() == Coordinated || s.Coordinates():
		return "a coordinator has no shell to merge branches in"
	case s.teams():
		return "the lead of a team merges no branches"
	case s.Project.Repository == NoRepository || s.Project.Repository == Uncommitted:
		return "no worktree can be made where nothing is committed"
	case i >= 0:
		return "a lead that merges branches needs " + mergeTools[i] + ", which " + cmp.Or(at, "main") + " has not got"
	}
	return ""
}

// remote holds the link to remote environments, and fills in what is not said of it.
func remote(c *checker) {
	r := c.s.Remote
	if r == nil {
		return
	}
	switch {
	case c.s.Stack == MinimalStack:
		c.bad("remote", "take it away", "stack minimal has no remote environments")
	case c.s.Gate("USER_TYPE") != gate.Internal:
		c.bad("remote", "lab: {gates: {USER_TYPE: "+gate.Internal+"}}, or take it away", "internal builds alone have remote environments, and USER_TYPE is %s", c.s.Gate("USER_TYPE"))
	}
	if r.Loss < 0 || r.Loss > mostLoss {
		c.bad("remote.loss", "such as 5", "remote.loss is a percentage up to %d, not %d", mostLoss, r.Loss)
	}
	if r.Latency == nil {
		r.Latency = ptr(defaultLatency)
	}
	if r.Reconnect == nil {
		r.Reconnect = ptr(defaultReconnect)
	}
	if *r.Latency < 0 {
		c.bad("remote.latency", "such as 100ms", "remote.latency is not below 0")
	}
	if *r.Reconnect <= 0 {
		c.bad("remote.reconnect", "such as 5s", "remote.reconnect is above 0")
	}
}

// mostLoss leaves something to arrive.
const mostLoss = 90
