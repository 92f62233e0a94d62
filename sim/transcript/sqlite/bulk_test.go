package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentsim/sim/transcript"
)

func TestBulk(t *testing.T) {
	t.Run("REC-02 a run that was executed before with another digest is told, and its batch is stored", bulkDigest)
	t.Run("CLI-06 what is stored together is stored whole or not at all", bulkWhole)
	t.Run("CLI-06 a run that was interrupted is stored again, and sealed with both executions", bulkAgain)
	t.Run("SPD-06 what runs have alike is stored once, and read and sealed as the rows that it is", bulkAlike)
	t.Run("SPD-06 runs that differ in their seeds share a scenario, and each has it with its own", bulkSpecs)
	t.Run("REC-01 a run that was sealed before metrics had their form is held against its seal", sealedBefore)
	t.Run("REC-01 a run that was sealed before its executions said what was expected is held against its seal, and its next execution says it", sealedUnexpecting)
	t.Run("REC-01 a run whose seal is of another version is read, and not taken for a changed one", sealedOtherwise)
	t.Run("CLI-06 runs stored together have the rows of one that is recorded by itself, and their seals", bulkRows)
}

// later is an execution of a run that is over and not stored.
func later(db *DB, name string, more ...transcript.Body) Ended {
	run := runNamed(name)
	w := db.Later(&run, "2026-01-01T00:00:00Z", Options{Cost: prices})
	d := transcript.NewDigest()
	e := newEmitter(transcript.Tee(d, w))
	e.story()
	for _, body := range more {
		e.emit(-1, body)
	}
	return Ended{w, endOf(d)}
}

func bulkDigest(t *testing.T) {
	db := tempDB(t)
	if err := db.Store([]Ended{later(db, "r"), later(db, "r")}); err != nil {
		t.Fatal("equal digests: ", err)
	}
	var diff *DigestError
	err := db.Store([]Ended{later(db, "r", &transcript.Gate{Name: "G"}), later(db, "s")})
	if !errors.As(err, &diff) || diff.Execution != 3 || diff.FirstNumber != 1 {
		t.Errorf("got %v", err)
	}
	if got := dump(t, db, `SELECT run, n, status FROM executions ORDER BY run, n`); got != "r|1|completed\nr|2|completed\nr|3|completed\ns|1|completed\n" {
		t.Errorf("executions:\n%s", got)
	}
	intact(t, db, "r")
}

func intact(t *testing.T, db *DB, run string) {
	t.Helper()
	if changed, sealed, err := db.Changed(run); len(changed) > 0 || !sealed || err != nil {
		t.Errorf("changed: %v, sealed: %v, %v", changed, sealed, err)
	}
}

func bulkWhole(t *testing.T) {
	db := tempDB(t)
	twice := later(db, "b")
	twice.End.Metrics = append(twice.End.Metrics, Metric{"type/x", "calls", 1, "count"}, twice.End.Metrics[0]) // two rows with one key
	if err := db.Store([]Ended{later(db, "a"), twice}); err == nil {
		t.Fatal("no error")
	}
	if got := dump(t, db, `SELECT id FROM runs`); got != "" {
		t.Errorf("stored:\n%s", got)
	}
	if err := db.Store([]Ended{later(db, "a"), later(db, "b")}); err != nil {
		t.Fatal(err)
	}
	if finished, err := db.Finished(); err != nil || !finished["a"] || !finished["b"] || len(finished) != 2 {
		t.Errorf("finished: %v, %v", finished, err)
	}
}

