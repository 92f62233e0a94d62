package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/workspace"
)

// relay carries out runs in this process, from what would go over a network alone, in
// parts of three and the last part first.
type relay struct {
	t     *testing.T
	spoil func(*Outcome) // on the way
	ran   int
}

func (r *relay) Build() string { return "relay" }

func (r *relay) WentOn() bool { return false }

func (r *relay) Do(list *List, wanted [][2]int, _ *Interrupt) iter.Seq2[*Outcome, error] {
	sent, err := ParseList(list.Text())
	if err != nil {
		r.t.Fatal(err)
	}
	projects := map[string][]byte{}
	for hash, p := range list.Projects() {
		projects[hash] = PackFiles(p)
	}
	h := still(1)
	defer h.Close()
	c := h.Carry(sent, func(hash string) (*workspace.Snapshot, error) { return UnpackFiles(projects[hash], hash) })
	parts := map[int][]byte{}
	for _, w := range slices.Backward(wanted) {
		for from := w[1] - 1; from >= w[0]; from -= 3 {
			from := max(from-2, w[0])
			p := NewPart()
			for i := from; i < min(from+3, w[1]) && parts[i] == nil; i++ {
				o := c.Do(i, func() error { return nil })
				if r.spoil != nil {
					r.spoil(o)
				}
				p.Add(o)
				r.ran++
			}
			parts[from] = p.Bytes()
		}
	}
	return func(yield func(*Outcome, error) bool) {
		for _, from := range slices.Sorted(maps.Keys(parts)) {
			list, err := ReadPart(parts[from])
			if err != nil {
				r.t.Error(err)
			}
			for _, o := range list {
				if !yield(o, nil) {
					return
				}
			}
		}
	}
}

