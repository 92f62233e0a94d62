package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentsim/scenarios"
)

// loadScenario reads a scenario by path or by its name in the library. A name
// is a library's unless it looks like a path.
func loadScenario(name string, opts ...scenarios.Option) (*scenarios.File, error) {
	if !looksLikePath(name) {
		f, err := scenarios.Open(name, opts...)
		var located *scenarios.Errors
		if err != nil && !errors.As(err, &located) {
			return nil, failf(Usage, "%w\na scenario is a name of the library (agentsim scenario list) or the path of a YAML file", err)
		}
		return f, err
	}
	src, err := readLimited(name)
	if err != nil {
		return nil, err
	}
	return scenarios.Parse(name, src, append([]scenarios.Option{scenarios.Beside(readBeside(filepath.Dir(name)))}, opts...)...)
}

// readBeside reads files of a directory and below it: regular ones, and none that a
// link leads out of it. A scenario's own limit tells what is too large.
func readBeside(dir string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, plainly(err)
		}
		defer root.Close()
		info, err := root.Stat(filepath.FromSlash(name))
		switch {
		case err != nil:
			return nil, plainly(err)
		case !info.Mode().IsRegular():
			return nil, errors.New("not a regular file")
		}
		f, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return nil, plainly(err)
		}
		defer f.Close()
		src, err := io.ReadAll(io.LimitReader(f, scenarios.MaxBesideBytes+1))
		return src, plainly(err)
	}
}

// plainly is the reason of an error about a file without the file's name.
func plainly(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func looksLikePath(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// maxScenarioBytes bounds a scenario file.
const maxScenarioBytes = 16 << 20

// readLimited reads a whole file, but no monster.
func readLimited(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failf(Operating, "%s: there is no such file; agentsim scenario list names those of the library", name)
	case err != nil:
		return nil, failf(Operating, "%s: cannot read the scenario: %w", name, err)
	case !info.Mode().IsRegular():
		return nil, failf(Operating, "%s: not a regular file; a scenario is a YAML file", name)
	case info.Size() > maxScenarioBytes:
		return nil, failf(Usage, "%s: %d bytes, a scenario has at most %d", name, info.Size(), maxScenarioBytes)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, failf(Operating, "%s: cannot read the scenario: %w", name, err)
	}
	return src, nil
}
