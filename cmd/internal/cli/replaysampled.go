package cli

import (
	"iter"
	"strconv"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/sim"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
)

// compareSampled runs the spec beside a record of samples: its events are compared
// with those that are on record, and the digest says of all others whether they
// came again.
func compareSampled(s *ui.Env, db *sqlite.DB, spec *sim.Spec, info sqlite.RunInfo) error {
	if !info.Outcome.Settled() {
		return ui.Failf(ui.Operating, "run %s was %s, and --record %s kept a part of its events: there is nothing whole to compare with; run it again",
			ui.Short(info.ID), info.Ending(), info.Level)
	}
	stop := harness.Listen(s)
	defer stop.Stop()
	again, err := harness.NewRerun(spec, info, stop, sim.Options{Repeat: s.CommandLine()})
	if err != nil {
		return err
	}
	defer again.Close()
	picked := newPicked(db.Events(info.ID))
	res, err := again.Run(picked)
	diff, bad := picked.check.Finish()
	picked.stop()
	switch {
	case err != nil:
		return err
	case bad != nil:
		return bad
	case res.Outcome == sim.Interrupted:
		return ui.Failf(ui.Interrupted, "interrupted after %d events", res.Events)
	case diff != nil:
		return ui.Failf(ui.Differs, "run %s: the replay differs, of the events that are on record\n%s", ui.Short(info.ID), diff)
	case res.Digest != info.Digest:
		return ui.Failf(ui.Differs, "run %s: the replay differs: digest %s, recorded %s\nthe events on record are equal: another session tree differs; record with --record full to see which event",
			ui.Short(info.ID), res.Digest, info.Digest)
	}
	return sameRecord(s, db, info, res, again)
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
