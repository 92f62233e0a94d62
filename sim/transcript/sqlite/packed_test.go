package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestPacked(t *testing.T) {
	t.Run("SPD-07-packed every question to a packed run has the answer of the same run in full", packedAnswers)
	t.Run("SPD-07-packed a packed run has the seal and the digest of the same run in full, and its row says that it is packed", packedSeal)
	t.Run("SPD-07-packed runs, variants and figures of a packed run are plain rows, and its single rows are not", packedPlain)
	t.Run("SPD-07-packed a run that is unpacked has the rows of one in full, and no other run changes", unpackedRows)
	t.Run("SPD-07-packed a run that has not ended is not unpacked, and one that is not packed stays", unpackedNot)
	t.Run("SPD-07-packed where a chunk's byte is changed, the chunk is named or the answer is the same", everyByte)
	t.Run("SPD-07-packed a chunk that is lost, or another run's, is named, by the check of the file too", otherChunk)
	t.Run("SPD-07-packed an unfinished packed run has whole batches, is read, and is replaced by its next execution", packedUnfinished)
	t.Run("SPD-07-packed packed and plain runs share a file and their blocks, and removing one leaves the others", packedBeside)
	t.Run("SPD-07-packed runs that were read give way in memory to others, and are unpacked again", packedGiveWay)
	t.Run("SPD-07-packed a run that is unpacked while a reader has it is read from its tables", unpackedMeanwhile)
	t.Run("SPD-07-packed rows that an older program packed have the defaults of columns that came later", olderChunk)
	t.Run("SPD-07-packed a packed record is a record in full: neither replaces the other", packedCovers)
}

// inBoth records a story in full and packed, in batches of five events.
func inBoth(t *testing.T, emit func(*emitter)) (full, packed *DB) {
	t.Helper()
	full, packed = tempDB(t), tempDB(t)
	a := recorded(t, full, runNamed("r"), Options{Batch: 5}, emit)
	b := recorded(t, packed, runNamed("r"), Options{Batch: 5, Level: Packed}, emit)
	if a != b {
		t.Fatalf("digests %s and %s", a, b)
	}
	return full, packed
}

// packedAnswers asks all methods that take a run and nothing else, and some more.
func packedAnswers(t *testing.T) {
	for name, story := range map[string]func(*emitter){"simulated": (*emitter).story, "imported": (*emitter).imported} {
		full, packed := inBoth(t, story)
		asked := 0
		for i := range reflect.TypeOf(full).NumMethod() {
			m := reflect.TypeOf(full).Method(i)
			if m.Type.NumIn() != 2 || m.Type.In(1).Kind() != reflect.String || m.Name == "Events" {
				continue
			}
			asked++
			want, got := answer(full, m, "r"), answer(packed, m, "r")
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s: %s", name, m.Name, d)
			}
		}
		if asked < 20 {
			t.Errorf("%d methods were asked", asked)
		}
		if want, got := storedLines(t, full, "r"), storedLines(t, packed, "r"); got != want || want == "" {
			t.Errorf("%s: the events are\n%s\nin full\n%s", name, got, want)
		}
		calls, err := full.Calls("r")
		if err != nil || len(calls) == 0 {
			t.Fatal(len(calls), err)
		}
		for _, c := range calls {
			want, err1 := full.RequestBytes("r", c.Seq)
			got, err2 := packed.RequestBytes("r", c.Seq)
			if err1 != nil || err2 != nil || string(want) != string(got) {
				t.Errorf("%s: call %d is not what was sent (%v, %v)", name, c.N, err1, err2)
			}
		}
		if found, err := full.Differences("r", packed); len(found) > 0 || err != nil {
			t.Errorf("%s: differences %v, %v", name, found, err)
		}
		if found, err := packed.CheckFile(); len(found) > 0 || err != nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
		for _, view := range []string{"lines", "calls", "why_missed", "child_saw", "injections", "cost_by_agent", "hit_rate_by_structure", "recorded_keeps", "recorded_misses"} {
			q := "SELECT * FROM " + view + " WHERE run = ?"
			if d := cmp.Diff(rowsOn(t, full, q, "r"), rowsOn(t, packed, q, "r")); d != "" {
				t.Errorf("%s: view %s: %s", name, view, d)
			}
		}
	}
}

