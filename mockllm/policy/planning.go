package policy

import (
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
)

// A lead that plans enters plan mode first, looks at what its work is about, writes the
// plan file and asks for approval. What changes anything it does afterwards.

// The tools of plan mode, and what the client says around it.
const (
	enterTool    = "EnterPlanMode"
	exitTool     = "ExitPlanMode"
	planReminder = "<system-reminder>\n# planMode\n"
	plansDir     = "~/.claude/plans/"
	planThere    = "It holds a plan already"
	notApproved  = " has not approved the plan."
)

// maxPlans is how often a lead revises its plan before it leaves it to the user.
const maxPlans = 5

// planning is what a lead knows of plan mode.
type planning struct {
	offers   bool   // it can enter
	writes   bool   // it has the tool to write the plan
	on       bool   // it has
	over     bool   // it has left, or may not enter
	file     string // where the plan goes
	written  bool   // it stands there, and the user has said nothing to it
	stale    bool   // it has to be read before it is written
	waits    bool   // for a word of the user
	rejected int    // plans
}

// plans reports whether anybody may plan: a lead that is to, or members of a team and
// workers, who do where their definition says so.
func (t *Table) plans() bool {
	return t.plan.Set || t.structure == scenarios.Teamed || t.structure == scenarios.Coordinated
}

// planTool notes that a lead can enter plan mode.
func planTool(f *folder, name string) {
	if f.t.plan.Set && name == enterTool {
		own(&f.s.planning).offers = true
	}
	if f.t.plans() && name == f.t.names.write {
		own(&f.s.planning).writes = true
	}
}

// planText takes what the client tells of plan mode, that the history before a summary is
// gone, in which it was left unless it is told of again, and that the user has spoken.
func planText(f *folder, raw string, summary bool) {
	if !f.t.plans() {
		return
	}
	if rest, told := strings.CutPrefix(raw, planReminder); told {
		p := own(&f.s.planning)
		_, rest, _ = strings.Cut(rest, plansDir)
		name, _, _ := strings.Cut(rest, ".md")
		p.on, p.file, p.written = true, plansDir+name+".md", strings.Contains(rest, planThere)
		return
	}
	if p := own(&f.s.planning); summary {
		p.over = !p.on
	} else if !strings.HasPrefix(raw, contextOpen) {
		p.waits = false
	}
}

// planResult takes what came of a call that is about the plan.
func planResult(f *folder, u *use, b *llm.Block) {
	if !f.t.plans() {
		return
	}
	about := f.s.planning.file != "" && strings.Contains(u.input.Raw(), `"`+f.s.planning.file+`"`)
	switch {
	case u.name == enterTool && b.IsError:
		own(&f.s.planning).over = true
	case u.name == exitTool && !b.IsError && f.s.team.me == "":
		p := own(&f.s.planning)
		p.on, p.over = false, true
	case u.name == exitTool && strings.Contains(b.Content.Raw(), notApproved):
		p := own(&f.s.planning)
		p.written, p.rejected = false, p.rejected+1
	case u.name == exitTool:
		own(&f.s.planning).waits = true
	case u.name == f.t.names.write && about:
		p := own(&f.s.planning)
		p.written, p.stale = !b.IsError, b.IsError
	case u.name == f.t.names.read && about:
		own(&f.s.planning).stale = false
	}
}

// plansNow reports whether the lead is in plan mode.
func plansNow(m *Model) bool { return m.s.planning.on }

// enters enters plan mode before anything else, and reports whether it does.
func enters(m *Model) bool {
	p := m.s.planning
	if !p.offers || p.on || p.over {
		return false
	}
	m.think(m.leadKey("plan"), scenarios.Size{}, m.mind().mine(), "plan the work")
	m.a.Use(m.q, enterTool, object(), "")
	return true
}

// held reports whether an item waits for the plan's approval, since it may change
// something.
func held(m *Model, i int) bool {
	it := &m.t.items[i]
	return plansNow(m) && len(it.edits)+len(it.runs)+len(it.calls) > 0
}

// explore looks at what an item of the lead's own needs that is held, and reports whether
// there was anything.
func explore(m *Model) bool {
	for i := range m.t.items {
		if !held(m, i) || !m.mind().inline(i) || !m.unbegun(i) {
			continue
		}
		p := &m.plan
		p.reset(m.t, m.s, &m.t.items[i])
		p.make()
		look := p.reads
		if len(look) == 0 {
			look = p.searches
		}
		if len(look) > 0 && p.stuck < 0 {
			m.use(i, m.atOnce(p.it, look))
			return true
		}
	}
	return false
}

// propose writes the plan, as long as the scenario says, and asks for approval.
func propose(m *Model) {
	p := m.s.planning
	key := m.leadKey("plan").At(uint64(p.rejected + 1))
	all := m.mind().mine()
	switch {
	case p.waits || p.rejected > maxPlans:
		m.say("The plan is in " + p.file + " and waits for your approval.")
	case p.stale:
		m.a.Use(m.q, m.t.names.read, object("file_path", p.file), "")
	case !p.written:
		m.think(key, scenarios.Size{}, all, "write the plan")
		text := "# Plan\n" + m.mind().prose(reports, key, all, "", m.t.draw(key, scenarios.Size{}, m.t.plan, "output")) + "\n"
		m.a.Use(m.q, m.t.names.write, object("file_path", p.file, "content", text), "")
	default:
		m.a.Use(m.q, exitTool, object(), "")
	}
}
