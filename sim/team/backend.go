package team

import "errors"

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
