package sqlite

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRecord(t *testing.T) {
	t.Run("REC-01 every table has what the transcript told", everyTable)
	t.Run("REC-01 CON-20 the digest of the stored lines is the digest in memory", digestLaw)
	t.Run("CON-03 content is stored once, under its SHA-256, however many blocks hold it", payloadOnce)
	t.Run("CON-05 a run's rows are the same in every file", sameRows)
	t.Run("CON-05 no row is numbered by the file", noAutoincrement)
	t.Run("CON-05 a second identical execution is a row of its own and nothing else", secondExecution)
	t.Run("CON-05 a second execution with another digest is reported as a bug", otherDigest)
	t.Run("SPD-03 a run with a digest of an older form is recorded anew, and compared from there on", otherForm)
	t.Run("CON-21 level totals keeps the same run, agents and metrics as full, and no content", totalsLevel)
	t.Run("CON-21 a run recorded as totals can be recorded in full later, not the other way round", raiseLevel)
	t.Run("CON-22 two variants recorded in turns leave what each leaves alone", twoVariants)
	t.Run("REC-02 a fork of a 200-block history adds its own blocks only", forkAddsItsOwn)
	t.Run("REC-02 a recorded conversation of 200 turns takes a thirtieth of its prompts' bytes", thirtyTimes)
	t.Run("PRM-05 a message of the user that nobody heard is marked as dropped", droppedMessage)
	t.Run("REC-03 an interrupted run is marked and whole, and the next execution replaces it", interrupted)
	t.Run("REC-03 an execution that was overtaken writes nothing more", overtaken)
}

func everyTable(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{Batch: 5}, (*emitter).story)
	want := map[string]int{"runs": 1, "executions": 1, "files": 2, "agents": 3, "events": 29, "requests": 5, "breakpoints": 4,
		"tool_calls": 3, "tasks": 1, "messages": 3, "items": 1, "findings": 1, "invariants": 1, "metrics": 1,
		"nodes": 19, "payloads": 14, "schedules": 1, "run_rows": 1, "specs": 1, "metric_rows": 0, "invariant_rows": 0, "alike": 2, "alike_in": 2}
	// Lists of reasons, and what TestRecordings, TestHandoffs and TestPacked look at.
	others := []string{"packed", "handoffs", "miss_reasons", "recorded_causes", "recorded_requests", "recorded_tools"}
	for table, n := range want {
		if got := strings.TrimSpace(dump(t, db, "SELECT count(*) FROM "+table)); got != fmt.Sprint(n) {
			t.Errorf("%s has %s rows, want %d", table, got, n)
		}
	}
	sums := dump(t, db, `SELECT sum(status = 'ok'), sum(input), sum(write_5m), sum(write_1h), sum(read), sum(output), sum(cost), sum(cost_uncached) FROM requests`)
	if d := cmp.Diff(sums, dump(t, db, `SELECT calls, input, write_5m, write_1h, read, output, cost, cost_uncached FROM runs`)); d != "" {
		t.Errorf("the run's totals are not the sums of its requests:\n%s", d)
	}
	if d := strings.TrimSpace(dump(t, db, `SELECT count(*) FROM sqlite_schema WHERE type = 'table' OR name IN ('runs', 'metrics', 'invariants')`)); d != fmt.Sprint(len(want)+len(others)) {
		t.Errorf("%s tables, %d are looked at here", d, len(want)+len(others))
	}
}

func droppedMessage(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{}, func(e *emitter) {
		e.start(0, -1, "main", "root")
		e.emit(0, &transcript.UserMessage{Bytes: 5})
		e.emit(0, &transcript.UserMessage{Bytes: 7, Dropped: true})
	})
	if got := dump(t, db, `SELECT bytes, op FROM messages ORDER BY seq`); got != "5|\n7|dropped\n" {
		t.Errorf("%q", got)
	}
}

