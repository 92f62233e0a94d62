package agent

import (
	"path"
	"slices"
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/plan"
	"agentsim/sim/rng"
	"agentsim/sim/shell"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
	"agentsim/sim/worktree"
)

// Permissions are what a session's tool uses are decided by, beside its mode.
type Permissions struct {
	Rules      permission.Rules
	Allowed    map[string][]permission.Rule // by agent type: allow rules that take the place of the session's (PRM-03)
	Classifier permission.Classifier        // of mode auto
	Answers    []Answer                     // of the user, the first that fits
	TimeOut    vtime.Duration               // how long a prompt stands that nobody answers
	// Children is the mode of children whose definition names none; "" is their
	// parent's (SUB-10).
	Children permission.Mode
}

// Answer is what the scripted user says to prompts (PRM-04).
type Answer struct {
	Agent    string          // lineage or glob of lineages that ask; "" is everyone
	Rule     permission.Rule // calls that it answers; without a tool all
	After    rng.Span        // how long the user takes, once the prompt is shown
	Reply    Reply
	Input    *llm.Payload      // of ReplyEdit: the input in place of the model's
	Always   bool              // of ReplyAllow: and do not ask again in this session
	Rules    []permission.Rule // with Always: what the session allows from then on; nil for the call
	Feedback string            // of ReplyDeny
	Nth      int               // which of the prompts that fit, from 1; 0 is each

	fitted int  // prompts so far
	said   bool // to one of them
}

// Reply is what a user does about a prompt, by its word in a scenario.
type Reply string

// The replies.
const (
	ReplyAllow Reply = "allow"
	ReplyDeny  Reply = "deny"
	ReplyEdit  Reply = "edit"  // allow, with another input
	ReplyNever Reply = "never" // the prompt times out
)

// DefaultTimeOut is how long a prompt stands that nobody answers: our own
// assumption.
const DefaultTimeOut = 10 * vtime.Minute

// asking is a decision that is the user's.
type asking struct {
	call *permission.Call
	why  string
}

// decide decides about a tool use and records it. denied is the result of a use that is
// not allowed; ask is what only the user decides, of which nothing is recorded yet.
func (u *toolUse) decide() (ask *asking, denied *tool.Result) {
	a := u.by
	if why := u.beside(); why != "" {
		a.w.rec.permission(a, &transcript.Permission{ID: u.block.ID, Tool: u.tool.Name, Mode: string(a.Mode()), Decision: permission.Deny.String(), Why: why})
		return nil, refusal(u.tool.Name, why)
	}
	call := permission.Call{Tool: u.tool.Name, Aliases: u.tool.Aliases, Class: u.class()}
	rules := a.rules()
	pol := permission.Policy{Mode: a.Mode(), AvoidPrompts: a.ctx.AppState.AvoidPrompts && !u.toLead(), Rules: rules, Classifier: a.w.cfg.Permissions.Classifier, Unasked: u.unasked()}
	if !rules.Empty() || pol.Mode == permission.Auto || len(a.w.cfg.Permissions.Answers) > 0 {
		call.Subjects = u.subjects()
		call.Names = u.names(call.Subjects)
	}
	if u.tool.CanonicalName() == tool.AgentName {
		pol.Rules = withoutTypes(rules) // the type's resolution says which types are left (SUB-05)
	}
	d := pol.Decide(&call)
	u.plans(&pol, call, d)
	if d.Verdict == permission.Allow && u.consent() {
		d = permission.Decision{Verdict: permission.Ask, Why: whyBridge}
		if pol.AvoidPrompts {
			d = permission.Decision{Verdict: permission.Deny, Why: permission.WhyAvoided}
		}
	}
	if d.Verdict == permission.Ask {
		asked := call
		return &asking{&asked, d.Why}, nil
	}
	a.w.rec.permission(a, &transcript.Permission{ID: u.block.ID, Tool: u.tool.Name, Mode: string(a.Mode()), Decision: d.Verdict.String(), Why: d.Why})
	if d.Verdict == permission.Deny {
		return nil, refusal(u.tool.Name, d.Why+u.linked())
	}
	return nil, nil
}

// The reasons of decisions that would have been questions.
const (
	whyScratchpad = "scratchpad"
	whyTemporary  = "temporary files"
)