// answer is what a method says, less the path of the file and how the run is stored.
func answer(db *DB, m reflect.Method, run string) string {
	var out strings.Builder
	for _, v := range m.Func.Call([]reflect.Value{reflect.ValueOf(db), reflect.ValueOf(run)}) {
		x := v.Interface()
		if info, ok := x.(RunInfo); ok {
			info.Packed = false
			x = info
		}
		fmt.Fprintf(&out, "%s\n", strings.ReplaceAll(cmp.Diff(nil, x, cmpopts.EquateErrors(), cmp.Exporter(func(reflect.Type) bool { return true })), db.path, "FILE"))
	}
	return out.String()
}

// rowsOn are the rows of a query about a run, where its rows are.
func rowsOn(t *testing.T, db *DB, q, run string) (out []string) {
	t.Helper()
	err := on(db, []any{run}, func(from querier) error {
		rows, err := from.QueryContext(context.Background(), q, run)
		if err != nil {
			return err
		}
		defer rows.Close()
		return eachRow(rows, func(row []any) { out = append(out, fmt.Sprint(row)) })
	})
	if err != nil {
		t.Fatal(q, err)
	}
	return out
}

func packedSeal(t *testing.T) {
	full, packed := inBoth(t, (*emitter).story)
	const q = `SELECT seal, digest, level, (SELECT level FROM executions WHERE run = id) FROM runs`
	if d := cmp.Diff(dump(t, full, q), dump(t, packed, q)); d != "" {
		t.Error(d)
	}
	if got := dump(t, packed, `SELECT packed = (SELECT sum(length(chunk)) FROM packed), packed > 100 FROM runs`); got != "1|1\n" {
		t.Errorf("its row says %s", got)
	}
	if got := dump(t, full, `SELECT packed FROM runs`); got != "0\n" {
		t.Errorf("the row of a run that is not packed says %s", got)
	}
	intact(t, packed, "r")
}

func packedPlain(t *testing.T) {
	full, packed := inBoth(t, (*emitter).story)
	const figures = `SELECT id, name, variant, spec, outcome, events, calls, input, read, cost FROM runs`
	for _, q := range []string{figures, `SELECT * FROM metrics`, `SELECT * FROM invariants`, `SELECT * FROM agents`, `SELECT * FROM executions`} {
		if want, got := dump(t, full, q), dump(t, packed, q); want != got || want == "" {
			t.Errorf("%s:\n%s\nin full\n%s", q, got, want)
		}
	}
	all := noRows
	for _, table := range all.packed() {
		if got := dumpOne(t, packed, "SELECT count(*) FROM "+table.name); got != "0" {
			t.Errorf("%s has %s rows", table.name, got)
		}
	}
}

