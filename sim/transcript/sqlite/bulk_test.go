package sqlite

import (
	"errors"
	"testing"

	"agentsim/sim/transcript"
)

func TestBulk(t *testing.T) {
	t.Run("REC-02 a run that was executed before with another digest is told, and its batch is stored", bulkDigest)
	t.Run("CLI-06 what is added while a batch waits to be stored is in the next one", bulkCuts)
}

// addRun puts an execution of a run at the end of what waits.
func addRun(t *testing.T, b *Bulk, name string, more ...transcript.Body) {
	t.Helper()
	run := runNamed(name)
	w := b.Writer(&run, Options{Cost: prices})
	d := transcript.NewDigest()
	e := newEmitter(transcript.Tee(d, w))
	e.story()
	for _, body := range more {
		e.emit(-1, body)
	}
	b.Add(w, run, "2026-01-01T00:00:00Z", End{Status: Completed, Digest: d.Sum(), FinishedAt: "2026-01-01T00:00:01Z"})
}

func bulkOf(t *testing.T) (*DB, *Bulk) {
	t.Helper()
	db := tempDB(t)
	b, err := db.Bulk()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return db, b
}

func bulkDigest(t *testing.T) {
	db, b := bulkOf(t)
	addRun(t, b, "r")
	addRun(t, b, "r")
	if err := b.Store(b.Cut()); err != nil {
		t.Fatal("equal digests: ", err)
	}
	addRun(t, b, "r", &transcript.Gate{Name: "G"})
	addRun(t, b, "s")
	var diff *DigestError
	if err := b.Store(b.Cut()); !errors.As(err, &diff) || diff.Execution != 3 || diff.FirstNumber != 1 {
		t.Errorf("got %v", err)
	}
	if got := dump(t, db, `SELECT run, n, status FROM executions ORDER BY run, n`); got != "r|1|completed\nr|2|completed\nr|3|completed\ns|1|completed\n" {
		t.Errorf("executions:\n%s", got)
	}
}

func bulkCuts(t *testing.T) {
	db, b := bulkOf(t)
	addRun(t, b, "a")
	first := b.Cut()
	addRun(t, b, "b")
	if err := b.Store(first); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, db, `SELECT id FROM runs ORDER BY id`); got != "a\n" || b.Waiting() != 1 {
		t.Errorf("%d wait, stored:\n%s", b.Waiting(), got)
	}
	if err := b.Store(b.Cut()); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, db, `SELECT id FROM runs ORDER BY id`); got != "a\nb\n" {
		t.Errorf("stored:\n%s", got)
	}
	if finished, err := db.Finished(); err != nil || !finished["a"] || !finished["b"] || len(finished) != 2 {
		t.Errorf("finished: %v, %v", finished, err)
	}
}
