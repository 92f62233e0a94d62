package lint

import (
	"agentsim/sim/lint"
	"agentsim/sim/vtime"
)

// The document of lint. Instants are nanoseconds from the run's start.

// LintJSON is what the lint says, for machines.
type LintJSON struct {
	Run       string         `json:"run"`
	Findings  []findingJSON  `json:"findings"`
	NotJudged []unjudgedJSON `json:"not_judged"`
	Rules     []ruleJSON     `json:"rules"`
}

type placeJSON struct {
	Agent string        `json:"agent"`
	Call  int64         `json:"call,omitempty"` // of the run, from 1
	Own   int           `json:"agent_call"`     // of the agent, from 0
	Block int32         `json:"block,omitempty"`
	At    vtime.Instant `json:"at"`
}

type findingJSON struct {
	Rule    string `json:"rule"`
	Serious bool   `json:"serious"`
	placeJSON
	With    string `json:"with,omitempty"`
	What    string `json:"what"`
	Excerpt string `json:"excerpt,omitempty"`
}

type unjudgedJSON struct {
	Rule string `json:"rule"`
	placeJSON
	Why string `json:"why"`
}

type ruleJSON struct {
	Rule      string `json:"rule"`
	What      string `json:"what"`
	Serious   bool   `json:"serious"`
	Judged    int    `json:"judged"`
	Found     int    `json:"found"`
	NotJudged int    `json:"not_judged"`
}

func lintDocument(run string, found *lint.Report) LintJSON {
	doc := LintJSON{Run: run, Findings: []findingJSON{}, NotJudged: []unjudgedJSON{}}
	serious := map[string]bool{}
	for _, s := range found.Sums {
		serious[s.Rule.ID] = s.Rule.Serious
		doc.Rules = append(doc.Rules, ruleJSON{s.Rule.ID, s.Rule.What, s.Rule.Serious, s.Judged, s.Found, s.NotJudged})
	}
	for _, f := range found.Findings {
		doc.Findings = append(doc.Findings, findingJSON{f.Rule, serious[f.Rule], placeJSON(f.Place), f.With, f.What, f.Excerpt})
	}
	for _, u := range found.Unjudged {
		doc.NotJudged = append(doc.NotJudged, unjudgedJSON{u.Rule, placeJSON(u.Place), u.Why})
	}
	return doc
}

// TableRows are the rows of its table.
func (d LintJSON) TableRows() any { return d.Findings }
