package audit

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// teams is the section on teams of agents: their members, mail and tasks.
type teams struct {
	*ledger
	gates   *gates
	tasks   *tasking
	members []*member
	owners  map[shared]string // of tasks that somebody owns
	sent    map[route]int     // mails by sender and receiver
	got     map[route]int     // of these, those that are settled
	held    []*post           // delivered, and not seen in a request
}

// member is an agent of a team; of the lead, the team itself.
type member struct {
	of    *agent
	team  string
	name  string
	asked int  // shutdowns that it was asked for and has not answered
	plans int  // of its own that are not answered
	calls bool // its lead was in a call as its last question came up
	left  bool // it was shut down, and was not written to since
}

// shared is a task of a team, route a sender and a receiver.
type (
	shared struct {
		team string
		id   int
	}
	route struct {
		team, from, to string
		reader         *agent
	}
)

// post is a mail that was delivered.
type post struct {
	to   *agent
	from string
	kind string
	size int
}

// The words of the tools and of mails that this section knows.
const (
	leadName    = "team-lead"
	mailTag     = "<teammate-message "
	swarmsGate  = "AGENT_SWARMS"
	teamPart    = "<system-reminder>\n# team\n"
	shutDown    = "shut-down"
	leadIsGone  = "lead-ended"
	shutRequest = "shutdown_request"
	shutAnswer  = "shutdown_response"
	planRequest = "plan_approval_request"
	planAnswer  = "plan_approval_response"
)

// keptByMates are the tools that the layers for the background leave a teammate.
var keptByMates = []string{"Agent", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "SendMessage"}

