package sqlite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"

	"github.com/google/go-cmp/cmp"
)

func TestLevels(t *testing.T) {
	t.Run("REC-08 calls keeps every row that full does, and no content", callsLevel)
	t.Run("REC-08 samples keep all rows of whole session trees, content too, and totals of every tree", sampledLevel)
	t.Run("REC-08 about one session tree of N is kept, the same ones whatever else runs", sampledShare)
	t.Run("REC-08 a record is replaced by one of a level that it does not hold, and by no other", covering)
	t.Run("REC-08 a level is written as it is read, and any other word is refused", levelNames)
}

// sessions is a number of roots, each with a child that reads its prefix.
func sessions(n int) func(*emitter) {
	return func(e *emitter) {
		for i := range n {
			root, name := int32(2*i), fmt.Sprintf("session-%d", i)
			e.start(root, -1, name, "root")
			first := e.prompt("system", "work for "+name)
			conv := e.call(root, first, llm.Usage{Write5m: 1000, Output: 20}, llm.CacheReport{WrittenTo: first}, nil, 2)
			e.start(root+1, root, name+"/0.0", "fork")
			fork := e.Append(conv, llm.User, textBlock("fork of "+name))
			e.call(root+1, fork, llm.Usage{Input: 5, Read: 900, Output: 7}, llm.CacheReport{ReadTo: first}, first, 1)
			e.finish(root + 1)
			e.finish(root)
		}
	}
}

const totalsOfRun = `SELECT id, name, seed, spec, outcome, digest, events, ended_at, calls, input, write_5m, read, output, cost, cost_uncached FROM runs`

func callsLevel(t *testing.T) {
	full, calls := tempDB(t), tempDB(t)
	a := recorded(t, full, runNamed("r"), Options{}, (*emitter).story)
	b := recorded(t, calls, runNamed("r"), Options{Level: Calls, Batch: 3}, (*emitter).story)
	if a != b {
		t.Errorf("digests %s and %s", a, b)
	}
	if d := cmp.Diff(allRows(t, full, "r"), allRows(t, calls, "r")); d != "" {
		t.Errorf("rows differ:\n%s", d)
	}
	if got, want := storedLines(t, calls, "r"), storedLines(t, full, "r"); got != want {
		t.Errorf("the stored events are\n%s\nin full\n%s", got, want)
	}
	for _, q := range []string{`SELECT why.reason FROM why_missed why`, `SELECT seq, idx, pos, reads, writes FROM breakpoints`} {
		if d := cmp.Diff(dump(t, full, q), dump(t, calls, q)); d != "" {
			t.Errorf("%s: %s", q, d)
		}
	}
	if got := dump(t, calls, `SELECT (SELECT count(*) FROM nodes), (SELECT group_concat(content, '') FROM payloads)`); got != "0|package a\npackage b\n\n" {
		t.Errorf("beside the run's files there is content: %s", got)
	}
}

// keptRoots are the sessions that a level keeps.
func keptRoots(l Level, n int) (out []string) {
	for i := range n {
		if name := fmt.Sprintf("session-%d", i); l.Keeps(runNamed("").Seed, name) {
			out = append(out, name)
		}
	}
	return out
}

func sampledLevel(t *testing.T) {
	const n = 12
	full, some, level := tempDB(t), tempDB(t), Sampled(3)
	a := recorded(t, full, runNamed("r"), Options{}, sessions(n))
	b := recorded(t, some, runNamed("r"), Options{Level: level, Batch: 5}, sessions(n))
	if a != b {
		t.Errorf("digests %s and %s", a, b)
	}
	kept := keptRoots(level, n)
	if len(kept) == 0 || len(kept) == n {
		t.Fatalf("kept are %v, which tests nothing", kept)
	}
	of := "'" + strings.Join(kept, "','") + "'"
	in := `agent IN (SELECT agent FROM agents WHERE CASE instr(lineage, '/') WHEN 0 THEN lineage
		ELSE substr(lineage, 1, instr(lineage, '/') - 1) END IN (` + of + `))`
	for _, table := range []string{"events", "requests", "tool_calls"} {
		want, got := dump(t, full, "SELECT * FROM "+table+" WHERE "+in), dump(t, some, "SELECT * FROM "+table)
		if d := cmp.Diff(want, got); d != "" || want == "" {
			t.Errorf("%s of what is kept differ:\n%s", table, d)
		}
	}
	for _, q := range []string{totalsOfRun, `SELECT * FROM agents`, `SELECT * FROM metrics`, `SELECT * FROM invariants`} {
		if d := cmp.Diff(dump(t, full, q), dump(t, some, q)); d != "" {
			t.Errorf("%s: %s", q, d)
		}
	}
	sampledReading(t, full, some, kept)
}

