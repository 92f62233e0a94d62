package cli

import (
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/transcript/sqlite"
)

// inspectSaid prints what an agent said, byte for byte: what its output file held
// (TSK-09).
func inspectSaid(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, o *inspectOptions) error {
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
	if o.output != "table" {
		return s.Emit(o.output, struct {
			Run   string `json:"run"`
			Agent string `json:"agent"`
			Said  string `json:"said"`
		}{info.ID, o.said, text})
	}
	s.Printf("%s", text)
	return nil
}
