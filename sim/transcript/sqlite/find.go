package sqlite

import (
	"cmp"
	"slices"
	"strings"
)

// nearest is how many candidates an error names.
const nearest = 3

// FindRun finds the run whose id begins with prefix. The error is of kind
// ErrNoRun or ErrAmbiguous and names the nearest runs.
func (db *DB) FindRun(prefix string) (RunInfo, error) {
	found, err := beginning(db, prefix)
	switch {
	case err != nil:
		return RunInfo{}, err
	case len(found) == 1 || len(found) > 0 && found[0].ID == prefix:
		return found[0], nil
	case len(found) > 0:
		return RunInfo{}, &RunError{Path: db.path, Prefix: prefix, Kind: ErrAmbiguous, Nearest: found[:min(nearest, len(found))]}
	}
	runs, err := db.Runs()
	if err != nil {
		return RunInfo{}, err
	}
	return RunInfo{}, &RunError{Path: db.path, Prefix: prefix, Kind: ErrNoRun, Nearest: nearestRuns(runs, prefix)}
}

// beginning are the runs whose ids begin with prefix; the one that is it comes first.
func beginning(db *DB, prefix string) ([]RunInfo, error) {
	if prefix == "" {
		return nil, nil
	}
	found, _, err := listed(db, `SELECT id, 0 FROM runs WHERE id >= ? AND id < ?`, prefix, prefix+"\U0010ffff")
	slices.SortStableFunc(found, func(a, b RunInfo) int {
		return cmp.Compare(min(len(a.ID)-len(prefix), 1), min(len(b.ID)-len(prefix), 1))
	})
	return found, err
}

// nearestRuns are those that share most of the prefix, the last executed first
// among equals.
func nearestRuns(runs []RunInfo, prefix string) []RunInfo {
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b RunInfo) int { return cmp.Compare(shared(b.ID, prefix), shared(a.ID, prefix)) })
	return runs[:min(nearest, len(runs))]
}

func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// RunError is a run that could not be found, with the runs that come nearest.
type RunError struct {
	Path, Prefix string
	Kind         error // ErrNoRun, ErrAmbiguous
	Nearest      []RunInfo
}

// Error names the candidates.
func (e *RunError) Error() string {
	s := e.Path + ": " + e.Kind.Error() + ": " + e.Prefix
	for i, r := range e.Nearest {
		sep := ", "
		if i == 0 {
			sep = "; there is "
		}
		s += sep + r.ID + " (" + strings.TrimSpace(r.Name+" "+r.Variant) + ")"
	}
	if len(e.Nearest) == 0 {
		s += "; nothing is recorded yet"
	}
	return s
}

// Unwrap gives the kind.
func (e *RunError) Unwrap() error { return e.Kind }
