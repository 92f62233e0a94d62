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
	runs, err := db.Runs()
	if err != nil {
		return RunInfo{}, err
	}
	var found []RunInfo
	for _, r := range runs {
		if r.ID == prefix {
			return r, nil
		}
		if prefix != "" && strings.HasPrefix(r.ID, prefix) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return RunInfo{}, &RunError{Path: db.path, Prefix: prefix, Kind: ErrNoRun, Nearest: nearestRuns(runs, prefix)}
	}
	return RunInfo{}, &RunError{Path: db.path, Prefix: prefix, Kind: ErrAmbiguous, Nearest: found[:min(nearest, len(found))]}
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
