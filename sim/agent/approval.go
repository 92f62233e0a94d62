package agent

import (
	"fmt"
	"slices"

	"agentsim/sim/kernel"
	"agentsim/sim/permission"
	"agentsim/sim/plan"
	"agentsim/sim/team"
	"agentsim/sim/tool"
)

// asked is a plan that a worker's coordinator is asked about.
type asked struct {
	id     string
	heard  *kernel.Signal // fires with the answer
	answer *team.Message
}

// planLead is the coordinator that a worker asks about its plan, nil for anybody else
// (PLN-04).
func planLead(a *Agent) *Agent {
	if a.parent == nil || !a.parent.coordinates() || !a.def.works() {
		return nil
	}
	return a.parent
}

// workersPlan reports whether workers of the session plan by their definition, so that
// its coordinator answers for plans.
func workersPlan(w *World) bool {
	return w.coordinator && slices.ContainsFunc(w.cfg.Definitions, func(d *Definition) bool {
		return d.works() && w.cfg.ownMode(d) == permission.Plan
	})
}

// toLead reports whether a call hands in a plan that a coordinator is asked about.
func (u *toolUse) toLead() bool {
	return u.tool.Name == plan.ExitName && planLead(u.by) != nil && ownPlan(u.by) != nil
}

// approvedBy is who says whether an agent's plan is carried out.
func approvedBy(a *Agent) string {
	if planLead(a) != nil {
		return "Your lead"
	}
	return "The user"
}

// atCoordinator is the coordinator of a worker, which reads of a plan in its mailbox and
// answers by SendMessage.
type atCoordinator struct{}

// Answer is the coordinator's. One that gives none within the time of a prompt has not
// answered.
func (atCoordinator) Answer(p *kernel.Proc, q *Question) (*Answer, error) {
	a := q.By
	w, lead, of := a.w, planLead(a), a.planning
	of.requests++
	of.asked = &asked{id: fmt.Sprintf("plan-%d@%s", of.requests, a.task.ID), heard: kernel.NewSignal(w.cfg.Kernel, "the answer to "+a.lineage+"'s plan")}
	defer func() { of.asked = nil }()
	q.use.via = byMailbox
	s := team.Message{Type: team.PlanRequest, RequestID: of.asked.id, Plan: q.Plan}
	if lead.ended {
		return &Answer{Reply: ReplyDeny, Feedback: "Your lead has ended."}, nil
	}
	if err := post(w, lead, lead.mailbox(), "", a.task.ID, s.Type, s.Render()); err != nil {
		return &Answer{Reply: ReplyDeny, Feedback: err.Error() + "."}, nil
	}
	if _, err := of.asked.heard.WaitUntil(p, p.Now().Add(w.cfg.Permissions.TimeOut)); err != nil {
		return nil, err
	}
	r := of.asked.answer
	switch {
	case r == nil:
		return &Answer{Reply: ReplyNever}, nil
	case !r.Approved():
		return &Answer{Reply: ReplyDeny, Feedback: r.Feedback}, nil
	case r.PermissionMode != "":
		of.Mode = permission.Mode(r.PermissionMode)
	}
	return &Answer{Reply: ReplyAllow}, nil
}

// answerWorker says to a worker whether its plan is approved.
func answerWorker(a *Agent, in tool.MessageInput) tool.Result {
	const unsent = "Your message was not sent: "
	t, s := addressee(a, in.To), in.Structured
	switch {
	case t == nil:
		return failure("There is no agent " + in.To + " that you started in the background. " + reachable(a))
	case s.Type != team.PlanResponse:
		return failure(unsent + "a worker is sent text, or a plan_approval_response.")
	case s.PermissionMode != "" && !slices.Contains(mateModes, permission.Mode(s.PermissionMode)):
		return failure(unsent + fmt.Sprintf("there is no permissionMode %q for a worker.", s.PermissionMode))
	}
	c := a.w.agents[t.Agent]
	if c.ended || c.planning == nil || c.planning.asked == nil || c.planning.asked.id != s.RequestID {
		return failure(unsent + in.To + " has asked for no approval " + s.RequestID + ".")
	}
	of := c.planning
	if of.box == nil {
		of.box = team.NewBox(t.ID)
	}
	mail, err := of.box.Append(a.lineage, s.Type, s.Render())
	if err != nil {
		return failure(unsent + err.Error() + ".")
	}
	n := &notice{mail: &mailed{Mail: mail, to: t.ID, mode: permission.Mode(s.PermissionMode)}}
	n.record(c, "sent", "")
	n.record(c, "delivered", "")
	of.asked.answer = s
	of.asked.heard.Fire()
	return sent("Your plan_approval_response is with agent " + in.To + ".")
}

// sendDefinition is SendMessage as the session has it.
func sendDefinition(w *World) (description, schema string) {
	if w.gates.AgentSwarms {
		return tool.SendSchema()
	}
	return tool.SendPlanSchema()
}

// structures reports whether an agent may send structured messages.
func structures(w *World) bool { return w.gates.AgentSwarms || workersPlan(w) }
