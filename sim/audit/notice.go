package audit

import (
	"regexp"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/memo"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// notices is the section on what is said to agents of tasks' ends, and by others.
type notices struct {
	*ledger
	trees *worktrees
	tasks *tasking
	ids   map[llm.AgentID]*agent // agents by the id that they started with
	whys  map[string][]string    // by task: the errors that activations ended with, oldest first
}

// pending is a notification that waits for its reader.
type pending struct {
	task       string
	activation int
	at         vtime.Instant
}

// before is the order in which notifications of one time are read.
func (p *pending) before(o *pending) bool {
	return p.at < o.at || p.at == o.at && p.task < o.task
}

// letters are what the ids of tasks begin with, by type.
var letters = map[string]string{"local_bash": "b", "local_agent": "a", "remote_agent": "r", "in_process_teammate": "t",
	"local_workflow": "w", "monitor_mcp": "m", "dream": "d"}

// hex are the digits behind the letter.
var hex = regexp.MustCompile(`^[0-9a-f]{16}$`)

// taskID is TSK-01 for a task: its id is the letter of its type and 16 hex digits.
func (u *notices) taskID(a *agent, b *transcript.Task) {
	letter := letters[b.Type]
	digits, ok := strings.CutPrefix(b.ID, letter)
	if u.fails(tsk01, ok && letter != "" && hex.MatchString(digits)) {
		u.report(tsk01, a, "an id of "+letter+" and 16 hex digits for a task of type "+orNone(b.Type), b.ID)
	}
}

// ownID is TSK-01 for an agent: no other one has its id.
func (u *notices) ownID(a *agent, id llm.AgentID) {
	other := u.ids[id]
	if u.fails(tsk01, other == nil) {
		u.report(tsk01, a, "an id of its own", id.String()+", which is that of "+other.lineage)
	}
	u.ids[id] = a
}

// waits is TSK-04 on the record: who started the task reads of its end with its
// next message, the oldest end first and of those of one instant by id; in the
// middle of a turn behind results, else as a message of its own.
func (u *notices) waits(a *agent, b *transcript.Notification) {
	t := u.tasks.known[b.TaskID]
	if t == nil || t.owner == nil || t.owner.life == nil {
		return
	}
	reader := t.owner
	if b.Op == "queued" {
		reader.waiting = append(reader.waiting, pending{b.TaskID, b.Activation, u.now})
		return
	}
	at, first := -1, -1
	for i := range reader.waiting {
		w := &reader.waiting[i]
		if w.task == b.TaskID && w.activation == b.Activation {
			at = i
		}
		if first < 0 || w.before(&reader.waiting[first]) {
			first = i
		}
	}
	if at < 0 {
		return // that it was never queued is said elsewhere
	}
	if b.Op == "delivered" {
		if u.fails(tsk04, reader == a && at == first) {
			u.report(tsk04, a, "the notification of "+reader.waiting[first].task+" first: it came first", "that of "+b.TaskID)
		}
		place := "idle"
		goesOn := len(reader.uses) > 0 || reader.spoken.cutOff || reader.spoken.kept != ""
		if goesOn && !reader.cut {
			place = "loop"
		}
		u.same(tsk04, a, "place", place, b.Place)
	}
	reader.waiting = append(reader.waiting[:at], reader.waiting[at+1:]...)
}

// late is TSK-04 for a request: what was queued before the last result came stands
// behind it.
func (u *notices) late(a *agent) {
	if len(a.waiting)+len(a.posted) == 0 || len(a.calls) == 0 {
		return
	}
	var results vtime.Instant
	for i := range a.calls {
		results = max(results, a.calls[i].ended)
	}
	if len(a.posted) > 0 && u.fails(tsk08, a.posted[0] >= results) {
		u.report(tsk08, a, "the message of "+a.posted[0].String()+" behind the results of "+results.String(), "none in the request")
	}
	for i := range a.waiting {
		if w := &a.waiting[i]; u.fails(tsk04, w.at >= results) {
			u.report(tsk04, a, "the notification of "+w.task+", queued at "+w.at.String()+", behind the results of "+results.String(), "none in the request")
		}
	}
}

// behindResults is TSK-04 in the bytes: no result follows a notification in one
// message, and notifications stand in the order of delivery.
func (u *notices) behindResults(a *agent, raw string, results int) {
	id := between(raw, "<task-id>", "</task-id>")
	want := id
	for i := range a.mail {
		if !a.mail[i].message {
			want = a.mail[i].task
			break
		}
	}
	if u.fails(tsk04, results >= len(a.uses) && want == id) {
		u.report(tsk04, a, "behind "+decimal(int64(len(a.uses)))+" results the notification of "+want,
			"behind "+decimal(int64(results))+" that of "+id)
	}
}

// shape is how a notification looks. No content holds a bracket.
var shape = memo.Once(func() *regexp.Regexp { return regexp.MustCompile(notificationForm) })

const notificationForm = `^<task-notification>\n` +
	`<task-id>([^<>]+)</task-id>\n<output-file>[^<>]+</output-file>\n<status>(completed|failed|killed)</status>\n` +
	`<summary>(?:Agent|Command) "[^<>"]*" (completed|failed: [^<>]*|was stopped)</summary>\n` +
	`<usage>\n<total_tokens>\d+</total_tokens>\n<tool_uses>\d+</tool_uses>\n<duration_ms>\d+</duration_ms>\n</usage>\n` +
	`(?:<worktree>\n<worktreePath>[^<>]*</worktreePath>\n<worktreeBranch>[^<>]*</worktreeBranch>\n</worktree>\n)?` +
	`(?:<remote>\n<changed>[^<>]*</changed>\n</remote>\n)?` +
	`</task-notification>$`

// withoutResult is a notification without its result, which may be long, where that is
// where it belongs and holds no bracket.
func withoutResult(raw string) string {
	const before, after = "</summary>\n", "</result>\n<usage>"
	front, rest, _ := strings.Cut(raw, before)
	if result, ok := strings.CutPrefix(rest, "<result>"); ok {
		if end := strings.IndexAny(result, "<>"); end >= 0 && strings.HasPrefix(result[end:], after) {
			return front + before + result[end+len("</result>\n"):]
		}
	}
	return raw
}

// of is the agent of a task, nil of a command's.
func (u *notices) of(task string) *agent {
	n, err := strconv.ParseUint(task[1:], 16, 64)
	if err != nil || task[0] != 'a' && task[0] != 'r' {
		return nil
	}
	return u.ids[llm.AgentID(n)]
}

// summaries are how a summary ends, by status.
var summaries = map[string]string{"completed": "completed", "failed": "failed: ", "killed": "was stopped"}

// wellFormed is TSK-03 for the text of a notification: it has its fields in order
// and nothing else, and its summary says what its status says. A failed agent's
// carries the error (CRD-12).
func (u *notices) wellFormed(a *agent, raw string) {
	m := shape().FindStringSubmatch(withoutResult(raw))
	if u.fails(tsk03, m != nil) {
		u.report(tsk03, a, "a notification with its fields in order, and none of them holding tags", short(raw))
		return
	}
	id, status, summary := m[1], m[2], m[3]
	if u.fails(tsk03, strings.HasPrefix(summary, summaries[status])) {
		u.report(tsk03, a, "a summary that ends with "+summaries[status], summary)
	}
	if why, ok := u.failure(id); ok && status == "failed" {
		u.same(crd12, a, "summary", "failed: "+escaper.Replace(why), summary)
	}
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// unforged is TSK-03 for any other text that is said to an agent.
func (u *notices) unforged(a *agent, raw string) {
	forged := strings.Contains(raw, notification) || strings.Contains(raw, "</task-notification")
	if u.fails(tsk03, !forged) {
		u.report(tsk03, a, "no tag of a notification in what is none", short(raw))
	}
}

// failed notes the error that an agent in the background ended with.
func (u *notices) failed(a *agent, b *transcript.AgentEnd) {
	if !a.background || b.Status != transcript.EndFailed && b.Status != transcript.EndRefused {
		return
	}
	id := a.taskID()
	u.whys[id] = append(u.whys[id], b.Why)
}

// failure takes the oldest error of a task that nobody has heard of.
func (u *notices) failure(id string) (why string, ok bool) {
	list := u.whys[id]
	if len(list) == 0 {
		return "", false
	}
	if u.whys[id] = list[1:]; len(list) == 1 {
		delete(u.whys, id)
	}
	return list[0], true
}

// unread forgets the error of a notification that was dropped.
func (u *notices) unread(b *transcript.Notification) {
	if b.Op == "dropped" && b.Status == transcript.TaskFailed {
		u.failure(b.TaskID)
	}
}

// between is what stands between two strings for the first time.
func between(s, open, end string) string {
	_, rest, _ := strings.Cut(s, open)
	out, _, _ := strings.Cut(rest, end)
	return out
}

// says is TSK-03 for what a notification tells of its task: the status with which it
// ended, its own file, and of a command how long it ran.
func (u *notices) says(a *agent, m *letter, raw string) {
	u.same(tsk03, a, "status", string(m.status), between(raw, "<status>", "</status>"))
	if u.of(m.task) != nil {
		u.trees.names(a, m.left, raw, "<worktreePath>")
	}
	if at := between(raw, "<output-file>", "</output-file>"); u.fails(tsk03, strings.HasSuffix(at, m.task+".output")) {
		u.report(tsk03, a, "the output file of "+m.task, at)
	}
	plain := strings.Contains(raw, "<summary>Command ") && strings.Contains(raw, tokensOpen+"0"+tokensEnd) && strings.Contains(raw, usesOpen+"0"+usesEnd) && !strings.Contains(raw, resultOpen)
	if u.fails(tsk03, m.command == plain) {
		u.report(tsk03, a, "of a command no tokens, no tool uses and no result: "+word(m.command), word(plain))
	}
	if ms := between(raw, "<duration_ms>", "</duration_ms>"); m.command && u.fails(tsk03, ms == decimal(m.took.Milliseconds())) {
		u.report(tsk03, a, "a duration of "+decimal(m.took.Milliseconds())+" ms", ms)
	}
}

// quoter is how a description stands in a summary.
var quoter = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