// ofTeams are the tools that have no use without teams.
var ofTeams = []string{"SendMessage", "TeamCreate", "TeamDelete", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"}

// agentTask reports whether a type of task is an agent's.
func agentTask(kind string) bool { return answers(kind) || kind == "in_process_teammate" }

// answers reports whether it is one that is written to by its id.
func answers(kind string) bool { return kind == "local_agent" || kind == "remote_agent" }

// taskID is the id of the task that an agent in the background is.
func (a *agent) taskID() string {
	if a.mate {
		return llm.TaskID('t', uint64(a.former.facts.ID))
	}
	if a.remote {
		return llm.TaskID('r', uint64(a.former.facts.ID))
	}
	return a.former.facts.ID.String()
}

// find is the newest member that is an agent, or bears a name in a team.
func (u *teams) find(match func(*member) bool) *member {
	for _, m := range slices.Backward(u.members) {
		if match(m) {
			return m
		}
	}
	return nil
}

func (u *teams) memberOf(a *agent) *member {
	if a == nil {
		return nil
	}
	return u.find(func(m *member) bool { return m.of == a })
}

// lead is the lead's own entry for an agent that leads or has been started by one.
func (u *teams) lead(team string) *member {
	return u.find(func(m *member) bool { return m.team == team && m.name == leadName })
}

// team takes in what becomes of a team: members join whom the lead has started.
func (u *teams) team(ref int32, b *transcript.Team) {
	a := u.agent(ref)
	switch b.Op {
	case "created":
		if u.fails(swm07, a != nil && a.parent == nil && u.memberOf(a) == nil && (u.opt.Session == nil || u.gates.on[swarmsGate])) {
			u.report(swm07, a, "a team of a root that leads none, with teams on", "team "+b.Team)
		}
		u.members = append(u.members, &member{of: a, team: b.Team, name: leadName})
	case "joined":
		lead := u.lead(b.Team)
		if m := u.memberOf(a); m != nil && m.left && m.team == b.Team && m.name == b.Name && a.life == nil {
			u.returns(m)
			return
		}
		if u.fails(swm07, lead != nil && a != nil && a.mate && a.parent == lead.of && u.memberOf(a) == nil) {
			u.report(swm07, a, "a member that the lead of "+b.Team+" has started", b.Name)
		}
		u.members = append(u.members, &member{of: a, team: b.Team, name: b.Name})
		if a != nil && b.Backend != "in-process" && !a.fixed {
			a.chosen, a.fixed = a.facts.RunMode, true
		}
		if a != nil {
			a.pane = b.Backend != "in-process"
		}
	case "left":
		if m := u.memberOf(a); m != nil {
			m.left = true
		}
	case "deleted":
		alive := u.find(func(m *member) bool { return m.team == b.Team && m.of != a && m.of.life != nil })
		if u.fails(swm07, alive == nil) {
			u.report(swm07, a, "no member of team "+b.Team+" that lives", alive.name)
		}
		u.members = slices.DeleteFunc(u.members, func(m *member) bool { return m.team == b.Team })
		for k := range u.owners { // order: each by itself
			if k.team == b.Team {
				delete(u.owners, k)
			}
		}
		u.anew(func(k route) bool { return k.team == b.Team })
	}
}

// returns takes in that a member that was shut down is one again: it has a mailbox anew.
func (u *teams) returns(m *member) {
	m.left = false
	u.anew(func(k route) bool { return k.team == m.team && k.to == m.name })
}

// anew lets go what was counted on routes on which nothing is left to be read.
func (u *teams) anew(match func(route) bool) {
	for k, n := range u.sent { // order: each by itself
		if match(k) && n == u.got[k] {
			delete(u.sent, k)
			delete(u.got, k)
		}
	}
}

// admits is what a call of the Agent tool says of teams that makes it start nobody.
func (u *teams) admits(a *agent, in *llm.Payload) (why string, known bool) {
	if !u.gates.on[swarmsGate] && !a.confined() {
		return "", true
	}
	if strings.Contains(in.Raw(), `"team_name"`) || strings.Contains(in.Raw(), `"mode"`) || a.mate || a.confined() {
		return "", false // names are looked at as they join
	}
	return "", true
}

// confined reports whether an agent is a member of a team in the session's own process, or
// works for one: nobody is started in the background there (SUB-17).
func (a *agent) confined() bool {
	for ; a != nil; a = a.parent {
		if a.mate {
			return !a.pane
		}
	}
	return false
}

// lacks reports whether a session is without a tool for want of teams.
func (u *teams) lacks(s *Session, name string) bool {
	return !u.gates.on[swarmsGate] && !s.coordinates() && slices.Contains(ofTeams, name) && !slices.Contains(s.Own, name)
}

// holds is SWM-13 for an agent that starts.
func (u *teams) holds(a *agent, s *Session) {
	if s.Minimal || u.gates.changed[swarmsGate] {
		return
	}
	for _, name := range a.facts.Tools {
		if slices.Contains(ofTeams, name) && u.fails(swm13, !u.lacks(s, name)) {
			u.report(swm13, a, "no "+name+" without teams", name)
		}
	}
}

// note is what of a system prompt stands behind the words on teams, which a member's has.
func (u *teams) note(a *agent, text string) string {
	rest, found := strings.CutPrefix(text, "\n# Team\n")
	if u.fails(swm07, found == a.mate) {
		u.report(swm07, a, "a prompt that speaks of its team: "+word(a.mate), word(found))
	}
	if !found {
		return text
	}
	_, rest, _ = strings.Cut(rest, "\n")
	return rest
}

// introduced is what is said first to an agent behind the block that tells a member who
// it is.
func (u *teams) introduced(a *agent, nodes []*llm.Node) []*llm.Node {
	m := u.memberOf(a)
	if m == nil || m.name == leadName || len(nodes) == 0 {
		return nodes
	}
	opens := teamPart + "You are " + m.name + " of team " + m.team + "."
	if raw := nodes[0].Block.Content.Raw(); u.fails(swm07, strings.HasPrefix(raw, opens)) {
		u.report(swm07, a, opens, short(raw))
	}
	return nodes[1:]
}

// mail is SWM-04 on the record.
func (u *teams) mail(ref int32, b *transcript.Mail) {
	a := u.agent(ref)
	k := route{b.Team, b.From, b.To, a}
	if b.Op == "sent" {
		u.sent[k]++
		if u.fails(swm04, a != nil && b.N == u.sent[k]) {
			u.report(swm04, a, "mail "+decimal(int64(u.sent[k]))+" of "+b.From, decimal(int64(b.N)))
		}
		u.speaks(a, b)
		a.hearsLead(b)
		return
	}
	u.got[k]++
	if u.fails(swm04, b.N == u.got[k] && u.got[k] <= u.sent[k]) {
		u.report(swm04, a, "mail "+decimal(int64(u.got[k]))+" of "+b.From+" of "+decimal(int64(u.sent[k]))+", each once", "mail "+decimal(int64(b.N))+" "+b.Op)
		return
	}
	if b.Mode != "" && a != nil && a.mate {
		a.chosen, a.fixed = b.Mode, true
	}
	if b.Op == "delivered" && b.Place != "client" {
		u.held = append(u.held, &post{a, b.From, b.Type, b.Bytes})
	}
}

// speaks is SWM-06 for a structured mail as it is sent.
func (u *teams) speaks(a *agent, b *transcript.Mail) {
	by := func(name string) *member {
		return u.find(func(m *member) bool { return m.team == b.Team && m.name == name })
	}
	from, to := by(b.From), by(b.To)
	if from == nil || to == nil {
		return
	}
	ok := true
	switch b.Type {
	case shutRequest:
		ok = b.To != leadName
		to.asked++
	case shutAnswer:
		ok = b.To == leadName && from.asked > 0
		if from.asked = 0; from.of.life != nil {
			from.of.leaves = true
		}
	case planRequest:
		ok = b.To == leadName
		from.plans++
	case planAnswer:
		ok = b.From == leadName && to.plans > 0
		to.plans = 0
	}
	if u.fails(swm06, ok) {
		u.report(swm06, a, "a "+b.Type+" of whom it behoves, to whom it does", "one of "+b.From+" to "+b.To)
	}
}

// heard is SWM-04 in the bytes: a mail that was delivered stands in the next request,
// and nothing else looks like one. It reports whether the text is one, or introduces a
// member.
func (u *teams) heard(a *agent, raw string) bool {
	if a.mate && strings.HasPrefix(raw, teamPart) {
		return true
	}
	if !strings.HasPrefix(raw, mailTag) {
		return false
	}
	from, kind := between(raw, ` from="`, `"`), between(raw[:strings.IndexByte(raw, '\n')], ` type="`, `"`)
	for i, p := range u.held {
		if p.to == a && p.from == from && p.kind == kind {
			if body := between(raw, ">\n", "\n</teammate-message>"); u.fails(swm04, len(body) >= p.size) {
				u.report(swm04, a, "a mail of "+decimal(int64(p.size))+" bytes of "+from, short(body))
			}
			u.held = slices.Delete(u.held, i, i+1)
			return true
		}
	}
	if u.fails(swm04, false) {
		u.report(swm04, a, "no mail but those that were delivered since the last request", short(raw))
	}
	return true
}

// unheard reports mails that were delivered and do not stand in the request.
func (u *teams) unheard(a *agent) {
	if len(u.held) == 0 || a.rebased == "compaction" {
		return
	}
	u.held = slices.DeleteFunc(u.held, func(p *post) bool {
		if p.to == a && u.fails(swm04, false) {
			u.report(swm04, a, "a mail of "+p.from+", which was delivered", "none in the request")
		}
		return p.to == a
	})
}

// task is SWM-08: whoever has a task keeps it.
func (u *teams) task(ref int32, b *transcript.TeamTask) {
	a, k := u.agent(ref), shared{b.Team, b.Task}
	was := u.owners[k]
	ok := was == "" || was == b.Owner && was == b.By || was == b.By || b.By == leadName
	if u.fails(swm08, ok) {
		u.report(swm08, a, "task "+decimal(int64(b.Task))+" of "+was, b.Op+" by "+b.By+" for "+orNone(b.Owner))
	}
	u.owners[k] = b.Owner
	if b.Op == "deleted" {
		delete(u.owners, k)
	}
}

// prompt is SWM-09: who asks on behalf of whom, and how the question comes to the lead.
func (u *teams) prompt(a *agent, b *transcript.Permission) {
	m := a
	for m != nil && !m.mate {
		m = m.parent
	}
	if m == nil || b.Terminal == "" {
		return
	}
	x := u.memberOf(m)
	if x == nil {
		return
	}
	u.same(swm09, a, "badge", x.name, b.Badge)
	if b.Decision == "ask" {
		lead := m.parent
		x.calls = lead.life != nil && lead.calling
		return
	}
	if u.fails(swm09, !x.calls || b.Via == "mailbox") {
		u.report(swm09, a, "a question by the mailbox: its lead was in a call", orNone(b.Via))
	}
}

// leaves is SWM-06 and SWM-11 for a member that ends.
func (u *teams) leaves(a *agent, b *transcript.AgentEnd) {
	m := u.memberOf(a)
	if m == nil || !a.mate {
		return
	}
	if b.Status == transcript.EndCompleted && u.fails(swm06, b.Why == shutDown && m.asked == 0) {
		u.report(swm06, a, "an end by a shutdown that it was asked for and has approved", orNone(b.Why))
	}
	if b.Why == leadIsGone && u.fails(swm11, a.parent.life == nil) {
		u.report(swm11, a, "no end while its lead lives", b.Why)
	}
	if u.fails(swm11, b.Why != "parent") {
		u.report(swm11, a, "a controller of its own", "an abort of its parent's")
	}
}

// ended is SWM-04 and SWM-11 for the run: no mail is lost, and no member is left.
func (u *teams) ended(b *transcript.RunEnd) {
	if b.Outcome != "completed" {
		return
	}
	for _, m := range u.members {
		if u.fails(swm11, m.of == nil || m.of.life == nil) {
			u.report(swm11, m.of, "no member that outlives the run", m.name)
		}
	}
	lost := ""
	for k, n := range u.sent { // order: the first by name is told
		if name := k.from + " to " + k.to; n != u.got[k] && (lost == "" || name < lost) {
			lost = name
		}
	}
	if u.fails(swm04, lost == "") {
		u.report(swm04, nil, "every mail delivered or dropped", "one of "+lost+" is neither")
	}
}