// unasked is why a question of the mode about a call is none: a worker reads and
// writes what lies in the scratchpad unasked (CRD-08), and a verification writes what
// commands that only look print into temporary files. "" leaves the question.
// Rules and what a mode forbids hold there as everywhere.
func (u *toolUse) unasked() string {
	a := u.by
	switch {
	case a.w.gates.Scratch && a.def != nil && a.def.works() && a.w.cfg.Coordinator.InScratchpad(u.tool, u.block.Content, a.directory()):
		return whyScratchpad
	case a.def.verifies() && u.tool.Reads != nil && slices.ContainsFunc(u.tool.Subjects(u.block.Content, a.directory()), shell.Temporary) &&
		!slices.ContainsFunc(u.subjects(), func(s string) bool { return !shell.ReadOnly(s) }):
		return whyTemporary
	}
	return ""
}

// subjects are what rules have to speak of, for the call to be allowed by them: for a
// verification no redirection into a temporary file is.
func (u *toolUse) subjects() []string {
	out := u.tool.Subjects(u.block.Content, u.by.directory())
	if u.by.def.verifies() && u.tool.Reads != nil {
		out = slices.DeleteFunc(out, shell.Temporary)
	}
	return out
}

// names are the names of a path by which rules may speak of it: from where its agent
// works, absolute, below the project's directory, and below that of the worktree in
// which it lies.
func (u *toolUse) names(subjects []string) []string {
	if len(subjects) != 1 || !u.tool.OfPaths() || strings.HasPrefix(subjects[0], "~") {
		return nil
	}
	at, root := subjects[0], u.by.w.cfg.Root+"/"
	if !path.IsAbs(at) {
		at = path.Join(u.by.directory(), at)
	}
	names := []string{subjects[0], at}
	if rest, in := strings.CutPrefix(at, root); in {
		names = append(names, rest)
		if rest, in = strings.CutPrefix(rest, worktree.Dir+"/"); in {
			_, rest, _ = strings.Cut(rest, "/")
			names = append(names, rest)
		}
	}
	return names
}

// scratchNote tells a worker where the scratchpad is; nobody else is told.
func (d *Definition) scratchNote(w *World) string {
	if !w.gates.Scratch || !d.works() {
		return ""
	}
	return w.cfg.Coordinator.Note()
}

// refusal is the result of a use that was not allowed.
func refusal(name, why string) *tool.Result {
	out := failure("Permission to use " + name + " was denied: " + why + ".")
	return &out
}

// rules are those that the agent's calls are decided by.
func (a *Agent) rules() *permission.Rules {
	return a.ctx.AppState.in(&a.w.cfg.Permissions.Rules)
}

// withoutTypes leaves out the deny rules that speak of agent types.
func withoutTypes(r *permission.Rules) *permission.Rules {
	if r.Empty() {
		return r
	}
	out := &permission.Rules{Ask: r.Ask, Allow: r.Allow}
	for _, x := range r.Deny {
		if x.Spec == "" {
			out.Deny = append(out.Deny, x)
		}
	}
	return out
}

// terminal is the agent at whose terminal this one's prompts are shown: its
// parent's in mode bubble, else its session's.
func (a *Agent) terminal() *Agent {
	if a.def.bubbles() {
		return a.parent
	}
	return a.session()
}

// session is the root below which the agent works.
func (a *Agent) session() *Agent {
	for a.parent != nil {
		a = a.parent
	}
	return a
}

// prompt asks the user. A session's terminal shows one prompt at a time, in the
// order in which they came up. denied is the result of a use that is not allowed. An
// edited input takes the place of the model's when the tool runs; the history keeps what
// the model said. The error is an abort that came while the prompt stood.
func (u *toolUse) prompt(p *kernel.Proc, ask *asking) (denied *tool.Result, err error) {
	a, call, why := u.by, ask.call, ask.why
	ev := transcript.Permission{ID: u.block.ID, Tool: u.tool.Name, Mode: string(a.Mode()), Decision: permission.Ask.String(), Why: why, Terminal: a.terminal().lineage}
	a.w.rec.permission(a, &ev)
	q := Question{By: a, Call: call, use: u}
	if u.tool.Name == plan.ExitName {
		q.Plan = a.planning.text
	}
	ans, err := u.approver().Answer(p, &q)
	if err != nil {
		return nil, err
	}
	ev.Via, ev.Mode = u.via, string(a.Mode())
	if ev.Decision, ev.Why = string(ans.Reply), "user"; u.toLead() {
		ev.Why = "lead"
	}
	if ans.Reply == ReplyNever {
		ev.Decision, ev.Why = permission.Deny.String(), "time-out"
	}
	if ans.Reply == ReplyEdit {
		ev.Input = ans.Input.Identity()
	}
	a.w.rec.permission(a, &ev)
	switch ans.Reply {
	case ReplyNever:
		return refusal(u.tool.Name, "nobody answered the prompt within "+a.w.cfg.Permissions.TimeOut.String()), nil
	case ReplyDeny:
		if u.tool.Name == plan.ExitName {
			out := failure(plan.Rejected(approvedBy(a), ans.Feedback))
			return &out, nil
		}
		said := "the user refused"
		if ans.Feedback != "" {
			said += " and said: " + strings.TrimSuffix(ans.Feedback, ".")
		}
		return refusal(u.tool.Name, said), nil
	case ReplyEdit:
		edited := *u.block
		edited.Content = ans.Input
		u.block = &edited
	case ReplyAllow:
		if ans.Always {
			u.always(call, ans.Rules)
		}
	}
	if now := (permission.Policy{Mode: a.Mode()}); now.Decide(&permission.Call{Class: u.class()}).Verdict == permission.Deny {
		return refusal(u.tool.Name, "mode "+string(now.Mode)), nil // what a mode refuses, no answer lifts
	}
	return nil, nil
}

