package scenarios

import (
	"maps"
	"path"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// PermissionSpec is what tool uses are decided by (PRM-01), and what the user says
// when asked (PRM-04).
type PermissionSpec struct {
	Mode       string              `yaml:"mode"` // run mode of roots; acceptEdits by default
	Children   string              `yaml:"children"`
	Deny       []string            `yaml:"deny"` // rules, such as Bash(rm:*)
	Ask        []string            `yaml:"ask"`
	Allow      []string            `yaml:"allow"`         // of the session
	CliAllow   []string            `yaml:"cli_allow"`     // of the command line, which every agent keeps
	Allowed    map[string][]string `yaml:"allowed_tools"` // by agent type: allow rules that take the place of the session's (PRM-03)
	Classifier []ClassifierLine    `yaml:"classifier"`
	Answers    []AnswerSpec        `yaml:"answers"` // the first that fits counts; a prompt that fits none is allowed at once
	TimeOut    vtime.Duration      `yaml:"timeout"` // of a prompt that nobody answers; 10m by default
}

// ClassifierLine is a verdict of the scripted classifier.
type ClassifierLine struct {
	Rule    string `yaml:"rule"`
	Verdict string `yaml:"verdict"` // allow, ask or deny
}

// AnswerSpec is what the user says to some prompts.
type AnswerSpec struct {
	Agent    string    `yaml:"agent"` // lineage, or a glob over lineages, that asks; every one by default
	Rule     string    `yaml:"rule"`  // calls that are asked about; all by default
	After    rng.Span  `yaml:"after"` // from the prompt to the answer
	Reply    string    `yaml:"reply"` // allow, always, deny, edit or never
	Edit     *ToolTurn `yaml:"edit"`  // of reply edit: the call as the user wants it
	Feedback string    `yaml:"feedback"`
	Rules    []string  `yaml:"rules"` // of reply always: what is allowed from then on; the call by default
	Nth      int       `yaml:"nth"`   // which of the prompts that fit, from 1; each by default
}

// TriggerSpec is an event that a step of the user waits for (PRM-05).
type TriggerSpec struct {
	Event string `yaml:"event"` // kind, such as tool_call
	Agent string `yaml:"agent"` // lineage; any by default
	Tool  string `yaml:"tool"`  // of tool_call, tool_result and permission
	Nth   int    `yaml:"nth"`   // which of those that fit, from 1
}

// mayTimeOut reports whether somebody may wait for an answer in vain: the user's, or that
// of whoever leads a team or workers.
func mayTimeOut(s *Scenario) bool {
	return s.Coordinates() || s.teams() || s.turnsOn(swarmsGate) || slices.ContainsFunc(s.Permissions.Answers, func(a AnswerSpec) bool { return a.Reply == "never" })
}

// unmet lists the rules and answers of a scenario, and whether a run met them.
func (p *PermissionSpec) unmet(run *Ran, d *document.Decoder, add func(*struck)) {
	one := func(label, path, why string) {
		add(&struck{Idle: Idle{Path: label, Why: why, at: d.Where(path)}, used: !slices.Contains(run.Unmet, path)})
	}
	for _, l := range []struct {
		key, why string
		list     []string
	}{{"deny", "no call is one that it denies, and nobody would have had the tool", p.Deny}, {"ask", "no call is one about which it asks", p.Ask},
		{"allow", "nobody called the tool", p.Allow}, {"cli_allow", "nobody called the tool", p.CliAllow}} {
		for i, rule := range l.list {
			why := l.why
			if strings.Contains(rule, "(") { // which takes no tool away
				why, _, _ = strings.Cut(why, ", and")
			}
			one("permissions."+l.key+" "+rule, "permissions."+l.key+"["+itoa(i)+"]", why)
		}
	}
	for i := range p.Answers {
		one("permissions.answers."+itoa(i+1), "permissions.answers["+itoa(i)+"]", "nobody was asked what it answers, or an answer before it in the list was given")
	}
}

var replies = []string{"allow", "always", "deny", "edit", "never"}

func (c *checker) permissions() {
	p := &c.s.Permissions
	for _, l := range []struct {
		key  string
		list []string
	}{{"deny", p.Deny}, {"ask", p.Ask}, {"allow", p.Allow}, {"cli_allow", p.CliAllow}} {
		c.ruleList("permissions."+l.key, l.list)
	}
	for _, typ := range slices.Sorted(maps.Keys(p.Allowed)) {
		at := "permissions.allowed_tools." + typ
		if c.ruleList(at, p.Allowed[typ]); knowsTypes(c.file, c.s) && !slices.Contains(headTypes(c.s), typ) {
			c.badKey(at, document.DidYouMeanOr(typ, headTypes(c.s)), "no agent is of type %q", typ)
		}
	}
	for i, l := range p.Classifier {
		at := "permissions.classifier[" + itoa(i) + "]"
		c.rule(at+".rule", l.Rule)
		if !slices.Contains([]string{"allow", "ask", "deny"}, l.Verdict) {
			c.bad(at+".verdict", "allow, ask or deny", "unknown verdict %q", l.Verdict)
		}
	}
	for i := range p.Answers {
		c.answer("permissions.answers["+itoa(i)+"]", &p.Answers[i])
	}
	c.directory()
	if p.TimeOut < 0 {
		c.bad("permissions.timeout", "a duration from 0 on", "a prompt cannot end before it is shown")
	}
}

// RootMode is the run mode of roots.
func (p *PermissionSpec) RootMode() string {
	if p.Mode == "" {
		return string(permission.AcceptEdits)
	}
	return p.Mode
}

// HoldsChildren reports whether no child leaves the mode of roots, whatever
// definitions and Children say (SUB-10).
func (p *PermissionSpec) HoldsChildren() bool {
	return slices.Contains([]string{string(permission.AcceptEdits), string(permission.Bypass), string(permission.Plan)}, p.RootMode())
}

func (c *checker) answer(at string, a *AnswerSpec) {
	if a.Rule != "" {
		c.rule(at+".rule", a.Rule)
	}
	if a.Agent != "" && !c.canExist(a.Agent) {
		c.bad(at+".agent", c.agentNames(a.Agent), "answer to an agent that cannot exist: %q", a.Agent)
	}
	c.ruleList(at+".rules", a.Rules)
	switch {
	case !slices.Contains(replies, a.Reply):
		c.bad(at+".reply", document.DidYouMeanOr(a.Reply, replies), "unknown reply %q", a.Reply)
	case (a.Reply == "edit") != (a.Edit != nil):
		c.bad(at, "reply: edit, edit: {name: Edit, input: {…}}", "reply edit and the call as the user wants it belong together")
	case len(a.Rules) > 0 && a.Reply != "always":
		c.bad(at+".rules", "reply: always", "rules come with a reply that holds from then on")
	case a.Feedback != "" && a.Reply != "deny":
		c.bad(at+".feedback", "reply: deny", "feedback comes with a denial only")
	case a.After != (rng.Span{}) && a.Reply == "never":
		c.bad(at+".after", "permissions: {timeout: …}", "a reply that never comes takes no time")
	}
}

func (c *checker) ruleList(at string, list []string) {
	for i, text := range list {
		c.rule(at+"["+itoa(i)+"]", text)
	}
}

func (c *checker) rule(at, text string) {
	if _, err := permission.ParseRule(text, permission.Session); err != nil {
		msg, hint := splitHint(err.Error())
		c.bad(at, hint, "%s", msg)
	}
}

// directory checks the working directory of forks.
func (c *checker) directory() {
	if d := c.s.Forks.Directory; d != "" && (!path.IsAbs(d) || path.Clean(d) != d) {
		c.bad("forks.directory", "such as /work/trees/a", "the working directory of forks is an absolute path in its shortest form, not %q", d)
	}
}

// trigger checks the event that a step waits for.
func (c *checker) trigger(at string, t *TriggerSpec) {
	var kinds []string
	for k := transcript.KindRunStart; k <= transcript.KindRunEnd; k++ {
		kinds = append(kinds, k.String())
	}
	if !slices.Contains(kinds, t.Event) {
		c.bad(at+".event", document.DidYouMeanOr(t.Event, kinds), "unknown event %q", t.Event)
	}
	switch {
	case strings.ContainsAny(t.Agent, "*?[{"):
		c.bad(at+".agent", "leave it out for any agent", "a step waits for one agent, not for the pattern %q", t.Agent)
	case t.Agent != "" && !c.canExist(t.Agent):
		c.bad(at+".agent", c.agentNames(t.Agent), "a step waits for an agent that cannot exist: %q", t.Agent)
	}
	if t.Tool != "" && !slices.Contains([]string{"tool_call", "tool_result", "permission"}, t.Event) {
		c.bad(at+".tool", "event: tool_call, tool_result or permission", "event %s is of no tool", t.Event)
	}
	if t.Nth < 0 {
		c.bad(at+".nth", "1 is the first", "events are counted from 1")
	}
}
