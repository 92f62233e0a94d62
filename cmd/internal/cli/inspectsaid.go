package cli

import (
	"agentsim/sim/transcript/sqlite"
)

// inspectSaid prints what an agent said, byte for byte: what its output file held
// (TSK-09).
func (s *State) inspectSaid(db *sqlite.DB, info sqlite.RunInfo, o *inspectOptions) error {
	if info.Level == sqlite.Totals || info.Level == sqlite.Calls {
		return failf(Usage, "run %s is recorded at level %s, without what was said: record it with --record full", short(info.ID), info.Level)
	}
	if err := needsContent(info); err != nil {
		return err
	}
	text, err := db.Said(info.ID, o.said)
	if err != nil {
		return err
	}
	if o.output != "table" {
		return s.emit(o.output, struct {
			Run   string `json:"run"`
			Agent string `json:"agent"`
			Said  string `json:"said"`
		}{info.ID, o.said, text})
	}
	s.printf("%s", text)
	return nil
}
