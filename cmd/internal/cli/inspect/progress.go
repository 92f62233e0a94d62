package inspect

import (
	"io"

	"agentsim/cmd/internal/rundb"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"
)

// progress says how far agents in the background had come, at each change
// (TSK-07).
func progress(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, _ *options) error {
	if err := rundb.NeedsAll(info); err != nil {
		return err
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

// said gives what an agent said, byte for byte: what its output file held.
func said(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, o *options) error {
	if err := rundb.NeedsContent(info); err != nil {
		return err
	}
	text, err := db.Said(info.ID, o.said)
	if err != nil {
		return err
	}
	d.Print(func(w io.Writer, _ report.Style) error {
		_, err := io.WriteString(w, text)
		return err
	})
	d.Field("run", report.Text(info.ID))
	d.Field("agent", report.Text(o.said))
	d.Field("said", report.Text(text))
	return nil
}
