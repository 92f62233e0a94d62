package agent_test

import (
	"strings"

	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// rules reads permission rules, one a line: `deny RULE`, `ask RULE`, `allow RULE`,
// `cli RULE`, or `allowed TYPE RULE`.
func (s *story) rules(lines []string) {
	p := &s.cfg.Permissions
	for _, line := range lines {
		verb, text, _ := strings.Cut(line, " ")
		typ := ""
		if verb == "allowed" {
			typ, text, _ = strings.Cut(text, " ")
		}
		from := permission.Session
		if verb == "cli" {
			from = permission.CommandLine
		}
		r, err := permission.ParseRule(text, from)
		if err != nil {
			s.t.Fatal(err)
		}
		switch verb {
		case "deny":
			p.Rules.Deny = append(p.Rules.Deny, r)
		case "ask":
			p.Rules.Ask = append(p.Rules.Ask, r)
		case "allowed":
			if p.Allowed == nil {
				p.Allowed = map[string][]permission.Rule{}
			}
			p.Allowed[typ] = append(p.Allowed[typ], r)
		default:
			p.Rules.Allow = append(p.Rules.Allow, r)
		}
	}
}

// answers reads what the user says to prompts, one a line:
// `[agent=GLOB] [RULE] allow|always|deny|edit|never [AFTER] [feedback or input]`.
func (s *story) answers(lines []string) {
	for _, line := range lines {
		var ans agent.Answer
		f := strings.Fields(line)
		if glob, ok := strings.CutPrefix(f[0], "agent="); ok {
			ans.Agent, f = glob, f[1:]
		}
		if n, ok := strings.CutPrefix(f[0], "nth="); ok {
			ans.Nth, f = s.number(n), f[1:]
		}
		if !strings.Contains(" allow always deny edit never ", " "+f[0]+" ") {
			r, err := permission.ParseRule(f[0], permission.Session)
			if err != nil {
				s.t.Fatal(err)
			}
			ans.Rule, f = r, f[1:]
		}
		ans.Reply = agent.Reply(f[0])
		if f[0] == "always" {
			ans.Reply, ans.Always = agent.ReplyAllow, true
		}
		if f = f[1:]; len(f) > 0 {
			if d, err := vtime.ParseDuration(f[0]); err == nil {
				ans.After, f = rng.Span{Lo: int64(d), Hi: int64(d)}, f[1:]
			}
		}
		rest := strings.Join(f, " ")
		ans.Feedback = rest
		if ans.Reply == agent.ReplyEdit {
			ans.Feedback, ans.Input = "", llm.NewJSON(rest)
		}
		s.cfg.Permissions.Answers = append(s.cfg.Permissions.Answers, ans)
	}
}
