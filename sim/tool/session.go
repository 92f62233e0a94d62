package tool

import "agentsim/sim/shell"

// Session is what an agent's tools keep from call to call: its shell's place
// and its own list of steps. It ends with the agent (ISO-10).
type Session struct {
	Shell shell.Session
	Todos []Todo
}

// Clone is a session of its own that begins in the same directory. Temporary
// files and steps stay behind.
func (s *Session) Clone() *Session {
	if s == nil {
		return nil
	}
	return &Session{Shell: *s.Shell.Clone()}
}

// session is the agent's, or one for this call alone where there is none.
func (e *Env) session() *Session {
	if e.Session == nil {
		e.Session = &Session{}
	}
	return e.Session
}

// repo is the run's, or one for this call alone where there is none.
func (e *Env) repo() *shell.Repo {
	if e.Repo == nil {
		e.Repo = &shell.Repo{}
	}
	return e.Repo
}
