package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a file that a flag names. A file that is there is replaced as
// a whole once everything is written, or stays as it was.
func writeFile(flag, name string, write func(io.Writer) error) error {
	if err := replaceFile(name, write); err != nil {
		return unusable(flag, name, err)
	}
	return nil
}

// replaceFile writes beside the file and renames. What is no plain file, such as
// a pipe, is written directly; a link stays a link.
func replaceFile(name string, write func(io.Writer) error) error {
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to
	}
	mode := fs.FileMode(0o644)
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return writeInto(name, write)
	case err == nil:
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := fill(f, write); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), mode); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// writeInto writes to what cannot be replaced.
func writeInto(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = write(f)
	return errors.Join(err, f.Close())
}

// fill writes all of a file to its disk and closes it.
func fill(f *os.File, write func(io.Writer) error) error {
	err := write(f)
	if err == nil {
		err = f.Sync()
	}
	if shut := f.Close(); err == nil {
		err = shut
	}
	return err
}

// unusable is the error of a file that a flag names: the file as given, and what
// to do.
func unusable(flag, name string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	what := "name another file"
	switch {
	case errors.Is(err, fs.ErrNotExist) && flag == "--thresholds":
		what = "write the file, or name another one"
	case errors.Is(err, fs.ErrNotExist):
		what = "make its directory first, or name another file"
	case errors.Is(err, fs.ErrPermission):
		what = "change the permissions of the file or its directory, or name another file"
	}
	return failf(Operating, "%s %s: %w: %s", flag, name, err, what)
}
