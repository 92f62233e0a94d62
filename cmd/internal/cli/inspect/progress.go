package inspect

import (
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"
)

// progress says how far agents in the background had come, at each change
// (TSK-07).
func progress(d *report.Document, db *sqlite.DB, info sqlite.RunInfo) error {
	if !info.Level.Whole() {
		return ui.Failf(ui.Usage, "run %s is recorded at level %s, without single events: record it with --record full", ui.Short(info.ID), info.Level)
	}
	list, err := db.Progress(info.ID)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		d.Say("no progress: no agent was in the background")
	}
	type col = report.Column[sqlite.Progress]
	d.Table(report.TableOf("changes", list,
		col{Name: "at", Head: " AT", Of: func(p sqlite.Progress) report.Value { return report.At(p.At) }},
		col{Name: "agent", Head: "AGENT", Of: func(p sqlite.Progress) report.Value { return report.Text(p.Lineage) }},
		col{Name: "tool_uses", Head: " TOOL USES", Of: func(p sqlite.Progress) report.Value { return report.Count(p.ToolUses) }},
		col{Name: "tokens_input", Head: " INPUT", Of: func(p sqlite.Progress) report.Value { return report.Tokens(p.Input) }},
		col{Name: "tokens_output", Head: " OUTPUT", Of: func(p sqlite.Progress) report.Value { return report.Tokens(p.Output) }},
		col{Name: "last_tools", Head: "LAST TOOLS", Of: func(p sqlite.Progress) report.Value { return report.List(p.Last) }},
	))
	return nil
}
