package audit

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// startRoot holds a root against what the scenario says of it.
func (u *launches) startRoot(a *agent) {
	s, f := u.opt.Session, &a.facts
	if s == nil {
		return
	}
	r, known := s.Roots[a.lineage]
	if !known {
		return
	}
	typ := "main"
	if s.coordinates() {
		typ = "coordinator"
	}
	u.same(sub06, a, "type and structure", typ+" root", f.Type+" "+string(f.Structure))
	u.same(sub09, a, "model", r.Model, f.Model)
	most := r.MaxTurns
	if most == 0 || s.Turns > 0 && most > s.Turns {
		most = s.Turns
	}
	if u.fails(loop05, f.MaxTurns == most) {
		u.report(loop05, a, "at most "+decimal(int64(most))+" turns", decimal(int64(f.MaxTurns)))
	}
	u.teams.holds(a, s)
	has := func(name string) bool {
		return !u.teams.lacks(s, name) && (r.Tools == nil || slices.Contains(r.Tools, name) || name == "Agent" && slices.Contains(r.Tools, "Task")) && (isAgentTool(name) || !slices.Contains(s.Deny, name) && !slices.Contains(s.Deny, name+"(*)"))
	}
	if s.coordinates() {
		want := slices.DeleteFunc(slices.Clone(s.Catalogue), func(name string) bool {
			return !slices.Contains(coordinates, name) || r.Tools == nil && name == "subscribe_pr_activity" || !has(name)
		})
		u.same(crd01, a, "tools", strings.Join(want, " "), strings.Join(f.Tools, " "))
	}
	if !s.coordinates() && !s.Minimal && s.Offered != nil {
		want := slices.DeleteFunc(slices.Clone(s.Offered), func(name string) bool { return !has(name) })
		front, _ := u.servers.pool(nil, slices.Contains(want, searchTool))
		u.same(sub07, a, "tools", strings.Join(append(want, front...), " "), strings.Join(f.Tools, " "))
	}
}

// autoBackground is how long an agent is waited for where a gate says so (SUB-14).
const autoBackground = 120 * vtime.Second

// sends holds a request of a child against how it was launched.
func (u *launches) sends(a *agent) {
	u.links.begins(a)
	u.overdue(a)
	a.progress.sent(u.ledger, a)
}

// overdue holds a request of an agent that somebody waits for against SUB-14: it would have
// moved to the background by now.
func (u *launches) overdue(a *agent) {
	if a.due > 0 && !a.background && !a.parent.asked && !a.cutting && u.fails(sub14, u.now <= a.due) {
		u.report(sub14, a, "in the background from "+a.due.String()+" on", "it is waited for")
	}
}

// waitedFor notes when an agent moves to the background by itself: none that a teammate in the process waits for, or who works for it, does.
func (u *launches) waitedFor(a *agent) {
	on := u.gates.on
	if !a.background && !a.parent.confined() && (on["tengu_auto_background_agents"] || on["CLAUDE_AUTO_BACKGROUND_TASKS"]) && !on["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] && !u.opt.Session.Minimal {
		a.due = u.now.Add(autoBackground)
	}
}

// moved is SUB-14 for a move to the background: by itself at its time, by its user with all
// that the root waits for.
func (u *launches) moved(a *agent, why string) {
	if u.opt.Session == nil || a.life == nil || a.parent.life == nil {
		return
	}
	asked := slices.Contains(u.aborts.presses, press{u.now, a.parent.lineage})
	ok := why == "user" && a.parent.parent == nil && asked || why == "auto-background" && a.due > 0 && (u.now == a.due || u.now > a.due && a.parent.asked)
	if u.fails(sub14, ok) {
		u.report(sub14, a, "a move to the background at "+a.due.String()+", or by its user", why)
	}
}

// pressed is PRM-05 for an instant at which a user sent to the background whom a root waits
// for: nobody who was waited for then is.
func (u *aborts) pressed(root string, at vtime.Instant) {
	for _, a := range u.agents {
		if a == nil || a.life == nil || a.parent == nil || a.parent.lineage != root || a.parent.life == nil || a.conduct.began >= at || a.resumed {
			continue
		}
		if u.fails(prm05, a.background || a.cutting) {
			u.report(prm05, a, "in the background since its user asked for it at "+at.String(), "it is waited for")
		}
	}
}

// unheard is PRM-05 for a run's end: every message of a user was heard, or dropped on the
// record.
func (u *aborts) unheard(b *transcript.RunEnd) {
	if u.opt.Session == nil || b.Outcome != "completed" {
		return
	}
	for _, a := range u.agents {
		if a == nil || a.parent != nil {
			continue
		}
		if want := u.opt.Session.Roots[a.lineage].Messages + a.former.due; u.fails(prm05, a.former.messages >= want) {
			u.report(prm05, a, decimal(int64(want))+" messages of its user", decimal(int64(a.former.messages)))
		}
	}
}

// reply is what a user answers a question by the script: "" where it cannot be told.
func (u *permissions) reply(a *agent, x *use) string {
	for _, r := range u.opt.Session.Answers {
		if r.Agent != "" && !glob(r.Agent, a.lineage) {
			continue
		}
		covers := yes
		if r.Rule != "" {
			covers = a.speak([]string{r.Rule}, x, false)
		}
		switch covers {
		case yes:
			return r.Reply
		case maybe:
			return ""
		}
	}
	return "allow"
}

// glob reports whether a pattern with stars takes a lineage; a star takes no slash.
func glob(pattern, lineage string) bool {
	open, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == lineage
	}
	tail, found := strings.CutPrefix(lineage, open)
	for i := 0; found && i <= len(tail); i++ {
		if glob(rest, tail[i:]) {
			return true
		}
		if i < len(tail) && tail[i] == '/' {
			break
		}
	}
	return false
}

