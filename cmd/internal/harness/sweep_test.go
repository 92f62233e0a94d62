package harness

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/grid"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/audit"
)

func TestSweep(t *testing.T) {
	t.Run("CLI-06 CLI-02 a run that breaks an invariant ends the sweep", func(t *testing.T) {
		w := &Sweep{Grid: grid.New("g", nil, []string{"v"}, 1)}
		r := &Run{ID: "x", Spec: &sim.Spec{Variant: "v", Scenario: &scenarios.Scenario{Seed: 1}},
			Result: &sim.Result{Outcome: sim.Completed, Audit: &audit.Report{Broken: 1, Violations: []audit.Violation{{Check: "X"}}}}}
		err := w.take(0, 0, r)
		var failure *ui.Failure
		if !errors.As(err, &failure) || failure.Code != ui.Broken || !strings.Contains(err.Error(), "an invariant is broken") {
			t.Error(err)
		}
	})
	t.Run("SPD-06 cells that differ in nothing that is read run once where nothing is recorded", func(t *testing.T) {
		alike, ran := sweptAlike(t, false)
		if each, all := sweptAlike(t, true); ran != 8 || all != 12 || !reflect.DeepEqual(alike, each) {
			t.Errorf("%d and %d runs came to\n%+v\n%+v", ran, all, alike, each)
		}
	})
}

// sweptAlike sweeps a way that only one of three variants reads, and says how many runs
// that took, where each cell has its own or not.
func sweptAlike(t *testing.T, each bool) (cells []grid.Cell, ran int) {
	t.Helper()
	file, err := scenarios.Parse("x.yaml", []byte(`agentsim: 1
name: x
provider: {model: claude-sonnet-5-5}
project: {files: {a.txt: "hello\n", b.txt: "world\n"}, facts: [{name: f, file: a.txt, line: 1}]}
script: {main: {user: hello}}
work: [{id: a, kind: research, reads: [a.txt]}, {id: b, kind: research, reads: [b.txt], knows: [f]}]
lab: {interactive: true}
compare: [inline, subagent, fork]
sweep: {model.prompting: [full, lazy]}
`))
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewSweep(&Maker{File: file}, file.VariantNames(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if w.Plain, err = w.Maker.Specs(file.VariantNames()); err != nil {
		t.Fatal(err)
	}
	if each {
		for i := range w.as {
			w.as[i] = i
		}
	}
	h := New(&ui.Env{Now: time.Now}, "sweeping", 1)
	defer h.Close()
	h.Repeat = func(*sim.Spec) string { ran++; return "" }
	h.Workers = 1
	if err := h.Sweep(w); err != nil {
		t.Fatal(err)
	}
	return w.Cells, ran
}
