package loading

import (
	"fmt"
	"reflect"
	"slices"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim/recording"
	"agentsim/sim/transcript/sqlite"
)

// SameWork is the run, as a session, that did the work of another one by children of
// the other kind: by forks, or by fresh sub-agents, in the background rather than waited
// for. Of several it is the one executed last; without one x is nil. The work is the same
// where scenario, seed, policy, items, model, profile and files are.
func SameWork(db *sqlite.DB, info sqlite.RunInfo) (other sqlite.RunInfo, x *recording.Session, err error) {
	if info.Recorded() {
		return other, nil, nil
	}
	run, sc := shape(db, info)
	if sc == nil {
		return other, nil, nil
	}
	wanted := map[scenarios.Structure][]scenarios.Structure{
		scenarios.Fork:                 {scenarios.SubagentInBackground, scenarios.Subagent},
		scenarios.SubagentInBackground: {scenarios.Fork},
		scenarios.Subagent:             {scenarios.Fork},
	}[sc.Structure]
	runs, _, err := db.List(sqlite.Listing{Words: fmt.Sprintf("%s seed=%d", info.Name, info.Seed), Most: -1})
	if err != nil {
		return other, nil, err
	}
	for _, structure := range wanted {
		for _, r := range runs {
			if r.Name != info.Name || r.Seed != info.Seed || r.Policy != info.Policy || r.Semantics != info.Semantics || rundb.NeedsAll(r) != nil || !finished(db, r) {
				continue
			}
			files, o := shape(db, r)
			if o == nil || o.Structure != structure || !slices.Equal(files, run) || !reflect.DeepEqual([]any{o.Work, o.Model, o.Profile}, []any{sc.Work, sc.Model, sc.Profile}) {
				continue
			}
			if r, err = rundb.Find(db, r.ID); err != nil {
				return other, nil, err
			}
			x, err = Session(db, r)
			return r, x, err
		}
	}
	return other, nil, nil
}

// finished reports whether a run ended with all of its items done.
func finished(db *sqlite.DB, info sqlite.RunInfo) bool {
	list, err := db.Metrics(info.ID)
	of := map[string]int64{}
	for _, m := range list {
		if m.Scope == "run" {
			of[m.Name] = m.Value
		}
	}
	return err == nil && info.Ending() == string(sqlite.Completed) && of["items.done"] == of["items.total"]
}

// Forking is what to type so that forks do the work of a run of the library; "" where it
// has no variant with forks.
func Forking(info sqlite.RunInfo) string {
	if info.Recorded() || !slices.Contains(scenarios.Names(), info.Name) {
		return ""
	}
	f, err := scenarios.Open(info.Name)
	if err != nil {
		return ""
	}
	for _, name := range f.VariantNames() {
		if sc, err := f.Effective(name, nil); err == nil && sc.Structure == scenarios.Fork {
			return fmt.Sprintf("agentsim run %s --variant %s --seed %d", info.Name, ui.Quote(name), info.Seed)
		}
	}
	return ""
}

// shape is a run's project and scenario, which is nil where it cannot be read.
func shape(db *sqlite.DB, info sqlite.RunInfo) ([]sqlite.File, *scenarios.Scenario) {
	stored, err := db.Spec(info.ID)
	if err != nil {
		return nil, nil
	}
	spec, err := rundb.Rebuild(&stored)
	if err != nil {
		return nil, nil
	}
	return stored.Files, spec.Scenario
}