// randomEvents emits any mix of kinds and of odd strings.
func randomEvents(t *rapid.T, e *emitter) {
	e.start(0, -1, "main", "root")
	n := e.prompt("s", "u")
	for range rapid.IntRange(0, 40).Draw(t, "events") {
		text := rapid.String().Draw(t, "text")
		switch rapid.IntRange(0, 3).Draw(t, "what") {
		case 0:
			n = e.call(0, e.Append(n, llm.User, textBlock(text)), llm.Usage{Input: 1}, llm.CacheReport{}, nil, rapid.IntRange(0, 3).Draw(t, "tools"))
		case 1:
			e.emit(0, &transcript.Finding{Rule: text, Detail: text})
		case 2:
			e.emit(-1, &transcript.Gate{Name: "G", Value: text})
		case 3:
			e.emit(0, &transcript.Task{ID: "a", From: transcript.TaskStatus(text), To: "done"})
		}
	}
}

func digestLaw(t *testing.T) {
	db := tempDB(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		id := fmt.Sprintf("run-%d", n)
		w, err := db.Begin(runNamed(id), "", Options{Batch: rapid.IntRange(1, 30).Draw(t, "batch")})
		if err != nil {
			t.Fatal(err)
		}
		var sent strings.Builder
		e := newEmitter(transcript.Tee(transcript.NewText(&sent), w))
		randomEvents(t, e)
		if err := w.Finish(End{Status: Completed}); err != nil {
			t.Fatal(err)
		}
		if got := storedLines(t, db, id); got != sent.String() || db.Verify(id) != nil {
			t.Fatalf("from the file\n%s\nsent\n%s", got, sent.String())
		}
		for _, s := range e.sent {
			bytes, err := db.RequestBytes(id, s.seq)
			if err != nil || string(bytes) != s.bytes {
				t.Fatalf("request %d: %v\n%s\nwas sent as\n%s", s.seq, err, bytes, s.bytes)
			}
		}
	})
	var sent strings.Builder
	recorded(t, db, runNamed("long"), Options{}, func(e *emitter) {
		e.lean, e.sink = true, transcript.Tee(transcript.NewText(&sent), e.sink)
		turns(e, 2*pageSize/4+1, func() {})
	})
	if got := storedLines(t, db, "long"); got != sent.String() {
		t.Fatalf("a run of several pages: from the file\n%s\nsent\n%s", got, sent.String())
	}
}

func payloadOnce(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{}, func(e *emitter) {
		e.start(0, -1, "main", "root")
		n := e.prompt("system", "user")
		for range 12 {
			n = e.call(0, n, llm.Usage{}, llm.CacheReport{}, nil, 1)
		}
	})
	const results = `SELECT count(*), count(DISTINCT payload), count(DISTINCT hash) FROM nodes WHERE kind = 'tool_result'`
	if got := dump(t, db, results); got != "11|4|11\n" {
		t.Errorf("11 results of 4 files are stored as nodes|payloads|hashes %s", got)
	}
	rows, err := query(db, "", scanPayload, `SELECT sha256, content, bytes FROM payloads`)
	if err != nil || len(rows) == 0 {
		t.Fatal(len(rows), err)
	}
	for _, p := range rows {
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(p.content))); sum[:32] != p.key || p.bytes != len(p.content) {
			t.Errorf("payload %s holds content of SHA-256 %s", p.key, sum)
		}
	}
}

// allRows is every row of a run in every table that is the run's alone.
func allRows(t *testing.T, db *DB, run string) string {
	var out strings.Builder
	all := noRows
	for _, table := range all.sealed() {
		rows := dump(t, db, "SELECT * FROM "+table.name+" WHERE run = ?", run)
		fmt.Fprintf(&out, "%s\n%s", table.name, rows)
	}
	out.WriteString(dump(t, db, `SELECT name, variant, seed, spec, outcome, digest, events, calls, cost FROM runs WHERE id = ?`, run))
	return out.String()
}

func sameRows(t *testing.T) {
	one, two := tempDB(t), tempDB(t)
	recorded(t, one, runNamed("r"), Options{}, (*emitter).story)
	recorded(t, two, runNamed("other"), Options{}, func(e *emitter) {
		e.start(0, -1, "main", "root")
		e.call(0, e.prompt("another", "one"), llm.Usage{}, llm.CacheReport{}, nil, 3)
	})
	recorded(t, two, runNamed("r"), Options{Batch: 3}, (*emitter).story)
	if d := cmp.Diff(allRows(t, one, "r"), allRows(t, two, "r")); d != "" {
		t.Errorf("one file and another differ:\n%s", d)
	}
}

