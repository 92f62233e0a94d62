package audit

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// launches is the section on how children start.
type launches struct {
	*ledger
	gates  *gates
	aborts *aborts
	trees  *worktrees
	links  *links

	servers *servers
	teams   *teams
}

// staged is the spawn that an agent is about to make.
type staged struct {
	lineage string
	n       int // stages that were recorded
	details [stages]string
}

// stages is how many a spawn has.
const stages = 5

// stage is SUB-06: the stages of a spawn come one after the other.
func (u *launches) stage(a *agent, b *transcript.Stage) {
	s := &a.staged
	if b.N == 1 {
		*s = staged{lineage: b.Lineage}
	}
	s.n++
	known := b.N >= 1 && b.N <= stages
	if known {
		s.details[b.N-1] = b.Detail
	}
	if u.fails(sub06, known && s.lineage == b.Lineage && s.n == b.N && b.Name == stageWords[b.N-1]) {
		u.report(sub06, a, "stage "+decimal(int64(s.n))+" of "+orNone(s.lineage), "stage "+decimal(int64(b.N))+" of "+b.Lineage)
	}
}

// launch is what a child started by and whether its parent's call is still to say so.
type launch struct {
	call llm.ToolUseID
	id   llm.AgentID
}

// started holds a new child against its call and the gates.
func (u *launches) started(a, p *agent) {
	if a.background && !a.mate {
		p.launched = append(p.launched, launch{a.facts.ToolUse, a.facts.ID})
	}
	s := u.opt.Session
	if s == nil {
		return
	}
	if !s.Minimal && u.fails(sub06, p.staged.lineage == a.lineage && p.staged.n == stages) {
		u.report(sub06, a, "all stages of its spawn before it starts", decimal(int64(p.staged.n))+" of "+orNone(p.staged.lineage))
	}
	a.offersBackground = !u.gates.on["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] && !u.gates.forks(u.opt.Session) && !u.gates.coordinates()
	if a.fork && u.fails(frk01, u.gates.forks(u.opt.Session)) {
		u.report(frk01, a, "no fork: the gate is off, nobody is there to be asked or somebody coordinates", "one")
	}
	u.permitted(a, s)
	if !p.edited {
		u.startFacts(a, p)
	}
	u.waitedFor(a)
	if in := a.spawned.input; in != nil && !p.edited {
		a.former.about = strings.Clone(field(in, "description"))
		u.asked(a, p, in)
	}
}

// permitted is SUB-05: no rule denies the type.
func (u *launches) permitted(a *agent, s *Session) {
	for _, rule := range s.Deny {
		name, typ, _ := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
		if isAgentTool(name) && typ != "" && u.fails(sub05, typ != a.facts.Type) {
			u.report(sub05, a, "no agent of type "+typ+", which "+rule+" denies", "one")
		}
	}
}

// asked holds a child against the words of its call.
func (u *launches) asked(a, p *agent, in *llm.Payload) {
	s := u.opt.Session
	if u.fails(sub02, field(in, "prompt") != "" && field(in, "description") != "") {
		u.report(sub02, a, "an error: its call lacks a prompt or a description", short(in.Raw()))
	}
	if !p.coordinator() {
		u.same(sub04, a, "type", u.typeOf(p, in), a.facts.Type)
	}
	forks := u.gates.forks(u.opt.Session)
	background := forks && !p.mate || p.coordinator() || u.gates.coordinates() || u.gates.on["KAIROS"] || u.gates.on["PROACTIVE"] || s.Types[a.facts.Type].Background ||
		!forks && (strings.Contains(in.Raw(), `"run_in_background":true`) || strings.Contains(in.Raw(), `"run_in_background": true`))
	background = background && !p.confined()
	background = background && !u.gates.on["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] && !s.Minimal || a.link != nil || a.mate
	if u.fails(sub11, a.facts.Async == background) {
		u.report(sub11, a, "in the background: "+word(background), word(a.facts.Async))
	}
	if s.Minimal {
		last := p.latest
		p.latest = a
		if u.fails(min06, s.SideBySide || last == nil || last.life == nil) {
			u.report(min06, a, "the end of "+last.lineage+" before it starts", "it runs")
		}
		u.same(sub09, a, "model", p.last.model, a.facts.Model)
	}
}

// offered is SUB-03 for how a new child's requests define the Agent tool: as the gates
// had it when it started.
func (u *launches) offered(a *agent) {
	if u.opt.Session == nil || u.opt.Session.Minimal || u.opt.Session.OwnAgentTool || a.agents == "" || a.parent == nil || a.parent.life == nil {
		return
	}
	if says := strings.Contains(a.agents, `"run_in_background":`); u.fails(sub03, says == a.offersBackground) {
		u.report(sub03, a, "an Agent tool that can be asked for the background: "+word(a.offersBackground), word(says))
	}
}

// typeOf is the type of the agent that a call asks for. Nobody forks into a team, or in one.
func (u *launches) typeOf(by *agent, in *llm.Payload) string {
	name, otherwise := "subagent_type", fallsBack
	if u.opt.Session.Minimal {
		name, otherwise = "type", "general"
	}
	if typ := field(in, name); typ != "" {
		return typ
	}
	if u.gates.forks(u.opt.Session) && !by.mate && !by.confined() && (field(in, "team_name") == "" || !u.gates.on[swarmsGate]) {
		return "fork"
	}
	return otherwise
}

// returned is SUB-13 for the result of a call whose agent runs in the background: it
// says so, names the agent, and whether the caller can read its output.
func (u *launches) returned(a *agent, b *llm.Block, replaced bool) {
	i := slices.IndexFunc(a.launched, func(x launch) bool { return x.call == b.ID })
	if i < 0 {
		return
	}
	agent, id := a.launched[i].id, a.launched[i].id.String()
	a.launched = append(a.launched[:i], a.launched[i+1:]...)
	raw := b.Content.Raw()
	if replaced || b.IsError && a.cutting {
		return
	}
	reads := "false"
	if inPool(a, "Read") || inPool(a, "Bash") {
		reads = "true"
	}
	ok := !b.IsError && strings.HasPrefix(raw, `{"status":"async_launched","agentId":"`+id+`"`) && strings.Contains(raw, id[1:]+`.output","canReadOutputFile":`+reads)
	if u.fails(sub13, ok) {
		u.report(sub13, a, "the launch of "+id+", its file, and canReadOutputFile "+reads, short(raw))
	}
	if x := a.used(b.ID); x != nil && isAgentTool(x.name) {
		u.launchedAs(a, agent, x.input, raw)
	}
}
