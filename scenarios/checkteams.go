package scenarios

import (
	"slices"

	swarm "agentsim/sim/team"
	"agentsim/sim/vtime"
)

// TeamSpec is what decides where teammates run: the session's environment.
type TeamSpec struct {
	Mode      string          `yaml:"mode"`
	Inside    string          `yaml:"inside"`    // the terminal in which the session runs; "" for none that has panes
	Installed []string        `yaml:"installed"` // commands
	StartUp   *vtime.Duration `yaml:"start_up"`
}

// The commands that make panes.
const (
	tmuxCommand = "tmux"
	it2Command  = "it2"
)

// Environment is the one by which the backend of teammates is chosen.
func (s *Scenario) Environment() swarm.Environment {
	t := &s.Teams
	has := func(command string) bool { return slices.Contains(t.Installed, command) }
	return swarm.Environment{Interactive: s.Interactive, Mode: swarm.Mode(t.Mode), InTmux: t.Inside == string(swarm.Tmux), InITerm: t.Inside == string(swarm.ITerm2),
		HasIt2: has(it2Command), HasTmux: has(tmuxCommand)}
}

// teamsPlace checks what is said of the environment of teams.
func teamsPlace(c *checker) {
	t := &c.s.Teams
	for i, name := range t.Installed {
		if name != tmuxCommand && name != it2Command {
			c.bad("teams.installed["+itoa(i)+"]", tmuxCommand+" or "+it2Command, "%q makes no panes", name)
		}
	}
	if t.StartUp != nil && *t.StartUp <= 0 {
		c.bad("teams.start_up", "such as 3s", "teams.start_up is above 0")
	}
}

// withoutPanes is why nothing asks where teammates run, "" where it is asked.
func withoutPanes(s *Scenario) string {
	switch {
	case !s.turnsOn(swarmsGate) && !s.teams():
		return "there are no teams"
	case !s.Interactive:
		return "interactive is false, and teammates run in the session's own process"
	}
	return ""
}

// inOneProcess is why teammates run in the session's own process whether somebody is at
// the terminal or not, "" where it depends on that.
func inOneProcess(s *Scenario) string {
	there := s.Environment()
	there.Interactive = true
	if b, err := swarm.Detect(there); err != nil || b.Panes() {
		return ""
	}
	return "only forks and panes need it; gate " + forkGate + " is off, and no terminal has panes"
}

// withoutStartUp is why no teammate's process takes time to start.
func withoutStartUp(s *Scenario) string {
	if b, err := swarm.Detect(s.Environment()); err != nil || !b.Panes() {
		return "no teammate runs in a pane"
	}
	return ""
}