func bulkRows(t *testing.T) {
	one, many := tempDB(t), tempDB(t)
	r := later(many, "r")
	r.End.Metrics = append(r.End.Metrics, Metric{"agent/it's", "calls", 1000, "count"})
	w, err := one.Begin(runNamed("r"), "2026-01-01T00:00:00Z", Options{Level: Totals, Cost: prices})
	if err != nil {
		t.Fatal(err)
	}
	newEmitter(w).story()
	if err := w.Finish(r.End); err != nil {
		t.Fatal(err)
	}
	if err := many.Store([]Ended{later(many, "q"), r}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(allRows(t, one, "r"), allRows(t, many, "r")); d != "" {
		t.Errorf("by itself and with others differ:\n%s", d)
	}
	for _, q := range []string{"seal FROM runs WHERE id = 'r'", "* FROM executions WHERE run = 'r'"} {
		if a, b := dump(t, one, "SELECT "+q), dump(t, many, "SELECT "+q); a != b {
			t.Errorf("%s:\n%s%s", q, a, b)
		}
	}
	intact(t, many, "r")
	if m, err := many.Metrics("r"); err != nil || len(m) != 2 {
		t.Errorf("metrics %v, %v", m, err)
	}
	if _, err := many.sql.Exec(`UPDATE alike_in SET figures = json_set(figures, '$.calls', 7) WHERE run = 'r'`); err != nil {
		t.Fatal(err)
	}
	if changed, _, err := many.Changed("r"); err != nil || !slices.Equal(changed, []string{Figures}) {
		t.Errorf("changed: %v, %v", changed, err)
	}
	_, err = many.Metrics("r")
	wantError(t, err, ErrChanged, Figures)
}

// bulkAlike stores what most runs have alike once, and shows the rows that it is.
func bulkAlike(t *testing.T) {
	db := tempDB(t)
	runs := []Ended{later(db, "a"), later(db, "b"), later(db, "c")}
	for i := range runs {
		runs[i].End.Metrics = []Metric{{"run", "calls", int64(i + 1), "count"}, {"run", "cost", 0, "picodollars"}, {"run", "misses", 0, "count"}, {"type/x", "misses", 0, "count"}}
		runs[i].End.Invariants = []Invariant{{"ISO-02", 4, 0}, {"ISO-03", 5, int64(i)}}
	}
	if err := db.Store(runs[:2]); err != nil {
		t.Fatal(err)
	}
	if err := db.Store(runs[2:]); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]string{"metric_rows": "0", "invariant_rows": "2", "alike": "4", "alike_in": "9", "specs": "1"} {
		if got := strings.TrimSpace(dump(t, db, "SELECT count(*) FROM "+table)); got != want {
			t.Errorf("%s has %s rows, want %s", table, got, want)
		}
	}
	const rows = "run|calls|3|count\nrun|cost|0|picodollars\nrun|misses|0|count\ntype/x|misses|0|count\n"
	if got := dump(t, db, `SELECT scope, name, value, unit FROM metrics WHERE run = 'c' ORDER BY 1, 2`); got != rows {
		t.Errorf("metrics:\n%s", got)
	}
	if got := dump(t, db, `SELECT * FROM invariants ORDER BY 1, 2`); got != "a|ISO-02|4|0\na|ISO-03|5|0\nb|ISO-02|4|0\nb|ISO-03|5|1\nc|ISO-02|4|0\nc|ISO-03|5|2\n" {
		t.Errorf("invariants:\n%s", got)
	}
	if m, err := db.Metrics("c"); err != nil || !slices.Equal(m, runs[2].End.Metrics) {
		t.Errorf("%v, %v", m, err)
	}
	intact(t, db, "a")
	for _, change := range [][2]string{
		{Figures, `DELETE FROM alike_in WHERE run = 'a' AND part = 'run'`}, {"metrics", `INSERT INTO metric_rows VALUES ('a', 'run', 'x', 1, 'count')`},
		{Figures, `UPDATE alike SET object = replace(object, 'misses', 'misses.all')`}, {Figures, `DELETE FROM alike WHERE true`},
		{"spec", `UPDATE specs SET tail = tail || 'x'`}, {"spec", `DELETE FROM specs`},
	} {
		if _, err := db.sql.Exec(change[1]); err != nil {
			t.Fatal(err)
		}
		if changed, _, err := db.Changed("b"); err != nil || strings.Contains(change[1], " alike ") && !slices.Contains(changed, Figures) {
			t.Errorf("%s: changed of another run: %v, %v", change[1], changed, err)
		}
		if changed, _, err := db.Changed("a"); err != nil || !slices.Contains(changed, change[0]) {
			t.Errorf("%s: changed: %v, %v", change[1], changed, err)
		}
	}
}

func bulkAgain(t *testing.T) {
	db := tempDB(t)
	cut := later(db, "r")
	cut.End.Status = Interrupted
	if err := db.Store([]Ended{cut, later(db, "r")}); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, db, `SELECT outcome, owner FROM runs`); got != "completed|2\n" {
		t.Errorf("got %s", got)
	}
	intact(t, db, "r")
}

