package policy

import (
	"strconv"

	"agentsim/scenarios"
	"agentsim/sim/llm"
)

// A lead of a team enters the work in the list of tasks that the team shares, starts
// teammates and waits for their mail. Who does what they settle among themselves by the
// list; what an item needs stands in its task, as the lead wrote it.

const teamStrategy = "team"

// The tools of teams.
const (
	teamCreateTool = "TeamCreate"
	teamDeleteTool = "TeamDelete"
	taskCreateTool = "TaskCreate"
	taskGetTool    = "TaskGet"
	taskListTool   = "TaskList"
	taskUpdateTool = "TaskUpdate"
)

const (
	teamName     = "work"
	leadName     = "team-lead"
	mostMates    = 3 // teammates that a lead starts at most
	mostRefusals = 3 // calls for the team in a row that may fail
)

// leadTeam does the next thing that a lead of a team has to do.
func leadTeam(m *Model) {
	m.block()
	w, open := m.s.teamwork(), openWork(m)
	if w.refused >= mostRefusals || w.made && len(open) > 0 && w.lostAll() {
		for _, i := range open {
			m.close(i, []string{"report"})
		}
		open = nil
	}
	switch {
	case len(open) == 0:
		disband(m, w)
	case !w.made:
		m.think(m.leadKey("team"), scenarios.Size{}, m.mind().mine(), "share the work out")
		m.a.Use(m.q, teamCreateTool, object("team_name", teamName, "description", teamAbout(m)), "")
	case enterTasks(m, w, open), recruit(m, w, open), rouse(m, w):
	default:
		m.wait(len(open))
	}
}

// openWork is the items that the user has asked for and that are not settled.
func openWork(m *Model) (open []int) {
	for i := range m.t.items {
		if m.t.items[i].turn <= max(m.s.heard, 1) && !m.done.has(i) && !m.failed.has(i) {
			open = append(open, i)
		}
	}
	return open
}

// teamAbout is what the team is for.
func teamAbout(m *Model) string {
	if m.s.goal != "" {
		return m.s.goal
	}
	return "Do the work."
}

// enterTasks makes a task of each item that is none yet, then says what waits for what. It
// reports whether there was anything to enter. Files that items ask for by name are looked
// for first.
func enterTasks(m *Model, w *teamwork, open []int) bool {
	if lookFor(m, w, open) {
		return true
	}
	did := false
	for _, i := range open {
		if w.task(i) == 0 {
			m.a.Use(m.q, taskCreateTool, object("subject", m.t.items[i].desc, "description", m.mind().prompt(i)), "")
			did = true
		}
	}
	if did {
		return true
	}
	for _, i := range open {
		if w.linked.has(i) {
			continue
		}
		if before := w.before(m.t, i); len(before) > 0 {
			b := llm.AppendQuoted([]byte(`{"taskId":`), strconv.Itoa(w.task(i)))
			b = append(b, `,"addBlockedBy":[`...)
			for n, id := range before {
				if n > 0 {
					b = append(b, ',')
				}
				b = llm.AppendQuoted(b, strconv.Itoa(id))
			}
			m.a.Use(m.q, taskUpdateTool, llm.NewJSON(string(append(b, `]}`...))), "")
			did = true
		}
	}
	return did
}

// lookFor looks for the files by which items are told apart, where the lead has not seen
// them, and reports whether there was anything to look for.
func lookFor(m *Model, w *teamwork, open []int) bool {
	p := &m.plan
	for _, i := range open {
		it := &m.t.items[i]
		if w.task(i) > 0 || it.prompting == promptLazy || !m.s.lists && !m.s.shell {
			continue
		}
		p.reset(m.t, m.s, it)
		for _, f := range it.asked {
			if !m.s.seen.has(f) {
				p.find(f, filePrefix)
			}
		}
		if len(p.searches) > 0 {
			m.use(i, m.atOnce(it, p.searches))
			return true
		}
	}
	return false
}

// recruit starts teammates: as many as there are items that can be under way at one time,
// and no more than mostMates. It reports whether there were any to start.
func recruit(m *Model, w *teamwork, open []int) bool {
	missing := min(m.t.width(open), mostMates) - len(w.mates)
	if missing <= 0 {
		return false
	}
	for n := range min(missing, m.spawns(open[0])) {
		fields := []string{"description", "works for team " + teamName, "prompt", "Work through the list of tasks that the team shares." + m.mind().goal()}
		if m.t.agentType != "" {
			fields = append(fields, m.t.names.agentType, m.t.agentType)
		}
		fields = append(fields, "name", "mate-"+strconv.Itoa(len(w.mates)+n+1), "team_name", teamName)
		m.a.Use(m.q, m.t.names.agent, object(fields...), "")
	}
	return true
}

// rouse tells teammates that are idle of work that is free, and those that ended before
// their time to go on. It reports whether there was anything to do.
func rouse(m *Model, w *teamwork) bool {
	if w.look {
		m.a.Use(m.q, taskListTool, object(), "")
		return true
	}
	did := false
	for i := range w.mates {
		k := &w.mates[i]
		text := ""
		switch {
		case k.ended && k.revived < maxCut:
			text = "You ended before the work was done: go on with the list."
		case k.wake && !k.ended:
			text = "There is work on the list again: go on with it."
		default:
			continue
		}
		m.a.Use(m.q, m.t.names.send, object("to", k.name, "message", text), "")
		did = true
	}
	return did
}

// disband ends the team and says the last word.
func disband(m *Model, w *teamwork) {
	alive, asks := 0, false
	for i := range w.mates {
		k := &w.mates[i]
		if k.ended {
			continue
		}
		alive++
		if !k.asked {
			b := llm.AppendQuoted([]byte(`{"to":`), k.name)
			m.a.Use(m.q, m.t.names.send, llm.NewJSON(string(append(b, `,"message":{"type":"shutdown_request","reason":"the work is done"}}`...))), "")
			asks = true
		}
	}
	switch {
	case asks:
	case w.refused >= mostRefusals:
		m.finish()
	case alive > 0:
		m.say(strconv.Itoa(alive) + " of the team have still to end.")
	case w.made:
		m.a.Use(m.q, teamDeleteTool, object(), "")
	default:
		m.finish()
	}
}

// width is how many of some items can be under way at one time: the most that come after
// chains of equal length.
func (t *Table) width(items []int) (most int) {
	depth, count := make([]int, len(t.items)), make([]int, len(t.items)+1)
	for range t.items { // as often as the longest chain
		for _, i := range items {
			for _, j := range t.items[i].after {
				depth[i] = max(depth[i], min(depth[j]+1, len(t.items)))
			}
		}
	}
	for _, i := range items {
		count[depth[i]]++
		most = max(most, count[depth[i]])
	}
	return most
}
