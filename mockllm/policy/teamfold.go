package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
)

// teamwork is what a member of a team knows of it.
type teamwork struct {
	me       string // name of a teammate; "" for a lead
	made     bool   // there is the team
	tasks    []int  // item of each task by its number, -1 for none
	refused  int    // calls for the team in a row that failed
	linked   set    // of a lead: items whose tasks wait for what they come after
	mates    []mate
	look     bool        // it has to look who is idle
	listed   bool        // of a teammate: nothing has happened since it read the list
	free     []int       // tasks that were free on it
	mine     int         // number of the task that it has, 0 for none
	did      set         // items that it did
	shutdown string      // id of the request that it should end
	plans    [][2]string // of a lead: whose plans wait for its approval, and the ids of their requests
}

// mate is a teammate as its lead knows it.
type mate struct {
	name, task string
	ended      bool
	asked      bool // to end
	wake       bool // it is idle, and there is work
	revived    int
}

// task is the number of an item's task, 0 for none.
func (w *teamwork) task(item int) int { return slices.Index(w.tasks, item) + 1 }

// item is that of a task, -1 for none.
func (w *teamwork) item(id int) int {
	if id < 1 || id > len(w.tasks) {
		return -1
	}
	return w.tasks[id-1]
}

// before are the tasks that an item's waits for.
func (w *teamwork) before(t *Table, item int) (ids []string) {
	for _, j := range t.items[item].after {
		if id := w.task(j); id > 0 {
			ids = append(ids, strconv.Itoa(id))
		}
	}
	return ids
}

// lostAll reports whether all teammates have ended and come back no more.
func (w *teamwork) lostAll() bool {
	return len(w.mates) > 0 && !slices.ContainsFunc(w.mates, func(k mate) bool { return !k.ended || k.revived < MaxCut })
}

// teamed is the state's, to be changed.
func (f *folder) teamed() *teamwork {
	w := own(&f.s.team)
	w.tasks, w.mates = slices.Clone(w.tasks), slices.Clone(w.mates)
	return w
}

// enter notes an item's task.
func (w *teamwork) enter(id, item int) {
	for len(w.tasks) < id {
		w.tasks = append(w.tasks, -1)
	}
	w.tasks[id-1] = item
}

// mailOpen is how a mail of the team begins.
const mailOpen = `<teammate-message from="`

// isMail reports whether a text is a mail.
func isMail(raw string) bool { return strings.HasPrefix(raw, mailOpen) }

// teamText takes what a text of the user's side says of the team: who one is, a mail, or
// that a teammate has ended.
func teamText(f *folder, raw string, n *note) {
	if f.t.structure == scenarios.Coordinated && isMail(raw) {
		planMail(f, raw)
	}
	if f.t.structure != scenarios.Teamed {
		return
	}
	switch {
	case n.summary:
		recall(f, raw)
	case strings.HasPrefix(raw, contextOpen):
		if me := between(raw, "You are ", " of team "); me != "" && !strings.Contains(me, " ") {
			w := f.teamed()
			w.me, w.made = me, true
		}
	case isMail(raw):
		f.teamMail(raw, n)
	case n.notice:
		w := f.teamed()
		for i := range w.mates {
			if k := &w.mates[i]; k.task == n.msg.task {
				k.ended, k.wake = true, false
			}
		}
	}
}

// teamMail takes in a mail: to a teammate a reason to look again, to a lead a report.
func (f *folder) teamMail(raw string, n *note) {
	w := f.teamed()
	if w.me != "" {
		w.listed = false
		switch kind := between(raw, mailOpen+leadName+`" type="`, `"`); {
		case kind == "shutdown_request":
			w.shutdown = between(raw, `"request_id":"`, `"`)
		case kind == "plan_approval_response" && strings.Contains(raw, `"approve":true`):
			p := own(&f.s.planning)
			p.on, p.over = false, true
		case kind == "plan_approval_response":
			p := own(&f.s.planning)
			p.written, p.rejected = false, p.rejected+1
		}
		return
	}
	planMail(f, raw)
	f.close(n.done, n.failed)
	for _, i := range n.done { // who reports goes on with one of those that it freed
		freed := 0
		for j := range f.t.items {
			after := f.t.items[j].after
			if slices.Contains(after, i) && !slices.ContainsFunc(after, func(k int) bool { return !f.s.done.has(k) }) {
				freed++
			}
		}
		w.look = w.look || freed > 1 && len(w.mates) > 1
	}
}

// planMail takes in a plan that waits for its lead's word.
func planMail(f *folder, raw string) {
	if from := between(raw, mailOpen, `"`); strings.HasPrefix(raw, mailOpen+from+`" type="plan_approval_request"`) {
		w := f.teamed()
		w.plans = append(slices.Clone(w.plans), [2]string{from, between(raw, `"request_id":"`, `"`)})
	}
}

// teamUse notes what one does oneself: a report hands a task in, and who was told of
// something knows it.
func teamUse(f *folder, b *llm.Block, n *note) {
	if f.t.structure == scenarios.Coordinated && b.Name == f.t.names.send && len(f.s.team.plans) > 0 {
		w := f.teamed()
		w.plans = slices.DeleteFunc(slices.Clone(w.plans), func(p [2]string) bool { return p[0] == n.msg.to })
	}
	if f.t.structure != scenarios.Teamed || b.Name != f.t.names.send {
		return
	}
	w := f.teamed()
	switch {
	case w.me != "" && n.msg.to == leadName && w.mine > 0:
		f.close(n.done, n.failed)
		for _, i := range n.done {
			w.did = w.did.with(i)
		}
		w.mine, w.listed = 0, false
	case w.me == "" && strings.Contains(b.Content.Raw(), `"type":"plan_approval_response"`):
		w.plans = slices.DeleteFunc(slices.Clone(w.plans), func(p [2]string) bool { return p[0] == n.msg.to })
	case w.me == "":
		for i := range w.mates {
			if k := &w.mates[i]; k.name == n.msg.to {
				k.asked = k.asked || strings.Contains(b.Content.Raw(), `"type":"shutdown_request"`)
				if k.wake = false; k.ended {
					k.ended, k.revived = false, k.revived+1
				}
			}
		}
	}
}

