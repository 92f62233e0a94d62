// Package replay is the command that runs a recorded run again and compares every
// event and every row.
package replay

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// options are the flags.
type options struct{ db, output string }

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "run a recorded run again and compare every event",
		Long: `Runs what the record holds, scenario, seed, policy and files, and compares event by event. On a divergence it names the
first event that differs, both sides, and the field. RUN is the beginning of a run's id.`,
		Example: `  agentsim replay 9c1e`,
		Args:    ui.Exactly(1, "one run"),
		RunE: func(_ *cobra.Command, args []string) error {
			return run(s, o, args[0])
		},
	}
	rundb.Flag(s, cmd.Flags(), &o.db, "the `file` that runs are recorded in")
	ui.OutputFlag(cmd.Flags(), &o.output)
	return cmd
}

// record is a recorded run that is run again.
type record struct {
	sqlite.RunInfo
	db   *sqlite.DB
	spec *sim.Spec
}

func run(s *ui.Env, o *options, prefix string) error {
	db, err := rundb.Open(o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	r, err := read(db, prefix)
	if err != nil {
		return err
	}
	opt := sim.Options{Repeat: s.CommandLine()}
	if r.Level.Whole() {
		if opt.Choices, err = rundb.ChoicesOf(db, r.RunInfo); err != nil {
			return err
		}
	}
	stop := harness.Listen(s)
	defer stop.Stop()
	again, err := harness.NewRerun(r.spec, r.RunInfo, stop, opt)
	if err != nil {
		return err
	}
	defer again.Close()
	d := &report.Document{}
	d.Field("run", report.Text(r.ID))
	compare := r.compareSampled
	if r.Level.Whole() {
		compare = r.compareEvents
	}
	res, err := compare(d, again)
	if err == nil {
		err = s.Print(o.output, d)
	}
	if err != nil || res == nil {
		return err
	}
	if err := harness.Broken(res); err != nil {
		return ui.Failf(ui.Broken, "run %s: an invariant is broken\n%w", ui.Short(r.ID), err)
	}
	return nil
}

// read finds a run that can be run again.
func read(db *sqlite.DB, prefix string) (*record, error) {
	info, err := rundb.FindAny(db, prefix)
	if err != nil {
		return nil, err
	}
	if info.Recorded() {
		return nil, ui.Failf(ui.Usage, "run %s is a recorded session: nothing ran here that could run again\n"+
			"agentsim import reads its files again and compares the digest; agentsim inspect %[1]s --misses says what it lost and why", ui.Short(info.ID))
	}
	stored, err := db.Spec(info.ID)
	if err != nil {
		return nil, err
	}
	if changed := cmp.Or(rundb.ChangedSince(&stored), transcript.OtherForm(info.Digest)); changed != "" {
		return nil, ui.Failf(ui.Operating, "run %s cannot be run again: %s\nwhat it was is in its record: agentsim inspect %[1]s", ui.Short(info.ID), changed)
	}
	spec, err := rundb.Rebuild(&stored)
	if err != nil || spec.RunID() != info.ID {
		return nil, ui.Failf(ui.Differs, "run %s: its record was changed after it was written: scenario, variant, seed, policy and files do not come to its id", ui.Short(info.ID))
	}
	return &record{info, db, spec}, nil
}

// differs is the failure of a replay that is not as recorded.
func (r *record) differs(how string, args ...any) error {
	return ui.Failf(ui.Differs, "run %s: the replay differs"+how, append([]any{ui.Short(r.ID)}, args...)...)
}

// compareEvents runs the spec beside its record. A record that was cut short by
// an interrupt or a crash is compared as far as it goes, and has no result.
func (r *record) compareEvents(d *report.Document, again *harness.Rerun) (*sim.Result, error) {
	res, diff, err := again.Beside(r.db.Events(r.ID))
	switch {
	case err != nil:
		return nil, err
	case diff == nil:
		return res, r.same(d, res, again)
	case endsInterrupted(diff.Got):
		return nil, ui.Failf(ui.Interrupted, "interrupted after %d events, all as recorded", diff.Index)
	case endsInterrupted(diff.Want) || diff.Want == "" && !r.Outcome.Settled():
		d.Say("run %s was %s; all of its %d events came again", ui.Short(r.ID), r.Ending(), diff.Index)
		d.Field("events", report.Count(int64(diff.Index)))
		return nil, nil
	}
	return nil, r.differs("\n%s", diff)
}

// compareSampled runs the spec beside a record of samples, or of totals alone: its
// events are compared with those that are on record, and the digest says of all
// others whether they came again.
func (r *record) compareSampled(d *report.Document, again *harness.Rerun) (*sim.Result, error) {
	if !r.Outcome.Settled() {
		return nil, ui.Failf(ui.Operating, "run %s was %s, and --record %s kept a part of its events: there is nothing whole to compare with; run it again",
			ui.Short(r.ID), r.Ending(), r.Level)
	}
	picked := newPicked(r.db.Events(r.ID))
	res, err := again.Run(picked)
	diff, bad := picked.check.Finish()
	picked.stop()
	switch {
	case err != nil:
		return nil, err
	case bad != nil:
		return nil, bad
	case res.Outcome == sim.Interrupted:
		return nil, ui.Failf(ui.Interrupted, "interrupted after %d events", res.Events)
	case diff != nil:
		return nil, r.differs(", of the events that are on record\n%s", diff)
	case res.Digest == r.Digest:
		return res, r.same(d, res, again)
	}
	why := "the events on record are equal: another session tree differs"
	if r.Level == sqlite.Totals {
		why = "the record holds totals only"
	}
	return nil, r.differs(": digest %s, recorded %s\n%s; record with --record full to see which event", res.Digest, r.Digest, why)
}

// same holds the rest of the record against a replay of equal events, and prints
// that nothing differs.
func (r *record) same(d *report.Document, res *sim.Result, again *harness.Rerun) error {
	found, err := again.Differences(r.db, res)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return r.differs(", in what the record says beside its events\n%s", listed(found))
	}
	if err := r.sealed(); err != nil {
		return err
	}
	d.Say("run %s replayed: %d events, digest %s, no difference", ui.Short(r.ID), res.Events, res.Digest)
	d.Field("events", report.Count(int64(res.Events)))
	d.Field("digest", report.Text(res.Digest))
	return nil
}

