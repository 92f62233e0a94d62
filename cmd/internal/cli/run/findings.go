package run

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/transcript"
)

// cause is a finding of a run, and the agents that it was found of: "" for the run
// itself.
type cause struct {
	transcript.Finding
	agents []string
}

// found enters a finding of an agent.
func (s *seen) found(b *transcript.Finding, agent string) {
	i := slices.IndexFunc(s.causes, func(c cause) bool { return c.Finding == *b })
	if i < 0 {
		i, s.causes = len(s.causes), append(s.causes, cause{Finding: *b})
	}
	s.causes[i].agents = append(s.causes[i].agents, agent)
}

// maxCauses is how many findings lines tell; forms for machines have all.
const maxCauses = 5

// findings says in a line for each cause what was ignored or went wrong without an
// error, the loudest first. Left out is what is no news: what the scenario asks for
// or another line has, and how reports read that nobody wrote word for word.
func (a *answer) findings(s *ui.Env) []string {
	var all report.Findings
	last := ""
	for _, x := range a.done {
		for _, c := range x.causes {
			if !c.news(x.Spec.Scenario) {
				continue
			}
			about := c.About()
			all.Add(about.Words+": "+c.brief()+c.where(), variantOf(x), int(about.Weight))
			last = x.Result.RunID
		}
	}
	lines := all.Lines(len(a.done))
	more := len(lines) - maxCauses
	if more <= 0 {
		return lines
	}
	return append(lines[:maxCauses], fmt.Sprintf("and %d more: ", more)+a.listing(s, last))
}

// brief is the detail as a line has room for it: of a call that an injection asked for,
// what it does.
func (c *cause) brief() string {
	who, input, is := strings.Cut(c.Detail, " {")
	if c.Rule != agent.RuleObeyed || !is {
		return c.Detail
	}
	var fields map[string]any
	if json.Unmarshal([]byte("{"+input), &fields) == nil {
		for _, name := range []string{"command", "description", "file_path", "path"} {
			if text, is := fields[name].(string); is {
				return who + ": " + ui.Excerpt(text)
			}
		}
	}
	return ui.Excerpt(c.Detail)
}

// listing is what lists all findings of a run.
func (a *answer) listing(s *ui.Env, run string) string {
	if a.rec.DB == nil || !a.inFull() {
		return "-o json lists all"
	}
	return "agentsim inspect " + ui.Short(run) + rundb.At(s, a.db)
}

// news reports whether a finding is any to whoever wrote the scenario.
func (c *cause) news(sc *scenarios.Scenario) bool {
	switch c.About().Weight {
	case transcript.Known:
		return false
	case transcript.Form:
		return slices.ContainsFunc(c.agents, func(agent string) bool { return worded(sc, agent) })
	}
	return true
}

// worded reports whether a script says word for word what an agent says.
func worded(sc *scenarios.Scenario, agent string) bool {
	return slices.ContainsFunc(sc.Scripts, func(s scenarios.Script) bool {
		ok, _ := path.Match(s.Agent, agent)
		return ok && slices.ContainsFunc(s.Turns, func(t scenarios.Turn) bool {
			return t.Text != nil && t.Text.Text != "" || t.Say != nil && t.Say.Text != ""
		})
	})
}

// where names the agents of a cause, each once; "" for the run itself.
func (c *cause) where() string {
	agents := slices.Compact(slices.Sorted(slices.Values(c.agents)))
	if len(agents) == 1 && agents[0] == "" {
		return ""
	}
	return " (" + report.Some(agents) + ")"
}

// causesOf are a variant's findings for machines.
func causesOf(x executed) *report.Sheet {
	type col = report.Column[cause]
	return report.TableOf("", x.causes,
		col{Name: "rule", Of: func(c cause) report.Value { return report.Text(c.Rule) }},
		col{Name: "words", Of: func(c cause) report.Value { return report.Text(c.About().Words) }},
		col{Name: "detail", Of: func(c cause) report.Value { return report.Text(c.Detail) }},
		col{Name: "agents", Of: func(c cause) report.Value { return report.List(c.agents) }})
}
