package sqlite

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// What can be wrong with a database, to be told apart with errors.Is.
var (
	ErrReadOnly    = errors.New("the database is read-only")
	ErrLocked      = errors.New("the database stayed locked")
	ErrNotDatabase = errors.New("the file is not a SQLite database")
	ErrForeign     = errors.New("the file is a SQLite database of another program")
	ErrNewerSchema = errors.New("the database was written by a newer version")
	ErrNoFile      = errors.New("there is no such database")
	ErrDenied      = errors.New("permission is missing for the file or its directory")
	ErrNoDirectory = errors.New("the directory does not exist")
	ErrFull        = errors.New("the disk is full")
	ErrDamaged     = errors.New("the database is damaged")
	ErrChanged     = errors.New("its record was changed after it was written")
	ErrRecording   = errors.New("it is being recorded, or its process was killed")
	ErrNoDriver    = errors.New("this program was built without cgo, which SQLite needs")
	ErrNoRun       = errors.New("no such run")
	ErrAmbiguous   = errors.New("more than one run begins so")
	ErrNoCall      = errors.New("no such call")
	ErrNoAgent     = errors.New("no such agent")
)

var hints = map[error]string{
	ErrReadOnly:    "make it writable, or record into another file",
	ErrLocked:      "another agentsim writes to it, a sqlite3 shell holds a transaction or a copy is under way: try again when that is over, or name another file",
	ErrNotDatabase: "give another file; this one was not touched",
	ErrForeign:     "give another file; this one was not touched",
	ErrNewerSchema: "use that version, or record into another file",
	ErrNoFile:      "record a run first, or give the file's path",
	ErrDenied:      "make the file readable and its directory writable, or give another path",
	ErrNoDirectory: "make the directory, or give another path",
	ErrFull:        "free some space; every batch recorded so far is whole",
	ErrDamaged:     "restore it from a copy, or record into another file",
	ErrRecording:   "try again when it has ended, or, to remove it, name it too",
	ErrNoDriver:    "build it with CGO_ENABLED=1 and a C compiler; run --record none, bench, check, estimate and crossover of sessions need no record",
	ErrChanged:     "agentsim lab db check --db FILE says what differs; a simulated run can be run again into another file",
}

// Error is an operating error of a database: which file, while doing what, which
// of the errors above, and what to do.
type Error struct {
	Path  string
	Doing string
	Kind  error // one of the errors above, nil for any other
	Cause error // SQLite's own error, if there is one
}

// Error says it in one line.
func (e *Error) Error() string {
	what := e.Cause
	if e.Kind != nil {
		what = e.Kind
	}
	s := fmt.Sprintf("%s: cannot %s: %v", e.Path, e.Doing, what)
	if h := hints[e.Kind]; h != "" {
		s += "; " + strings.Replace(h, "FILE", e.Path, 1)
	}
	return s
}

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Cause} }

// DigestError is a run that was executed twice with different digests: runs are
// functions of their spec, so it is a bug of the program.
type DigestError struct {
	Run         string
	First, Now  string // digests
	Execution   int    // the number of the one that differs
	FirstNumber int    // the number of the one it differs from
}

// Error names both executions.
func (e *DigestError) Error() string {
	return fmt.Sprintf("run %s: execution %d has digest %s, execution %d had %s; equal runs must be equal, so this is a bug",
		e.Run, e.Execution, e.Now, e.FirstNumber, e.First)
}

// kindOf is what can be told of a driver's error, nil in a program without a driver.
var kindOf func(error) error

// Use has errors of a driver told apart: package driver calls it.
func Use(kind func(error) error) { kindOf = kind }

// fail wraps a driver's error; nil stays nil.
func fail(path, doing string, err error) error {
	if err == nil {
		return nil
	}
	e := (*Error)(nil)
	if errors.As(err, &e) {
		if e.Path == "" {
			e.Path = path
		}
		return err
	}
	e = &Error{Path: path, Doing: doing, Cause: err}
	if m := misread.FindStringSubmatch(err.Error()); m != nil {
		e.Kind, e.Doing = ErrDamaged, doing+" ("+m[1]+" is "+m[2]+", which it cannot be)"
	} else if kindOf != nil {
		e.Kind = kindOf(err)
	}
	return e
}

// misread is the error of package sql about a cell whose value its column cannot have.
var misread = regexp.MustCompile(`sql: Scan error on column index \d+, name "([^"]*)": converting (?:driver\.Value type \w+ \()?(.*?)\)? to `)

// dsn is the driver's name for a file; the path may hold any character.
func dsn(path string, params string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) + "?" + params
}