// sampledReading looks at what is kept, agent by agent and byte by byte.
func sampledReading(t *testing.T, full, some *DB, kept []string) {
	run, err := some.FindRun("r")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := some.Tree("r")
	if err != nil {
		t.Fatal(err)
	}
	for i := range tree {
		a := &tree[i]
		root, _, _ := strings.Cut(a.Lineage, "/")
		if want := slices.Contains(kept, root); run.Keeps(a) != want || (a.Calls > 0) != want {
			t.Errorf("%s: kept %v, %d calls, want %v", a.Lineage, run.Keeps(a), a.Calls, want)
		}
	}
	calls, err := some.Calls("r")
	if err != nil || len(calls) != 2*len(kept) {
		t.Fatalf("%d calls of %v (%v)", len(calls), kept, err)
	}
	for _, c := range calls {
		want, err1 := full.RequestBytes("r", c.Seq)
		got, err2 := some.RequestBytes("r", c.Seq)
		if err1 != nil || err2 != nil || string(want) != string(got) || len(got) < 100 {
			t.Errorf("call %d is not what was sent (%v, %v)", c.N, err1, err2)
		}
	}
}

func sampledShare(t *testing.T) {
	const n = 20_000
	for _, every := range []uint64{2, 7, 100} {
		got, want := len(keptRoots(Sampled(every), n)), n/int(every)
		if got < want*8/10 || got > want*12/10 {
			t.Errorf("one of %d: %d trees of %d", every, got, n)
		}
	}
	if got := len(keptRoots(Sampled(1), n)); got != n {
		t.Errorf("one of 1: %d trees of %d", got, n)
	}
	l := Sampled(7)
	for i := range uint64(50) {
		if l.Keeps(i, "main") != l.Keeps(i, "main/3.1/0.0~2") {
			t.Errorf("seed %d: a child is not kept with its root", i)
		}
	}
	if l.Keeps(1, "main") && l.Keeps(2, "main") && l.Keeps(3, "main") && l.Keeps(4, "main") {
		t.Error("the seed makes no difference")
	}
}

func covering(t *testing.T) {
	for _, c := range []struct{ before, now, left Level }{
		{Full, Calls, Full}, {Full, Sampled(3), Full}, {Full, Totals, Full},
		{Calls, Full, Full}, {Calls, Sampled(3), Sampled(3)}, {Calls, Totals, Calls},
		{Sampled(3), Full, Full}, {Sampled(3), Calls, Calls}, {Sampled(3), Totals, Sampled(3)},
		{Sampled(3), Sampled(6), Sampled(3)}, {Sampled(6), Sampled(3), Sampled(3)}, {Sampled(3), Sampled(4), Sampled(4)},
		{Totals, Full, Full}, {Totals, Calls, Calls}, {Totals, Sampled(3), Sampled(3)},
	} {
		db, fresh := tempDB(t), tempDB(t)
		recorded(t, db, runNamed("r"), Options{Level: c.before}, sessions(4))
		recorded(t, db, runNamed("r"), Options{Level: c.now}, sessions(4))
		recorded(t, fresh, runNamed("r"), Options{Level: c.left}, sessions(4))
		if d := cmp.Diff(allRows(t, fresh, "r"), allRows(t, db, "r")); d != "" {
			t.Errorf("%s, then %s: %s", c.before, c.now, d)
		}
		if got := dump(t, db, "SELECT level FROM runs"); got != string(c.left)+"\n" {
			t.Errorf("%s, then %s: left %s", c.before, c.now, got)
		}
	}
}

func levelNames(t *testing.T) {
	for _, l := range []Level{Full, Calls, Sampled(1), Sampled(100), Totals} {
		if got, err := ParseLevel(string(l)); err != nil || got != l {
			t.Errorf("%s: %s, %v", l, got, err)
		}
	}
	for _, s := range []string{"", "none", "Full", "sampled", "sampled:", "sampled:0", "sampled:-1", "sampled:+2", "sampled:1_000", "sampled:x", "sampled:99999999999999999999"} {
		if l, err := ParseLevel(s); err == nil {
			t.Errorf("%q was taken for %s", s, l)
		}
	}
}