func TestElsewhere(t *testing.T) {
	t.Run("CLU-01 a sweep comes to the same cells and the same file", func(t *testing.T) {
		for name, seeds := range map[string]int{"hello": 60, "custom-agents": 3, "retry-storm": 8} { // order: each is a case of its own
			here, cells := swept(t, name, seeds, 1)
			h, path := still(1), filepath.Join(t.TempDir(), "x.db")
			h.Fleet = &relay{t: t}
			w := sweptInto(t, path, name, seeds, h)
			there, err := os.ReadFile(path)
			if err != nil || here != string(there) {
				t.Errorf("%s: files differ, %v", name, err)
			}
			if d := cmp.Diff(cells, fmt.Sprintf("%+v", w.Cells)); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	})
	t.Run("CLU-01 a bench keeps the same", func(t *testing.T) {
		kept := func(fleet Fleet) (out []string) {
			var files []*scenarios.File
			for _, name := range []string{"hello", "fork-vs-subagent", "abort-tree", "two-writers", "custom-agents"} {
				f, err := scenarios.Open(name)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, f)
			}
			h := still(1)
			defer h.Close()
			h.Fleet = fleet
			err := h.Bench(&Bench{Files: files, Seeds: 2, Fronts: func(string) bool { return true }}, func(m *Measured) error {
				text, err := json.Marshal([]any{m.Kept, m.Kept.Kept, m.Metrics, m.Result, m.Open()})
				out = append(out, string(text))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		if d := cmp.Diff(kept(nil), kept(&relay{t: t})); d != "" {
			t.Error(d)
		}
	})
	t.Run("CLU-01 a population comes to the same digest and totals", func(t *testing.T) {
		sums := func(fleet Fleet, sets ...string) (*Population, string) {
			p, h := opened(t, strings.Replace(crowd, "LATENCY", recorded, 1), sets...), still(1)
			defer h.Close()
			h.Fleet = fleet
			if err := h.Population(p, true, func(int) string { return "" }); err != nil {
				t.Fatal(err)
			}
			return p, fmt.Sprintf("%s %d %d %d %d\n%+v\n%+v\n%d %q %d, first %d", p.Digest(), p.Sessions, p.Laws, p.Audited, p.Checks, p.Totals, p.Cost.Sum.String(), p.Open, p.Why, p.Short, p.Look)
		}
		for _, sets := range [][]string{nil, {"lab.limits={turns: 2}"}, {"provider.rate_limits={requests: {most: 8, refill: 1s}}", "population.limits=split"}} {
			r := &relay{t: t}
			p, here := sums(nil, sets...)
			_, there := sums(r, sets...)
			if d := cmp.Diff(here, there); d != "" || r.ran != 6 || (p.Short > 0) != (sets != nil) {
				t.Errorf("%s: %d shards, %d with agents cut short\n%s", sets, r.ran, p.Short, d)
			}
		}
	})
	t.Run("CLU-02 what the database has is not asked for again", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.db")
		for i, want := range []int{20, 1} { // the first seed says whether others differ
			h, r := still(1), &relay{t: t}
			h.Fleet = r
			sweptInto(t, path, "hello", 20, h)
			if r.ran != want {
				t.Errorf("time %d: %d runs", i, r.ran)
			}
		}
	})
	t.Run("CLU-02 a run that came from another scenario is refused", func(t *testing.T) {
		err := refusedSweep(t, func(o *Outcome) { o.Result.RunID = "0123456789abcdef" })
		if err == nil || !strings.Contains(err.Error(), "was carried out as run 0123456789abcdef") {
			t.Error(err)
		}
	})
	t.Run("CLU-03 a run that no worker could end is named with its seed", func(t *testing.T) {
		err := refusedSweep(t, func(o *Outcome) { *o = Outcome{Run: o.Run, Failure: lost(errors.New("worker a died three times"))} })
		if err == nil || err.Error() != "hello with seed 42: worker a died three times" {
			t.Error(err)
		}
	})
	t.Run("CLU-02 rows that were damaged on the way are refused", func(t *testing.T) {
		err := refusedSweep(t, func(o *Outcome) { o.Carried.Agents = o.Carried.Agents[:len(o.Carried.Agents)-3] })
		if err == nil || !strings.Contains(err.Error(), "rows of its agents: it ends within a value") {
			t.Error(err)
		}
	})
	t.Run("CLU-05 a scenario or project that is not what its hash says is refused", func(t *testing.T) {
		p, err := workspace.NewSnapshot(map[string]string{"a.txt": "a\n"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := UnpackFiles(PackFiles(p), strings.Repeat("0", 64)); err == nil || !strings.Contains(err.Error(), "hash") {
			t.Error(err)
		}
		o := carried(t, "hello", func(s *Sent) { s.Hash = "0" }, func() error { return nil })
		if o.Failure == nil || !o.Failure.Lost || !strings.Contains(o.Failure.Text, "and not 0") {
			t.Errorf("%+v", o.Failure)
		}
	})
	t.Run("CLU-03 a run that takes longer than its carrier waits is lost", func(t *testing.T) {
		o := carried(t, "endless", nil, func() error { return errors.New("too slow") })
		if o.Failure == nil || !o.Failure.Lost || o.Failure.Text != "too slow" {
			t.Errorf("%+v", o.Failure)
		}
	})
	t.Run("CLU-01 errors of runs arrive as what they are", func(t *testing.T) {
		j := &Job{Repeat: "agentsim run x"}
		for _, err := range []error{
			&sim.ScenarioError{Path: "work[2]", Err: errors.New("no such file")},
			&sim.LawError{Lineage: "main", Call: 3, Law: errors.New("more read than written")},
			&sim.BugError{Seed: 7, Cause: "x", Repeat: "agentsim run x"}, errors.New("plain"),
		} {
			got := failure(err).err(j)
			if got.Error() != err.Error() || ui.Classify(got) != ui.Classify(err) {
				t.Errorf("%v (%d) arrived as %v (%d)", err, ui.Classify(err), got, ui.Classify(got))
			}
			if part := (*sim.ScenarioError)(nil); errors.As(err, &part) != errors.As(got, &part) {
				t.Errorf("%v arrived as %T", err, got)
			}
		}
		if failure(nil).err(j) != nil {
			t.Error("no error arrived as one")
		}
	})
}

// refusedSweep is the error of a sweep of which outcomes were changed on the way.
func refusedSweep(t *testing.T, spoil func(*Outcome)) error {
	t.Helper()
	file, h := hello(t), still(1)
	defer h.Close()
	db, err := sqlite.Create(filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	store, err := NewStore(db, h.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	w, err := NewSweep(&Maker{File: file}, file.VariantNames(), 2)
	if err != nil {
		t.Fatal(err)
	}
	h.Fleet, h.Recorder = &relay{t: t, spoil: spoil}, store
	return h.Sweep(w)
}

// carried is what a carrier makes of the first run of a scenario.
func carried(t *testing.T, name string, spoil func(*Sent), beat func() error) *Outcome {
	t.Helper()
	file, err := scenarios.Parse("x.yaml", []byte(endless))
	if name == "hello" {
		file, err = hello(t), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	specs, err := (&Maker{File: file}).Specs([]string{""})
	if err != nil {
		t.Fatal(err)
	}
	l, h := &List{}, still(1)
	defer h.Close()
	l.add(Origin{Base: &Base{Spec: specs[0], Own: true}, At: specs[0].Seed()}, map[*Base]int{})
	if spoil != nil {
		spoil(&l.Specs[0])
	}
	return h.Carry(l, nil).Do(0, beat)
}
