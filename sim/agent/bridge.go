package agent

import (
	"strconv"

	"agentsim/sim/kernel"
	"agentsim/sim/team"
)

// question is a prompt of a teammate that its lead has not read yet.
type question struct{ read *kernel.Signal }

// How a teammate's prompt comes to its lead's terminal.
const (
	byBridge  = "bridge"
	byMailbox = "mailbox"
)

// mateOf is who answers for an agent in a team: itself, or the member that waits for it.
func mateOf(a *Agent) *mate {
	for a.mate == nil && a.parent != nil {
		a = a.parent
	}
	return a.mate
}

// atLead is the user at the terminal of a team's lead.
type atLead struct{}

// Answer is the user's, once the lead has heard of the question.
func (atLead) Answer(p *kernel.Proc, q *Question) (*Answer, error) {
	if err := q.use.reach(p); err != nil {
		return nil, err
	}
	ans, err := atTerminal{}.Answer(p, q)
	if err == nil && q.use.via == byMailbox {
		q.use.reply(ans.Reply == ReplyAllow || ans.Reply == ReplyEdit)
	}
	return ans, err
}

// reach brings a prompt of a teammate to its lead: at once where they share a process
// and the lead is free; else by the mailbox, which the lead's client reads at the end of
// a turn (SWM-09). The decision is the user's either way.
func (u *toolUse) reach(p *kernel.Proc) error {
	m := mateOf(u.by)
	w, lead := u.by.w, m.in.lead
	if !w.executor().backend().Panes() && lead.client.call == nil && w.terminals[lead.ref] <= p.Now() {
		u.via = byBridge
		return nil
	}
	q := &question{kernel.NewSignal(w.cfg.Kernel, "the lead's reading of "+m.name+"'s question")}
	id := "permission-" + strconv.Itoa(len(lead.mate.questions)+1) + "@" + m.name
	lead.mate.questions[id] = q
	s := team.Message{Type: team.PermissionRequest, RequestID: id, Tool: u.tool.Name, Input: u.block.Content.Raw()}
	if err := m.send(lead.mate, s.Type, s.Render()); err != nil {
		u.via = byBridge // it is too long for a mail
		return nil
	}
	u.via = byMailbox
	return q.read.Wait(p)
}

// hearQuestion shows the prompt that a mail is about: its asker waits for that.
func (m *mate) hearQuestion(mail team.Mail) {
	if q := m.questions[mail.RequestID()]; q != nil {
		q.read.Fire()
	}
}

// reply tells a teammate by mail what came of its prompt.
func (u *toolUse) reply(allowed bool) {
	m := mateOf(u.by)
	if m.of.ended {
		return
	}
	s := team.Message{Type: team.PermissionResponse, Tool: u.tool.Name, Approve: &allowed}
	if err := m.in.lead.mate.send(m, s.Type, s.Render()); err != nil {
		u.by.w.fail(err)
	}
}
