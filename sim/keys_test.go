package sim_test

import (
	"bufio"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// keyRow is a key of the schema and how a scenario sets it.
type keyRow struct {
	key, set string   // TYPE.KEY; path=value, "-" where no run can tell
	given    []string // what is set besides, in what it is compared with too
	silent   string   // why it may change nothing without a word
	in       string   // a scenario of the library in which it does, or the test that shows it
}

// holds is the reason of a row whose value some scenarios have already.
const holds = "some have it"

func TestKeys(t *testing.T) {
	rows := keyRows(t)
	t.Run("LANG-10 every key of the schema has a row", func(t *testing.T) {
		for _, key := range schemaKeys(t) {
			of, _, _ := strings.Cut(key, ".")
			if !slices.ContainsFunc(rows, func(r keyRow) bool { return r.key == key || r.key == of+".*" }) {
				t.Errorf("%s has no row in testdata/keys/keys.txt", key)
			}
		}
	})
	t.Run("SCN-04 a key changes a run somewhere, and where it changes none it is told or refused by its name", func(t *testing.T) {
		if testing.Short() {
			t.Skip("runs hundreds of scenarios")
		}
		changes := map[string]bool{}
		files, err := filepath.Glob("testdata/keys/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			f := parsed(t, file)
			for _, row := range rows {
				changes[row.key] = row.everywhere(t, f) || changes[row.key]
			}
		}
		for _, row := range rows {
			switch {
			case strings.HasPrefix(row.in, "Test"):
				changes[row.key] = true
			case row.in != "":
				f, err := scenarios.Open(row.in)
				if err != nil {
					t.Fatal(err)
				}
				changes[row.key] = row.everywhere(t, f) || changes[row.key]
			}
		}
		for _, row := range rows {
			if row.set != "-" && !changes[row.key] {
				t.Errorf("%s changes no run: %s", row.key, row.set)
			}
		}
	})
}

// everywhere tries a key in all variants, and reports whether one changes with it.
func (r *keyRow) everywhere(t *testing.T, f *scenarios.File) (changes bool) {
	for _, variant := range f.VariantNames() {
		changed, silent := r.try(t, f, variant)
		if silent && (r.silent == "" || r.silent == holds) {
			t.Errorf("%s %s: %s changes nothing, and nothing says so", f.Path, variant, r.set)
		}
		changes = changes || changed
	}
	return changes
}

// try reports whether a run of a variant changes with a key, or does not though
// nothing says so.
func (r *keyRow) try(t *testing.T, f *scenarios.File, variant string) (changed, silent bool) {
	if r.set == "-" {
		return false, false
	}
	sets := append(slices.Clone(r.given), r.set)
	before, err := f.Effective(variant, r.given)
	if err != nil {
		return false, false
	}
	after, err := f.Effective(variant, sets)
	if err != nil || f.Unread(variant, sets, r.set) != "" {
		return false, false
	}
	if r.silent == holds && reflect.DeepEqual(before, after) {
		return false, false
	}
	was := r.before(t, f, before, variant)
	same := slices.Equal(was, eventsOf(t, after, variant))
	return !same, same && was != nil
}

// begun are events of runs that other rows are compared with too, by file, variant
// and what is set besides.
var begun = map[string][]string{}

// before are the events of a run without the key.
func (r *keyRow) before(t *testing.T, f *scenarios.File, sc *scenarios.Scenario, variant string) []string {
	key := strings.Join(append([]string{f.Path, f.Name, variant}, r.given...), "\n")
	was, known := begun[key]
	if !known {
		was = eventsOf(t, sc, variant)
		begun[key] = was
	}
	return was
}

// eventsOf are the events of a run but its first, nil of one that cannot begin.
func eventsOf(t *testing.T, sc *scenarios.Scenario, variant string) []string {
	t.Helper()
	spec, err := sim.NewSpec(sc, variant)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{transcript.NewText(&b)}}); err != nil {
		return nil
	}
	return strings.Split(b.String(), "\n")[1:]
}

func parsed(t *testing.T, file string) *scenarios.File {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := scenarios.Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// linesIn are the lines of a file that say something.
func linesIn(t *testing.T, file string) (out []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := strings.TrimSpace(s.Text()); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

func keyRows(t *testing.T) (out []keyRow) {
	for _, line := range linesIn(t, "testdata/keys/keys.txt") {
		key, rest, _ := strings.Cut(line, " ")
		parts := append(strings.Split(rest, "|"), "", "")
		row := keyRow{key: key, set: strings.TrimSpace(parts[0]), silent: strings.TrimSpace(parts[2])}
		if strings.HasSuffix(key, ".*") {
			row.set = "-"
		}
		if in, silent, ok := strings.Cut(row.silent, ": "); ok {
			row.in, row.silent = in, silent
		}
		if given := strings.TrimSpace(parts[1]); given != "" {
			row.given = strings.Split(given, " & ")
		}
		out = append(out, row)
	}
	return out
}

// schemaKeys are the keys of the schema with their types, as its descriptions list
// them, which another test holds against it.
func schemaKeys(t *testing.T) (out []string) {
	of := ""
	for _, line := range linesIn(t, "../scenarios/keys.txt") {
		if key, _, ok := strings.Cut(line, ":"); ok {
			out = append(out, of+"."+key)
		} else {
			of = line
		}
	}
	return out
}
