package cli

import (
	"strings"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/sim"
	"agentsim/sim/transcript"
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
	if changed := sim.ChangedSince(stored.Semantics); changed != "" {
		return ui.Failf(ui.Operating, "run %s cannot be run again: %s\nwhat it was is in its record: agentsim inspect %[1]s", ui.Short(info.ID), changed)
	}
	spec, err := rundb.Rebuild(&stored)
	if stored.Semantics == sim.Semantics && (err != nil || spec.RunID() != info.ID) {
		return ui.Failf(ui.Differs, "run %s: its record was changed after it was written: scenario, variant, seed, policy and files do not come to its id", ui.Short(info.ID))
	}
	if err != nil {
		return err
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
	again, err := newRerun(spec, info)
	if err != nil {
		return err
	}
	defer again.close()
	stop := listen(s)
	defer stop.stop()
	var res *sim.Result
	var diff *transcript.Difference
	stop.around(sim.Options{Repeat: s.CommandLine(), Choices: choices, Sinks: again.sinks()}, func(opt sim.Options) {
		res, diff, err = sim.Replay(spec, db.Events(info.ID), opt)
	})
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
	again, err := newRerun(spec, info)
	if err != nil {
		return err
	}
	defer again.close()
	stop := listen(s)
	defer stop.stop()
	var res *sim.Result
	stop.around(sim.Options{Repeat: s.CommandLine(), Sinks: again.sinks()}, func(opt sim.Options) { res, err = sim.Run(spec, opt) })
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
	if err := auditErr(res.Audit); err != nil {
		return ui.Failf(ui.Broken, "run %s: an invariant is broken\n%w", ui.Short(info.ID), err)
	}
	return nil
}

// same holds the rest of the record against a replay of equal events, and prints
// that nothing differs.
func sameRecord(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, res *sim.Result, again *rerun) error {
	if err := again.agrees(db, info, res); err != nil {
		return err
	}
	s.Printf("run %s replayed: %d events, digest %s, no difference\n", ui.Short(info.ID), res.Events, res.Digest)
	return unbroken(info, res)
}

// endsInterrupted reports whether a line is the end of an interrupted run.
func endsInterrupted(line string) bool {
	words := strings.Fields(line)
	return len(words) > 5 && words[4] == "run_end" && words[5] == "outcome="+sim.Interrupted
}