func noAutoincrement(t *testing.T) {
	db := tempDB(t)
	keys := dump(t, db, `SELECT s.name, group_concat(i.name) FROM sqlite_schema s, pragma_table_info(s.name) i
		WHERE s.type = 'table' AND i.pk > 0 GROUP BY s.name ORDER BY s.name`)
	want := `agents|run,agent,activation
alike|sha256
alike_in|run,part
breakpoints|run,seq,idx
events|run,seq
executions|run,n
files|run,path
findings|run,seq
handoffs|run,seq
invariant_rows|run,name
items|run,seq
messages|run,seq
metric_rows|run,scope,name
miss_reasons|reason
nodes|hash
packed|run,n
payloads|sha256
recorded_causes|cause
recorded_requests|run,seq
recorded_tools|run,seq,idx
requests|run,seq
run_rows|id
schedules|run
specs|sha256
tasks|run,seq
tool_calls|run,seq
`
	if d := cmp.Diff(want, keys); d != "" {
		t.Errorf("keys:\n%s", d)
	}
}

func secondExecution(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{}, (*emitter).story)
	before, counts := allRows(t, db, "r"), dump(t, db, `SELECT count(*) FROM nodes`)
	recorded(t, db, runNamed("r"), Options{}, (*emitter).story)
	if d := cmp.Diff(before, allRows(t, db, "r")); d != "" || counts != dump(t, db, `SELECT count(*) FROM nodes`) {
		t.Errorf("the second execution changed rows:\n%s", d)
	}
	if got := dump(t, db, `SELECT n, status, events FROM executions`); got != "1|completed|29\n2|completed|29\n" {
		t.Errorf("executions:\n%s", got)
	}
}

func otherDigest(t *testing.T) {
	db := tempDB(t)
	first := recorded(t, db, runNamed("r"), Options{}, (*emitter).story)
	now, err := record(t, db, runNamed("r"), Options{}, func(e *emitter) {
		e.story()
		e.emit(-1, &transcript.Gate{Name: "G"})
	})
	var diff *DigestError
	if !errors.As(err, &diff) || diff.First != first || diff.Now != now || diff.Execution != 2 || diff.FirstNumber != 1 {
		t.Fatalf("got %v", err)
	}
	if got := dump(t, db, `SELECT digest FROM executions ORDER BY n`); got != first+"\n"+now+"\n" {
		t.Errorf("both digests are to be on record: %s", got)
	}
	if got := dump(t, db, `SELECT digest FROM runs`); got != first+"\n" {
		t.Errorf("the run keeps the first digest, not %s", got)
	}
}

func otherForm(t *testing.T) {
	db := tempDB(t)
	now := recorded(t, db, runNamed("r"), Options{}, (*emitter).story)
	const old = "883eecda3f5eb0b03c4a75bdf217204e"
	for _, table := range []string{"executions", "run_rows"} {
		if _, err := db.sql.Exec(`UPDATE `+table+` SET digest = ?`, old); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		recorded(t, db, runNamed("r"), Options{}, (*emitter).story)
	}
	if got := dump(t, db, `SELECT group_concat(digest, ' ') FROM (SELECT digest FROM executions ORDER BY n) UNION ALL SELECT digest || owner FROM runs`); got != old+" "+now+" "+now+"\n"+now+"2\n" {
		t.Errorf("digests %s", got)
	}
	if _, err := record(t, db, runNamed("r"), Options{}, func(e *emitter) { e.emit(-1, &transcript.Gate{Name: "G"}) }); err == nil || !strings.Contains(err.Error(), now) {
		t.Errorf("another digest than the newest two have: %v", err)
	}
}

