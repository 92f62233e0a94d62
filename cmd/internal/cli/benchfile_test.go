package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentsim/cmd/internal/ui"
)

func TestBenchFiles(t *testing.T) {
	t.Run("CLI-04 a baseline that cannot be written whole, as on a full disk, stays as it was", diskFull)
	t.Run("CLI-04 a file that is replaced keeps its permissions, and a link stays a link", keepsFile)
}

// only reports what lies in a directory beside the named files.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(names) {
		t.Errorf("%v, %v; want %v alone", entries, err, names)
	}
}

func diskFull(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "b.txt")
	if err := os.WriteFile(name, []byte("as it was\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left on device")
	err := ui.WriteFile("--baseline", name, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			return err
		}
		return full
	})
	if !errors.Is(err, full) || !strings.HasPrefix(err.Error(), "--baseline "+name+": ") {
		t.Errorf("error %v", err)
	}
	if text, err := os.ReadFile(name); string(text) != "as it was\n" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	only(t, dir, "b.txt")
}

func keepsFile(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "b.txt"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(name, []byte("old"), 0o640), os.Chmod(name, 0o640), os.Symlink("b.txt", link)); err != nil {
		t.Fatal(err)
	}
	err := ui.WriteFile("--baseline", link, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	})
	text, _ := os.ReadFile(name)
	info, statErr := os.Stat(name)
	to, linkErr := os.Readlink(link)
	if err := errors.Join(err, statErr, linkErr); err != nil {
		t.Fatal(err)
	}
	if string(text) != "new" || info.Mode().Perm() != 0o640 || to != "b.txt" {
		t.Errorf("%q, %v, link to %s", text, info.Mode(), to)
	}
	only(t, dir, "b.txt", "link")
}