// endsInterrupted reports whether a line is the end of an interrupted run.
func endsInterrupted(line string) bool {
	words := strings.Fields(line)
	return len(words) > 5 && words[4] == "run_end" && words[5] == "outcome="+string(sim.Interrupted)
}

// sealed compares what no run brings again, and what was said.
func (r *record) sealed() error {
	tables, _, err := r.db.Changed(r.ID)
	if err != nil {
		return err
	}
	if err := r.db.VerifyContent(r.ID); err != nil {
		return ui.Fail(ui.Differs, err)
	}
	if len(tables) > 0 {
		return ui.Failf(ui.Differs, "run %s: it came again, but its record was changed after it was written: %s", ui.Short(r.ID), strings.Join(tables, ", "))
	}
	return nil
}

// maxMismatches is how many columns with differences are listed.
const maxMismatches = 10

// listed are differences, those of a column in one line.
func listed(found []sqlite.Mismatch) string {
	var lines []string
	groups := ui.Alike(found, func(m sqlite.Mismatch) string { return m.Table + "." + m.Column })
	for _, alike := range groups[:min(len(groups), maxMismatches)] {
		line := "  " + alike[0].String()
		if more := len(alike) - 1; more > 0 {
			line += fmt.Sprintf(", and %d more", more)
		}
		lines = append(lines, line)
	}
	if more := len(groups) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("  and %s", ui.Plural(more, "more column")))
	}
	return strings.Join(lines, "\n")
}

// picked compares those events of a run whose numbers a record has.
type picked struct {
	check *transcript.Check
	next  func() (string, error, bool)
	stop  func()
	line  string // that the record has next
	err   error
	more  bool
	seq   uint64 // of that line
}

func newPicked(lines iter.Seq2[string, error]) *picked {
	p := &picked{}
	p.next, p.stop = iter.Pull2(lines)
	p.advance()
	p.check = transcript.NewCheck(func(yield func(string, error) bool) {
		for p.more && yield(p.line, p.err) {
		}
	})
	return p
}

// none is the number of no event.
const none = 1<<64 - 1

// advance takes the record's next line.
func (p *picked) advance() {
	p.line, p.err, p.more = p.next()
	word, _, _ := strings.Cut(p.line, " ")
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil {
		n = none
	}
	p.seq = n
}

// Emit compares the event if the record has one of that number.
func (p *picked) Emit(e *transcript.Event) {
	if e.Seq == p.seq {
		p.check.Emit(e)
		p.advance()
	}
}