func totalsLevel(t *testing.T) {
	full, totals := tempDB(t), tempDB(t)
	a := recorded(t, full, runNamed("r"), Options{}, (*emitter).story)
	b := recorded(t, totals, runNamed("r"), Options{Level: Totals, Batch: 2}, (*emitter).story)
	if a != b {
		t.Errorf("digests %s and %s", a, b)
	}
	for _, q := range []string{
		`SELECT id, name, seed, spec, outcome, digest, events, ended_at, calls, input, write_5m, read, output, cost, cost_uncached FROM runs`,
		`SELECT * FROM agents`, `SELECT * FROM metrics`, `SELECT * FROM invariants`, `SELECT f.path, p.content FROM files f JOIN payloads p ON p.sha256 = f.payload`,
	} {
		if d := cmp.Diff(dump(t, full, q), dump(t, totals, q)); d != "" {
			t.Errorf("%s: full and totals differ\n%s", q, d)
		}
	}
	for _, table := range []string{"events", "requests", "nodes", "breakpoints", "tool_calls", "messages", "items"} {
		if got := dump(t, totals, "SELECT count(*) FROM "+table); got != "0\n" {
			t.Errorf("level totals wrote %s rows into %s", got, table)
		}
	}
}

func raiseLevel(t *testing.T) {
	db, fresh := tempDB(t), tempDB(t)
	for _, level := range []Level{Totals, Full, Totals} {
		recorded(t, db, runNamed("r"), Options{Level: level}, (*emitter).story)
	}
	recorded(t, fresh, runNamed("r"), Options{}, (*emitter).story)
	if d := cmp.Diff(allRows(t, fresh, "r"), allRows(t, db, "r")); d != "" {
		t.Errorf("the record is not the full one:\n%s", d)
	}
	if got := dump(t, db, `SELECT level FROM executions ORDER BY n`); got != "totals\nfull\ntotals\n" {
		t.Errorf("levels:\n%s", got)
	}
}

// turns emits a conversation of n turns, and calls fn between them.
func turns(e *emitter, n int, fn func()) *llm.Node {
	e.start(0, -1, "main", "root")
	conv := e.prompt("system", "user")
	for range n {
		conv = e.call(0, conv, llm.Usage{Input: 1}, llm.CacheReport{}, nil, 1)
		fn()
	}
	return conv
}

func twoVariants(t *testing.T) {
	alone, both := tempDB(t), tempDB(t)
	for _, id := range []string{"a", "b"} {
		recorded(t, alone, runNamed(id), Options{}, func(e *emitter) { turns(e, 20, func() {}) })
	}
	wa, err := both.Begin(runNamed("a"), "", Options{Batch: 7, Cost: prices})
	if err != nil {
		t.Fatal(err)
	}
	da := transcript.NewDigest()
	turns(newEmitter(transcript.Tee(da, wa)), 20, func() {
		if wa.batched == 0 { // in the middle, and once more as a second execution
			recorded(t, both, runNamed("b"), Options{Batch: 3}, func(e *emitter) { turns(e, 20, func() {}) })
		}
	})
	if err := wa.Finish(End{Status: Completed, Digest: da.Sum(), Schedule: "1,0*3", Metrics: []Metric{{"run", "cost", 12, "picodollars"}},
		Invariants: []Invariant{{"ISO-02", 4, 0}}}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b"} {
		if d := cmp.Diff(allRows(t, alone, id), allRows(t, both, id)); d != "" {
			t.Errorf("run %s, beside another:\n%s", id, d)
		}
	}
}

