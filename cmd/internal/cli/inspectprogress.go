package cli

import (
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"
	"strconv"
	"strings"
)

// progressJSON is the document of inspect --progress.
type progressJSON struct {
	Run     string          `json:"run"`
	Changes []progressedRow `json:"changes"`
}

type progressedRow struct {
	Agent    string   `json:"agent"`
	At       int64    `json:"at"` // nanoseconds from the run's start
	ToolUses int      `json:"tool_uses"`
	Input    int64    `json:"input_tokens"`  // of the newest request
	Output   int64    `json:"output_tokens"` // of all answers
	Last     []string `json:"last_tools"`    // oldest first
}

// inspectProgress prints how far agents in the background had come, at each change
// (TSK-07).
func inspectProgress(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, o *inspectOptions) error {
	if !info.Level.Whole() {
		return ui.Failf(ui.Usage, "run %s is recorded at level %s, without single events: record it with --record full", ui.Short(info.ID), info.Level)
	}
	list, err := db.Progress(info.ID)
	if err != nil {
		return err
	}
	if o.output != "table" {
		doc := progressJSON{info.ID, []progressedRow{}}
		for _, p := range list {
			doc.Changes = append(doc.Changes, progressedRow{p.Lineage, int64(p.At), p.ToolUses, p.Input, p.Output, append([]string{}, p.Last...)})
		}
		return s.Emit(o.output, doc)
	}
	if err := heading(s, db, info); err != nil {
		return err
	}
	if len(list) == 0 {
		s.Printf("no progress: no agent was in the background\n")
		return nil
	}
	t := report.NewTable(" AT", "AGENT", " TOOL USES", " INPUT", " OUTPUT", "LAST TOOLS")
	for _, p := range list {
		t.Row(report.Time(p.At.Sub(0)), p.Lineage, strconv.Itoa(p.ToolUses), report.Quantity(p.Input), report.Quantity(p.Output), strings.Join(p.Last, ", "))
	}
	return t.Write(s.Stdout, s.Style())
}
