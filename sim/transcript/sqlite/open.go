package sqlite

import (
	"cmp"
	"database/sql"
	"errors"
	"strconv"

	"github.com/klauspost/compress/zstd"
)

// BusyMillis is how long, in milliseconds of wall time, a batch waits for
// another process's transaction before the database counts as locked. Whoever
// waits looks ten times a second whether it is free, and writers leave it free
// between their batches, so of many each gets its turn.
const BusyMillis = 60_000

// DB is a database of runs. Runs of several variants may be recorded at a time,
// from several goroutines, each with its own Writer.
type DB struct {
	path     string
	sql      *sql.DB
	unpacked *sql.DB // a connection of its own to the same file, for packed runs
	hold     int64   // bytes of runs that were read stay unpacked in memory when another one is

	zip *zstd.Encoder // of packed runs; nil until there is one
	raw []byte        // of the batch that is packed
}

// Create opens the database at path for recording and makes it if there is none.
// It fails with an *Error of kind ErrReadOnly, ErrLocked, ErrNotDatabase,
// ErrForeign, ErrNewerSchema, ErrDenied or ErrNoDirectory; the file is then as it
// was. ErrNoDirectory may also mean that the directory cannot be written.
func Create(path string) (*DB, error) { return CreateWithin(path, BusyMillis) }

// CreateWithin is Create with a patience of its own, in milliseconds.
func CreateWithin(path string, busy int) (*DB, error) { return create(path, "rwc", busy) }

func create(path, mode string, busy int) (*DB, error) {
	db, err := open(path, mode, busy)
	if err != nil {
		return nil, err
	}
	if err := migrate(db.sql, path); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// Open opens an existing database for reading. It fails like Create, and with
// ErrNoFile when there is none.
func Open(path string) (*DB, error) {
	// Not mode=ro: what a killed process began must be rolled back, which writes.
	db, err := open(path, "rw&_query_only=true", BusyMillis)
	if err != nil {
		return nil, err
	}
	v, err := version(db.sql, path)
	switch {
	case errors.Is(err, ErrNoDirectory):
		err = &Error{Path: path, Doing: "open it", Kind: ErrNoFile}
	case err == nil && v < len(migrations):
		err = db.upgrade()
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// upgrade brings an older file's schema up to date: what reads it relies on it.
func (db *DB) upgrade() error {
	rw, err := Create(db.path)
	if err != nil {
		return err
	}
	return rw.Close()
}

func open(path, mode string, busy int) (*DB, error) {
	if kindOf == nil {
		return nil, &Error{Path: path, Doing: "open it", Kind: ErrNoDriver}
	}
	params := "_sync=NORMAL&_cache_size=-32768&_stmt_cache_size=64&_busy_timeout=" + strconv.Itoa(busy)
	db, err := sql.Open("sqlite3", dsn(path, params+"&_txlock=immediate&mode="+mode))
	if err != nil {
		return nil, fail(path, "open it", err)
	}
	unpacked, err := sql.Open("sqlite3", dsn(path, params+"&mode=rw")) // not query_only: it has tables of its own
	if err != nil {
		return nil, fail(path, "open it", err)
	}
	// One connection: the writers of several variants take turns, batch by batch.
	db.SetMaxOpenConns(1)
	unpacked.SetMaxOpenConns(1)
	return &DB{path: path, sql: db, unpacked: unpacked, hold: maxUnpacked}, nil
}

// Path is the file's path as it was given.
func (db *DB) Path() string { return db.path }

// Close closes the database. Runs that were not finished stay marked running.
func (db *DB) Close() error {
	return fail(db.path, "close it", cmp.Or(db.unpacked.Close(), db.sql.Close()))
}
