package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/task"
	"agentsim/sim/team"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// mailed is a mail of a mailbox as a notice has it.
type mailed struct {
	team.Mail
	in   string // the team
	to   string
	mode permission.Mode // that it brings
}

// post puts a mail into the mailbox of an agent that lives and has it look there
// at the end of its turn.
func post(w *World, to *Agent, box *team.Box, in, from string, kind team.MailKind, text string) error {
	m, err := box.Append(from, kind, task.Defuse(text))
	if err != nil {
		return err
	}
	(&notice{mail: &mailed{Mail: m, in: in, to: box.Of()}}).record(to, "sent", "")
	to.mate.rouse()
	to.inbox.expect()
	return to.inbox.box.Send(&notice{at: w.cfg.Kernel.Now(), look: true})
}

// speakTo puts what the user says into the mailbox of a member of a root's team.
func speakTo(a *Agent, t *Act) {
	var to *mate
	if a.mate.leads() {
		to = a.mate.in.find(t.To)
	}
	if to == nil || to.of.ended {
		a.finding("nobody-to-tell", a.lineage+": its user writes to "+t.To+", and no teammate of that name is at work")
		return
	}
	var text strings.Builder
	for i := range t.Message {
		text.WriteString(t.Message[i].Content.Raw())
	}
	if err := post(a.w, to.of, a.mate.in.Box(to.name), a.mate.in.Name, team.UserName, team.PlainText, text.String()); err != nil {
		a.w.fail(err)
	}
}

// readMail is what the agent's mailboxes hold that it has not read. What is said to its
// client is done here; its model does not see it, and such a notice has no blocks.
func readMail(a *Agent) (out []*notice) {
	var boxes []*team.Box
	in := ""
	if a.life != nil {
		boxes = append(boxes, a.root.peers())
	}
	if a.mate != nil {
		boxes, in = append(boxes, a.mate.in.Box(a.mate.name)), a.mate.in.Name
	}
	for _, b := range boxes {
		if b == nil {
			continue
		}
		mails, err := b.Read()
		if err != nil {
			a.w.fail(err)
		}
		for _, m := range mails {
			n := &notice{mail: &mailed{Mail: m, in: in, to: b.Of()}}
			if !heardByClient(a, n.mail) {
				n.blocks = []llm.Block{textBlock(m.Block())}
			}
			out = append(out, n)
		}
	}
	return out
}

// heardByClient acts on what a mail says to the client, and reports whether that is all.
func heardByClient(a *Agent, m *mailed) bool {
	switch m.Kind {
	case team.PermissionRequest:
		a.mate.hearQuestion(m.Mail)
		return true
	case team.PermissionResponse:
		return true
	case team.PlanResponse:
		a.mate.hearPlan(m)
	}
	return false
}

// postal writes to whom an address means in the agent's team, or to another session; ok
// is false where it means neither.
func postal(a *Agent, in tool.MessageInput, use *llm.Block) (r tool.Result, ok bool) {
	to, err := team.ParseAddress(in.To)
	if err != nil {
		return failure(err.Error()), true
	}
	kind := team.PlainText
	if in.Structured != nil {
		kind = in.Structured.Type
	}
	if err := to.Carries(kind); err != nil {
		return failure(err.Error()), true
	}
	switch {
	case to.Kind == team.ToSocket || to.Kind == team.ToBridge:
		return acrossSessions(a, to, in), true
	case a.mate == nil && (to.Kind != team.ToMember || kind != team.PlainText):
		return failure("You are in no team."), true
	case a.mate == nil:
		return r, false
	case to.Kind == team.ToMember && !a.mate.in.Member(to.Name) && kind == team.PlainText && addressee(a, in.To) != nil:
		m := a.w.agents[addressee(a, in.To).Agent].mate
		if !a.mate.in.left(m) {
			return r, false
		}
		return a.mate.write(m, in.Message, use), true
	}
	names, err := a.mate.in.Receivers(a.mate.name, to)
	if err != nil {
		return failure("Your message was not sent: " + err.Error() + "."), true
	}
	if to.Kind == team.ToAll {
		return a.mate.broadcast(names, in.Message), true
	}
	m := a.mate.in.find(names[0])
	if in.Structured != nil {
		return a.mate.structured(m, in.Structured), true
	}
	return a.mate.write(m, in.Message, use), true
}

