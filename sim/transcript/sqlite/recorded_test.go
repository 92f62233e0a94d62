package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/transcript"

	"github.com/google/go-cmp/cmp"
)

// That a recorded session comes back as it was imported is held in
// sim/recording/toevents, which makes the events.
func TestRecordings(t *testing.T) {
	t.Run("REC-06 each cause of a miss is explained, with what would have kept the tokens", causes)
	t.Run("REC-06 a recorded request's row has all that the event told", recordedRow)
	t.Run("REC-06 the views tell of a recorded miss what it cost and what would have kept it", recordedViews)
	t.Run("SRV-02 REC-06 the requests of a long recording are read in one pass", longRecording)
	t.Run("REC-06 what a miss cost is what was paid for the lost tokens less what reading them costs", lostPrice)
	t.Run("REC-06 a model that is not priced costs nothing in the record, whatever the request was called", unpriced)
	t.Run("REC-03 REC-06 what an import that was cut short left is replaced by the next one", cutShort)
	t.Run("REC-06 a simulated run is a session as far as the tables tell", simulatedSession)
	t.Run("REC-06 BTW-03 a request of the client's own in a simulated run is no sub-agent and goes on from whom it was sent for", simulatedHidden)
	t.Run("REC-06 a simulated fork's first request goes on from the one whose answer spawned it, a fresh child's from none", simulatedFork)
	t.Run("REC-06 a session of a run that is not there, or of totals, is an error that says so", noSession)
}

func causes(t *testing.T) {
	db := tempDB(t)
	for c := recording.ExpiredCause; int(c) < recording.Causes; c++ {
		const q = `SELECT count(*) FROM recorded_causes WHERE cause = ? AND meaning <> '' AND keep <> ''`
		if got := dump(t, db, q, c.String()); got != "1\n" {
			t.Errorf("cause %q is explained %s times", c, got)
		}
	}
	for r := llm.NotMissed + 1; r <= llm.MissUnexplained; r++ {
		if got := dump(t, db, `SELECT count(*) FROM miss_reasons WHERE reason = ?`, r.String()); got != "1\n" {
			t.Errorf("reason %q is explained %s times", r, got)
		}
	}
}

// imported emits a small imported run: a request, and one that lost what the
// first wrote.
func (e *emitter) imported() {
	e.emit(-1, &transcript.RunStart{Scenario: "s", Policy: transcript.PolicyRecorded})
	e.start(0, -1, "main", "root")
	first := e.prompt("system", "user")
	n := e.call(0, first, llm.Usage{Input: 3, Write5m: 1000, Output: 20}, llm.CacheReport{WrittenTo: first}, nil, 0)
	e.emit(0, &transcript.Recorded{ID: "msg_1", Class: "first", Tools: []transcript.RecordedTool{{ID: "toolu_1", Spawned: -1}, {ID: "toolu_2", Spawned: 2}}})
	miss := llm.Miss{Reason: llm.MissExpired, Expected: 1000, Lost: 1000, Byte: -1}
	e.call(0, n, llm.Usage{Input: 3, Write5m: 700, Write1h: 200, Output: 20}, llm.CacheReport{WrittenTo: n, Miss: miss}, first, 0)
	e.emit(0, &transcript.Recorded{Call: 1, ID: "msg_2", Pred: 1, Version: "2.1.38", Stop: "end_turn", UserTurn: true, Compacted: true,
		OutputUnknown: true, WritesUnknown: true, Unbilled: true, AnswerBlocks: 4, Told: "thinking:typed resume@1:7", ServerMiss: "tools_changed", ServerMissed: 99, Class: "zero", Cause: "ttl", Expected: 1000})
	e.finish(0)
}

func recordedRow(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{}, (*emitter).imported)
	want := "4|1|2|msg_1|0|||0|0|1|1|1|0||0|first||0|0|0\n7|2|5|msg_2|1|2.1.38|end_turn|1|1|0|0|0|4|tools_changed|99|zero|ttl|1000|1000|-1609\n"
	if d := cmp.Diff(want, dump(t, db, `SELECT seq, n, request, id, pred, version, stop, user_turn, compacted, output_known, writes_known, billed, answer_blocks,
		server_reason, server_missed, class, cause, expected, lost, lost_cost FROM recorded_requests WHERE run = 'r'`)); d != "" {
		t.Error(d)
	}
	if got := dump(t, db, `SELECT seq, idx, id, spawned FROM recorded_tools`); got != "4|0|toolu_1|-1\n4|1|toolu_2|2\n" {
		t.Errorf("tools %s", got)
	}
	x, err := db.RecordedCall("r", 2)
	if err != nil {
		t.Fatal(err)
	}
	x.Meaning, x.Keep = "", ""
	full := RecordedInfo{N: 2, ID: "msg_2", Version: "2.1.38", Stop: "end_turn", Pred: 1, UserTurn: true, Compacted: true,
		ServerReason: "tools_changed", ServerMissed: 99, Class: "zero", Cause: "ttl", Expected: 1000, Lost: 1000, LostCost: -1609}
	if d := cmp.Diff(full, x); d != "" {
		t.Error(d)
	}
	if _, err := db.RecordedCall("r", 3); !errors.Is(err, ErrNoCall) {
		t.Errorf("call 3: %v", err)
	}
}

