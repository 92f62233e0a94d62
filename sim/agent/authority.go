package agent

import "agentsim/sim/permission"

// Authority is what an agent's calls are decided by, beside the session's rules. It is
// read at each call: whoever has its parent's mode follows as soon as that one enters
// plan mode or leaves it. It outlives its agent, as children may read on.
type Authority struct {
	of      *Authority        // its parent's; nil of a root
	alone   bool              // its mode holds whatever its parent's is
	mode    permission.Mode   // its own; "" is its parent's
	rules   *permission.Rules // its own; nil are its parent's, of a root the session's
	allowed []permission.Rule // that take the place of the session's (PRM-03)
}

// Mode is the run mode now (SUB-10).
func (s *Authority) Mode() permission.Mode {
	if s.of == nil || s.alone {
		return s.mode
	}
	return RunMode(s.of.Mode(), s.mode)
}

// bound reports whether its parent plans now, which it cannot leave by itself.
func (s *Authority) bound() bool {
	return s.of != nil && !s.alone && s.of.Mode() == permission.Plan
}

// in is the rules that hold now in a session.
func (s *Authority) in(session *permission.Rules) *permission.Rules {
	r := session
	switch {
	case s.rules != nil:
		r = s.rules
	case s.of != nil && !s.alone:
		r = s.of.in(session)
	}
	if s.allowed != nil {
		r = r.WithAllowed(s.allowed)
	}
	return r
}

// below is a child's: its own above this one, this one itself where own is nil.
func (s *Authority) below(own *Authority) *Authority {
	if own == nil {
		return s
	}
	own.of = s
	return own
}

// authority is what the child has of its own, nil where it goes by its caller's: a mode
// of its definition, or rules of its type. A teammate's mode is the one its call says, or
// what its process was started with.
func (b *spawning) authority() *Authority {
	w := b.by.w
	own := Authority{mode: w.cfg.ownMode(b.def), allowed: w.cfg.Permissions.Allowed[b.def.Type]}
	switch {
	case b.recruits && (b.in.Mode != "" || w.executor().backend().Panes()), w.cfg.Stack.Bare() && b.mode != permission.Plan:
		own.mode, own.alone = b.mode, true
	case w.cfg.Stack.Bare():
		own.mode = ""
	}
	if own.mode == "" && own.allowed == nil && !b.recruits {
		return nil
	}
	return &own
}
