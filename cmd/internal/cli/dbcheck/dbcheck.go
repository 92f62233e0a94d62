// Package dbcheck is the command that sees whether a database of runs holds what was
// written.
package dbcheck

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	return ui.NewGroup("db", "look after the database of runs", newCheck(s))
}

// options are the flags.
type options struct{ db, output string }

func newCheck(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "see whether a database still holds what was recorded",
		Long: `Checks the file (its length, SQLite's own check), contents and blocks against their hashes, and all rows against what
they added up to when the run ended. Where rows were changed, or nothing says what they added up to, a simulated run is
run again and a recorded session compared with its own events, and each row and column that differs is named with both
values. What differs is exit code 1.`,
		Example: `  agentsim lab db check`,
		Args:    ui.Exactly(0, "no arguments"),
		RunE:    func(*cobra.Command, []string) error { return run(s, o) },
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	ui.OutputFlag(f, &o.output)
	return cmd
}

// checked is what a check came to.
type checked struct {
	runs, open, unsealed int
	unknown              int // of the unsealed, those that cannot be run again
	found                []sqlite.Mismatch
}

func run(s *ui.Env, o *options) error {
	db, err := rundb.Open(o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	x := &checked{}
	if x.found, err = db.CheckFile(); err != nil {
		return err
	}
	runs, err := db.Runs()
	if err != nil {
		return err
	}
	stop, bar := harness.Listen(s), ui.NewProgress(s, "checking", "runs", len(runs))
	defer stop.Stop()
	defer bar.Finish()
	for _, r := range runs {
		if stop.Has() {
			return ui.Failf(ui.Interrupted, "interrupted after %s of %d", ui.Plural(x.runs, "run"), len(runs))
		}
		if err := x.run(db, r, stop); err != nil {
			return err
		}
		bar.Add(1)
	}
	bar.Finish()
	if err := s.Print(o.output, x.document(o.db)); err != nil {
		return err
	}
	if n := len(x.found); n > 0 {
		return ui.Failf(ui.Operating, "%s: %s: restore it from a copy, or record those runs again into another file", o.db, ui.Plural(n, "difference"))
	}
	if x.unknown > 0 {
		return ui.Failf(ui.Operating, "%s: %s cannot be checked: nothing says what their rows added up to, and they cannot be run again; import those sessions again into another file, or run those scenarios", o.db, ui.Plural(x.unknown, "run"))
	}
	return nil
}

// run checks what belongs to one run.
func (x *checked) run(db *sqlite.DB, r sqlite.RunInfo, stop *harness.Interrupt) error {
	x.runs++
	var found []sqlite.Mismatch
	tables, sealed, err := db.Changed(r.ID)
	switch {
	case errors.Is(err, sqlite.ErrChanged): // of a packed run: the file's check has named it
		return nil
	case err != nil:
		return err
	case !sealed && len(tables) == 0 && !r.Outcome.Settled():
		x.open++
	case !sealed || len(tables) > 0:
		named, again, err := differences(db, r, stop)
		if err != nil {
			return err
		}
		found = named
		if len(tables) == 0 {
			x.unsealed++
			if !again {
				x.unknown++
			}
		}
	}
	x.found = append(x.found, withTables(r.ID, tables, found)...)
	return nil
}

// withTables adds the tables of which it is known only that they differ.
func withTables(run string, tables []string, found []sqlite.Mismatch) []sqlite.Mismatch {
	for _, t := range tables {
		if t == sqlite.LostSeal {
			found = append(found, sqlite.Mismatch{Run: run, Table: "runs", Row: "id=" + run, Column: "seal", Stored: "none that can be read", Want: "what its rows add up to"})
			continue
		}
		t, _, _ = strings.Cut(t, ".")
		if !slices.ContainsFunc(found, func(m sqlite.Mismatch) bool { return slices.Contains(strings.Split(t, ", "), m.Table) }) {
			found = append(found, sqlite.Mismatch{Run: run, Table: t, Stored: "rows that differ", Want: "those that were recorded"})
		}
	}
	return found
}

// differences runs a run again that was changed, or that nothing seals, and names
// what differs. One that cannot be run again is held against its own events, which
// may have been changed too; ran is false then.
func differences(db *sqlite.DB, r sqlite.RunInfo, stop *harness.Interrupt) (found []sqlite.Mismatch, ran bool, err error) {
	stored, err := db.Spec(r.ID)
	switch {
	case errors.Is(err, sqlite.ErrChanged): // the file's check has named it
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	if r.Recorded() || cmp.Or(rundb.ChangedSince(&stored), transcript.OtherForm(r.Digest)) != "" {
		if !r.Level.Whole() {
			return nil, false, nil
		}
		found, err = db.Contradictions(r.ID)
		return found, false, err
	}
	spec, err := rundb.Rebuild(&stored)
	if err != nil || spec.RunID() != r.ID {
		return []sqlite.Mismatch{{Run: r.ID, Table: "runs", Row: "id=" + r.ID, Column: "spec, variant, seed or policy",
			Stored: "what does not come to the run's id", Want: "what was run"}}, false, nil
	}
	choices, err := rundb.ChoicesOf(db, r)
	if err != nil {
		return nil, false, err
	}
	again, err := harness.NewRerun(spec, r, stop, sim.Options{Choices: choices})
	if err != nil {
		return nil, false, err
	}
	defer again.Close()
	res, err := again.Run()
	if err != nil || res.Outcome == sim.Interrupted {
		return nil, false, err
	}
	found, err = again.Differences(db, res)
	return found, true, err
}

// document is what was checked and what differs.
func (x *checked) document(db string) *report.Document {
	d := &report.Document{}
	type col = report.Column[sqlite.Mismatch]
	d.Table(report.TableOf("differences", x.found,
		col{Name: "run", Of: func(m sqlite.Mismatch) report.Value { return report.Text(m.Run) }},
		col{Name: "table", Of: func(m sqlite.Mismatch) report.Value { return report.Text(m.Table) }},
		col{Name: "row", Of: func(m sqlite.Mismatch) report.Value { return report.Text(m.Row) }},
		col{Name: "column", Of: func(m sqlite.Mismatch) report.Value { return report.Text(m.Column) }},
		col{Name: "stored", Of: func(m sqlite.Mismatch) report.Value { return report.Text(m.Stored) }},
		col{Name: "want", Of: func(m sqlite.Mismatch) report.Value { return report.Text(m.Want) }}).Hidden())
	type alike = report.Column[[]sqlite.Mismatch]
	d.Table(report.TableOf("", ui.Alike(x.found, func(m sqlite.Mismatch) string { return m.Run + m.Table + "." + m.Column }),
		alike{Head: "RUN", Of: func(m []sqlite.Mismatch) report.Value { return report.Text(ui.Short(m[0].Run)) }},
		alike{Head: "TABLE", Of: func(m []sqlite.Mismatch) report.Value { return report.Text(m[0].Table) }},
		alike{Head: "ROW", Of: func(m []sqlite.Mismatch) report.Value {
			if len(m) > 1 {
				return report.Text(fmt.Sprintf("%s and %d more", m[0].Row, len(m)-1))
			}
			return report.Text(m[0].Row)
		}},
		alike{Head: "COLUMN", Of: func(m []sqlite.Mismatch) report.Value { return report.Text(m[0].Column) }},
		alike{Head: "IN THE FILE", Of: func(m []sqlite.Mismatch) report.Value { return report.Text(ui.Excerpt(m[0].Stored)) }},
		alike{Head: "SHOULD BE", Of: func(m []sqlite.Mismatch) report.Value { return report.Text(ui.Excerpt(m[0].Want)) }}))
	if len(x.found) > 0 {
		d.Say("")
	}
	d.Label("checked", db+", "+x.sum())
	d.Field("database", report.Text(db))
	d.Field("runs", report.Count(x.runs))
	d.Field("unfinished_runs", report.Count(x.open))
	d.Field("runs_without_seal", report.Count(x.unsealed))
	d.Field("runs_that_cannot_be_checked", report.Count(x.unknown))
	return d
}

// sum says how many runs were checked and how they are.
func (x *checked) sum() string {
	text := ui.Plural(x.runs, "run")
	if x.open > 0 {
		text += fmt.Sprintf(", %d of them unfinished", x.open)
	}
	if n := x.unsealed - x.unknown; n > 0 {
		text += fmt.Sprintf(", %d of them recorded before rows were sealed and run again", n)
	}
	if x.unknown > 0 {
		text += fmt.Sprintf(", %d of them recorded before rows were sealed, which cannot be checked", x.unknown)
	}
	switch {
	case len(x.found) > 0:
	case x.open+x.unknown == 0:
		text += "; all as it was recorded"
	case x.open+x.unknown < x.runs:
		text += "; the others as they were recorded"
	}
	return text
}
