package reprice_test

import (
	"path/filepath"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/reprice"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
	_ "agentsim/sim/transcript/sqlite/driver"
)

func TestConformance(t *testing.T) {
	t.Run("REC-05 a full record of any run of the library, asked again by its own settings, gives each call's recorded usage, miss, price and instant", zeroOverride)
}

// record runs a spec into a database.
func record(t testing.TB, db *sqlite.DB, spec *sim.Spec) (id string, res *sim.Result) {
	t.Helper()
	run := sqlite.Run{ID: spec.RunID(), Name: spec.Scenario.Name, Variant: spec.Variant, Seed: spec.Seed(), Policy: spec.Policy,
		Semantics: sim.Semantics, Spec: spec.Text()}
	for _, p := range spec.Project.Paths() {
		content, _ := spec.Project.Content(p)
		run.Files = append(run.Files, sqlite.File{Path: p, Content: content})
	}
	w, err := db.Begin(run, "2026-11-21T00:00:00Z", sqlite.Options{Cost: func(model string, u llm.Usage) (int64, int64) {
		p, err := spec.Scenario.Provider.Priced(model)
		if err != nil {
			t.Fatal(err)
		}
		return int64(p.Cost(u)), int64(p.CostUncached(u))
	}})
	if err != nil {
		t.Fatal(err)
	}
	res, err = sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{w}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(sqlite.End{Status: sqlite.Status(res.Outcome), Detail: res.Detail, Digest: res.Digest, FinishedAt: "2026-11-21T00:00:01Z"}); err != nil {
		t.Fatal(err)
	}
	return run.ID, res
}

func database(t testing.TB) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Create(filepath.Join(t.TempDir(), "runs.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// specs are the runs of a library scenario with settings over them.
func specs(t testing.TB, entry string, sets ...string) []*sim.Spec {
	t.Helper()
	f, err := scenarios.Open(entry)
	if err != nil {
		t.Fatal(err)
	}
	var out []*sim.Spec
	for _, variant := range f.VariantNames() {
		sc, err := f.Effective(variant, sets)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := sim.NewSpec(sc, variant)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, spec)
	}
	return out
}

func zeroOverride(t *testing.T) {
	for i, entry := range scenarios.Names() {
		if testing.Short() && i%10 > 0 {
			continue
		}
		t.Run(entry, func(t *testing.T) {
			t.Parallel()
			db := database(t)
			for _, spec := range specs(t, entry) {
				reproduced(t, db, spec)
			}
		})
	}
	for name, text := range cases { // order: each is a test by itself
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reproduced(t, database(t), specOf(t, text))
		})
	}
}

// reproduced records a run and asks the cache again by its own settings.
func reproduced(t *testing.T, db *sqlite.DB, spec *sim.Spec) {
	t.Helper()
	id, _ := record(t, db, spec)
	r, err := reprice.Load(db, id)
	if err != nil {
		t.Errorf("%s/%s: %v", spec.Scenario.Name, spec.Variant, err)
		return
	}
	own, _, err := r.Play(nil, nil)
	if err != nil || len(own.Calls) == 0 {
		t.Errorf("%s/%s: %v", spec.Scenario.Name, spec.Variant, err)
	}
}
