package bench

import (
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/baseline"
	"agentsim/sim"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUpdate(t *testing.T) {
	t.Run("CLI-05 a baseline is not written while an invariant is broken", brokenBaseline)
}

func brokenBaseline(t *testing.T) {
	name := filepath.Join(t.TempDir(), "b.txt")
	var out strings.Builder
	s := &ui.Env{Stdout: &out, Stderr: &out}
	b := &bench{o: &options{baseline: name, seeds: 1}, set: &selection{}, now: &baseline.File{Semantics: sim.Semantics},
		report: &baseline.Report{}, broken: errors.New("ISO-01 is broken")}
	err := updateBaseline(s, b)
	var f *ui.Failure
	if !errors.As(err, &f) || f.Code != ui.Broken || !strings.Contains(err.Error(), "stays as it was") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the baseline was written: %v", err)
	}
}