func recordedViews(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{}, (*emitter).imported)
	want := "2|main|m|zero|ttl|the entry had outlived its TTL|1|1000|0|1000|-1609|1|tools_changed|99\n"
	if d := cmp.Diff(want, dump(t, db, `SELECT n, lineage, model, class, cause, meaning, after, expected, read, lost, cost, keep LIKE '%1h TTL%',
		server_reason, server_missed FROM recorded_misses WHERE run = 'r'`)); d != "" {
		t.Error(d)
	}
	if got := dump(t, db, `SELECT n, reason, expected, lost, after FROM why_missed WHERE run = 'r'`); got != "2|expired|1000|1000|1\n" {
		t.Errorf("why_missed: %s", got)
	}
	calls, err := db.RecordedCalls("r")
	if err != nil || len(calls) != 2 || calls[1].N != 2 {
		t.Errorf("%v (%v)", calls, err)
	}
	if n, outputs, err := db.Unbilled("r"); n != 1 || outputs != 0 || err != nil {
		t.Errorf("%d requests without a bill, %d with a placeholder (%v)", n, outputs, err)
	}
}

// longRecording reads 10,000 requests that each go on from the one before. Looking for that
// among all of them, for each, took half a minute.
func longRecording(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{}, (*emitter).imported)
	for table, columns := range map[string][]string{"requests": {"seq", "n"}, "recorded_requests": {"seq", "n", "request", "pred"}} {
		var names string
		if err := db.sql.QueryRow(`SELECT group_concat('"' || name || '"') FROM pragma_table_info(?)`, table).Scan(&names); err != nil {
			t.Fatal(err)
		}
		values := names // every request but the first missed since its entry had expired
		for _, c := range columns {
			by := map[string]string{"seq": "i * 10", "n": "i", "request": "i * 10", "pred": "i - 1"}[c]
			values = strings.Replace(values, `"`+c+`"`, by, 1)
		}
		if _, err := db.sql.Exec(`WITH RECURSIVE k(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM k WHERE i < 10000) INSERT INTO ` + table + ` (` + names + `) SELECT ` + values + ` FROM k, ` + table + ` WHERE n = 2`); err != nil {
			t.Fatal(err)
		}
	}
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	calls, err := db.RecordedCalls("r")
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	if err != nil || len(calls) != 10_000 || calls[9_999].Pred != 9_999 || calls[9_999].Keep == "" || !strings.Contains(calls[1].Keep, "1h TTL") {
		t.Fatalf("%d calls, the last %+v (%v)", len(calls), calls[len(calls)-1], err)
	}
	if took := time.Duration(after.Utime.Nano() - before.Utime.Nano()); took > 2*time.Second {
		t.Errorf("it takes %v of processor time", took)
	}
}

func lostPrice(t *testing.T) {
	for _, c := range []struct {
		u    llm.Usage
		lost int64
		want llm.Usage
	}{
		{llm.Usage{Input: 3, Write5m: 1000, Read: 50, Output: 7}, 400, llm.Usage{Input: 3, Write5m: 600, Read: 450, Output: 7}},
		{llm.Usage{Input: 300, Write1h: 100}, 250, llm.Usage{Input: 150, Read: 250}},
		{llm.Usage{Input: 30, Write5m: 100}, 5000, llm.Usage{Read: 130}}, // the rest was not sent again
	} {
		if got := c.u.Hit(c.lost); got != c.want {
			t.Errorf("%v without a loss of %d is %v, want %v", c.u, c.lost, got, c.want)
		}
	}
}

func unpriced(t *testing.T) {
	db := tempDB(t)
	w, err := db.Begin(runNamed("r"), "", Options{Cost: func(model string, u llm.Usage) (int64, int64) {
		if model != "m" {
			return 0, 0
		}
		return prices(model, u)
	}})
	if err != nil {
		t.Fatal(err)
	}
	e := newEmitter(w)
	e.start(0, -1, "main", "root")
	n := e.prompt("s", "u")
	for call, model := range []string{"m", "m (size only)"} {
		e.emit(0, &transcript.Request{Call: call, Head: n, Model: "m"})
		e.emit(0, &transcript.Response{Call: call, Model: model, Resp: &llm.Response{Usage: llm.Usage{Input: 7}}})
	}
	if err := w.Finish(End{Status: Completed}); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, db, `SELECT model, input, cost FROM requests ORDER BY seq`); got != "m|7|7\nm|7|0\n" {
		t.Errorf("model, tokens and costs: %s", got)
	}
}

