package inspect

import (
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"
)

// said gives what an agent said, byte for byte: what its output file held. People
// get it alone, without a heading.
func said(s *ui.Env, d *report.Document, db *sqlite.DB, info sqlite.RunInfo, o *options) error {
	if info.Level == sqlite.Totals || info.Level == sqlite.Calls {
		return ui.Failf(ui.Usage, "run %s is recorded at level %s, without what was said: record it with --record full", ui.Short(info.ID), info.Level)
	}
	if err := rundb.NeedsContent(info); err != nil {
		return err
	}
	text, err := db.Said(info.ID, o.said)
	if err != nil {
		return err
	}
	if o.output == "table" {
		s.Printf("%s", text)
	}
	d.Field("agent", report.Text(o.said))
	d.Field("said", report.Text(text))
	return nil
}
