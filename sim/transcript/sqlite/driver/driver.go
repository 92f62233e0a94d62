//go:build cgo

package driver

import (
	"errors"
	"io/fs"

	"agentsim/sim/transcript/sqlite"

	"github.com/mattn/go-sqlite3"
)

func init() { sqlite.Use(kindOf) }

// kindOf is what can be told of a driver's error.
func kindOf(err error) error {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code {
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrAuth:
		return sqlite.ErrReadOnly
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return sqlite.ErrLocked
	case sqlite3.ErrNotADB:
		return sqlite.ErrNotDatabase
	case sqlite3.ErrFull:
		return sqlite.ErrFull
	case sqlite3.ErrCorrupt:
		return sqlite.ErrDamaged
	case sqlite3.ErrCantOpen:
		return kindOfOpen(e)
	}
	return nil
}

// kindOfOpen goes by what the system said last. SQLite tries to make a missing
// file and then to read it, so a directory that cannot be written looks to it
// like one that does not exist; who may look at the machine can tell.
func kindOfOpen(e sqlite3.Error) error {
	switch {
	case errors.Is(e.SystemErrno, fs.ErrNotExist):
		return sqlite.ErrNoDirectory
	case errors.Is(e.SystemErrno, fs.ErrPermission):
		return sqlite.ErrDenied
	}
	return nil
}
