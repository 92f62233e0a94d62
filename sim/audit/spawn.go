package audit

import (
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/llm"
)

// fields are what a call of the Agent tool may say (SUB-02), and which of them are no texts.
var agentFields = []string{"description", "prompt", "subagent_type", "model", "run_in_background", "name", "isolation", "team_name", "mode"}

// models are those that a call may name.
var models = []string{"sonnet", "opus", "haiku"}

// admits is why a call of the Agent tool starts no agent, a part of what has to be answered,
// "" where it does. known is false where it cannot be told from outside.
func (u *launches) admits(a *agent, in *llm.Payload) (why string, known bool) {
	s := u.opt.Session
	if a.fork || a.tagged {
		return forkInFork, !u.opt.TypedChildren
	}
	var raw map[string]json.RawMessage
	if json.Unmarshal([]byte(in.Raw()), &raw) != nil {
		return "", false
	}
	for name, v := range raw { // order: any will do
		switch typ := v[0]; {
		case !slices.Contains(agentFields, name):
			return "field", true
		case u.gates.hides(u.opt.Session, name): // and reads over, whatever it holds
		case string(v) == "null":
			return "", false
		case name == "run_in_background" && typ != 't' && typ != 'f', name != "run_in_background" && typ != '"', (name == "model" || name == "isolation") && string(v) == `""`:
			return "field", true
		}
	}
	if why, known := u.apart(field(in, "isolation")); why != "" || !known {
		return why, known
	}
	if why, known := u.teams.admits(a, in); why != "" || !known {
		return why, known
	}
	if strings.TrimSpace(field(in, "prompt")) == "" || strings.TrimSpace(field(in, "description")) == "" {
		return "field", true
	}
	if model := field(in, "model"); model != "" && !slices.Contains(models, model) {
		return "field", true
	}
	if s.Depth > 0 && a.facts.Depth >= s.Depth {
		return "cannot spawn", true
	}
	typ := field(in, "subagent_type")
	if field(in, "isolation") == "" && s.NoCommit != "" && s.Types[u.typeOf(a, in)].Isolation == "worktree" {
		return "", false // until there is a commit
	}
	if why, known = u.typed(a, s, typ, field(in, "model")); why == "" && s.Link == nil && s.Types[typ].Isolation == "remote" && field(in, "isolation") == "" {
		return "cannot be started", known
	}
	if why == "" && u.links.asked(in) && (a.confined() || u.gates.forks(s) && typ == "") {
		return "cannot work in a remote environment", known
	}
	return why, known
}

// apart is admits for the isolation that a call asks for.
func (u *launches) apart(isolation string) (why string, known bool) {
	s := u.opt.Session
	switch {
	case isolation != "" && isolation != "worktree" && isolation != "remote", isolation == "remote" && s.Link == nil && u.gates.on["USER_TYPE"]:
		return "field", true
	case isolation == "worktree" && s.NoCommit != "":
		return "", false // until there is a commit
	}
	return "", true
}

// typed is admits for the type that a call names.
func (u *launches) typed(a *agent, s *Session, typ, model string) (why string, known bool) {
	switch {
	case a.coordinator() && typ != "worker":
		return "subagent_type", !a.forkOff && !u.gates.on["FORK_SUBAGENT"]
	case typ == "" && u.gates.forks(s):
		return "", !u.denies(s, "fork")
	case typ == "":
		typ = fallsBack
	}
	t := s.Types[typ]
	switch {
	case !t.Listed && t.BuiltIn && typ != "fork" && (typ != "worker" || a.coordinator()):
		return "is not listed", true
	case !t.Listed:
		return "does not exist", true
	case u.denies(s, typ):
		return "is denied by the permission rule", true
	case t.Refused:
		return "cannot be started", true
	case !u.servers.meets(t):
		return "cannot be started", false // or it is waited for (MCP-03)
	}
	if a.coordinator() {
		model = ""
	}
	if model == "" {
		model = t.Model
	}
	return "", !slices.Contains(models, model) || s.Aliases[model] != ""
}

func (u *launches) denies(s *Session, typ string) bool {
	return slices.ContainsFunc(s.Deny, func(rule string) bool {
		name, spec, found := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
		return found && isAgentTool(name) && strings.ContainsAny(spec, typ) && (spec == typ || strings.ContainsAny(spec, "*?["))
	})
}

// called notes whether a call that may run starts an agent.
func (u *launches) called(a *agent, c *call) {
	if x := c.use; x != nil && u.opt.Session != nil {
		if c.refusal, c.judged = u.admits(a, x.input); c.refusal != "" && c.judged && !a.coordinator() {
			c.listed = u.listed(u.opt.Session)
		}
	}
}

