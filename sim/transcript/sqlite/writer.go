package sqlite

import (
	"database/sql"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Writer records one execution. It is a transcript.Sink and belongs to the
// goroutine of its run.
type Writer struct {
	tables
	db        *DB
	of        *Run
	run       any // the id, boxed once: it stands in every row
	startedAt string
	execution int
	owner     bool // the run's rows are this execution's to write
	opt       Options
	packed    bool  // rows go into chunks
	chunks    int64 // that were made
	err       error

	store      store
	spec       string // specs.sha256
	text       []byte // the batch's event texts, one after the other
	textEnds   []int
	ends       [][]any       // of activations whose rows are in the file
	endedSum   sum           // of the activations that have ended
	classes    sum           // of the run's blocks, by their hashes
	agentRows  []*agentState // by ordinal
	openTools  map[toolKey]*toolCall
	scratch    []byte
	count      int64
	batched    int
	lastAt     vtime.Instant
	requestNum int64
	totals     totals
}

type totals struct {
	calls          int64
	usage          llm.Usage
	cost, uncached int64
}

func newWriter(db *DB, run *Run, startedAt string, opt Options) *Writer {
	return &Writer{tables: noRows, db: db, of: run, run: run.ID, startedAt: startedAt, opt: opt}
}

// Emit records the event. After a failure it does nothing; Err tells.
func (w *Writer) Emit(e *transcript.Event) {
	if w.err != nil {
		return
	}
	w.count++
	w.lastAt = e.At
	if !w.owner {
		return
	}
	if b, ok := e.Body.(*transcript.AgentStart); ok {
		w.agent(e.Agent).left = !w.opt.Level.Keeps(w.of.Seed, b.Lineage)
	}
	kept := w.keeps(e.Agent)
	if kept {
		w.line(e)
	}
	w.body(e, kept)
	if w.batched++; w.batched >= w.opt.Batch {
		w.err = fail(w.db.path, "record a batch", w.flush(nil))
	}
}

// keeps reports whether single events and calls of an agent are kept; -1 is the
// run itself.
func (w *Writer) keeps(agent int32) bool {
	return w.opt.Level != Totals && (agent < 0 || !w.agent(agent).left)
}

// Err is the first failure; nothing is recorded after it.
func (w *Writer) Err() error { return w.err }

// Execution is the number of this execution of its run, from 1.
func (w *Writer) Execution() int { return w.execution }

func (w *Writer) hex(h llm.Hash) string {
	w.scratch = h.AppendText(w.scratch[:0])
	return string(w.scratch)
}

// line keeps the event's canonical text, without the words that have columns.
// The texts of a batch lie in one buffer, so that a batch makes one string.
func (w *Writer) line(e *transcript.Event) {
	w.text = transcript.AppendText(w.text, e.Body)
	w.textEnds = append(w.textEnds, len(w.text))
	w.events.add(w.run, int64(e.Seq), int64(e.At), int64(e.Phase), int64(e.Agent), e.Body.Kind().String(), nil)
}

// fillTexts puts the texts into the last column of their rows.
func (w *Writer) fillTexts() {
	all, from := string(w.text), 0
	for i, to := range w.textEnds {
		w.events.rows[(i+1)*w.events.width-1] = all[from:to]
		from = to
	}
	w.text, w.textEnds = w.text[:0], w.textEnds[:0]
}

// flush writes what is gathered, and last what the caller adds, in one
// transaction. When another execution has taken the run over, nothing of it is
// written any more.
func (w *Writer) flush(last func(tx *sql.Tx) error) error {
	return within(w.db.sql, func(tx *sql.Tx) error {
		if err := w.checkOwner(tx); err != nil {
			return err
		}
		if err := w.flushRows(tx); err != nil || last == nil {
			return err
		}
		return last(tx)
	})
}

func (w *Writer) checkOwner(tx *sql.Tx) error {
	if !w.owner {
		return nil
	}
	var owner int
	if err := tx.QueryRow(`SELECT owner FROM runs WHERE id = ?`, w.run).Scan(&owner); err != nil {
		return err
	}
	w.owner = owner == w.execution
	return nil
}

func (w *Writer) flushRows(tx *sql.Tx) error {
	w.batched = 0
	if !w.owner {
		return nil
	}
	w.sealRows()
	if w.packed {
		if err := w.pack(tx); err != nil {
			return err
		}
	}
	for _, t := range w.all() {
		if err := t.flush(tx); err != nil {
			return err
		}
	}
	return w.flushEnds(tx)
}

// sealRows adds the rows that are gathered to the sums that the seal is made of.
func (w *Writer) sealRows() {
	w.fillTexts()
	for _, t := range w.sealed() {
		t.seal()
	}
}
