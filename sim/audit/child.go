package audit

import (
	"slices"
	"strings"
)

// starts is the section on who an agent is as it starts.
type starts struct {
	*ledger
	gates   *gates
	chained map[uint64]bool // chains of queries
}

// startWho holds who a child is against what its call, its definition and its
// parent say: model, mode, turns, depth and contexts.
func (u *starts) startWho(a, p *agent) {
	s := u.opt.Session
	a.under = p.mode()
	if s == nil {
		if a.fixed = a.mate; a.mate || a.facts.RunMode != a.under {
			a.chosen = a.facts.RunMode
		}
		a.unsure = !a.mate && slices.Contains(binding, a.under)
		return
	}
	typ, known := s.Types[a.facts.Type]
	if a.fork {
		typ, known = Type{Model: "inherit", Mode: "bubble", MaxTurns: 200}, true
	}
	if s.Depth > 0 && u.fails(sub21, a.facts.Depth <= s.Depth) {
		u.report(sub21, a, "a depth of at most "+decimal(int64(s.Depth)), "depth "+decimal(int64(a.facts.Depth)))
	}
	u.startMode(a, s, &typ, known)
	if !known {
		return
	}
	u.startModel(a, p, s, &typ)
	u.startTurns(a, s, &typ)
	u.startContext(a, p, s, &typ)
}

// startModel is SUB-09: the call's word, else the definition's, else the one for
// sub-agents; inherit is the parent's, as it is of forks and workers.
func (u *starts) startModel(a, p *agent, s *Session, typ *Type) {
	if a.spawned.input == nil || p.edited || p.last.model == "" || s.Minimal || p.last.resettled {
		return
	}
	word := field(a.spawned.input, "model")
	if a.fork || a.facts.Source == "agent:builtin:worker" {
		word = "inherit"
	} else if p.facts.Type == "coordinator" {
		word = "" // which it may not choose (CRD-05)
	}
	if a.facts.Source == "agent:builtin:Explore" && word == "" {
		if word = "haiku"; u.gates.on["USER_TYPE"] {
			word = "inherit"
		}
	}
	for _, next := range [...]string{typ.Model, s.Model, "inherit"} {
		if word == "" {
			word = next
		}
	}
	if id, alias := s.Aliases[word]; alias && (word == "sonnet" || word == "opus" || word == "haiku") {
		word = id
	}
	if word == "inherit" {
		word = p.last.model
	}
	u.same(sub09, a, "model", word, a.facts.Model)
}

// startTurns is LOOP-05 for what an agent starts with.
func (u *starts) startTurns(a *agent, s *Session, typ *Type) {
	want := typ.MaxTurns
	if want == 0 || s.Turns > 0 && want > s.Turns {
		want = s.Turns
	}
	if u.fails(loop05, want == 0 || a.facts.MaxTurns == want) {
		u.report(loop05, a, "at most "+decimal(int64(want))+" turns", "at most "+decimal(int64(a.facts.MaxTurns)))
	}
}

// turned is LOOP-05 for an answer: it is one of as many as the agent may have, a root
// since its user last spoke.
func (u *starts) turned(a *agent) {
	if a.aside || a.facts.MaxTurns == 0 {
		return
	}
	a.turns++
	if u.fails(loop05, a.turns <= a.facts.MaxTurns) {
		u.report(loop05, a, "at most "+decimal(int64(a.facts.MaxTurns))+" answers", "another one")
	}
}

// slimGate is the gate by which agents that only look do without CLAUDE.md.
const slimGate = "tengu_slim_subagent_claudemd"

// lookers are the built-in types that do without CLAUDE.md and git status.
var lookers = []string{"Explore", "Plan"}

// startContext is LEAN-01 and LEAN-02: a child has CLAUDE.md and git status where
// its root has them, or the session where its root leaves all context out, and its type
// does not do without.
func (u *starts) startContext(a, p *agent, s *Session, typ *Type) {
	if s.Minimal {
		return
	}
	have := p
	if !a.fork {
		for have.parent != nil {
			have = have.parent
		}
	}
	if have.life == nil {
		return
	}
	if parts := have.facts.Context.UserContext; len(parts) > 0 {
		others := func(list []string, skills bool) string {
			return strings.Join(slices.DeleteFunc(slices.Clone(list), func(s string) bool {
				return s == "claudeMd" || (s == workersPart || s == deferredPart) && !a.fork || s == "skills" && !skills
			}), " ")
		}
		// Skills are listed to whoever has the tool for them.
		has, had := inPool(a, "Skill"), inPool(have, "Skill")
		u.same(loop10, a, "user context", others(parts, has), others(a.facts.Context.UserContext, had || !has))
	}
	if !a.fork && !s.Laid && len(typ.Inline) == 0 { // a client of today attaches them, and servers of its own are not there yet
		u.same(mcp07, a, "tools that can be found, in its user context:", word(len(a.deferred) > 0), word(slices.Contains(a.facts.Context.UserContext, deferredPart)))
	}
	looks := strings.HasPrefix(a.facts.Source, "agent:builtin:") && slices.Contains(lookers, a.facts.Type)
	claude, git := slices.Contains(have.facts.Context.UserContext, "claudeMd"), slices.Contains(have.facts.Context.SystemContext, "gitStatus")
	if !a.fork && s.Roots[have.lineage].Bare { // a root without context takes none away from its children
		claude, git = s.ClaudeMd, s.GitStatus
	}
	claude = claude && (a.fork || !(u.gates.on[slimGate] && (looks || typ.OmitClaude)))
	git = git && (a.fork || !(looks || typ.OmitGit))
	u.same(lean01, a, "CLAUDE.md in its user context:", word(claude), word(slices.Contains(a.facts.Context.UserContext, "claudeMd")))
	u.same(lean02, a, "git status in front of it:", word(git), word(slices.Contains(a.facts.Context.SystemContext, "gitStatus")))
}
