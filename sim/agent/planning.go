package agent

import (
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/plan"
	"agentsim/sim/team"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// planning is the plan mode of an agent that is to leave it by its own plan.
type planning struct {
	plan.Memory
	file string
	text string // of the plan that somebody is asked about

	requests int       // of a worker to its coordinator
	asked    *asked    // the one that is not answered
	box      *team.Box // of the answers
}

// plansFirst gives an agent whose own mode is to plan a plan of its own.
func plansFirst(a *Agent) {
	if a.ctx.AppState.mode == permission.Plan {
		a.planning = &planning{Memory: plan.Memory{Mode: permission.Default}, file: planFile(a)}
	}
}

// ownPlan is the plan by which the agent can leave the plan mode that it is in, nil where it
// is in none, or because its parent is.
func ownPlan(a *Agent) *planning {
	if s := a.ctx.AppState; s.Mode() != permission.Plan || s.bound() {
		return nil
	}
	return a.planning
}

// neverLeaves tells of an agent with a plan of its own about which nobody is asked.
func neverLeaves(a *Agent) {
	if a.planning != nil && a.ctx.AppState.AvoidPrompts && a.ctx.Pool.Has(plan.ExitName) && planLead(a) == nil {
		a.finding("plan-kept", "agents of type "+a.def.Type+" plan, and in the background nobody is asked about a plan: they never leave plan mode")
	}
}

func planFile(a *Agent) string { return plan.File(a.key.Sub("plan")) }

// instructed appends what an agent is told that plans and can leave.
func instructed(a *Agent, blocks []llm.Block) []llm.Block {
	if ownPlan(a) == nil || !a.ctx.Pool.Has(plan.ExitName) {
		return blocks
	}
	decides(a.w, modePath)
	_, there := a.w.cfg.FS.Stat(a.planning.file)
	return append(blocks, textBlock(Reminder(plan.Part, plan.Prompt(a.planning.file, there))))
}

// class is what kind of effect a call has. In plan mode the plan file is the session's
// own, unless it is a link, and a server's tool reads that says so.
func (u *toolUse) class() permission.Class {
	a := u.by
	switch {
	case u.tool.Name == plan.ExitName && a.mate.member():
		return permission.Meta // it asks its lead itself
	case u.tool.Reads != nil && u.tool.SafeFor(u.block.Content):
		return permission.Read // a command that only looks
	case a.Mode() != permission.Plan:
	case u.tool.ReadOnly:
		return permission.Read
	case u.writesPlan() && !a.w.cfg.FS.IsLink(a.planning.file):
		return permission.Meta
	}
	return u.tool.Class
}

// modePath is where a scenario says in which mode its roots are.
const modePath = "permissions.mode"

// plans notes whether plan mode decides otherwise about a call than any mode in which its
// agent would be without it.
func (u *toolUse) plans(by *permission.Policy, call permission.Call, d permission.Decision) {
	if by.Mode != permission.Plan {
		return
	}
	if call.Class != permission.Read || u.tool.Reads == nil { // which only looks in any mode
		call.Class = u.tool.Class
	}
	for _, m := range [...]permission.Mode{permission.Default, permission.AcceptEdits, permission.Bypass} {
		other := *by
		if other.Mode = m; other.Decide(&call).Verdict != d.Verdict {
			decides(u.by.w, modePath)
		}
	}
}

// writesPlan reports whether a call writes where the plan of its agent is to stand.
func (u *toolUse) writesPlan() bool {
	if ownPlan(u.by) == nil {
		return false
	}
	at := u.tool.Subjects(u.block.Content, u.by.directory())
	return len(at) > 0 && plan.Open(u.tool.Name, at[0], u.by.planning.file)
}

// linked says that the plan file is a link, where that is why a call was denied.
func (u *toolUse) linked() string {
	if u.writesPlan() && u.by.w.cfg.FS.IsLink(u.by.planning.file) {
		return ", and the plan file is a link"
	}
	return ""
}

// planMode runs EnterPlanMode and ExitPlanMode, once they are approved.
type planMode struct {
	reject func(*Agent) string
	act    func(*Agent) tool.Result
}

var (
	enterPlan = planMode{cannotEnter, entersPlan}
	exitPlan  = planMode{cannotLeave, leavesPlan}
)

func (h planMode) start(_ *kernel.Proc, c call) (tool.Result, waiting) { return h.act(c.by), nil }

func (h planMode) refuse(c call) *tool.Result {
	decides(c.by.w, modePath)
	why := h.reject(c.by)
	if err := tool.TakesNothing(c.block.Content); err != nil {
		why = c.block.Name + ": " + err.Error()
	}
	if why == "" {
		return nil
	}
	out := failure(why)
	return &out
}

func cannotEnter(a *Agent) string {
	switch {
	case a.Mode() == permission.Plan:
		return "Plan mode is on already."
	case a.root == nil:
		return "Only the session itself enters plan mode, not an agent below it."
	case !a.ctx.Pool.Has(plan.ExitName):
		return "Plan mode is not entered: there is no " + plan.ExitName + " to leave it by."
	}
	return ""
}

// What an agent is told that would leave the plan mode of one above it, and one that is to
// plan beyond that.
const (
	parentPlans = "Plan mode is the parent's, and ends with its plan: report what you found."
	parentFirst = "Plan mode is the parent's for now. Once its plan is approved, yours can be."
)

// cannotLeave is why there is no plan to be asked about, "" where there is one: it is
// what stands in the file now.
func cannotLeave(a *Agent) string {
	switch {
	case a.Mode() != permission.Plan:
		return "Plan mode is not on, so there is nothing to leave. If a plan was approved before, go on with its implementation."
	case ownPlan(a) == nil && a.planning != nil:
		return parentFirst
	case ownPlan(a) == nil:
		return parentPlans
	case a.w.cfg.FS.IsLink(a.planning.file):
		return "The plan file " + a.planning.file + " is a link, so it is neither read nor written."
	}
	a.planning.text, _ = a.w.cfg.FS.Content(a.planning.file)
	if strings.TrimSpace(a.planning.text) == "" {
		return "There is no plan in " + a.planning.file + ": write it there before you call " + plan.ExitName + "."
	}
	return ""
}

// entersPlan remembers the mode and sets plan mode (PLN-01).
func entersPlan(a *Agent) tool.Result {
	kept, rules := plan.Enter(a.Mode(), a.ctx.AppState.rules, a.rules())
	a.planning = &planning{Memory: kept, file: planFile(a)}
	turnTo(a, permission.Plan, rules, "enter")
	return tool.Result{Content: llm.NewText(llm.Prose, plan.Entered), Behind: instructed(a, nil)}
}

// leavesPlan gives back the mode and the rules, and the plan to the model (PLN-05). A
// member of a team asks its lead for that, who answers by mail (PLN-04).
func leavesPlan(a *Agent) tool.Result {
	if a.mate.member() {
		if err := a.mate.requestPlan(a.mate.in.lead.mate, a.planning.text); err != nil {
			return failure("Your plan was not sent: " + err.Error() + ".")
		}
		return sent(plan.Submitted(a.mate.plan))
	}
	of := ownPlan(a)
	if of == nil { // its parent has begun to plan since it asked
		return failure(parentFirst)
	}
	turnTo(a, of.Mode, of.Rules, "leave")
	a.planning = nil
	return tool.Result{Content: llm.NewText(llm.Prose, plan.Approved(approvedBy(a), of.file, of.text))}
}

// turnTo changes an agent's mode and the rules that it goes by.
func turnTo(a *Agent, mode permission.Mode, rules *permission.Rules, op string) {
	ev := &transcript.Plan{Op: op, From: string(a.Mode()), To: string(mode), File: a.planning.file}
	for _, r := range a.planning.Stripped {
		ev.Stripped = append(ev.Stripped, r.String())
	}
	a.ctx.AppState.mode, a.ctx.AppState.rules = mode, rules
	a.w.rec.emit(a.ref, ev)
}

// Approver answers what is asked about a call: the user at the session's terminal, or
// whoever leads the agent.
type Approver interface {
	// Answer waits until there is one. The error is an abort that came before.
	Answer(p *kernel.Proc, q *Question) (*Answer, error)
}

// Question is a call that an agent does not make unasked.
type Question struct {
	By   *Agent
	Call *permission.Call
	Plan string // of ExitPlanMode: what stands in the plan file
	use  *toolUse
}

// approver is who is asked about a call: the user, for teammates once their lead has
// heard of it, and about a worker's plan its coordinator.
func (u *toolUse) approver() Approver {
	switch {
	case mateOf(u.by).member():
		return atLead{}
	case u.toLead():
		return atCoordinator{}
	}
	return atTerminal{}
}

// atTerminal is the scripted user, at the terminal of the session.
type atTerminal struct{}

// Answer is the first of the script that fits, as long after the question is shown as
// that says.
func (atTerminal) Answer(p *kernel.Proc, q *Question) (*Answer, error) {
	w := q.By.w
	ans := w.cfg.Permissions.answer(q.By.lineage, q.Call)
	w.unasked = w.unasked || ans == &allowed
	if ans.Reply == ReplyNever {
		return ans, q.use.shown(p, w.cfg.Permissions.TimeOut)
	}
	return ans, q.use.shown(p, vtime.Duration(ans.After.Draw(q.use.drawKey("answer"))))
}
