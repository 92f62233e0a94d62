package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Packed is Full, as ParseLevel reads it, with the run's single rows compressed: how a
// run is stored, and not how much of it, so its rows, its seal and its level are those
// of Full.
const Packed Level = "packed"

// maxChunk bounds what a chunk comes to when it is unpacked, in bytes: a batch is far
// smaller, and a damaged chunk cannot ask for more.
const maxChunk = 1 << 30

// packed lists the tables whose rows a packed run has in chunks. The others are what a
// list of runs, and their figures, are made of.
func (t *tables) packed() []*table {
	return []*table{&t.payloads, &t.nodes, &t.events, &t.requests, &t.breakpoints, &t.toolCalls, &t.tasks, &t.messages, &t.items, &t.findings,
		&t.recordedRequests, &t.recordedTools, &t.handoffs, &t.files, &t.schedules}
}

// packs reports whether a part of a seal is of a packed table.
func packs(part string) bool {
	name, _, _ := strings.Cut(part, ".")
	all := noRows
	return slices.ContainsFunc(all.packed(), func(t *table) bool { return t.name == name })
}

// newZip compresses on the caller's goroutine. Memory goes with the window, and a batch
// is seldom larger.
func newZip() *zstd.Encoder {
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(1<<22))
	if err != nil {
		panic("sqlite: " + err.Error()) // of the options
	}
	return zip
}

// pack writes what is gathered of the packed tables as one chunk.
func (w *Writer) pack(tx *sql.Tx) error {
	db := w.db // of whose writers one at a time has a transaction
	raw := db.raw[:0]
	for _, t := range w.tables.packed() {
		raw = t.appendRows(raw)
		t.forget()
	}
	db.raw = raw
	switch {
	case len(raw) == 0:
		return nil
	case len(raw) > maxChunk:
		return fmt.Errorf("a batch of %d bytes is too large to be packed; record the run in full", len(raw))
	case db.zip == nil:
		db.zip = newZip()
	}
	_, err := tx.Exec(`INSERT INTO packed (run, n, chunk) VALUES (?, ?, ?)`, w.run, w.chunks, db.zip.EncodeAll(raw, nil))
	w.chunks++
	return err
}

// appendRows appends the rows that are gathered, column by column: neighbours are alike.
func (t *table) appendRows(dst []byte) []byte {
	n := len(t.rows) / t.width
	if n == 0 {
		return dst
	}
	dst = appendInt(appendText(appendText(dst, t.name), t.columns), int64(n))
	for c := range t.width {
		for r := range n {
			dst = appendCell(dst, t.rows[r*t.width+c])
		}
	}
	return dst
}

// cells are values as appendCell writes them.
type cells []byte

var errCell = errors.New("it ends within a value")

func (c *cells) next() (any, error) {
	const head = 1 + 8 // of what has a number
	b := *c
	if len(b) > 0 && b[0] == 'n' {
		*c = b[1:]
		return nil, nil
	}
	if len(b) < head {
		return nil, errCell
	}
	n := binary.LittleEndian.Uint64(b[1:])
	switch b = b[head:]; {
	case (*c)[0] == 'i':
		*c = b
		return int64(n), nil
	case (*c)[0] == 't' && n <= uint64(len(b)):
		*c = b[n:]
		return string(b[:n]), nil
	}
	return nil, errCell
}

// table reads the rows of one table of a run.
func (c *cells) table(run string) (*table, error) {
	var head [3]any // name, columns, rows
	for i := range head {
		var err error
		if head[i], err = c.next(); err != nil {
			return nil, err
		}
	}
	name, _ := head[0].(string)
	columns, _ := head[1].(string)
	count, _ := head[2].(int64)
	all := noRows
	i := slices.IndexFunc(all.packed(), func(t *table) bool { return t.name == name && t.holds(columns) })
	if i < 0 || count < 1 {
		return nil, fmt.Errorf("it holds %d rows of %q (%s), which no run has", count, name, columns)
	}
	t := newTable(all.packed()[i].verb, name, columns)
	if count > int64(len(*c)/t.width) {
		return nil, errCell
	}
	n := int(count)
	t.rows = make([]any, n*t.width)
	ofRun := strings.HasPrefix(columns, "run,")
	for k := range t.rows {
		v, err := c.next()
		if err != nil {
			return nil, err
		}
		column, row := k/n, k%n
		if column == 0 && ofRun && v != run {
			return nil, fmt.Errorf("it holds rows of run %v", v)
		}
		t.rows[row*t.width+column] = v
	}
	return &t, nil
}

// holds reports whether the table has all of the columns.
func (k *kind) holds(columns string) bool {
	known := strings.Split(k.columns, ",")
	return !slices.ContainsFunc(strings.Split(columns, ","), func(c string) bool { return !slices.Contains(known, c) })
}

// insertChunks inserts the rows of a run's chunks into the tables that their names find
// on a connection, and tells how many bytes they were and in how many chunks. It fails
// with ErrChanged for a chunk that is none any more.
func insertChunks(q execer, run string) (bytes, chunks int64, err error) {
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxChunk))
	if err != nil {
		return 0, 0, err
	}
	defer unzip.Close()
	for ; ; chunks++ {
		var n sql.NullInt64
		var chunk []byte
		err := one(q, []any{&n, &chunk}, `SELECT min(n), chunk FROM packed WHERE run = ? AND n >= ?`, run, chunks)
		if err != nil || !n.Valid {
			return bytes, chunks, err
		}
		raw, err := unzip.DecodeAll(chunk, nil)
		if n.Int64 != chunks {
			err = errors.New("it is not on record")
		}
		if err == nil {
			err = insertChunk(q, run, raw)
		}
		if err != nil {
			return 0, 0, damagedChunk(run, chunks, err)
		}
		bytes += int64(len(raw))
	}
}

// damagedChunk says which chunk holds what none can; what SQLite says of its file stays.
func damagedChunk(run string, n int64, cause error) error {
	e := &Error{Doing: fmt.Sprintf("unpack chunk %d of run %s", n, run[:min(8, len(run))]), Kind: kindOf(cause), Cause: cause}
	if e.Kind == nil {
		e.Kind = ErrChanged
		e.Doing += " (" + cause.Error() + ")"
	}
	return e
}

func insertChunk(q execer, run string, raw cells) error {
	for len(raw) > 0 {
		t, err := raw.table(run)
		if err == nil {
			err = t.flush(q)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// one reads the one row that a query gives.
func one(q querier, into []any, text string, args ...any) error {
	rows, err := q.QueryContext(context.Background(), text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return cmp.Or(rows.Err(), sql.ErrNoRows)
	}
	if err := rows.Scan(into...); err != nil {
		return err
	}
	return rows.Err()
}
