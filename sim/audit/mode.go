package audit

import (
	"cmp"
	"slices"
	"strings"
)

// modeOf is what the run mode of an agent follows from, at any instant.
type modeOf struct {
	chosen string // its own; "" is its parent's
	fixed  bool   // which holds whatever its parent's is
	unsure bool   // its own is not known yet: its parent's has bound it since it started
	under  string // mode of its parent when it started
}

// Modes that nothing below escapes.
var binding = []string{"bypassPermissions", "acceptEdits", planMode}

// mode is the mode of an agent now, by a table of this package.
func (a *agent) mode() string {
	if a.parent == nil || a.fixed {
		return a.chosen
	}
	if up := a.parent.mode(); a.chosen == "" || slices.Contains(binding, up) {
		return up
	}
	return a.chosen
}

// bound reports whether an agent plans now because its parent does.
func (a *agent) bound() bool { return a.parent != nil && !a.fixed && a.parent.mode() == planMode }

// startMode is SUB-10 and PLN-06 for the mode in which a child starts, and what that follows from.
func (u *starts) startMode(a *agent, s *Session, typ *Type, known bool) {
	if known || strings.HasPrefix(a.facts.Source, "agent:") {
		a.chosen = cmp.Or(typ.Mode, s.Children)
	}
	asked := ""
	if a.mate {
		asked = field(a.spawned.input, "mode")
	}
	switch {
	case asked == planMode, asked != "" && !slices.Contains(binding, a.under):
		a.chosen, a.fixed = asked, true
	case asked != "":
		a.chosen, a.fixed = a.under, true
	case s.Minimal && a.under == planMode:
		a.chosen = ""
	case s.Minimal:
		a.chosen, a.fixed = "bypassPermissions", true
	}
	if known {
		u.same(a.modeID(), a, "run mode", a.mode(), a.facts.RunMode)
	}
}

// decides is SUB-10 and PLN-06 for the mode in which a call is decided.
func (u *permissions) decides(a *agent, mode string) {
	if a.unsure && !slices.Contains(binding, a.parent.mode()) {
		a.chosen, a.unsure = mode, false
	}
	u.same(a.modeID(), a, "a decision in mode", a.mode(), mode)
}

// modeID is the invariant that an agent's mode is held to now.
func (a *agent) modeID() check {
	if a.bound() {
		return pln06
	}
	return sub10
}
