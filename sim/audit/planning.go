package audit

import (
	"cmp"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// plans is the section on plan mode.
type plans struct {
	*ledger
	permissions *permissions
}

// planned is the plan mode that an agent has entered and not left.
type planned struct {
	before   string // the mode remembered
	file     string
	stripped []string
	untold   bool   // no request has told it what the mode asks for
	text     string // of the plan as it wrote it last, "" where that is not known
}

// What the client calls the tools of plan mode, and what it tells one that plans.
const (
	enterTool  = "EnterPlanMode"
	exitTool   = "ExitPlanMode"
	planText   = "<system-reminder>\n# planMode\n"
	planLeft   = "The user has approved the plan."
	planMode   = "plan"
	homeOfUser = "/home/user"
	plansDir   = "/.claude/plans/"
)

// planSteps are the headings of what it tells, in order.
var planSteps = [...]string{"Initial Understanding", "Solution Design", "Solution Review", "Write Plan", "Exit Plan"}

// turned takes in that an agent enters or leaves plan mode.
func (u *plans) turned(a *agent, b *transcript.Plan) {
	want := enterTool
	if b.Op == "leave" {
		want = exitTool
		u.leaves(a, b)
	} else {
		u.enters(a, b)
	}
	approved := slices.ContainsFunc(a.calls, func(c call) bool { return c.name == want && c.verdict == allowed && !c.done })
	if u.fails(pln04, approved) {
		u.report(pln04, a, "an approved call of "+want, "none")
	}
	a.chosen = b.To
}

// enters is PLN-01: the mode is remembered, and of what is allowed that is taken away
// which auto would let anything through by.
func (u *plans) enters(a *agent, b *transcript.Plan) {
	if u.fails(pln01, a.mode() != planMode && b.From == a.mode() && b.To == planMode && a.parent == nil) {
		u.report(pln01, a, "a root that goes from "+a.mode()+" to "+planMode, b.From+" to "+b.To)
	}
	a.planned = &planned{before: b.From, file: b.File, stripped: slices.Clone(b.Stripped), untold: true}
	s := u.opt.Session
	if s == nil {
		return
	}
	var want []string
	for _, r := range slices.Concat(s.Allow, s.Everyone, u.permissions.rules) {
		if r = strings.TrimSuffix(r, "(*)"); b.From == "auto" && open(r) && !slices.Contains(want, r) {
			want = append(want, r)
		}
	}
	got := slices.Clone(b.Stripped)
	slices.Sort(want)
	slices.Sort(got)
	if u.fails(pln01, slices.Equal(want, slices.Compact(got))) {
		u.report(pln01, a, "taken away: "+orNone(strings.Join(want, ", ")), orNone(strings.Join(b.Stripped, ", ")))
	}
}

// open reports whether a rule to allow leaves open what is done under it, by a table of
// this package.
func open(rule string) bool {
	name, spec, _ := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
	if name != "Bash" {
		return (name == "Agent" || name == "Task") && spec == ""
	}
	word := strings.TrimRight(strings.TrimSuffix(spec, ":*"), " *")
	return word == "" || strings.Contains(" python python3 node deno bun tsx ruby perl php lua bash sh zsh ssh npx bunx env xargs eval exec sudo ", " "+word+" ") ||
		strings.HasSuffix(word, " run") && strings.Contains(" npm yarn pnpm bun ", " "+strings.TrimSuffix(word, " run")+" ")
}

// leaves is PLN-05: what was remembered comes back, all of it.
func (u *plans) leaves(a *agent, b *transcript.Plan) {
	before, stripped := cmp.Or(a.lead.mode, "default"), []string(nil)
	if a.planned != nil {
		before, stripped = a.planned.before, a.planned.stripped
		if u.fails(pln05, b.File == a.planned.file && slices.Equal(b.Stripped, stripped)) {
			u.report(pln05, a, "the plan file and the rules of when it entered", b.File+", "+orNone(strings.Join(b.Stripped, ", ")))
		}
	}
	if u.fails(pln05, b.From == planMode && a.mode() == planMode && !a.bound() && b.To == before) {
		u.report(pln05, a, "from "+planMode+" to "+before, b.From+" to "+b.To)
	}
	a.carries, a.planned, a.lead = a.planned, nil, leadWord{}
}

// told is PLN-03 for the text that tells an agent what plan mode asks for: five headings
// in order, and which file it may write.
func (u *plans) told(a *agent, raw string) {
	rest, ordered := raw, true
	for _, h := range planSteps {
		var found bool
		_, rest, found = strings.Cut(rest, "\n## "+h+"\n")
		ordered = ordered && found
	}
	if u.fails(pln03, ordered && a.mode() == planMode) {
		u.report(pln03, a, "the steps of plan mode in order, told to one that plans", short(raw))
	}
	if a.planned != nil {
		a.planned.untold = false
		if u.fails(pln03, strings.Contains(raw, a.planned.file)) {
			u.report(pln03, a, "the plan file "+a.planned.file, short(raw))
		}
	}
}

// sent is PLN-03 for a request: who has entered has been told.
func (u *plans) sent(a *agent) {
	if p := a.planned; p != nil && u.fails(pln03, !p.untold) {
		u.report(pln03, a, "what plan mode asks for, behind the call that entered it", "no such text")
		p.untold = false
	}
}

// isPlan reports whether a call that was decided in a mode writes the plan file of an
// agent that may.
func (a *agent) isPlan(x *use, mode string) bool {
	if mode != planMode || x == nil || x.name != "Write" && x.name != "Edit" {
		return false
	}
	at := x.file
	if a.planned != nil {
		return at != "" && at == a.planned.file
	}
	return a.chosen == planMode && !a.bound() && strings.HasPrefix(at, "~"+plansDir) && strings.HasSuffix(at, ".md") // no event names the file
}

// wrote is PLN-02: who plans changes no file but the one.
func (u *plans) wrote(a *agent, c *call, b *transcript.ToolResult) {
	if b.Wrote == 0 && b.IsError {
		return
	}
	x := c.use
	is := a.isPlan(x, c.mode)
	if b.Wrote > 0 && u.fails(pln02, is && b.Wrote == 1) {
		u.report(pln02, a, "no file changed but the plan file", decimal(int64(b.Wrote))+" by "+c.name)
	}
	if is && a.planned != nil {
		a.planned.text = field(x.input, "content") // "" of an edit
	}
}

// answered is PLN-05 for a result of ExitPlanMode: the plan that was approved stands in
// it.
func (u *plans) answered(a *agent, b *llm.Block, replaced bool) {
	p := a.carries
	if p == nil || b.IsError || replaced {
		return
	}
	a.carries = nil
	raw := b.Content.Raw()
	if u.fails(pln05, strings.HasPrefix(raw, planLeft) && strings.Contains(raw, strings.TrimRight(p.text, "\n"))) {
		u.report(pln05, a, "the plan in the result: "+short(p.text), short(raw))
	}
}

// stands is PLN-01 for a rule that allowed a call: none that was taken away does.
func (u *plans) stands(a *agent, rule string) {
	for q := a; q != nil && q.mode() == planMode; q = q.parent {
		if p := q.planned; p != nil && u.fails(pln01, !slices.Contains(p.stripped, rule)) {
			u.report(pln01, a, "no rule that was taken away", rule)
		}
		if q.fixed {
			return
		}
	}
}