// listed are the types that agents can be started of now, sorted.
func (u *launches) listed(s *Session) string {
	var names []string
	for name, t := range s.Types { // order: sorted below
		if t.Listed && !u.denies(s, name) && u.servers.meets(t) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// flagged is SUB-03 and CRD-05 for what a call says without effect: a finding tells of it.
func (u *launches) flagged(a *agent, in *llm.Payload) {
	g := u.gates
	open := map[string]bool{"model": !a.coordinator() && (!g.forks(u.opt.Session) || field(in, "subagent_type") != ""), "name": g.on[swarmsGate] || u.opt.Session.coordinates(),
		"run_in_background": !g.on["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] && !g.forks(u.opt.Session) && !u.opt.Session.coordinates()}
	var raw map[string]json.RawMessage
	_ = json.Unmarshal([]byte(in.Raw()), &raw)
	for _, name := range [...]string{"model", "name", "run_in_background"} {
		if raw[name] == nil || open[name] || string(raw[name]) == `""` {
			continue
		}
		told := slices.ContainsFunc(a.ignored, func(s string) bool { return strings.HasPrefix(s, "Agent input "+name+" ") })
		if u.fails(sub03, told) {
			u.report(sub03, a, "a finding that "+name+" in its call has no effect", "none")
		}
	}
}

// answered holds the result of a call of the Agent tool against SUB-05 and SUB-16: it starts
// an agent where nothing speaks against it, and says what does.
func (u *launches) answered(a *agent, c *call, x *use, b *llm.Block, replaced bool) {
	s := u.opt.Session
	if s == nil || s.Minimal || c == nil || c.verdict != allowed || a.edited || !c.judged {
		return
	}
	if !c.child && b.IsError && strings.Contains(b.Content.Raw(), "limit agents (") {
		return // the run ends by it
	}
	if u.fails(sub05, c.child == (c.refusal == "")) {
		u.report(sub05, a, "an agent started: "+word(c.refusal == "")+" ("+orNone(c.refusal)+")", word(c.child))
		return
	}
	if c.child && !u.gates.changed["FORK_SUBAGENT"] && !u.gates.changed["AGENT_SWARMS"] && !u.gates.changed["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] {
		u.flagged(a, x.input)
	}
	if c.refusal != "" && !replaced && u.fails(sub05, b.IsError && strings.Contains(b.Content.Raw(), c.refusal)) {
		u.report(sub05, a, "an error: "+c.refusal, short(b.Content.Raw()))
	}
	if says, list, found := strings.Cut(b.Content.Raw(), "; available: "); b.IsError && found && !replaced && !a.coordinator() {
		got := strings.Split(strings.TrimSuffix(list, "."), ", ")
		slices.Sort(got)
		u.same(sub05, a, says+"; available:", c.listed, strings.Join(got, ", "))
	}
}

// stageWords are the names of the stages of a spawn.
var stageWords = [...]string{"type", "pool", "prompt", "context", "branch"}

// facts holds what a child's start says of it against its call, its definition and its
// parent (SUB-06, SUB-23, SUB-07, ISO-02).
func (u *launches) startFacts(a, p *agent) {
	s, f := u.opt.Session, &a.facts
	if s.Minimal {
		return
	}
	if c := p.recorded(f.ToolUse); c != nil {
		c.child = true
		place := slices.IndexFunc(p.uses, func(x use) bool { return x.id == f.ToolUse })
		u.same(sub06, a, "lineage", p.lineage+"/"+decimal(int64(p.count.call))+"."+decimal(int64(place+1)), a.lineage)
	}
	name := ""
	if u.gates.on[swarmsGate] || s.coordinates() && p.coordinator() {
		name = field(a.spawned.input, "name")
	}
	structure, cache, mode := "subagent", "empty", "acceptEdits"
	if own := s.Types[f.Type].Mode; own != "" {
		mode = own
	}
	if a.fork {
		structure, cache, mode = "fork", "cloned", "bubble"
	}
	if a.mate {
		structure = "teammate"
	}
	u.same(sub23, a, "name", name, f.Name)
	u.same(sub06, a, "structure", structure, string(f.Structure))
	u.same(iso02, a, "file cache", cache, f.Context.FileCache)
	u.same(sub07, a, "pool mode", mode, f.PoolMode)
	want := [stages]string{f.Type, decimal(int64(len(f.Tools))), f.Type, "depth " + decimal(int64(f.Depth)), "synchronous"}
	if a.fork {
		want[2] = "parent"
	}
	if f.Async {
		want[4] = "asynchronous"
	}
	if u.opt.Rerender {
		want[2] = p.staged.details[2]
	}
	u.same(sub06, a, "stages", strings.Join(want[:], ", "), strings.Join(p.staged.details[:], ", "))
}

// exact is SUB-07: a child's pool is what the filter leaves of what the session offers and
// its definition names, in the session's order, and what ends a plan of its own.
func (u *filter) exact(a, p *agent) {
	s := u.opt.Session
	t, known := s.Types[a.facts.Type]
	if !known || s.Minimal || s.coordinates() || a.fork || s.Offered == nil {
		return
	}
	u.fronts.teams.holds(a, s)
	r := rule{builtIn: t.BuiltIn, background: a.facts.Async, plans: a.facts.RunMode == "plan", mate: a.mate, allow: t.Tools, deny: t.Disallowed}
	if slices.Contains(r.allow, "*") {
		r.allow = nil
	}
	var want []string
	for _, name := range s.Catalogue {
		has := slices.Contains(s.Offered, name) || r.allow != nil && lists(r.allow, name) || name == exitTool && (a.mate || a.facts.PoolMode == "plan")
		if has && r.removedBy(name) == "" && !u.gone(s, name) && !u.fronts.teams.lacks(s, name) {
			want = append(want, name)
		}
	}
	front, _ := u.servers.pool(&r, slices.Contains(want, searchTool))
	u.same(sub07, a, "tools", strings.Join(u.servers.brought(a, append(want, front...)), " "), strings.Join(a.facts.Tools, " "))
}

// gone reports whether a rule denies a tool as a whole, or the server that it is of: of
// the Agent tool it denies types.
func (u *filter) gone(s *Session, name string) bool {
	return !isAgentTool(name) && slices.ContainsFunc(s.Deny, func(rule string) bool {
		rule = strings.TrimSuffix(rule, "(*)")
		return rule == name || serverOf(rule) != "" && strings.HasPrefix(name, rule+"__")
	})
}
