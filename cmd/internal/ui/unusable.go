package ui

import (
	"errors"
	"io/fs"
)

// Unusable is the error of a file that a flag names: the file as given, and what
// to do.
func Unusable(flag, name string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	what := "name another file"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		what = "make its directory first, or name another file"
	case errors.Is(err, fs.ErrPermission):
		what = "change the permissions of the file or its directory, or name another file"
	}
	return Failf(Operating, "%s %s: %w: %s", flag, name, err, what)
}
