package audit

import (
	"path"
	"slices"
	"strings"

	"agentsim/sim/transcript"
)

// permissions is the section on what calls may do.
type permissions struct {
	*ledger
	gates      *gates
	neighbours *neighbours
	launches   *launches
	tasks      *tasking
	plans      *plans
	rules      []string // to allow, that have reached the session
}

// What became of a call before it could run.
const (
	undecided = ""
	allowed   = "allowed"
	denied    = "denied"
	blocked   = "blocked by a hook"
)

// classOf is what a tool does, by a table of this package; what is not in it changes
// the session alone.
func classOf(tool string) string {
	switch tool {
	case "Edit", "Write", "NotebookEdit", "write_file", "edit_file":
		return "write"
	case "Bash", "run_shell":
		return "exec"
	case enterTool, exitTool:
		return "approval"
	}
	return ""
}

// byMode is what a mode says of a class, by a table of this package.
func byMode(mode, class string) string {
	switch {
	case class == "approval":
		return "ask"
	case class == "" || mode == "bypassPermissions" || mode == "acceptEdits" && class == "write":
		return "allow"
	case mode == planMode: // writes and commands
		return "deny"
	}
	return "ask"
}

// decided is what permissions are held to: a decision is about a call that waits
// for one (PRM-01), is asked where it has to be (PRM-02), and follows from mode,
// class and rules.
func (u *permissions) decided(a *agent, b *transcript.Permission) {
	c := a.recorded(b.ID)
	if u.fails(prm01, c != nil && !c.done && c.verdict == undecided) {
		u.report(prm01, a, "a decision about a call of its own that waits for one", b.Decision+" of "+b.Tool+" "+b.ID.String())
		return
	}
	if c.began == 0 {
		u.neighbours.begins(a, c)
		u.hears(a, c, "PreToolUse", c.before)
	}
	u.decides(a, b.Mode)
	c.mode = b.Mode
	switch b.Decision {
	case "ask":
		u.same(prm02, a, "asked at the terminal of", a.terminal(), b.Terminal)
		if c.asked && u.fails(prm01, false) {
			u.report(prm01, a, "one question about "+b.ID.String(), "another one")
		}
	case "deny":
		c.verdict = denied
	case "allow", "edit":
		c.verdict, c.began, c.ran = allowed, u.seq+1, b.Input // what was asked about begins with the answer
	}
	switch {
	case c.verdict != allowed:
	case isAgentTool(c.name):
		u.launches.called(a, c)
	case c.name == "Read":
		u.tasks.looksAt(a, c)
	}
	if c.asked {
		u.answers(a, c, b)
	} else {
		u.follows(a, c, b)
	}
	c.asked = b.Decision == "ask"
}

// terminal is where an agent's questions are asked: at its parent's where its
// definition bubbles, else at its session's.
func (a *agent) terminal() string {
	if a.parent != nil && a.facts.PoolMode == "bubble" {
		return a.parent.lineage
	}
	for a.parent != nil {
		a = a.parent
	}
	return a.lineage
}

// hook is DEF-06 for what a hook does: it hears agents of its own definition. It
// notes a call that is blocked.
func (u *permissions) hook(a *agent, b *transcript.Hook) {
	if s := u.opt.Session; s != nil {
		typ, known := s.Types[a.facts.Type]
		if (known || a.fork) && u.fails(def06, !a.fork && slices.ContainsFunc(typ.Hooks, func(h Hook) bool { return h.Event == b.Event && h.Command == b.Command })) {
			u.report(def06, a, "no hook but those of type "+a.facts.Type, b.Event+" "+b.Command)
		}
	}
	if b.Event != "PreToolUse" || b.Outcome != "block" {
		return
	}
	c := a.recorded(b.ID)
	if u.fails(def06, c != nil && !c.done && c.verdict == undecided) {
		u.report(def06, a, "a hook that blocks a call before anything was decided about it", b.Tool+" "+b.ID.String())
		return
	}
	c.verdict = blocked
}

// kept is PRM-01 and DEF-06 for a result: what was not allowed, or was blocked, is
// an error and has changed nothing.
func (u *permissions) kept(a *agent, c *call, b *transcript.ToolResult) {
	if !c.inPool {
		return // the filter's business
	}
	id := prm01
	if c.verdict == blocked {
		id = def06
	}
	if c.verdict == allowed && !b.IsError {
		u.hears(a, c, "PostToolUse", c.after)
	}
	ran := !b.IsError || b.Wrote > 0
	if u.fails(id, !ran || c.verdict == allowed) {
		got := "a result"
		if b.IsError {
			got = decimal(int64(b.Wrote)) + " files written"
		}
		u.report(id, a, "an error and no effect of "+c.name+": it was "+orNone(c.verdict), got)
	}
}

