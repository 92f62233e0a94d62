package sqlite

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	"agentsim/sim/transcript"
)

// The run that is recorded: calls with one tool use each, of one agent.
const benchTurns = 2000

// BenchmarkRecord records a run in full and inserts the same rows, made beforehand, in the
// same batches, by turns in rounds. The bar is half of the rate of the inserts; the share
// is the median of those of the rounds. Packed, no row is inserted.
func BenchmarkRecord(b *testing.B) {
	const rounds = 7
	replay := replayOf(func(e *emitter) { turns(e, benchTurns, func() {}) })
	batches := rowsOf(b, replay)
	var records, inserts, shares, packed []float64
	for range rounds * b.N {
		records = append(records, seconds(func() { recordAll(b, replay, Full) }))
		inserts = append(inserts, seconds(func() { insertAll(b, batches) }))
		shares = append(shares, inserts[len(inserts)-1]/records[len(records)-1])
		packed = append(packed, seconds(func() { recordAll(b, replay, Packed) }))
	}
	b.Logf("%.0f calls a second recorded, %.0f as bare inserts: %.2f of the driver's rate, %.2f to %.2f; bar 0.50; %.0f packed",
		benchTurns/median(records), benchTurns/median(inserts), median(shares), slices.Min(shares), slices.Max(shares), benchTurns/median(packed))
	b.ReportMetric(benchTurns/median(records), "calls/s")
	b.ReportMetric(0, "ns/op")
}

func seconds(do func()) float64 {
	from := time.Now()
	do()
	return time.Since(from).Seconds()
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

func recordAll(b *testing.B, events []*transcript.Event, level Level) {
	w, err := tempDB(b).Begin(runNamed("r"), "", Options{Level: level, Cost: prices})
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range events {
		w.Emit(e)
	}
	if err := w.Finish(End{Status: Completed}); err != nil {
		b.Fatal(err)
	}
}

func insertAll(b *testing.B, batches [][][]any) {
	db, ts := tempDB(b), noRows
	for _, batch := range batches {
		insertBatch(b, db, ts.all(), batch)
	}
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

// rowsOf is the rows of each table for each batch of the events.
func rowsOf(b *testing.B, events []*transcript.Event) (batches [][][]any) {
	w := newWriter(&DB{}, &Run{ID: "r"}, "", Options{Level: Full, Batch: 1 << 62, Cost: prices})
	w.owner, w.store, w.openTools = true, newStore(), map[toolKey]*toolCall{}
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
