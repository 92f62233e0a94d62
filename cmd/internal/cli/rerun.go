package cli

import (
	"fmt"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/sim"
	"agentsim/sim/kernel"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
)

// newFold makes the figures of a run.
func newFold(spec *sim.Spec, watch []string) *metrics.Fold {
	return metrics.New(metrics.Options{Items: len(spec.Scenario.Work), Watch: watch, Tokens: countTokens,
		Assigned: spec.Assigned(), Price: spec.Scenario.Provider.Priced})
}

// rerun records a run again, beside its record.
type rerun struct {
	db     *sqlite.DB
	writer *sqlite.Writer
	fold   *metrics.Fold
}

// newRerun begins; close must be called.
func newRerun(spec *sim.Spec, info sqlite.RunInfo) (*rerun, error) {
	level := info.Level
	if level == sqlite.Full {
		level = sqlite.Calls // all rows, without content
	}
	db, err := sqlite.Scratch()
	if err != nil {
		return nil, err
	}
	r := &rerun{db: db, fold: newFold(spec, nil)}
	if r.writer, err = db.Begin(runRow(spec, info.ID), "", sqlite.Options{Level: level, Cost: costs(spec)}); err != nil {
		db.Close()
		return nil, err
	}
	return r, nil
}

func (r *rerun) sinks() []transcript.Sink { return []transcript.Sink{r.fold, r.writer} }

func (r *rerun) close() { r.db.Close() }

// differences are what of the record is not as it came again.
func (r *rerun) differences(db *sqlite.DB, info sqlite.RunInfo, res *sim.Result) ([]sqlite.Mismatch, error) {
	err := r.writer.Finish(sqlite.End{Status: status(res.Outcome), Detail: res.Detail, Digest: res.Digest,
		Schedule: kernel.ChoicesText(res.Choices), Metrics: stored(r.fold.Run()), Invariants: invariants(res.Audit)})
	if err != nil {
		return nil, err
	}
	return db.Differences(info.ID, r.db)
}

// stillSealed compares the rest: what no run brings again, and what was said.
func stillSealed(db *sqlite.DB, info sqlite.RunInfo) error {
	tables, _, err := db.Changed(info.ID)
	if err != nil {
		return err
	}
	if err := db.VerifyContent(info.ID); err != nil {
		return ui.Fail(ui.Differs, err)
	}
	if len(tables) > 0 {
		return ui.Failf(ui.Differs, "run %s: it came again, but its record was changed after it was written: %s", ui.Short(info.ID), strings.Join(tables, ", "))
	}
	return nil
}

// maxMismatches is how many differences are listed one by one.
const maxMismatches = 10

// agrees compares what the record says beside its events with what came again.
func (r *rerun) agrees(db *sqlite.DB, info sqlite.RunInfo, res *sim.Result) error {
	found, err := r.differences(db, info, res)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return stillSealed(db, info)
	}
	var lines []string
	for i := range found[:min(len(found), maxMismatches)] {
		lines = append(lines, "  "+found[i].String())
	}
	if more := len(found) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return ui.Failf(ui.Differs, "run %s: the replay differs, in what the record says beside its events\n%s", ui.Short(info.ID), strings.Join(lines, "\n"))
}