// wholeFile is every row of every table but the chunks.
func wholeFile(t *testing.T, db *DB) string {
	var out strings.Builder
	for _, name := range strings.Fields(dump(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'packed' ORDER BY name`)) {
		rows := strings.Split(dump(t, db, "SELECT * FROM "+name+" ORDER BY 1, 2"), "\n")
		fmt.Fprintf(&out, "%s\n%s\n", name, strings.Join(rows, "\n"))
	}
	return out.String()
}

func unpackedRows(t *testing.T) {
	full, packed := inBoth(t, (*emitter).story)
	recorded(t, packed, runNamed("other"), Options{Level: Packed}, sessions(2))
	recorded(t, full, runNamed("other"), Options{}, sessions(2))
	for _, run := range []string{"r", "other"} {
		if done, err := Unpack(packed, run); !done || err != nil {
			t.Fatal(done, err)
		}
		intact(t, packed, "r")
		intact(t, packed, "other")
	}
	if d := cmp.Diff(wholeFile(t, full), wholeFile(t, packed)); d != "" {
		t.Error(d)
	}
	if got := dumpOne(t, packed, `SELECT (SELECT count(*) FROM packed) || ' ' || max(packed) FROM runs`); got != "0 0" {
		t.Errorf("packed are still %s", got)
	}
}

func unpackedNot(t *testing.T) {
	db := tempDB(t)
	w, err := db.Begin(runNamed("r"), "", Options{Level: Packed, Batch: 5})
	if err != nil {
		t.Fatal(err)
	}
	newEmitter(w).story()
	before := dump(t, db, `SELECT n, hex(chunk) FROM packed`)
	_, err = Unpack(db, "r")
	wantError(t, err, ErrRecording, "unpack run r")
	if got := dump(t, db, `SELECT n, hex(chunk) FROM packed`); got != before || before == "" {
		t.Error("it was changed")
	}
	recorded(t, db, runNamed("plain"), Options{}, (*emitter).story)
	if done, err := Unpack(db, "plain"); done || err != nil {
		t.Error(done, err)
	}
}

// everyByte changes one byte of a chunk after the other, of every third.
func everyByte(t *testing.T) {
	_, db := inBoth(t, (*emitter).story)
	want := storedLines(t, db, "r")
	var chunk []byte
	if err := db.sql.QueryRow(`SELECT chunk FROM packed WHERE n = 2`).Scan(&chunk); err != nil || len(chunk) < 100 {
		t.Fatal(len(chunk), err)
	}
	named := 0
	for i := 0; i < len(chunk); i += 3 {
		bad := append([]byte(nil), chunk...)
		bad[i] ^= 1 << (i / 3 % 8)
		fresh, err := Open(db.path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.sql.Exec(`UPDATE packed SET chunk = ? WHERE n = 2`, bad); err != nil {
			t.Fatal(err)
		}
		switch err := fresh.Verify("r"); {
		case err != nil:
			wantError(t, err, ErrChanged, "unpack chunk 2 of run r", "lab db check")
			named++
		case storedLines(t, fresh, "r") != want:
			t.Errorf("byte %d was changed: the events are others, and nobody notices", i)
		}
		fresh.Close()
	}
	if named < len(chunk)*3/10 {
		t.Errorf("%d changes of %d bytes were named", named, len(chunk))
	}
}

func otherChunk(t *testing.T) {
	for _, c := range []struct{ name, change, says string }{
		{"one in the middle is lost", `DELETE FROM packed WHERE run = 'r' AND n = 1`, "unpack chunk 1 of run r (it is not on record)"},
		{"the last one is lost", `DELETE FROM packed WHERE run = 'r' AND n = (SELECT max(n) FROM packed WHERE run = 'r')`, "trust run r (events"},
		{"all are lost", `DELETE FROM packed WHERE run = 'r'`, "trust run r (events"},
		{"another run's", `UPDATE packed SET chunk = (SELECT chunk FROM packed WHERE run = 'o' AND n = 2) WHERE run = 'r' AND n = 2`, "unpack chunk 2 of run r (it holds rows of run o)"},
		{"one that is there twice", `INSERT INTO packed SELECT run, 99, chunk FROM packed WHERE run = 'r' AND n = 2; UPDATE packed SET n = (SELECT count(*) - 1 FROM packed WHERE run = 'r') WHERE n = 99`, "UNIQUE constraint failed"},
		{"none", `UPDATE packed SET chunk = x'' WHERE run = 'r' AND n = 2`, "trust run r (events"},
		{"no rows", `UPDATE packed SET chunk = x'28b52ffd040009000078bbe6c47f' WHERE run = 'r' AND n = 0`, "unpack chunk 0 of run r"},
	} {
		_, db := inBoth(t, (*emitter).story)
		recorded(t, db, runNamed("o"), Options{Level: Packed, Batch: 5}, (*emitter).story)
		if _, err := db.sql.Exec(c.change); err != nil {
			t.Fatal(err)
		}
		err := db.Verify("r")
		wantError(t, err, ErrChanged, c.says)
		intact(t, db, "o")
		if strings.Contains(c.says, "unpack chunk") {
			found, err := db.CheckFile()
			if err != nil || len(found) != 1 || found[0].Table != "packed" || found[0].Run != "r" || !strings.Contains(found[0].Stored, c.says) {
				t.Errorf("%s: the file's check says %v, %v", c.name, found, err)
			}
			if _, err := Unpack(db, "r"); !errors.Is(err, ErrChanged) {
				t.Errorf("%s: unpacked, %v", c.name, err)
			}
		}
	}
}

func packedUnfinished(t *testing.T) {
	db := tempDB(t)
	w, err := db.Begin(runNamed("r"), "", Options{Level: Packed, Batch: 7})
	if err != nil {
		t.Fatal(err)
	}
	e := newEmitter(w)
	turns(e, 12, func() {
		if got, want := strings.Count(storedLines(t, db, "r"), "\n"), int(e.seq)/7*7; got != want {
			t.Errorf("%d events of %d are on record, want %d", got, e.seq, want)
		}
	})
	if spec, err := db.Spec("r"); err != nil || len(spec.Files) != 2 {
		t.Errorf("its files are %v, %v", spec.Files, err)
	}
	if err := db.Verify("r"); err != nil {
		t.Error(err)
	}
	full := tempDB(t)
	recorded(t, db, runNamed("r"), Options{Level: Packed}, (*emitter).story)
	recorded(t, full, runNamed("r"), Options{}, (*emitter).story)
	if d := cmp.Diff(storedLines(t, full, "r"), storedLines(t, db, "r")); d != "" {
		t.Error(d)
	}
	intact(t, db, "r")
	turns(e, 10, func() {}) // the first execution was overtaken
	if w.Err() != nil {
		t.Error(w.Err())
	}
	intact(t, db, "r")
}

func packedBeside(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("plain"), Options{}, (*emitter).story)
	recorded(t, db, runNamed("p"), Options{Level: Packed}, (*emitter).story)
	recorded(t, db, runNamed("q"), Options{Level: Packed, Batch: 3}, (*emitter).story)
	all := []string{"plain", "p", "q", "p", "plain"}
	want := storedLines(t, db, "plain")
	for _, run := range all {
		pieces, err := db.Pieces(run, 10)
		if lines := storedLines(t, db, run); lines != want || err != nil || len(pieces) != 19 {
			t.Errorf("%s: %d blocks (%v), events\n%s", run, len(pieces), err, lines)
		}
	}
	if out, err := db.Remove([]string{"plain"}); err != nil || out.Blocks == 0 {
		t.Error(out, err)
	}
	if out, err := db.Remove([]string{"p"}); err != nil || out.Runs != 1 {
		t.Error(out, err)
	}
	intact(t, db, "q")
	if err := db.VerifyContent("q"); err != nil || storedLines(t, db, "q") != want {
		t.Error("what is left is another run", err)
	}
	if got := dump(t, db, `SELECT DISTINCT run FROM packed`); got != "q\n" {
		t.Errorf("packed are %s", got)
	}
	if found, err := db.CheckFile(); len(found) > 0 || err != nil {
		t.Error(found, err)
	}
}

func packedGiveWay(t *testing.T) {
	db := tempDB(t)
	for _, run := range []string{"a", "b", "c"} {
		recorded(t, db, runNamed(run), Options{Level: Packed}, (*emitter).story)
	}
	want := storedLines(t, db, "a")
	held := func() (runs string, events, blocks int) {
		err := look(db.unpacked, "BEGIN", func(conn *sql.Conn) error {
			return one(conn, []any{&runs, &events, &blocks}, `SELECT group_concat(run, ' '), (SELECT count(*) FROM events), (SELECT count(*) FROM nodes) FROM unpacked`)
		})
		if err != nil {
			t.Fatal(err)
		}
		return runs, events, blocks
	}
	storedLines(t, db, "b")
	if runs, events, blocks := held(); runs != "a b" || events != 58 || blocks != 19 {
		t.Errorf("held are %s, %d events, %d blocks", runs, events, blocks)
	}
	db.hold = 0
	for _, run := range []string{"c", "a", "b", "a"} {
		if got := storedLines(t, db, run); got != want {
			t.Errorf("%s:\n%s", run, got)
		}
		if runs, events, blocks := held(); runs != run || events != 29 || blocks != 19 {
			t.Errorf("held are %s, %d events, %d blocks", runs, events, blocks)
		}
	}
}

func unpackedMeanwhile(t *testing.T) {
	_, db := inBoth(t, (*emitter).story)
	reader, err := Open(db.path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	want := storedLines(t, reader, "r")
	if _, err := Unpack(db, "r"); err != nil {
		t.Fatal(err)
	}
	if got := storedLines(t, reader, "r"); got != want || want == "" {
		t.Errorf("it reads\n%s", got)
	}
	// What was asked for before, and is unpacked when the question comes.
	err = look(reader.unpacked, "BEGIN", func(conn *sql.Conn) error { return unpack(conn, "r", reader.hold) })
	if !errors.Is(err, errGone) {
		t.Error(err)
	}
}

func olderChunk(t *testing.T) {
	_, db := inBoth(t, (*emitter).story)
	older := func(columns string) []byte {
		tasks := newTable("INSERT", "findings", columns)
		row := []any{"r", int64(900), int64(0), "rule", "detail"}
		tasks.add(row[:tasks.width]...)
		return newZip().EncodeAll(tasks.appendRows(nil), nil)
	}
	put := func(chunk []byte) {
		if _, err := db.sql.Exec(`INSERT INTO packed SELECT 'r', count(*), ? FROM packed`, chunk); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.sql.Exec(`ALTER TABLE findings ADD COLUMN later TEXT NOT NULL DEFAULT 'none'`); err != nil {
		t.Fatal(err)
	}
	put(older("run,seq,agent,rule,detail"))
	if got := rowsOn(t, db, `SELECT rule, later FROM findings WHERE run = ? AND seq = 900`, "r"); len(got) != 1 || got[0] != "[rule none]" {
		t.Errorf("the row is %v", got)
	}
	for _, columns := range []string{"run,seq,agent,rule,other", "run,seq,agent,rule,detail) SELECT 1 --"} {
		put(older(columns))
		wantError(t, db.Verify("r"), ErrChanged, "which no run has")
		if _, err := db.sql.Exec(`DELETE FROM packed WHERE n = (SELECT max(n) FROM packed)`); err != nil {
			t.Fatal(err)
		}
	}
}

func packedCovers(t *testing.T) {
	for _, c := range []struct {
		before, now Level
		packed      int
	}{{Packed, Full, 1}, {Full, Packed, 0}, {Packed, Calls, 1}, {Packed, Totals, 1}, {Calls, Packed, 1}, {Totals, Packed, 1}, {Sampled(3), Packed, 1}} {
		db, fresh := tempDB(t), tempDB(t)
		recorded(t, db, runNamed("r"), Options{Level: c.before}, sessions(4))
		recorded(t, db, runNamed("r"), Options{Level: c.now}, sessions(4))
		recorded(t, fresh, runNamed("r"), Options{}, sessions(4))
		if got := dumpOne(t, db, `SELECT packed > 0 FROM runs`); got != fmt.Sprint(c.packed) {
			t.Errorf("%s, then %s: packed is %s", c.before, c.now, got)
		}
		if d := cmp.Diff(storedLines(t, fresh, "r"), storedLines(t, db, "r")); d != "" {
			t.Errorf("%s, then %s: %s", c.before, c.now, d)
		}
		intact(t, db, "r")
	}
}