func bulkSpecs(t *testing.T) {
	db := tempDB(t)
	var runs []Ended
	for seed := range uint64(3) {
		r := later(db, string(rune('a'+seed)))
		r.of.Seed, r.of.Spec = seed, fmt.Sprintf("name: story\nseed: %d\nlab:\n  seed: 2\n", seed)
		runs = append(runs, r)
	}
	if err := db.Store(runs); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, db, "SELECT count(*) FROM specs"); got != "1\n" {
		t.Errorf("%s scenarios", got)
	}
	for _, r := range runs {
		if got, err := db.Spec(r.of.ID); err != nil || got.Spec != r.of.Spec {
			t.Errorf("%q, %v, want %q", got.Spec, err, r.of.Spec)
		}
		intact(t, db, r.of.ID)
	}
}

// sealedBefore has a run as it was recorded before schema 18.
func sealedBefore(t *testing.T) {
	db := tempDB(t)
	if err := db.Store([]Ended{later(db, "r")}); err != nil {
		t.Fatal(err)
	}
	seal := sealOfViews
	for _, q := range []string{
		`INSERT INTO metric_rows SELECT run, scope, name, value, unit FROM metrics`, `DELETE FROM alike_in WHERE part <> 'invariants'`,
		`UPDATE run_rows SET spec = (SELECT spec FROM runs), shared = ''`,
	} {
		if _, err := db.sql.Exec(q); err != nil {
			t.Fatal(q, err)
		}
	}
	for _, p := range parts(sealOfViews) {
		s, err := p.read(db.sql, "r")
		if err != nil {
			t.Fatal(err)
		}
		seal += s.text(p.name)
	}
	if _, err := db.sql.Exec(`UPDATE run_rows SET seal = ?`, seal); err != nil {
		t.Fatal(err)
	}
	intact(t, db, "r")
	if m, err := db.Metrics("r"); err != nil || len(m) == 0 {
		t.Errorf("%v, %v", m, err)
	}
	for _, change := range [][2]string{{"invariants", `UPDATE alike SET object = replace(object, ':', ':1')`}, {"metrics", `UPDATE metric_rows SET value = value + 1`}} {
		if _, err := db.sql.Exec(change[1]); err != nil {
			t.Fatal(err)
		}
		if changed, _, err := db.Changed("r"); err != nil || !slices.Contains(changed, change[0]) {
			t.Errorf("%s: changed: %v, %v", change[1], changed, err)
		}
	}
}

// sealedUnexpecting has a run as it was recorded before schema 20, which is executed again.
func sealedUnexpecting(t *testing.T) {
	db := tempDB(t)
	if err := db.Store([]Ended{later(db, "r")}); err != nil {
		t.Fatal(err)
	}
	var seal string
	if err := db.sql.QueryRow(`SELECT seal FROM runs`).Scan(&seal); err != nil {
		t.Fatal(err)
	}
	of := part{executionsPart.name, `SELECT run,n,started_at,finished_at,level,status,digest,events FROM executions WHERE run = ?`}
	was, err := of.read(db.sql, "r")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(seal, " "+executionsPart.name+"=")
	if _, err := db.sql.Exec(`UPDATE run_rows SET seal = ?`, sealWithoutExpects+head[1:]+was.text(executionsPart.name)); err != nil {
		t.Fatal(err)
	}
	intact(t, db, "r")
	again := later(db, "r")
	again.of.Expects = "{}"
	if err := db.Store([]Ended{again}); err != nil {
		t.Fatal(err)
	}
	intact(t, db, "r")
	if text, err := Expects(db, "r"); text != "{}" || err != nil {
		t.Errorf("expects %q, %v", text, err)
	}
	if _, err := db.sql.Exec(`UPDATE executions SET status = 'limit' WHERE n = 1`); err != nil {
		t.Fatal(err)
	}
	if changed, _, err := db.Changed("r"); err != nil || !slices.Contains(changed, executionsPart.name) {
		t.Errorf("changed: %v, %v", changed, err)
	}
}

// sealedOtherwise has a run that a program sealed whose parts have other columns.
func sealedOtherwise(t *testing.T) {
	db := tempDB(t)
	if err := db.Store([]Ended{later(db, "r")}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.sql.Exec(`UPDATE run_rows SET seal = '9' || substr(seal, 2)`); err != nil {
		t.Fatal(err)
	}
	if changed, sealed, err := db.Changed("r"); err != nil || sealed || len(changed) > 0 || db.Verify("r") != nil {
		t.Errorf("%v, sealed %v, %v", changed, sealed, err)
	}
	list, err := db.Runs()
	if m, wrong := db.Metrics("r"); err != nil || wrong != nil || len(list) != 1 || len(m) == 0 {
		t.Errorf("%v, %v, %v, %v", list, err, m, wrong)
	}
}
