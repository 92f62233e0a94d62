package importing

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/recording"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
	_ "agentsim/sim/transcript/sqlite/driver"
)

func TestImport(t *testing.T) {
	t.Run("REC-06 progress is shown on a terminal only, and only of work that takes more than a second", progressShown)
	t.Run("REC-06 an interrupt ends an import with exit code 130; what was imported is whole", importInterrupted)
	t.Run("REC-06 a session that came out otherwise the second time is a bug, exit code 70", importDiffers)
	t.Run("REC-06 of many sessions the first forty are listed, all on demand, and none where only the sums are asked for", manyListed)
	t.Run("REC-06 a model that the table knows without a rate has no price", noRate)
}

func progressShown(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		after    time.Duration
		shown    bool
	}{{true, 2 * time.Second, true}, {true, time.Second / 2, false}, {false, time.Hour, false}} {
		var out bytes.Buffer
		now := time.Unix(0, 0)
		s := &ui.Env{Stderr: &out, ErrTerminal: c.terminal, Getenv: func(string) string { return "" }, Now: func() time.Time { return now }}
		p := ui.NewProgress(s, "reading", "", 0)
		now = now.Add(c.after)
		p.Tell(1<<20, 1<<22)
		p.Tell(1<<21, 1<<22)
		p.Finish()
		if shown := strings.Contains(out.String(), "reading"); shown != c.shown {
			t.Errorf("terminal %v, after %v: %q", c.terminal, c.after, out.String())
		}
	}
}

// traces writes n small traces and returns their directory.
func traces(t *testing.T, n int) string {
	dir := t.TempDir()
	for i := range n {
		name := fmt.Sprintf("trace-%02d", i)
		text := `{"id":"` + name + `","models":["m"],"block_size":64,"tool_tokens":0,"system_tokens":0,"requests":[` +
			`{"t":0.0,"type":"n","model":"m","in":64,"out":1,"hash_ids":[1],"stop":"end_turn","api_time":1.0,"think_time":0.0}]}`
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func manyListed(t *testing.T) {
	dir, db := traces(t, maxListed+2), filepath.Join(t.TempDir(), "x.db")
	for _, c := range []struct {
		flags  []string
		listed int
		more   string
	}{
		{nil, maxListed, "\n… and 2 more; --all lists them here, agentsim inspect --db " + db + " later\n\nimported     42 sessions, "},
		{[]string{"--all"}, maxListed + 2, ""},
		{[]string{"--brief"}, 0, ""},
		{[]string{"--dry-run"}, maxListed, "\n… and 2 more; --all lists them\n\nread         42 sessions, "},
	} {
		code, out, stderr := imported(t, append([]string{"import", "--db", db, dir}, c.flags...)...)
		if listed := strings.Count(out, " kv-cache-tester "); code != ui.Pass || listed != c.listed || strings.Contains(out, "… and") != (c.more != "") || !strings.Contains(out, c.more) {
			t.Errorf("%v: %d sessions listed, exit code %d: %s\n%s", c.flags, listed, code, stderr, out)
		}
		if !strings.Contains(out, "42 sessions, 42 requests in 42 files") {
			t.Errorf("%v: no sums:\n%s", c.flags, out)
		}
	}
	if code, _, stderr := imported(t, "import", "--db", db, dir, "--brief", "--all"); code != ui.Usage || stderr != "--brief and --all: give one of them\n" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func importInterrupted(t *testing.T) {
	dir, db := traces(t, 3), filepath.Join(t.TempDir(), "x.db")
	asked := 0
	s := &ui.Env{Now: func() time.Time { return time.Unix(0, 0) }}
	err := importUntil(s, &options{db: db}, []string{dir}, func() bool { asked++; return asked > 2 })
	if ui.Classify(err) != ui.Interrupted || !strings.Contains(err.Error(), "interrupted after 2 sessions; what was imported so far is whole") {
		t.Fatalf("exit code %d: %v", ui.Classify(err), err)
	}
	d, err := sqlite.Open(db)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	runs, err := d.Runs()
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 || runs[0].Outcome != sqlite.Completed || runs[1].Outcome != sqlite.Completed {
		t.Errorf("recorded are %+v", runs)
	}
}

func importDiffers(t *testing.T) {
	dir, path := traces(t, 1), filepath.Join(t.TempDir(), "x.db")
	if code, _, stderr := imported(t, "import", "--db", path, dir); code != ui.Pass {
		t.Fatal(code, stderr)
	}
	db, err := sqlite.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs()
	if err != nil {
		t.Fatal(err)
	}
	w, err := db.Begin(sqlite.Run{ID: runs[0].ID}, "", sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(sqlite.End{Status: sqlite.Completed, Digest: strconv.Itoa(transcript.FormVersion) + ":another"}); ui.Classify(loading.ImportError(err)) != ui.Bug {
		t.Errorf("%v has exit code %d", err, ui.Classify(loading.ImportError(err)))
	}
	if got := ui.Classify(loading.ImportError(errors.New("x.jsonl:3: it cannot be read"))); got != ui.Operating {
		t.Errorf("a file that cannot be read has exit code %d", got)
	}
	if err := contradiction((&ui.Env{Now: func() time.Time { return time.Unix(0, 0) }}), db); ui.Classify(loading.ImportError(err)) != ui.Operating {
		t.Errorf("a session that contradicts itself: %v", err)
	}
}

// contradiction imports a session that contradicts itself.
func contradiction(s *ui.Env, db *sqlite.DB) error {
	_, err := importSession(s, db, sqlite.Full, &recording.Session{Format: "f", ID: "i", Threads: []recording.Thread{{Parent: -1, SpawnedBy: 7}}}, rundb.PriceOf)
	return err
}

func noRate(t *testing.T) {
	for model, priced := range map[string]bool{"claude-opus-4-5-20251101": true, "claude-haiku-3-5": false, "gpt-9": false} {
		if _, err := rundb.PriceOf(model); (err == nil) != priced {
			t.Errorf("%s has a price: %v", model, err == nil)
		}
	}
}

// imported runs the command.
func imported(t *testing.T, args ...string) (code ui.Code, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	s := &ui.Env{Args: args, Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }, Now: func() time.Time { return time.Unix(0, 0) }}
	cmd := New(s)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args[1:])
	err := cmd.Execute()
	ui.Explain(s, err)
	return ui.Classify(err), out.String(), errs.String()
}
