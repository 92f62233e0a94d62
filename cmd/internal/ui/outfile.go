package ui

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentsim/cmd/internal/hostdir"
	"agentsim/metrics/report"
)

// WriteFile writes a file that a flag names. A file that is there is replaced as
// a whole once everything is written, or stays as it was.
func WriteFile(flag, name string, write func(io.Writer) error) error {
	if err := Replace(name, write); err != nil {
		return Unusable(flag, name, err)
	}
	return nil
}

// WritePrivate does so with a file that nobody but its user can read.
func WritePrivate(flag, name string, write func(io.Writer) error) error {
	f, err := NewOutFile(name)
	if err != nil {
		return Unusable(flag, name, err)
	}
	if f.to != "" {
		f.mode = 0o600
		err = f.Chmod(f.mode)
	}
	if err := errors.Join(err, f.fill(write)); err != nil {
		return Unusable(flag, name, err)
	}
	return nil
}

// WriteReport writes a report for another program into the file that a flag names, if
// it does. Text that comes from outside is made plain.
func WriteReport(flag, name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	return WriteFile(flag, name, func(w io.Writer) error { return write(report.NewPrinter(w, report.Style{})) })
}

// Replace writes a whole file, or leaves what is there.
func Replace(name string, write func(io.Writer) error) error {
	f, err := NewOutFile(name)
	if err != nil {
		return err
	}
	return f.fill(write)
}

// fill writes all of the file, or abandons it.
func (f *OutFile) fill(write func(io.Writer) error) error {
	defer f.Abandon()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// OutFile is a file on its way: what is written lies beside it until commit puts
// it into its place. What is no plain file, such as a pipe, is written directly;
// a link stays a link, and one out of its directory is refused.
type OutFile struct {
	*os.File
	to   string      // "" where it is written directly
	mode fs.FileMode // of the file that it replaces; 0 for none
}

// NewOutFile begins to write a file.
func NewOutFile(name string) (*OutFile, error) {
	if err := hostdir.Linked(name); err != nil {
		return nil, err
	}
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to
	}
	var mode fs.FileMode
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &OutFile{File: f}, err
	case err == nil:
		mode = info.Mode().Perm()
	}
	f, err := createBeside(name)
	return &OutFile{f, name, mode}, err
}

// createBeside makes a file in the same directory, as the umask wants it.
func createBeside(name string) (f *os.File, err error) {
	for i := range 100 {
		beside := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%d-%d", filepath.Base(name), os.Getpid(), i))
		f, err = os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
}

// Commit brings all of the file to its disk and puts it into its place.
func (f *OutFile) Commit() error {
	if f.to == "" {
		return f.Close()
	}
	err := f.Sync()
	if f.mode != 0 {
		err = errors.Join(err, f.Chmod(f.mode))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), f.to)
}

// Abandon forgets what was written; after a commit it does nothing.
func (f *OutFile) Abandon() {
	f.Close()
	if f.to != "" {
		os.Remove(f.Name())
	}
}

// CheckPlot refuses the name of a plot that does not say what kind of picture it
// is.
func CheckPlot(name string) error {
	if name != "" && !strings.HasSuffix(name, ".svg") && !strings.HasSuffix(name, ".png") {
		return Failf(Usage, "--plot %s: a picture has a name that ends in .svg or .png", name)
	}
	return nil
}

// WritePlot draws into the file that --plot names, if it does.
func WritePlot(name string, chart interface {
	SVG(io.Writer) error
	PNG(io.Writer) error
}) error {
	switch {
	case name == "":
		return nil
	case strings.HasSuffix(name, ".png"):
		return WriteFile("--plot", name, chart.PNG)
	}
	return WriteFile("--plot", name, chart.SVG)
}
