package policy

import (
	"slices"
	"strconv"
)

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
