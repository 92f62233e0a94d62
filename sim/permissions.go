package sim

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/tool"
)

// permissions turns what the scenario says of permissions into what the agents
// share.
func (r *run) permissions(all []*tool.Tool) (agent.Permissions, error) {
	s := &r.spec.Scenario.Permissions
	if err := knownTools(r.spec.Scenario, all); err != nil {
		return agent.Permissions{}, err
	}
	out := agent.Permissions{TimeOut: s.TimeOut, Children: permission.Mode(s.Children)}
	if out.TimeOut == 0 {
		out.TimeOut = agent.DefaultTimeOut
	}
	var cli []permission.Rule
	for _, l := range []struct {
		from  []string
		as    permission.Source
		rules *[]permission.Rule
	}{{s.Deny, permission.Session, &out.Rules.Deny}, {s.Ask, permission.Session, &out.Rules.Ask},
		{s.Allow, permission.Session, &out.Rules.Allow}, {s.CliAllow, permission.CommandLine, &cli}} {
		var err error
		if *l.rules, err = rulesOf(l.from, l.as); err != nil {
			return out, err
		}
	}
	out.Rules.Allow = append(out.Rules.Allow, cli...)
	for typ, list := range s.Allowed { // order: a map into a map
		rules, err := rulesOf(list, permission.Session)
		if err != nil {
			return out, err
		}
		if out.Allowed == nil {
			out.Allowed = map[string][]permission.Rule{}
		}
		out.Allowed[typ] = append([]permission.Rule{}, rules...)
	}
	for i := range s.Answers {
		ans, err := answerOf(&s.Answers[i])
		if err != nil {
			return out, err
		}
		out.Answers = append(out.Answers, ans)
	}
	return out, r.classifier(&out)
}

// knownTools refuses rules of tools that there are not. Those of a client's settings may
// speak of any.
func knownTools(sc *scenarios.Scenario, all []*tool.Tool) error {
	if sc.Stack == scenarios.MinimalStack || sc.Project.Client != "" {
		return nil // the first has no rules
	}
	var bad error
	eachRule(&sc.Permissions, func(path, _ string, rule permission.Rule) {
		if bad == nil && tool.Find(all, rule.Tool) == nil && !ofSomeServer(sc, rule.Tool) {
			bad = &ScenarioError{path, scenarios.NoTool(rule.Tool, tool.Names(all))}
			if rest, of := strings.CutPrefix(rule.Tool, serverPrefix); of {
				name, _, _ := strings.Cut(rest, "__")
				bad = &ScenarioError{path, fmt.Errorf("rule %s is of no MCP server: add project: {servers: [{name: %s}]}", rule, name)}
			}
		}
	})
	return bad
}

// serverPrefix begins the names of servers' tools.
const serverPrefix = "mcp__"

// ofSomeServer reports whether a rule's tool may be an MCP server, or a tool of one. Which
// servers definitions bring only the run finds out.
func ofSomeServer(sc *scenarios.Scenario, name string) bool {
	rest, is := strings.CutPrefix(name, serverPrefix)
	if !is || sc.DefinesAgents() {
		return is
	}
	for i := range sc.Project.Servers {
		if slices.ContainsFunc(named(&sc.Project.Servers[i]), func(s string) bool { return rest == s || strings.HasPrefix(rest, s+"__") }) {
			return true
		}
	}
	return false
}

// eachRule gives each rule of the lists and answers of a scenario, with its path and the
// word of its decision, "" for an answer's.
func eachRule(s *scenarios.PermissionSpec, do func(path, word string, rule permission.Rule)) {
	one := func(path, word, text string) {
		if rule, err := permission.ParseRule(text, permission.Session); err == nil {
			do(path, word, rule)
		}
	}
	for _, l := range []struct {
		key, word string
		list      []string
	}{{"deny", "deny", s.Deny}, {"ask", "ask", s.Ask}, {"allow", "allow", s.Allow}, {"cli_allow", "allow", s.CliAllow}} {
		for i, text := range l.list {
			one(fmt.Sprintf("permissions.%s[%d]", l.key, i), l.word, text)
		}
	}
	for i := range s.Answers {
		if text := s.Answers[i].Rule; text != "" {
			one(fmt.Sprintf("permissions.answers[%d].rule", i), "", text)
		}
	}
}

// unruled lists, by their paths, the rules that spoke of no call and took nothing away, and
// the answers that were given to no prompt. A rule that allows is one of a tool that
// somebody called.
func unruled(r *run) (out []string) {
	sc, l := r.spec.Scenario, &r.observer.limits
	if sc.Stack == scenarios.MinimalStack {
		return nil
	}
	eachRule(&sc.Permissions, func(path, word string, rule permission.Rule) {
		called := slices.ContainsFunc(l.called, func(t string) bool {
			whole := permission.Rule{Tool: rule.Tool}
			return whole.Covers(callOf(r.offered, t))
		})
		switch {
		case word == "":
		case word == "allow" && called, word == "deny" && agent.TookAway(r.world, rule), l.ruled[word+" rule "+rule.String()],
			word == "ask" && called && len(l.unasked) > 0: // or denied, where nobody is asked
		default:
			out = append(out, path)
		}
	})
	for i := range sc.Permissions.Answers {
		if !agent.Answered(r.world, i) {
			out = append(out, fmt.Sprintf("permissions.answers[%d]", i))
		}
	}
	return out
}

// callOf is a call of a tool by its name.
func callOf(all []*tool.Tool, name string) *permission.Call {
	if t := tool.Find(all, name); t != nil {
		return &permission.Call{Tool: t.Name, Aliases: t.Aliases}
	}
	return &permission.Call{Tool: name}
}

// answerOf is an answer as the agents' user gives it.
func answerOf(s *scenarios.AnswerSpec) (agent.Answer, error) {
	out := agent.Answer{Agent: s.Agent, After: s.After, Reply: agent.Reply(s.Reply), Feedback: s.Feedback, Nth: s.Nth}
	if s.Reply == "always" {
		out.Reply, out.Always = agent.ReplyAllow, true
	}
	if s.Edit != nil {
		out.Input = llm.NewJSON(s.Edit.Raw)
	}
	var err error
	if out.Rules, err = rulesOf(s.Rules, permission.Session); err != nil || s.Rule == "" {
		return out, err
	}
	out.Rule, err = permission.ParseRule(s.Rule, permission.Session)
	return out, err
}

func rulesOf(texts []string, from permission.Source) ([]permission.Rule, error) {
	var out []permission.Rule
	for _, t := range texts {
		r, err := permission.ParseRule(t, from)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// scripted is the classifier of a scenario: the first line that speaks of a call.
type scripted []struct {
	rule    permission.Rule
	verdict permission.Verdict
}

// Classify gives the line's verdict; a call that no line speaks of is asked.
func (s scripted) Classify(c *permission.Call) permission.Verdict {
	for i := range s {
		if s[i].rule.Covers(c) {
			return s[i].verdict
		}
	}
	return permission.Ask
}

// classifier sets the classifier of mode auto.
func (r *run) classifier(out *agent.Permissions) error {
	lines := r.spec.Scenario.Permissions.Classifier
	verdicts := map[string]permission.Verdict{"allow": permission.Allow, "ask": permission.Ask, "deny": permission.Deny}
	s := make(scripted, len(lines))
	for i, l := range lines {
		rule, err := permission.ParseRule(l.Rule, permission.Session)
		if err != nil {
			return err
		}
		s[i].rule, s[i].verdict = rule, verdicts[l.Verdict]
	}
	out.Classifier = s
	return nil
}
