package cli

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentsim/cmd/internal/ui"
)

var writeArchive = flag.String("write-archive", "", "write what this version writes into testdata/archive/VERSION, once for each version")

// archive has a directory for each version, of what it wrote.
const archive = "../../../testdata/archive"

// archived are the command lines that write an artefact of each kind, in a directory
// with a project of three files and a recorded session.
var archived = []string{
	"scenario new small.yaml --example",
	"run small.yaml --db runs.db",
	"import sessions --db runs.db",
	"profile sessions -o ours.yaml",
	"scenario from SESSION --db runs.db --output told.yaml",
	"bench small.yaml --baseline bench.baseline --update",
	"bench small.yaml --guard prefix --baseline prompts.baseline --update",
	"check project --baseline check.json --update",
}

// opened are the command lines that open them again, each with what it may say in
// place of an answer: "" where it has to answer.
var opened = []struct{ line, refusal string }{
	{"inspect --db runs.db", ""},
	{"inspect RUN --db runs.db", ""},
	{"inspect RUN --misses --db runs.db", ""},
	{"inspect RUN --phases --db runs.db", ""},
	{"inspect RUN --call 2 --blocks --db runs.db", ""},
	{"inspect SESSION --misses --db runs.db", ""},
	{"report RUN --db runs.db -o page.html", ""},
	{"export RUN --db runs.db --output exported", ""},
	{"lab lint RUN --db runs.db", ""},
	{"lab db check --db runs.db", ""},
	{"compare RUN OTHER --db runs.db", ""},
	{"crossover RUN OTHER --db runs.db", ""},
	{"whatif SESSION --db runs.db", ""},
	{"replay RUN --db runs.db", "semantics"},
	{"run small.yaml --record none", ""},
	{"run small.yaml --record none --profile ours.yaml", ""},
	{"run told.yaml --record none", ""},
	{"scenario validate small.yaml", ""},
	{"scenario upgrade small.yaml", ""},
	{"profile show ours.yaml", ""},
	{"bench small.yaml --baseline bench.baseline", "cause "},
	{"bench small.yaml --guard prefix --baseline prompts.baseline", "cause "},
	{"check project --baseline check.json", "cause "},
}

func TestArchive(t *testing.T) {
	long(t)
	all, err := filepath.Abs(archive)
	if err != nil {
		t.Fatal(err)
	}
	if *writeArchive != "" {
		t.Run("write", func(t *testing.T) { makeArchive(t, filepath.Join(all, *writeArchive)) })
	}
	versions, err := filepath.Glob(filepath.Join(all, "*"))
	if err != nil || len(versions) == 0 {
		t.Fatalf("no versions: %v", err)
	}
	for _, dir := range versions {
		t.Run("LANG-13 what version "+filepath.Base(dir)+" wrote is opened, run and compared, or refused with a sentence that says what changed", func(t *testing.T) {
			openArchive(t, dir)
		})
	}
}

// openArchive runs every line on a copy of a version's artefacts.
func openArchive(t *testing.T, dir string) {
	place := t.TempDir()
	if err := os.CopyFS(place, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(place)
	unpack(t, "runs.db")
	names := archivedRuns(t)
	for _, o := range opened {
		code, out, stderr := try(nil, named(o.line, names)...)
		refused := o.refusal != "" && slices.Contains([]ui.Code{ui.Usage, ui.Missed}, code) && strings.Contains(out+stderr, o.refusal)
		if code != ui.Pass && !refused {
			t.Errorf("agentsim %s: exit code %d\n%s%s", o.line, code, out, stderr)
		}
	}
}

// archivedRuns are the runs of the database by the words that stand for them.
func archivedRuns(t *testing.T) map[string]string {
	t.Helper()
	code, out, stderr := try(nil, "inspect", "--db", "runs.db", "-o", "csv")
	names := map[string]string{}
	for _, line := range strings.Split(out, "\n") {
		cells := strings.Split(line, ",")
		switch {
		case strings.Contains(line, ",subagent,"):
			names["RUN"] = cells[0]
		case strings.Contains(line, ",fork,"):
			names["OTHER"] = cells[0]
		case strings.Contains(line, ",recorded,"):
			names["SESSION"] = cells[0]
		}
	}
	if code != ui.Pass || len(names) != 3 {
		t.Fatalf("exit code %d, runs %v\n%s%s", code, names, out, stderr)
	}
	return names
}

// named is a command line's words with runs in place of what stands for them.
func named(line string, names map[string]string) []string {
	words := strings.Fields(line)
	for i, w := range words {
		if run := names[w]; run != "" {
			words[i] = run
		}
	}
	return words
}

// makeArchive writes what this version writes.
func makeArchive(t *testing.T, dir string) {
	if _, err := os.Stat(dir); err == nil {
		t.Fatalf("%s is there: what a version wrote is kept as it is", dir)
	}
	place := t.TempDir()
	for name, text := range map[string]string{
		"sessions/session.jsonl":             exampleFixture(t, "session.jsonl"),
		"project/CLAUDE.md":                  "# Shop\n\nRun the tests before you commit.\n",
		"project/.claude/agents/reviewer.md": "---\nname: reviewer\ndescription: reviews\ntools: Read\n---\nYou review.\n",
		"project/README.md":                  "A shop.\n",
	} { // order: files apart
		path := filepath.Join(place, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(place)
	var names map[string]string
	for _, line := range archived {
		if strings.Contains(line, "SESSION") {
			names = archivedRuns(t)
		}
		if code, out, stderr := try(nil, named(line, names)...); code != ui.Pass {
			t.Fatalf("agentsim %s: exit code %d\n%s%s", line, code, out, stderr)
		}
	}
	pack(t, "runs.db")
	if err := os.CopyFS(dir, os.DirFS(place)); err != nil {
		t.Fatal(err)
	}
}

func pack(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), os.WriteFile(name+".gz", out.Bytes(), 0o644), os.Remove(name)); err != nil {
		t.Fatal(err)
	}
}

func unpack(t *testing.T, name string) {
	t.Helper()
	in, err := os.Open(name + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