// allowed is what a user without a script says, at once.
var allowed = Answer{Reply: ReplyAllow}

// AllowsUnasked reports whether the user has allowed something of which no answer of the
// session speaks.
func AllowsUnasked(w *World) bool { return w.unasked }

// answer is the user's to a call of an agent.
func (s *Permissions) answer(lineage string, call *permission.Call) *Answer {
	said := -1
	for i := len(s.Answers) - 1; i >= 0; i-- {
		if ans := &s.Answers[i]; ans.fits(lineage, call) {
			if ans.fitted++; ans.Nth == 0 || ans.Nth == ans.fitted {
				said = i
			}
		}
	}
	if said < 0 {
		return &allowed
	}
	s.Answers[said].said = true
	return &s.Answers[said]
}

// Answered reports whether answer i of the user was given to a prompt.
func Answered(w *World, i int) bool { return w.cfg.Permissions.Answers[i].said }

// fits reports whether the answer is to calls like this one of an agent.
func (ans *Answer) fits(lineage string, call *permission.Call) bool {
	if ans.Agent != "" {
		if ok, err := path.Match(ans.Agent, lineage); err != nil || !ok {
			return false
		}
	}
	return ans.Rule.Tool == "" || ans.Rule.Covers(call)
}

// writeState is an attempt of the agent to change application state: a
// synchronous child's goes where its parent's goes, a background agent's nowhere
// (ISO-05). It records the attempt and returns where it went.
func (a *Agent) writeState(field string) Writer {
	to := a.ctx.SetAppState
	for q := a; to == ToParent && q.parent != nil; {
		if q = q.parent; q.life == nil {
			to = NoOp // nobody is left to pass it on
			break
		}
		to = q.ctx.SetAppState
	}
	a.w.rec.emit(a.ref, &transcript.StateWrite{Field: field, Effect: to.String()})
	return to
}

// shown waits until the terminal is free and the user has answered. A prompt that
// an abort takes away leaves the terminal to the next one.
func (u *toolUse) shown(p *kernel.Proc, takes vtime.Duration) error {
	a := u.by
	root := a.session()
	until := max(p.Now(), a.w.terminals[root.ref]).Add(takes)
	if until == p.Now() {
		return nil
	}
	a.w.terminals[root.ref] = until
	err := p.SleepUntil(until)
	if err != nil && a.w.terminals[root.ref] == until {
		a.w.terminals[root.ref] = p.Now()
	}
	return err
}

// always makes rules of an answer that is to hold from now on, or takes those that
// the user gave with it. They are a change of the session's state: one that the
// agent's writer keeps from getting there is lost, and the user will be asked again.
func (u *toolUse) always(call *permission.Call, rules []permission.Rule) {
	a := u.by
	switch {
	case len(rules) > 0:
	case len(call.Subjects) == 0:
		rules = []permission.Rule{{Tool: call.Tool, Source: permission.Session}}
	default:
		for _, s := range call.Subjects {
			if call.Names != nil && a.place != nil {
				s = call.Names[1] // elsewhere another file has that name
			}
			rules = append(rules, permission.Rule{Tool: call.Tool, Spec: s, Source: permission.Session})
		}
	}
	for _, r := range rules {
		if a.writeState("permissions.allow."+r.String()) != NoOp {
			a.w.cfg.Permissions.Rules.Allow = append(a.w.cfg.Permissions.Rules.Allow, r)
		}
	}
}
