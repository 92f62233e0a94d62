package cli

import (
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"
)

// printInjections lists who obeyed an injected instruction and what the classifier
// said of the agents of a run; nothing where there was neither.
func printInjections(s *ui.Env, db *sqlite.DB, run string) error {
	list, err := db.Injections(run)
	if err != nil || len(list) == 0 {
		return err
	}
	s.Printf("\n")
	t := report.NewTable("AGENT", "HAND-OFF", "TAINT", "DETAIL")
	for _, x := range list {
		taint := x.Taint
		if taint == "" {
			taint = "–"
		}
		t.Row(x.Lineage, x.What, taint, x.Detail)
	}
	return t.Write(s.Stdout, s.Style())
}

// injectionJSON is an act of obedience or a judgement, for machines.
type injectionJSON struct {
	What   string `json:"what"` // obeyed, flagged, clean or error
	Taint  string `json:"taint,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// injectionsOf are those of an agent.
func injectionsOf(list []sqlite.Injection, lineage string) (out []injectionJSON) {
	for _, x := range list {
		if x.Lineage == lineage {
			out = append(out, injectionJSON{x.What, x.Taint, x.Detail})
		}
	}
	return out
}