// Whether a rule speaks of a call.
const (
	no = iota
	maybe
	yes
)

// follows is PRM-01 for the first word about a call: what the rules say, then the
// mode by the table; where it cannot be told from outside nothing is said.
func (u *permissions) follows(a *agent, c *call, b *transcript.Permission) {
	s := u.opt.Session
	if s == nil || a.edited && c.asked {
		return
	}
	if b.Decision == "allow" && a.plainly == (plainly{c.name, b.Mode, b.Why}) && !u.ruled() {
		u.made[prm01]++
		return
	}
	if rule, ok := strings.CutPrefix(b.Why, "allow rule "); ok && b.Decision == "allow" {
		if u.fails(prm01, u.given(rule)) {
			u.report(prm01, a, "no rule but those that were given", rule)
		}
		u.ownRules(a, rule)
		u.plans.stands(a, rule)
		if x := c.use; x != nil && !a.edited {
			u.wholly(a, x)
		}
	}
	if x := c.use; b.Why == "scratchpad" && x != nil && u.fails(crd08, u.inScratchpad(a, x)) {
		u.report(crd08, a, "nobody asked because of the scratchpad, of which this is no call", b.Tool)
	}
	if x := c.use; b.Why == "temporary files" && x != nil && u.fails(prm01, u.temporary(a, x)) {
		u.report(prm01, a, "nobody asked because of temporary files, of which this is no call", b.Tool)
	}
	want, known := u.verdict(a, c, b)
	if !known {
		return
	}
	if want == "allow" && c.name == sendTool && u.gates.on[swarmsGate] && strings.HasPrefix(field(c.use.input, "to"), "bridge:") && field(c.use.input, "message") != "" {
		want = "ask" // another session elsewhere hears nothing without consent
	}
	if want == "ask" && a.avoids && !a.asksLead(c.name) {
		want = "deny"
	}
	if u.fails(prm01, b.Decision == want) {
		u.report(prm01, a, want+" for "+b.Tool+" in mode "+b.Mode, b.Decision+", by "+orNone(b.Why))
	}
}

// plainly is a tool whose calls a mode allows, whatever they ask for, and the word for it.
type plainly struct{ tool, mode, why string }

// ruled reports whether there are rules that may speak of a call.
func (u *permissions) ruled() bool {
	s := u.opt.Session
	return len(s.Deny)+len(s.Ask)+len(s.Allow)+len(s.Allowed)+len(u.rules) > 0
}

// given reports whether a rule to allow was given beforehand or has reached the
// session since.
func (u *permissions) given(rule string) bool {
	is := func(text string) bool { return text == rule || strings.TrimSuffix(text, "(*)") == rule }
	s := u.opt.Session
	if slices.ContainsFunc(s.Allow, is) || slices.ContainsFunc(u.rules, is) {
		return true
	}
	for _, list := range s.Allowed { // order: any
		if slices.ContainsFunc(list, is) {
			return true
		}
	}
	return false
}

// ownRules is PRM-03 for a rule that allowed a call of an agent with allowed tools of
// its own, or of one below it.
func (u *permissions) ownRules(a *agent, rule string) {
	s := u.opt.Session
	for q := a; q != nil && q.life != nil; q = q.parent {
		own, found := s.Allowed[q.facts.Type]
		if !found || q.parent == nil {
			continue
		}
		is := func(text string) bool { return text == rule || strings.TrimSuffix(text, "(*)") == rule }
		if u.fails(prm03, slices.ContainsFunc(own, is) || slices.ContainsFunc(s.Everyone, is)) {
			u.report(prm03, a, "a rule of type "+q.facts.Type+" or of the command line", rule)
		}
		return
	}
}