// broadcast writes to everyone who is alive.
func (m *mate) broadcast(names []string, text string) tool.Result {
	var reached []string
	for _, name := range names {
		to := m.in.find(name)
		if !m.of.w.executor().isActive(to) {
			continue
		}
		if err := m.send(to, team.PlainText, text); err != nil {
			return failure("Your message was not sent: " + err.Error() + ".")
		}
		reached = append(reached, name)
	}
	if reached == nil {
		return failure("Your message was not sent: nobody in team " + m.in.Name + " is alive.")
	}
	return sent("Your message is in the mailboxes of " + strings.Join(reached, ", ") + ".")
}

// send is one mail to one of the team who lives.
func (m *mate) send(to *mate, kind team.MailKind, text string) error {
	return m.of.w.executor().sendMessage(to, m, kind, text)
}

// write sends a text. A member that was stopped is resumed by it; one that was shut down
// is a member again then.
func (m *mate) write(to *mate, text string, use *llm.Block) tool.Result {
	c := to.of
	switch {
	case to.leads() && c.ended:
		return failure("Your lead has ended.")
	case c.ended && !c.past.resumable():
		return failure(to.name + " has ended and cannot be resumed: its transcript is gone.")
	case c.ended:
		if m.in.left(to) {
			to.rejoin()
		}
		box := m.in.Box(to.name)
		mail, err := box.Append(m.name, team.PlainText, task.Defuse(text))
		if err != nil {
			return failure("Your message was not sent: " + err.Error() + ".")
		}
		(&notice{mail: &mailed{Mail: mail, in: m.in.Name, to: to.name}}).record(c, "sent", "")
		c.past.chain.pending = append(c.past.chain.pending, readMail(c)...)
		was := c.task.Status()
		resume(c, use.ID)
		return sent(to.name + " had ended (" + string(was) + "). It is resumed with your message.")
	}
	if err := m.send(to, team.PlainText, text); err != nil {
		return failure("Your message was not sent: " + err.Error() + ".")
	}
	if !to.leads() && c.task.Status().Final() {
		c.pendingResume = use.ID
		return sent(to.name + " is being stopped. It is resumed with your message once it has ended.")
	}
	if o := m.of.w.cfg.Observer; o != nil && to.leads() {
		o.Said(m.of, llm.NewText(llm.Prose, text)) // a teammate reports by mail
	}
	return sent("Your message is in the mailbox of " + to.name + ".")
}

// structured sends a structured message, as far as who says it to whom may (SWM-06).
func (m *mate) structured(to *mate, s *team.Message) tool.Result {
	if to.of.ended {
		return failure("Your message was not sent: " + to.name + " has ended.")
	}
	var err error
	switch s.Type {
	case team.ShutdownRequest:
		err = m.of.w.executor().terminate(to, m, s.Reason)
	case team.ShutdownResponse:
		err = m.answerShutdown(to, s)
	case team.PlanRequest:
		err = m.requestPlan(to, s.Plan)
	case team.PlanResponse:
		err = m.answerPlan(to, s)
	}
	if err != nil {
		return failure("Your message was not sent: " + err.Error() + ".")
	}
	return sent("Your " + string(s.Type) + " is in the mailbox of " + to.name + ".")
}

// requestShutdown asks a member to end.
func (m *mate) requestShutdown(by *mate, reason string) error {
	switch {
	case m.leads():
		return fmt.Errorf("a lead is not shut down by its team")
	case m.asked != "":
		return fmt.Errorf("%s has not answered %s yet", m.name, m.asked)
	}
	m.in.ends++
	m.asked = fmt.Sprintf("shutdown-%d@%s", m.in.ends, m.name)
	s := team.Message{Type: team.ShutdownRequest, RequestID: m.asked, Reason: reason}
	if err := by.send(m, s.Type, s.Render()); err != nil {
		m.asked = ""
		return err
	}
	m.of.w.rec.emit(m.of.ref, &transcript.StateWrite{Field: "tasks." + m.of.task.ID + ".shutdownRequested", Effect: m.of.ctx.SetTaskState.String()})
	return nil
}

