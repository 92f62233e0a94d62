// Package recordingtest finds the recorded data that tests compare with: real
// sessions, traces and figures that nobody on this project made and that are no
// part of it.
//
// Rules:
//   - AGENTSIM_DATA names their directory; without it, ../shared/data beside the
//     module is tried.
//   - A test without its data is skipped, unless AGENTSIM_DATA is set: then it fails.
//   - A test that asks bears the attribute Attr, so that a list of tests can say
//     which prove nothing where the data is missing.
package recordingtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Attr is the attribute of a test that needs recorded data.
const Attr = "recordings"

// Path is the absolute path of a file or directory of the data, such as
// Path(t, "golden", "golden.json").
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	path, err := Find(t, elem...)
	switch {
	case err != nil && os.Getenv("AGENTSIM_DATA") != "":
		t.Fatalf("AGENTSIM_DATA is set, but does not hold the recorded data: %v", err)
	case err != nil:
		t.Skipf("needs recorded data: set AGENTSIM_DATA (%v)", err)
	}
	return path
}

// Read is the content of a file of the data.
func Read(t testing.TB, elem ...string) []byte {
	t.Helper()
	src, err := os.ReadFile(Path(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// Find is Path for a test that can do without: it returns an error where the data
// is not.
func Find(t testing.TB, elem ...string) (string, error) {
	t.Helper()
	t.Attr(Attr, filepath.ToSlash(filepath.Join(elem...)))
	dir := os.Getenv("AGENTSIM_DATA")
	if dir == "" {
		dir = filepath.Join(moduleRoot(t), "..", "shared", "data")
	}
	path, err := filepath.Abs(filepath.Join(append([]string{dir}, elem...)...))
	if err == nil {
		_, err = os.Stat(path)
	}
	return path, err
}

// start is the directory of the package under test, before a test changes it.
var start, _ = os.Getwd()

// moduleRoot is the directory of go.mod above the package under test.
func moduleRoot(t testing.TB) string {
	t.Helper()
	for dir := start; ; {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the package")
		}
		dir = up
	}
}
