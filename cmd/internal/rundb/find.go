package rundb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/kernel"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/workspace"
)

// Find finds a run by the beginning of its id, and sees that its record is the
// one that was written.
func Find(db *sqlite.DB, prefix string) (sqlite.RunInfo, error) {
	info, err := FindAny(db, prefix)
	if err == nil {
		err = db.Verify(info.ID)
	}
	if err == nil {
		err = db.VerifyContent(info.ID)
	}
	return info, err
}

// FindAny finds one whatever became of its record.
func FindAny(db *sqlite.DB, prefix string) (sqlite.RunInfo, error) {
	if prefix == "" {
		return sqlite.RunInfo{}, ui.Failf(ui.Usage, "the run's id is missing: write the beginning of one; agentsim inspect lists them")
	}
	info, err := db.FindRun(prefix)
	if _, gone := os.Stat(prefix); err != nil && gone == nil {
		by := "import"
		if filepath.Ext(prefix) == ".yaml" {
			by = "run"
		}
		return info, ui.Failf(ui.Usage, "%s is no run's id: agentsim %s %s records what is in it, and says the ids", prefix, by, ui.Quote(prefix))
	}
	return info, err
}

// Head begins what is said of one run.
func Head(d *report.Document, db *sqlite.DB, r sqlite.RunInfo) error {
	d.Field("run", report.Text(r.ID))
	if r.Recorded() {
		return recordedHead(d, db, r)
	}
	name := r.Name
	if r.Variant != "" {
		name += "/" + r.Variant
	}
	d.Say("run %s   %s · seed %d · %s · %s, %s", ui.Short(r.ID), name, r.Seed, r.Policy, r.Ending(), report.Time(r.EndedAt.Sub(0)))
	for _, note := range []string{r.Detail, LevelNote(r)} {
		if note != "" {
			d.Say("%s", note)
		}
	}
	d.Say("")
	return nil
}

// recordedHead begins what is said of a recorded session.
func recordedHead(d *report.Document, db *sqlite.DB, r sqlite.RunInfo) error {
	head, start, err := db.RecordedHead(r.ID)
	if err != nil {
		return err
	}
	sizes, outputs, err := db.Unbilled(r.ID)
	if err != nil {
		return err
	}
	text := "recorded"
	if when := time.Unix(0, int64(start)).UTC(); when.Year() > 1970 { // some recordings count from 0
		text += when.Format(" 2006-01-02 15:04 UTC")
	}
	if head.Origin != "" {
		text += " of " + head.Origin
	}
	d.Say("run %s   %s · %s · %s", ui.Short(r.ID), r.Name, text, report.Time(r.EndedAt.Sub(0)))
	switch {
	case sizes > 0 && sizes == r.Calls:
		d.Say("the recording holds no bill of %s: their input is the size of the prompt, nobody knows what was read", ui.Plural(int(sizes), "request"))
	case sizes > 0:
		d.Say("the recording holds no bill of %d of %s: what was read and billed is that of the others", sizes, ui.Plural(int(r.Calls), "request"))
	}
	if outputs > 0 {
		d.Say("%s", Placeholders(outputs, r.Calls))
	}
	d.Say("")
	return nil
}

// Placeholders says that so many of a session's answers are recorded with a placeholder
// for their size.
func Placeholders(n, of int64) string {
	return fmt.Sprintf("the output of %s of %s is a placeholder in the recording, the least that it was: bills lack the rest", ui.Count(n), ui.Things(of, "request"))
}

// BilledCalls is how many calls of a run have a bill, of a simulated one all.
func BilledCalls(db *sqlite.DB, r sqlite.RunInfo) (int64, error) {
	if !r.Recorded() {
		return r.Calls, nil
	}
	without, _, err := db.Unbilled(r.ID)
	return r.Calls - without, err
}

// ChangedSince says in one sentence why a stored run is none of this program's: its
// semantics were others, or its scenario's language; "" where it is.
func ChangedSince(run *sqlite.Run) string {
	if strings.HasPrefix(run.Spec, "name:") { // the version has been the first line since there is one
		return "it was recorded before version 1 of the scenario language"
	}
	return sim.ChangedSince(run.Semantics)
}

// Outdated says of a stored scenario that cannot be read why, where it was another
// program's; nil stays nil.
func Outdated(run *sqlite.Run, err error) error {
	if changed := ChangedSince(run); err != nil && changed != "" {
		return ui.Failf(ui.Operating, "run %s: %w: %s", ui.Short(run.ID), ErrOutdated, changed)
	}
	return err
}

// ErrOutdated is what Outdated says.
var ErrOutdated = errors.New("its scenario cannot be read any more")

// Rebuild makes the spec of a stored run. Where another program's cannot be read the
// error says why.
func Rebuild(run *sqlite.Run) (*sim.Spec, error) {
	file, err := scenarios.Parse("run "+ui.Short(run.ID), []byte(run.Spec), scenarios.ForeignProject)
	if err != nil {
		return nil, Outdated(run, err)
	}
	sc, err := file.Effective("", nil)
	if err != nil {
		return nil, Outdated(run, err)
	}
	files := map[string]string{}
	for _, f := range run.Files {
		files[f.Path] = f.Content
	}
	project, err := workspace.NewSnapshot(files)
	if err != nil {
		return nil, ui.Failf(ui.Operating, "run %s: its files cannot be used: %w", ui.Short(run.ID), err)
	}
	sc.Seed = run.Seed // the scenario's own, unless the record was changed
	return sim.NewSpecOn(project, sc, run.Variant, run.Policy), nil
}

// ChoicesOf are what the run's scheduling policy chose, nil where its name says it
// or the run has not ended.
func ChoicesOf(db *sqlite.DB, info sqlite.RunInfo) ([]int32, error) {
	text, err := db.Schedule(info.ID)
	if err != nil {
		return nil, err
	}
	choices, err := kernel.ParseChoices(text)
	if err != nil {
		return nil, ui.Failf(ui.Operating, "run %s: its schedule cannot be read: %w", ui.Short(info.ID), err)
	}
	return choices, nil
}

// PriceOf is the price of a model, which needs to be established: a table's row
// without rates would make a recording cost nothing.
func PriceOf(model string) (*cachemodel.Profile, error) {
	p, err := cachemodel.Lookup(model)
	if err == nil && !p.Found.Rates {
		err = p.Require(false)
	}
	return p, err
}