// answerShutdown says to the lead whether a member ends. One that does ends as soon as
// the call has its result.
func (m *mate) answerShutdown(to *mate, s *team.Message) error {
	switch {
	case !to.leads():
		return fmt.Errorf("a shutdown_response goes to %s", team.LeadName)
	case m.asked == "" || m.asked != s.RequestID:
		return fmt.Errorf("nobody has sent you a shutdown_request %s", s.RequestID)
	}
	if err := m.send(to, s.Type, s.Render()); err != nil {
		return err
	}
	m.asked = ""
	if s.Approved() {
		m.leaves = true
		m.of.proc.Abort(errShutDown)
	}
	return nil
}

// requestPlan asks the lead to approve of a plan.
func (m *mate) requestPlan(to *mate, plan string) error {
	switch {
	case !to.leads():
		return fmt.Errorf("a plan_approval_request goes to %s", team.LeadName)
	case m.of.Mode() != permission.Plan:
		return fmt.Errorf("you are not in plan mode")
	case m.plan != "":
		return fmt.Errorf("%s is not answered yet", m.plan)
	}
	m.in.plans++
	m.plan = fmt.Sprintf("plan-%d@%s", m.in.plans, m.name)
	s := team.Message{Type: team.PlanRequest, RequestID: m.plan, Plan: plan}
	err := m.send(to, s.Type, s.Render())
	if err != nil {
		m.plan = ""
	}
	return err
}

// answerPlan says to a member whether its plan is approved: only the lead's word counts.
func (m *mate) answerPlan(to *mate, s *team.Message) error {
	switch {
	case !m.leads():
		return fmt.Errorf("only %s answers plans", team.LeadName)
	case to.plan == "" || to.plan != s.RequestID:
		return fmt.Errorf("%s has asked for no approval %s", to.name, s.RequestID)
	case s.PermissionMode != "" && !slices.Contains(mateModes, permission.Mode(s.PermissionMode)):
		return fmt.Errorf("there is no permissionMode %q for a teammate", s.PermissionMode)
	}
	err := m.send(to, s.Type, s.Render())
	if err == nil {
		to.plan = ""
	}
	return err
}

// mateModes are those that an approved plan may bring.
var mateModes = []permission.Mode{permission.Default, permission.AcceptEdits, permission.Bypass, permission.Auto}

// hearPlan lets a member whose plan is approved begin: in the mode that the answer says,
// else in the one that it would have had.
func (m *mate) hearPlan(mail *mailed) {
	s, err := team.ParseMessage(mail.Text)
	if err != nil {
		panic("agent: " + err.Error()) // it was rendered by answerPlan
	}
	if !s.Approved() {
		return
	}
	mail.mode = cmp.Or(permission.Mode(s.PermissionMode), m.restores, permission.Default)
	own := m.of.ctx.AppState.Authority
	m.of.planning, own.mode, own.alone = nil, mail.mode, true
}

// peers is the mailbox for what other sessions, and workers, write to a root, nil of
// others.
func (r *Root) peers() *team.Box {
	if r == nil {
		return nil
	}
	return r.mail
}

// mailbox is a root's for that, made with the first mail.
func (a *Agent) mailbox() *team.Box {
	if a.root.mail == nil {
		a.root.mail = team.NewBox(a.lineage)
	}
	return a.root.mail
}

// whyBridge is why a message to another session elsewhere is asked about.
const whyBridge = "bridge"

// consent reports whether a call needs the user's explicit consent, whatever rules and
// modes say: a text to a session elsewhere does. Nothing else can be sent there.
func (u *toolUse) consent() bool {
	if u.tool.CanonicalName() != tool.SendName || !u.by.w.gates.AgentSwarms {
		return false
	}
	in, err := tool.ParseMessageInput(u.block.Content, true)
	return err == nil && in.Structured == nil && strings.HasPrefix(in.To, "bridge:")
}

// acrossSessions writes a text to another session of the run, by the name of its root: on
// this machine over a socket, elsewhere over a bridge, to which the user has consented
// by now (SWM-05).
func acrossSessions(a *Agent, to team.Address, in tool.MessageInput) tool.Result {
	var other *Agent
	for _, x := range a.w.agents {
		if x.parent == nil && x.lineage == to.Name && x != a.session() {
			other = x
		}
	}
	if other == nil || other.ended {
		return failure("Your message was not sent: there is no session " + to.Name + ".")
	}
	if err := post(a.w, other, other.mailbox(), "", a.lineage, team.PlainText, in.Message); err != nil {
		return failure("Your message was not sent: " + err.Error() + ".")
	}
	return sent("Your message is in the mailbox of session " + to.Name + ".")
}
