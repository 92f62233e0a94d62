package sqlite

import (
	"database/sql"
	"slices"
	"testing"

	"agentsim/sim/transcript"
)

// The run that is recorded: calls with one tool use each, of one agent.
const benchTurns = 2000

// BenchmarkRecord records a run in full. Compare with BenchmarkInsert, which
// inserts the same rows, made beforehand, in the same batches.
func BenchmarkRecord(b *testing.B) {
	replay := replayOf(func(e *emitter) { turns(e, benchTurns, func() {}) })
	for b.Loop() {
		b.StopTimer()
		db := tempDB(b)
		w, err := db.Begin(runNamed("r"), "", Options{Cost: prices})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for _, e := range replay {
			w.Emit(e)
		}
		if err := w.Finish(End{Status: Completed}); err != nil {
			b.Fatal(err)
		}
	}
	report(b, len(replay))
}

// report tells rates; the two benchmarks write the same rows.
func report(b *testing.B, events int) {
	perRun := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(events)/perRun, "events/s")
	b.ReportMetric(benchTurns/perRun, "calls/s")
}

// replayOf keeps the events that emit makes, to leave their making out of a
// measurement.
func replayOf(emit func(*emitter)) []*transcript.Event {
	k := &keeper{}
	e := newEmitter(k)
	e.lean = true
	emit(e)
	return k.events
}

type keeper struct{ events []*transcript.Event }

func (k *keeper) Emit(e *transcript.Event) {
	kept := *e
	k.events = append(k.events, &kept)
}

func BenchmarkInsert(b *testing.B) {
	replay := replayOf(func(e *emitter) { turns(e, benchTurns, func() {}) })
	batches := rowsOf(b, replay)
	for b.Loop() {
		b.StopTimer()
		db := tempDB(b)
		ts := noRows
		b.StartTimer()
		for _, batch := range batches {
			insertBatch(b, db, ts.all(), batch)
		}
	}
	report(b, len(replay))
}

// rowsOf is the rows of each table for each batch of the events.
func rowsOf(b *testing.B, events []*transcript.Event) (batches [][][]any) {
	w := newWriter(&DB{}, &Run{ID: "r"}, "", Options{Level: Full, Batch: 1 << 62, Cost: prices})
	w.owner = true
	take := func() {
		w.fillTexts()
		var batch [][]any
		for _, t := range w.all() {
			batch = append(batch, slices.Clone(t.rows))
			t.rows = t.rows[:0]
		}
		batches = append(batches, batch)
	}
	for i, e := range events {
		if w.Emit(e); i%DefaultBatch == DefaultBatch-1 {
			take()
		}
	}
	take()
	return batches
}

func insertBatch(b *testing.B, db *DB, ts []*table, batch [][]any) {
	tx, err := db.sql.Begin()
	if err != nil {
		b.Fatal(err)
	}
	for i, t := range ts {
		insertRows(b, tx, t, batch[i])
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}

func insertRows(b *testing.B, tx *sql.Tx, t *table, rows []any) {
	t.rows = append(t.rows[:0], rows...)
	if err := t.flush(tx); err != nil {
		b.Fatal(err)
	}
}
