package cli

import (
	"fmt"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

func newReplay(s *ui.Env) *cobra.Command {
	var db string
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "run a recorded run again and compare every event",
		Long: `Runs what the record holds, scenario, seed, policy and files, and compares event by event. On a divergence it names the
first event that differs, both sides, and the field. RUN is the beginning of a run's id.`,
		Example: `  agentsim replay 9c1e`,
		Args:    ui.Exactly(1, "one run"),
		RunE: func(_ *cobra.Command, args []string) error {
			return replay(s, db, args[0])
		},
	}
	ui.NoOutput(cmd, "whether the replay is equal is its exit code, and agentsim inspect prints the run in any form")
	rundb.Flag(s, cmd.Flags(), &db, "the `file` that runs are recorded in")
	return cmd
}

func replay(s *ui.Env, path, prefix string) error {
	db, err := rundb.Open(path)
	if err != nil {
		return err
	}
	defer db.Close()
	info, err := rundb.FindAny(db, prefix)
	if err != nil {
		return err
	}
	if info.Recorded() {
		return ui.Failf(ui.Usage, "run %s is a recorded session: nothing ran here that could run again\n"+
			"agentsim import reads its files again and compares the digest; agentsim inspect %[1]s --misses says what it lost and why", ui.Short(info.ID))
	}
	stored, err := db.Spec(info.ID)
	if err != nil {
		return err
	}
	if changed := rundb.ChangedSince(&stored); changed != "" {
		return ui.Failf(ui.Operating, "run %s cannot be run again: %s\nwhat it was is in its record: agentsim inspect %[1]s", ui.Short(info.ID), changed)
	}
	spec, err := rundb.Rebuild(&stored)
	if err != nil || spec.RunID() != info.ID {
		return ui.Failf(ui.Differs, "run %s: its record was changed after it was written: scenario, variant, seed, policy and files do not come to its id", ui.Short(info.ID))
	}
	switch {
	case info.Level == sqlite.Totals:
		return compareDigest(s, db, spec, info)
	case !info.Level.Whole():
		return compareSampled(s, db, spec, info)
	}
	return compareEvents(s, db, spec, info)
}

// compareEvents runs the spec beside its record. A record that was cut short by
// an interrupt or a crash is compared as far as it goes.
func compareEvents(s *ui.Env, db *sqlite.DB, spec *sim.Spec, info sqlite.RunInfo) error {
	choices, err := rundb.ChoicesOf(db, info)
	if err != nil {
		return err
	}
	stop := harness.Listen(s)
	defer stop.Stop()
	again, err := harness.NewRerun(spec, info, stop, sim.Options{Repeat: s.CommandLine(), Choices: choices})
	if err != nil {
		return err
	}
	defer again.Close()
	res, diff, err := again.Beside(db.Events(info.ID))
	if err != nil {
		return err
	}
	switch {
	case diff != nil && endsInterrupted(diff.Got):
		return ui.Failf(ui.Interrupted, "interrupted after %d events, all as recorded", diff.Index)
	case diff != nil && (endsInterrupted(diff.Want) || diff.Want == "" && !info.Outcome.Settled()):
		s.Printf("run %s was %s; all of its %d events came again\n", ui.Short(info.ID), info.Ending(), diff.Index)
		return nil
	}
	if diff != nil {
		return ui.Failf(ui.Differs, "run %s: the replay differs\n%s", ui.Short(info.ID), diff)
	}
	return sameRecord(s, db, info, res, again)
}

// compareDigest compares what a record of totals holds: the digest.
func compareDigest(s *ui.Env, db *sqlite.DB, spec *sim.Spec, info sqlite.RunInfo) error {
	stop := harness.Listen(s)
	defer stop.Stop()
	again, err := harness.NewRerun(spec, info, stop, sim.Options{Repeat: s.CommandLine()})
	if err != nil {
		return err
	}
	defer again.Close()
	res, err := again.Run()
	if err != nil {
		return err
	}
	if res.Outcome == sim.Interrupted {
		return ui.Failf(ui.Interrupted, "interrupted after %d events", res.Events)
	}
	if res.Digest != info.Digest {
		return ui.Failf(ui.Differs, "run %s: the replay differs: digest %s, recorded %s\nthe record holds totals only; record with --record full to see which event",
			ui.Short(info.ID), res.Digest, info.Digest)
	}
	return sameRecord(s, db, info, res, again)
}

// unbroken is the failure of a replay that breaks an invariant.
func unbroken(info sqlite.RunInfo, res *sim.Result) error {
	if err := harness.Broken(res); err != nil {
		return ui.Failf(ui.Broken, "run %s: an invariant is broken\n%w", ui.Short(info.ID), err)
	}
	return nil
}

// same holds the rest of the record against a replay of equal events, and prints
// that nothing differs.
func sameRecord(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, res *sim.Result, again *harness.Rerun) error {
	if err := sameBeside(db, info, res, again); err != nil {
		return err
	}
	s.Printf("run %s replayed: %d events, digest %s, no difference\n", ui.Short(info.ID), res.Events, res.Digest)
	return unbroken(info, res)
}

// endsInterrupted reports whether a line is the end of an interrupted run.
func endsInterrupted(line string) bool {
	words := strings.Fields(line)
	return len(words) > 5 && words[4] == "run_end" && words[5] == "outcome="+string(sim.Interrupted)
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

// sameBeside compares what the record says beside its events with what came again.
func sameBeside(db *sqlite.DB, info sqlite.RunInfo, res *sim.Result, again *harness.Rerun) error {
	found, err := again.Differences(db, res)
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
