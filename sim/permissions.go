package sim

import (
	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
)

// permissions turns what the scenario says of permissions into what the agents
// share.
func (r *run) permissions() (agent.Permissions, error) {
	s := &r.spec.Scenario.Permissions
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
