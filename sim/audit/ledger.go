package audit

import (
	"maps"

	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// ledger is what the sections of an auditor share: what the run was told, the event
// at hand, who there is, and what was found.
type ledger struct {
	opt    Options
	seq    uint64
	now    vtime.Instant
	agents []*agent // by ordinal
	leads  []lead   // to theirs

	made, broken [numChecks]int64
	found        []Violation
}

// gates are those that are on, and those that have changed since the run began.
type gates struct {
	on, changed map[string]bool
	flips       int
}

func newGates(opt *Options) gates {
	g := gates{on: map[string]bool{}, changed: map[string]bool{}}
	if opt.Session != nil {
		maps.Copy(g.on, opt.Session.Gates)
	}
	if opt.Handoffs != nil {
		g.on[classifierGate] = opt.Handoffs.On
	}
	return g
}

// flipped takes in a gate that has changed.
func (g *gates) flipped(b *transcript.Gate) {
	g.on[b.Name], g.changed[b.Name] = b.Value == "true" || b.Value == "ant", true
	g.flips++
}

// forks reports whether a call without a type starts a fork.
func (g *gates) forks(s *Session) bool {
	return g.on["FORK_SUBAGENT"] && s.Interactive && !g.coordinates() && !s.Minimal
}

// hides reports whether a field of the Agent tool is not offered.
func (g *gates) hides(s *Session, field string) bool {
	switch field {
	case "name":
		return !g.on[swarmsGate] && !g.coordinates()
	case "team_name", "mode":
		return !g.on[swarmsGate]
	case "run_in_background":
		return g.on["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] || g.forks(s) || g.coordinates()
	}
	return false
}

// coordinates reports whether both halves of coordinator mode are on.
func (g *gates) coordinates() bool {
	return g.on["COORDINATOR_MODE"] && g.on["CLAUDE_CODE_COORDINATOR_MODE"]
}

// agent is the agent with the ordinal, nil for the run and for one that never
// started.
func (u *ledger) agent(ref int32) *agent {
	if ref < 0 || int(ref) >= len(u.agents) {
		return nil
	}
	return u.agents[ref]
}

// fails counts a check and reports whether it failed.
func (u *ledger) fails(c check, ok bool) bool {
	u.made[c]++
	return !ok
}

// reported is called at each report, in tests alone.
var reported func()

// report notes a check that failed.
func (u *ledger) report(c check, a *agent, want, got string) {
	u.broken[c]++
	if reported != nil {
		reported()
	}
	if len(u.found) >= Kept {
		return
	}
	v := Violation{Check: checks[c].ID, Event: u.seq, At: u.now, Want: want, Got: got}
	if a != nil {
		v.Agent = a.lineage
	}
	u.found = append(u.found, v)
}

// same checks that two words are equal.
func (u *ledger) same(c check, a *agent, what, want, got string) {
	if u.fails(c, want == got) {
		u.report(c, a, what+" "+orNone(want), what+" "+orNone(got))
	}
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}