// teamResult takes what came of a call for the team.
func teamResult(f *folder, u *use, b *llm.Block) {
	if f.t.structure != scenarios.Teamed {
		return
	}
	raw := b.Content.Raw()
	switch u.name {
	case teamCreateTool, teamDeleteTool, taskCreateTool, taskListTool, taskUpdateTool, f.t.names.agent:
	default:
		return
	}
	w := f.teamed()
	id, _ := strconv.Atoi(between(u.input.Raw(), `"taskId":"`, `"`))
	claims := u.name == taskUpdateTool && strings.Contains(u.input.Raw(), `"status":"in_progress"`)
	switch {
	case claims && b.IsError:
		w.listed = false // somebody was faster
		return
	case b.IsError:
		w.refused++
		if i := w.item(id); u.name == taskUpdateTool && i >= 0 {
			w.linked = w.linked.with(i)
		}
		return
	}
	w.refused = 0
	switch u.name {
	case teamCreateTool:
		w.made = true
	case teamDeleteTool:
		*w = teamwork{}
	case taskCreateTool:
		number, subject, _ := strings.Cut(strings.TrimPrefix(raw, "Task #"), " is created: ")
		if i, ok := f.t.descIndex[subject]; ok {
			n, _ := strconv.Atoi(number)
			w.enter(n, i)
			w.look = len(w.mates) > 0
		}
	case taskListTool:
		readList(f.t, w, raw)
	case taskUpdateTool:
		if i := w.item(id); claims && i >= 0 {
			w.mine, w.listed = id, false
			f.assignment(&assignment{items: []int{i}})
		} else if i >= 0 {
			w.linked = w.linked.with(i)
		}
	default:
		if name := between(raw, `"name":"`, `"`); name != "" {
			w.mates = append(w.mates, mate{name: name, task: between(raw, `"taskId":"`, `"`)})
		}
	}
}

// readList reads the list of tasks: which are free, and to a lead who is idle.
func readList(t *Table, w *teamwork, raw string) {
	var busy []string
	w.free, w.listed, w.look = nil, true, false
	for line := range strings.SplitSeq(raw, "\n") {
		number, rest, _ := strings.Cut(strings.TrimPrefix(line, "#"), " [")
		status, rest, ok := strings.Cut(rest, "] ")
		id, err := strconv.Atoi(number)
		if !ok || err != nil || id < 1 {
			continue
		}
		subject, blocked, _ := strings.Cut(rest, " [blocked by ")
		subject, owner, _ := strings.Cut(subject, " (")
		i, known := t.descIndex[subject]
		if !known {
			continue
		}
		w.enter(id, i)
		switch {
		case status == "in_progress":
			busy = append(busy, strings.TrimSuffix(owner, ")"))
		case status == "pending" && owner == "" && blocked == "":
			w.free = append(w.free, id)
		}
	}
	left := len(w.free)
	for n := range w.mates {
		if k := &w.mates[n]; left > 0 && !k.ended && !slices.Contains(busy, k.name) {
			k.wake, left = true, left-1
		}
	}
}

// recordOpen is how the line of a summary begins that says how the team is.
const recordOpen = "\nTeam: "

// teamRecord is what a summary says of the team.
func (m mind) teamRecord() string {
	w := m.s.team
	if !w.made {
		return ""
	}
	var tasks, mates []string
	for _, i := range w.tasks {
		id := ""
		if i >= 0 {
			id = m.t.items[i].id
		}
		tasks = append(tasks, id)
	}
	for _, k := range w.mates {
		mates = append(mates, fmt.Sprintf("%s/%s/%t/%t/%d", k.name, k.task, k.ended, k.asked, k.revived))
	}
	who := leadName
	if w.me != "" {
		who = w.me
	}
	return recordOpen + "you are " + who + "; task " + strconv.Itoa(w.mine) + "; tasks " + strings.Join(tasks, ",") + "; linked " + m.ids(w.linked) + "; did " + m.ids(w.did) +
		"; mates " + strings.Join(mates, ",") + "; request " + w.shutdown + ";"
}

// recall takes that out of a summary.
func recall(f *folder, raw string) {
	_, line, ok := strings.Cut(raw, recordOpen)
	if !ok {
		return
	}
	line, _, _ = strings.Cut(line, "\n")
	field := func(name string) string { return between(line, name+" ", ";") }
	w := f.teamed()
	*w = teamwork{made: true, linked: f.t.itemSet(field("linked")), did: f.t.itemSet(field("did")), shutdown: field("request")}
	if w.me = field("you are"); w.me == leadName {
		w.me = ""
	}
	w.mine, _ = strconv.Atoi(field("task"))
	for n, id := range strings.Split(field("tasks"), ",") {
		if i, ok := f.t.itemIndex[id]; ok {
			w.enter(n+1, i)
		}
	}
	for text := range strings.SplitSeq(field("mates"), ",") {
		if p := strings.Split(text, "/"); len(p) == 5 {
			revived, _ := strconv.Atoi(p[4])
			w.mates = append(w.mates, mate{name: p[0], task: p[1], ended: p[2] == "true", asked: p[3] == "true", revived: revived})
		}
	}
	w.look = w.me == ""
}