func forkAddsItsOwn(t *testing.T) {
	db := tempDB(t)
	const size = `SELECT count(*), (SELECT sum(bytes) FROM payloads), (SELECT sum(length(head) + length(tail)) FROM nodes) FROM nodes`
	w, err := db.Begin(runNamed("r"), "", Options{Batch: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	e := newEmitter(w)
	conv := turns(e, 70, func() {})
	if conv.Pos < 200 {
		t.Fatalf("the history has %d blocks", conv.Pos)
	}
	e.emit(0, &transcript.Request{Call: 70, Head: conv})
	var before, after [3]int
	scan := func(to *[3]int) {
		if err := w.flush(nil); err != nil {
			t.Fatal(err)
		}
		if err := db.sql.QueryRow(size).Scan(&to[0], &to[1], &to[2]); err != nil {
			t.Fatal(err)
		}
	}
	scan(&before)
	const directive, answer = "You are a fork. Do f1.", "agent 1, call 0"
	e.start(1, 0, "main/70.0", "fork")
	e.call(1, e.Append(conv, llm.User, textBlock(directive)), llm.Usage{}, llm.CacheReport{}, nil, 0)
	e.finish(1)
	if n, p := len(w.nodes.rows)/w.nodes.width, len(w.payloads.rows)/w.payloads.width; n != 2 || p != 2 {
		t.Errorf("%d nodes and %d payloads go to the file, want 2 of each", n, p)
	}
	scan(&after)
	frames := len(`,{"type":"text","text":""}`) + len(`]},{"role":"assistant","content":[{"type":"text","text":""}`)
	want := [3]int{before[0] + 2, before[1] + len(directive) + len(answer), before[2] + frames}
	if after != want {
		t.Errorf("nodes, content, frames: %v before, %v after the fork, want %v", before, after, want)
	}
	if err := w.Finish(End{Status: Completed}); err != nil {
		t.Fatal(err)
	}
}

func thirtyTimes(t *testing.T) {
	db := tempDB(t)
	prompts := 0
	recorded(t, db, runNamed("r"), Options{}, func(e *emitter) {
		e.files = 200 // each read brings a new file: nothing is saved by storing content once
		turns(e, 200, func() {})
		for _, s := range e.sent {
			prompts += len(s.bytes)
		}
	})
	var file int
	if err := db.sql.QueryRow(`SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)`).Scan(&file); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of prompts, a file of %d bytes: %.1f times smaller", prompts, file, float64(prompts)/float64(file))
	if file*30 > prompts {
		t.Errorf("%d bytes of prompts in a file of %d", prompts, file)
	}
}

func interrupted(t *testing.T) {
	db, fresh := tempDB(t), tempDB(t)
	w, err := db.Begin(runNamed("r"), "", Options{Batch: 4, Cost: prices})
	if err != nil {
		t.Fatal(err)
	}
	e := newEmitter(w)
	turns(e, 3, func() {})
	e.emit(0, &transcript.Request{Call: 3, Head: e.prompt("x", "y")})
	e.emit(0, &transcript.ToolCall{Call: 3, Name: "Read"})
	if err := w.Finish(End{Status: Interrupted, Digest: "d"}); err != nil {
		t.Fatal(err)
	}
	const q = `SELECT (SELECT outcome FROM runs), (SELECT status FROM executions), (SELECT count(*) FROM events),
		(SELECT count(*) FROM requests WHERE status = 'open'), (SELECT count(*) FROM tool_calls WHERE ended_seq IS NULL)`
	if got := dump(t, db, q); got != "interrupted|interrupted|15|1|1\n" {
		t.Errorf("outcome|status|events|open calls|open tools: %s", got)
	}
	recorded(t, db, runNamed("r"), Options{}, (*emitter).story)
	recorded(t, fresh, runNamed("r"), Options{}, (*emitter).story)
	if d := cmp.Diff(allRows(t, fresh, "r"), allRows(t, db, "r")); d != "" {
		t.Errorf("the interrupted execution shows through:\n%s", d)
	}
}

func overtaken(t *testing.T) {
	db, fresh := tempDB(t), tempDB(t)
	slow, err := db.Begin(runNamed("r"), "", Options{Batch: 4})
	if err != nil {
		t.Fatal(err)
	}
	e := newEmitter(slow)
	turns(e, 3, func() {})
	recorded(t, db, runNamed("r"), Options{}, (*emitter).story)
	for range 20 {
		e.emit(0, &transcript.Gate{Name: "late"})
	}
	if err := slow.Finish(End{Status: Interrupted}); err != nil {
		t.Fatal(err)
	}
	recorded(t, fresh, runNamed("r"), Options{}, (*emitter).story)
	if d := cmp.Diff(allRows(t, fresh, "r"), allRows(t, db, "r")); d != "" {
		t.Errorf("the overtaken execution shows through:\n%s", d)
	}
	if got := dump(t, db, `SELECT status FROM executions ORDER BY n`); got != "interrupted\ncompleted\n" {
		t.Errorf("executions:\n%s", got)
	}
}

func TestPathsOfAnyName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b%20?mode=ro#.db")
	db, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	recorded(t, db, runNamed("r"), Options{}, (*emitter).story)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if runs, err := again.Runs(); err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
}
