package rundb

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/pflag"
)

// UsualName is the database's name where nobody names another.
const UsualName = "agentsim.db"

// Variable names the environment variable that names the database for all commands.
const Variable = "AGENTSIM_DB"

// Flag adds the flag that names the database.
func Flag(s *ui.Env, f *pflag.FlagSet, to *string, usage string) {
	f.StringVar(to, "db", database(s), usage+"; "+Variable+" sets another")
}

// At is the flag that names a database other than the usual one.
func At(s *ui.Env, db string) string {
	if db == database(s) {
		return ""
	}
	return " --db " + ui.Quote(db)
}

// database is where runs are recorded unless --db says otherwise: where the
// environment says; in a git repository the user's state directory, so that nobody
// commits it, else the current directory. A file that is there already is used.
func database(s *ui.Env) string {
	if name := named(s); name != "" {
		return name
	}
	_, err := os.Lstat(UsualName)
	state := stateDir(s)
	if err == nil || state == "" || !inRepository() {
		return UsualName
	}
	return filepath.Join(state, "agentsim", UsualName)
}

// named is the database that the environment names, "" where it names none.
func named(s *ui.Env) string {
	if s.Getenv == nil {
		return ""
	}
	return s.Getenv(Variable)
}

// stateDir is where programs of this user keep what they remember; "" where
// nothing says so.
func stateDir(s *ui.Env) string {
	if s.Getenv == nil {
		return ""
	}
	if dir := s.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if home := s.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state")
	}
	return ""
}

// inRepository reports whether the current directory is in a git repository.
func inRepository() bool {
	dir, err := os.Getwd()
	for err == nil {
		if _, there := os.Lstat(filepath.Join(dir, ".git")); there == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
	return false
}

// Create opens the database for recording. One that it makes only its user can
// read.
func Create(s *ui.Env, path string) (*sqlite.DB, error) {
	if path == database(s) && path != UsualName && path != named(s) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, ui.Failf(ui.Operating, "%s: cannot make the directory of the database: %w; name another file with --db", path, hostdir.Plain(err))
		}
	}
	if err := regular(path); err != nil {
		return nil, err
	}
	if err := hostdir.Linked(path); err != nil {
		return nil, ui.Failf(ui.Operating, "%s: %w; name that file with --db", path, err)
	}
	f, made := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if made == nil {
		f.Close()
	} // else it is there, or opening it says why it is not
	db, err := sqlite.CreateWithin(path, cmp.Or(s.Patience, sqlite.BusyMillis))
	if db, err = whole(db, path, err); err == nil {
		return db, nil
	}
	if made == nil {
		os.Remove(path)
	}
	return nil, denied(path, err)
}

// Open opens a database for reading.
func Open(path string) (*sqlite.DB, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	db, err := sqlite.Open(path)
	return whole(db, path, err)
}

// regular refuses what cannot hold a database; a file that is not there is another
// matter.
func regular(path string) error {
	switch info, err := os.Stat(path); {
	case err != nil || info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return ui.Failf(ui.Operating, "%s: it is a directory, not a database: name a file in it, such as --db %s", path, ui.Quote(filepath.Join(path, UsualName)))
	}
	return ui.Failf(ui.Operating, "%s: it is a pipe or a device, not a database: name a regular file with --db", path)
}

// whole sees that a database that was opened has its end.
func whole(db *sqlite.DB, path string, err error) (*sqlite.DB, error) {
	if err != nil {
		return nil, err
	}
	err = db.CheckLength(func() (int64, error) {
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	})
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// denied tells a directory that cannot be written from one that does not exist:
// to SQLite both look the same.
func denied(path string, err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) || e.Kind != sqlite.ErrNoDirectory {
		return err
	}
	if info, stat := os.Stat(filepath.Dir(path)); stat == nil && info.IsDir() || errors.Is(stat, fs.ErrPermission) {
		return &sqlite.Error{Path: e.Path, Doing: e.Doing, Kind: sqlite.ErrDenied, Cause: e.Cause}
	}
	return err
}