// verdict is what has to be said of a call.
func (u *permissions) verdict(a *agent, c *call, b *transcript.Permission) (want string, known bool) {
	s, x := u.opt.Session, c.use
	if x == nil || strings.HasPrefix(c.name, "mcp__") {
		return "", false
	}
	class := classOf(c.name)
	if c.name == exitTool && a.mate {
		class = "" // it asks its lead itself
	}
	by := byMode(b.Mode, class)
	if by == "allow" && !u.ruled() {
		if c.name != sendTool && b.Why == "mode "+b.Mode {
			a.plainly = plainly{c.name, b.Mode, b.Why}
		}
		return by, true
	}
	switch a.speak(s.Deny, x, isAgentTool(c.name)) {
	case yes:
		return "deny", true
	case maybe:
		return "", false
	}
	switch {
	case a.isPlan(x, b.Mode) || by == "deny" && class == "exec" && !changes(x):
		return "", false // which is let through unless it is a link, or may only look
	case by == "deny":
		return "deny", true
	}
	switch a.speak(s.Ask, x, false) {
	case yes:
		return "ask", true
	case maybe:
		return "", false
	}
	switch u.allows(a, x) {
	case yes:
		return "allow", true
	case maybe:
		return "", false
	}
	if by == "ask" && u.inScratchpad(a, x) {
		by = "allow"
	}
	if by == "ask" && (b.Mode == "auto" || class == "exec" && !changes(x) || b.Decision == "allow" && !strings.HasPrefix(b.Why, "mode ")) {
		return "", false // a classifier's, a command that may only look, or one that nobody has to be asked about
	}
	return by, true
}

// inScratchpad reports whether a call of a worker changes a file in the scratchpad, and that
// is on.
func (u *permissions) inScratchpad(a *agent, x *use) bool {
	return u.gates.on["tengu_scratch"] && a.former.facts.Type == "worker" && strings.HasPrefix(strings.TrimPrefix(x.file, "/work/project/"), u.opt.Session.Scratchpad+"/")
}

// temporary reports whether a call of a verification may write into temporary files.
func (u *permissions) temporary(a *agent, x *use) bool {
	return a.former.facts.Type == "verification" && classOf(x.name) == "exec" && strings.Contains(field(x.input, "command"), "/tmp/")
}

// allows is whether a rule that an agent is given allows a call: one of the session's,
// or of those that stand in their place for its type or that of one above it, and the
// command line's.
func (u *permissions) allows(a *agent, x *use) int {
	s := u.opt.Session
	for q := a; q.parent != nil; q = q.parent {
		if own, found := s.Allowed[q.former.facts.Type]; found {
			return max(a.speak(own, x, false), a.speak(s.Everyone, x, false))
		}
	}
	return max(a.speak(s.Allow, x, false), a.speak(u.rules, x, false))
}

// speak is whether one of some rules speaks of a call of the agent. Of rules about types of
// agents nothing is said here: they take the type away.
func (a *agent) speak(rules []string, x *use, types bool) int {
	out := no
	for _, r := range rules {
		name, spec, found := strings.Cut(r, "(")
		if name != x.name && !(isAgentTool(name) && isAgentTool(x.name)) {
			continue
		}
		spec = strings.TrimSuffix(spec, ")")
		if !found || spec == "*" {
			return yes
		}
		if !types {
			out = max(out, covers(spec, x, a.place))
		}
	}
	return out
}

// covers is whether a specifier speaks of a call of an agent that works in a place.
func covers(spec string, x *use, in *workplace) int {
	switch x.name {
	case "Bash", "run_shell":
		return coversCommand(spec, field(x.input, "command"))
	case "Read", "Edit", "Write":
		switch {
		case x.file == "":
			return maybe
		case slices.Contains(in.names(x.file), path.Clean(spec)):
			return yes
		case !strings.ContainsAny(spec, "*?[{"):
			return no
		}
	}
	return maybe
}

func coversCommand(spec, command string) int {
	prefix, open := strings.CutSuffix(spec, ":*")
	rest, found := strings.CutPrefix(command, prefix)
	switch {
	case command == "" || strings.ContainsAny(prefix, "*?[{"):
		return maybe
	case !strings.ContainsAny(command, "\n;&|$`(<>") && (open && found && (rest == "" || rest[0] == ' ') || command == prefix):
		return yes
	case !strings.Contains(command, strings.Fields(prefix + " .")[0]):
		return no
	}
	return maybe
}

// writers are commands that change something, whatever they are given.
var writers = []string{"rm", "mv", "cp", "mkdir", "touch", "tee", "chmod"}

// changes reports whether a command changes something for certain.
func changes(x *use) bool {
	command := field(x.input, "command")
	word, _, _ := strings.Cut(command, " ")
	return slices.Contains(writers, word) || redirects(command)
}

// redirects reports whether a command that leaves nothing to be expanded writes its
// output into a file.
func redirects(command string) bool {
	_, to, found := strings.Cut(command, ">")
	to = strings.TrimLeft(to, "> ")
	return found && !strings.ContainsAny(command, "\"'`\\$()[]<&#\n") && to != "" && !strings.Contains(to, "/dev/")
}
