package team

import (
	"errors"
	"strings"
)

// Pane is what starts a teammate in a pane of its own.
type Pane struct {
	Dir          string // working directory, absolute
	Env          []Pair // of the process, in order
	Binary       string
	Name         string
	Team         string
	Color        string
	Session      string // id of the parent's session
	PlanRequired bool
	Type         string // of the agent, "" for none
	// What the parent was started with and its teammates are too.
	Mode       string // of permissions, "" for the default; a teammate that has to plan starts in its own
	Model      string
	Settings   string
	PluginDirs []string
}

// Command is the line that a shell runs in the pane. Each argument is quoted.
func (p *Pane) Command() string {
	var b strings.Builder
	b.WriteString("cd " + Quote(p.Dir) + " && env")
	for _, e := range p.Env {
		b.WriteString(" " + Quote(e.Key+"="+e.Value))
	}
	if strings.Contains(p.Binary, "=") {
		b.WriteString(` sh -c 'exec "$0" "$@"'`) // env would take it for a variable
	}
	b.WriteString(" " + Quote(p.Binary))
	flag := func(name, value string) {
		if value != "" {
			b.WriteString(" --" + name + " " + Quote(value))
		}
	}
	flag("agent-id", ID(p.Name, p.Team))
	flag("agent-name", p.Name)
	flag("team-name", p.Team)
	flag("agent-color", p.Color)
	flag("parent-session-id", p.Session)
	if p.PlanRequired {
		b.WriteString(" --plan-mode-required")
	} else {
		flag("permission-mode", p.Mode)
	}
	flag("agent-type", p.Type)
	flag("model", p.Model)
	flag("settings", p.Settings)
	for _, d := range p.PluginDirs {
		flag("plugin-dir", d)
	}
	return b.String()
}

// SwarmSocket is the socket of the tmux server that serves teammates of a session which
// itself runs outside tmux.
const SwarmSocket = "agentsim-swarm"

// SendKeys is the command that types a line into a pane, as arguments: on the user's own
// server inside tmux, else on one apart.
func SendKeys(pane, line string, inTmux bool) []string {
	args := []string{"tmux"}
	if !inTmux {
		args = append(args, "-L", SwarmSocket)
	}
	return append(args, "send-keys", "-t", pane, line, "Enter")
}

// Do is the command that does something to a pane, as arguments: kill, hide or show it.
func (b Backend) Do(what, pane string, inTmux bool) []string {
	if b == ITerm2 {
		if what != "kill" {
			return nil // it2 shows all panes
		}
		return []string{"it2", "session", "close", "-f", "-s", pane}
	}
	args := []string{"tmux"}
	if !inTmux {
		args = append(args, "-L", SwarmSocket)
	}
	switch what {
	case "hide":
		return append(args, "break-pane", "-d", "-s", pane)
	case "show":
		return append(args, "join-pane", "-h", "-s", pane)
	}
	return append(args, "kill-pane", "-t", pane)
}

// Quote makes one word of a text for a POSIX shell. A shell has no word with a NUL in
// it, so those are left out.
func Quote(s string) string {
	s = strings.ReplaceAll(s, "\x00", "")
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Line is a command as a shell reads it: words that a shell would take apart are quoted.
func Line(args []string) string {
	var words []string
	for _, a := range args {
		if a == "" || strings.Trim(a, plainWord) != "" {
			a = Quote(a)
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// plainWord are the characters that mean themselves to a shell.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,"

// Backend is where teammates run, by its word.
type Backend string

// The backends.
const (
	InProcess Backend = "in-process"
	Tmux      Backend = "tmux"
	ITerm2    Backend = "iterm2"
)

// Panes reports whether each teammate is a process of its own, in a pane of a terminal.
func (b Backend) Panes() bool { return b == Tmux || b == ITerm2 }

// Mode is what a session says of its teammates' backend, by its word.
type Mode string

// The modes.
const (
	ModeAuto      Mode = "auto"
	ModeInProcess Mode = "in-process"
	ModeTmux      Mode = "tmux"
)

// Environment is what decides about the backend.
type Environment struct {
	Interactive bool // a user sits at a terminal
	Mode        Mode // "" is auto
	InTmux      bool // the session runs in tmux
	InITerm     bool // it runs in iTerm2
	HasIt2      bool // the it2 command is installed
	HasTmux     bool // tmux is installed
}

// errNoPanes says what to install.
var errNoPanes = errors.New("teammates have no terminal to run in: install tmux (\"brew install tmux\" or \"apt install tmux\"), or in iTerm2 the it2 command, or set the mode to in-process")

// Detect is the backend of an environment. What holds for a whole run is asked for once.
func Detect(e Environment) (Backend, error) {
	auto := e.Mode == "" || e.Mode == ModeAuto
	switch {
	case !e.Interactive, e.Mode == ModeInProcess, auto && !e.InTmux && !e.InITerm:
		return InProcess, nil
	case e.InTmux:
		return Tmux, nil
	case e.InITerm && e.HasIt2:
		return ITerm2, nil
	case e.HasTmux:
		return Tmux, nil // in iTerm2 without it2, or as a session of its own
	}
	return "", errNoPanes
}