func cutShort(t *testing.T) {
	db, fresh := tempDB(t), tempDB(t)
	w, err := db.Begin(runNamed("r"), "", Options{Batch: 2, Cost: prices})
	if err != nil {
		t.Fatal(err)
	}
	newEmitter(w).imported()
	if err := w.Finish(End{Status: Crashed}); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*DB{db, fresh} {
		recorded(t, d, runNamed("r"), Options{}, (*emitter).imported)
	}
	if d := cmp.Diff(allRows(t, fresh, "r"), allRows(t, db, "r")); d != "" {
		t.Errorf("the first import shows through:\n%s", d)
	}
	if got := dump(t, db, `SELECT count(*) FROM recorded_requests WHERE run = 'r'`); got != "2\n" {
		t.Errorf("%s rows", got)
	}
}

func simulatedSession(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{}, (*emitter).story)
	s, err := db.Recording("r")
	if err != nil {
		t.Fatal(err)
	}
	info, err := db.FindRun("r")
	if err != nil || s.Usage() != info.Usage || s.Format != Simulated || s.ID != "r" {
		t.Errorf("%s %s of %v, the run's usage is %v (%v)", s.Format, s.ID, s.Usage(), info.Usage, err)
	}
	got := ""
	for _, th := range s.Threads {
		got += fmt.Sprintln(th.Name, th.Kind, th.Type, th.Parent, th.SpawnedBy)
	}
	for _, r := range s.Requests {
		got += fmt.Sprintln(r.ID, r.Thread, r.Pred, r.Model, r.UserTurn, r.Stop, r.Usage, len(r.Tools))
		for _, u := range r.Tools {
			got += fmt.Sprintln(" ", u.Name, u.Done, u.Bytes, u.Spawned)
		}
	}
	want := `main main root -1 -1
main/0.0 fork fork 0 -1
main/0.1 subagent subagent 0 -1
1 0 -1 m true end_turn {3 1000 0 0 20} 2
  Read true 1940 -1
  Read true 1940 -1
2 1 -1 m false end_turn {5 200 0 1000 10} 1
  Read true 1940 -1
3 2 -1 m false end_turn {4 300 0 0 10} 0
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func simulatedHidden(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{}, func(e *emitter) {
		e.start(0, -1, "main", "root")
		n := e.call(0, e.prompt("s", "u"), llm.Usage{Write5m: 10}, llm.CacheReport{}, nil, 0)
		e.start(1, 0, "main/1"+llm.HiddenSuffix+"-suggestion", "subagent")
		e.call(1, n, llm.Usage{Read: 10}, llm.CacheReport{}, nil, 0)
		e.call(0, n, llm.Usage{Read: 10}, llm.CacheReport{}, nil, 0)
	})
	s, err := db.Recording("r")
	if err != nil {
		t.Fatal(err)
	}
	if th := s.Threads[1]; th.Kind != recording.Compact || th.Parent != 0 || th.SpawnedBy >= 0 || s.Requests[1].Pred != 0 || s.Requests[2].Pred != 0 {
		t.Errorf("%+v, %+v", th, s.Requests)
	}
}

func simulatedFork(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{}, func(e *emitter) {
		e.start(0, -1, "main", "root")
		n := e.call(0, e.prompt("s", "u"), llm.Usage{Write5m: 10}, llm.CacheReport{}, nil, 2)
		for i, structure := range []string{"fork", "subagent"} {
			e.emit(int32(i+1), &transcript.AgentStart{ID: llm.AgentID(i + 2), Lineage: "main/1." + fmt.Sprint(i+1), Structure: transcript.Structure(structure),
				ToolUse: toolID(0, 0, i), Async: true})
			e.call(int32(i+1), n, llm.Usage{Read: 10}, llm.CacheReport{}, nil, 0)
		}
	})
	s, err := db.Recording("r")
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Requests[1].Pred; p != 0 {
		t.Errorf("the fork goes on from %d", p)
	}
	if p := s.Requests[2].Pred; p != -1 {
		t.Errorf("the sub-agent goes on from %d", p)
	}
	for i, u := range s.Requests[0].Tools {
		if th := s.Threads[i+1]; u.Spawned != int32(i+1) || th.SpawnedBy != 0 || th.ToolUse != u.ID || !th.Async {
			t.Errorf("tool use %v spawned %v", u, th)
		}
	}
}

func noSession(t *testing.T) {
	db := tempDB(t)
	if _, err := db.Recording("none"); !errors.Is(err, ErrNoRun) {
		t.Errorf("a run that is not there: %v", err)
	}
	recorded(t, db, runNamed("r"), Options{Level: Totals}, (*emitter).story)
	if _, err := db.Recording("r"); !errors.Is(err, ErrNoCall) {
		t.Errorf("totals: %v", err)
	}
}
