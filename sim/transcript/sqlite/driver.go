//go:build cgo

package sqlite

import (
	"errors"
	"io/fs"

	"github.com/mattn/go-sqlite3"
)

// noDriver is why no database can be opened.
var noDriver error

// kindOf is what can be told of a driver's error.
func kindOf(err error) error {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code {
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrAuth:
		return ErrReadOnly
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return ErrLocked
	case sqlite3.ErrNotADB:
		return ErrNotDatabase
	case sqlite3.ErrFull:
		return ErrFull
	case sqlite3.ErrCorrupt:
		return ErrDamaged
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
		return ErrNoDirectory
	case errors.Is(e.SystemErrno, fs.ErrPermission):
		return ErrDenied
	}
	return nil
}
