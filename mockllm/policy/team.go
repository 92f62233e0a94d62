package policy

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/scenarios"
)

// A lead of a team enters the work in the list of tasks that the team shares, starts
// teammates and waits for their mail. Who does what they settle among themselves by the
// list; what an item needs stands in its task, as the lead wrote it.

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
	w, open := m.s.team, openWork(m)
	if w.refused >= mostRefusals || w.made && len(open) > 0 && w.lostAll() {
		for _, i := range open {
			m.close(i, []string{"report"})
		}
		open = nil
	}
	switch {
	case approve(m, w):
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
	unsaid := func(i int) bool { return w.task(i) == 0 && (m.s.lists || m.s.shell) && seek(m, i) }
	if slices.ContainsFunc(open, unsaid) {
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
			m.a.Use(m.q, taskUpdateTool, object("taskId", strconv.Itoa(w.task(i)), "addBlockedBy", verbatimJSON(`["`+strings.Join(before, `","`)+`"]`)), "")
			did = true
		}
	}
	return did
}

// recruit starts teammates: as many as there are items that can be under way at one time,
// and no more than mostMates. It reports whether there were any to start.
func recruit(m *Model, w *teamwork, open []int) bool {
	missing := min(m.t.width(open), mostMates) - len(w.mates)
	if missing <= 0 {
		return false
	}
	for n := range min(missing, m.spawns(open[0])) {
		m.a.Use(m.q, m.t.names.agent, object("description", "works for team "+teamName, "prompt", "Work through the list of tasks that the team shares."+m.mind().goal(),
			given(m.t.agentType != "", m.t.names.agentType), m.t.agentType, "name", "mate-"+strconv.Itoa(len(w.mates)+n+1), "team_name", teamName), "")
	}
	return true
}

// approve answers plans that teammates and workers have sent; a worker, about whom nobody
// is asked, is to edit unasked. It reports whether there were any.
func approve(m *Model, w *teamwork) bool {
	for _, p := range w.plans {
		reply := object("type", "plan_approval_response", "request_id", p[1], "approve", true, given(m.t.structure == scenarios.Coordinated, "permissionMode"), "acceptEdits")
		m.a.Use(m.q, m.t.names.send, object("to", p[0], "message", verbatimJSON(reply.Raw())), "")
	}
	return len(w.plans) > 0
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
		case k.ended && k.revived < MaxCut:
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
			m.a.Use(m.q, m.t.names.send, object("to", k.name, "message", verbatimJSON(`{"type":"shutdown_request","reason":"the work is done"}`)), "")
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

// teammate does the next thing of a member of a team: it goes on with the task that it
// has, hands in what came of it, or takes one that is free.
func teammate(m *Model) error {
	w := m.s.team
	switch {
	case w.mine > 0:
		i := m.s.assign.items[0]
		if acted, err := m.work(i); acted || err != nil {
			return err
		}
		handIn(m, w, i)
	case w.shutdown != "":
		reply := object("type", "shutdown_response", "request_id", w.shutdown, "approve", true)
		m.a.Use(m.q, m.t.names.send, object("to", leadName, "message", verbatimJSON(reply.Raw())), "")
	case plansNow(m) && m.s.planning.writes:
		propose(m)
	case w.refused >= mostRefusals:
		m.say("I cannot reach the list of tasks.")
	case !w.listed:
		m.a.Use(m.q, taskListTool, object(), "")
	case len(w.free) > 0:
		claim(m, w)
	default:
		m.say("Nothing on the list is free. I wait.")
	}
	return nil
}

// handIn marks a task completed, unless its item failed: what waits for that is not to
// begin. The report goes to the lead by mail.
func handIn(m *Model, w *teamwork, i int) {
	m.thinkReport(m.s.assign.items)
	if m.done.has(i) {
		m.a.Use(m.q, taskUpdateTool, object("taskId", strconv.Itoa(w.mine), "status", "completed"), "")
	}
	m.a.Use(m.q, m.t.names.send, object("to", leadName, "message", m.report(m.s.assign)), "")
}

// claim takes a task that is free, one that follows on what the teammate itself did if
// there is one, and reads it.
func claim(m *Model, w *teamwork) {
	id := w.free[0]
	follows := func(id int) bool { return slices.ContainsFunc(m.t.items[w.item(id)].after, w.did.has) }
	if n := slices.IndexFunc(w.free, follows); n >= 0 {
		id = w.free[n]
	}
	it := &m.t.items[w.item(id)]
	m.think(it.key.Sub("claim"), it.think, it.alone, "take it from the list")
	m.a.Use(m.q, taskUpdateTool, object("taskId", strconv.Itoa(id), "status", "in_progress"), "")
	m.a.Use(m.q, taskGetTool, object("taskId", strconv.Itoa(id)), "")
}