// answers is PRM-04: a question is answered as the user's script says.
func (u *permissions) answers(a *agent, c *call, b *transcript.Permission) {
	x := c.use
	if u.opt.Session == nil || x == nil || a.edited {
		return
	}
	if a.asksLead(c.name) {
		u.byLead(a, b)
		return
	}
	want := u.reply(a, x)
	why := "user"
	if want == "never" {
		want, why = "deny", "time-out"
	}
	if want != "" && u.fails(prm04, b.Decision == want && b.Why == why) {
		u.report(prm04, a, "the answer "+want+", by "+why, b.Decision+", by "+b.Why)
	}
}

// launchedAs is SUB-13 for the whole answer to a launch.
func (u *launches) launchedAs(a *agent, id llm.AgentID, in *llm.Payload, raw string) {
	var r struct {
		Description, OutputFile, TaskID string
	}
	ok := json.Unmarshal([]byte(raw), &r) == nil && r.OutputFile == outputDir+cmp.Or(r.TaskID, id.String())+".output" &&
		(r.TaskID == "" || r.TaskID == llm.TaskID('r', uint64(id))) && (a.edited || r.Description == field(in, "description"))
	if u.fails(sub13, ok) {
		u.report(sub13, a, "the description of its call, and the file of "+id.String(), short(raw))
	}
}

// keptOutputs is TSK-09 for a run's end: the outputs that were due and that nobody looked at
// have gone.
func (u *tasking) keptOutputs() {
	for _, a := range u.agents {
		if u.opt.EvictAfter == 0 || a == nil || a.life != nil || a.parent == nil || !a.background {
			continue
		}
		id := a.taskID()
		_, gone := u.outputs.gone[id]
		if due := a.ended.Add(u.opt.EvictAfter); u.fails(tsk09, gone || due >= u.now || u.outputs.shown == id) {
			u.report(tsk09, a, "its output evicted at "+due.String(), "it is still there")
		}
	}
}

// spends is MIN-02 for what a root of the minimal stack shows at the end of a turn: what its
// calls and those of the sub-agents that have come home came to; a sub-agent shows nothing.
func (u *ledger) spends(a *agent, line string) {
	figures, costs := strings.CutPrefix(line, "Tokens: ")
	if !costs && !strings.HasPrefix(line, "──") {
		return
	}
	if u.fails(min02, a.parent == nil) {
		u.report(min02, a, "no line of its own: it is a sub-agent", line)
		return
	}
	if all := a.own.Plus(a.home); costs {
		u.same(min02, a, "tokens", decimal(all.Prompt())+" in / "+decimal(all.Output)+" out", figures)
		a.billedLine = a.conduct.answers
	}
}

// endMinimal adds what a sub-agent of the minimal stack has used to what its parent shows,
// and holds a root's end against MIN-02.
func (u *ledger) endMinimal(a *agent, b *transcript.AgentEnd) {
	if s := u.opt.Session; s == nil || !s.Minimal {
		return
	}
	if p := a.parent; p != nil {
		if p.life != nil && outcomes[b.Status] == "" {
			p.home = p.home.Plus(a.own)
		}
		return
	}
	if b.Status == transcript.EndCompleted && a.conduct.answers > 0 && !a.cutting && u.fails(min02, a.billedLine == a.conduct.answers) {
		u.report(min02, a, "what its last turn has cost", "no line of it")
	}
}

// directive is what the rules of directives say that a fork is told, by a table of this package (FRK-08).
var directive = []string{"\nScope:", "\nResult:", "\nKey files:", "\nFiles changed:", "\nIssues:", "begins with \"Scope:\"", "</fork-boilerplate>\n"}

// directs is FRK-08 for the rules of a directive, and FRK-10 for what a fork of another
// directory is told behind it.
func (u *forking) directs(a *agent, nodes []*llm.Node) {
	raw := nodes[0].Block.Content.Raw()
	if u.fails(frk08, !slices.ContainsFunc(directive, func(s string) bool { return !strings.Contains(raw, s) })) {
		u.report(frk08, a, "the form of a report: "+strings.Join(directive, ""), short(raw))
	}
	s := u.opt.Session
	if s == nil {
		return
	}
	notice := len(nodes) > 1 && strings.Contains(nodes[1].Block.Content.Raw(), "translate") && strings.Contains(nodes[1].Block.Content.Raw(), "read a file again")
	elsewhere := s.Elsewhere || a.place != a.parent.place
	if u.fails(frk10, notice == elsewhere && (notice || len(nodes) == 1)) {
		u.report(frk10, a, "behind its directive a notice of its directory: "+word(elsewhere), tell(nodes, 1))
	}
}

// reported holds an agent's end against the findings that there have to be: that its effort has
// no effect (DEF-12), and that a fork's report does not begin as it is to (FRK-08).
func (u *forking) reported(a *agent, b *transcript.AgentEnd) {
	if a.fork && b.Status == transcript.EndCompleted && !a.resumed && u.opt.Session != nil {
		if odd := !strings.HasPrefix(a.lastText(), "Scope:"); u.fails(frk08, odd == a.oddReport) {
			u.report(frk08, a, "a finding that its report does not begin with its scope: "+word(odd), word(a.oddReport))
		}
	}
	if s := u.opt.Session; s != nil && a.parent != nil && !a.fork && !a.resumed && !s.Minimal {
		if has := s.Types[a.facts.Type].Effort != ""; u.fails(def12, has == a.effortless) {
			u.report(def12, a, "a finding that its effort has no effect: "+word(has), word(a.effortless))
		}
	}
}
