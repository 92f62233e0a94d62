package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
)

var rewriteLint = flag.Bool("rewrite-lint", false, "write testdata/lint anew from AGENTSIM_DATA")

// lintRecord is what the lint said of recorded sessions, without their content.
const lintRecord = "../../../testdata/lint/2026-11-21.txt"

// ranHere runs a command line and gives what it prints.
func ranHere(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	s := &ui.Env{Args: args, Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }, Now: func() time.Time { return time.Unix(0, 0) }}
	if code := Run(s); code != ui.Pass {
		t.Fatalf("%v: exit code %d\n%s%s", args, code, out.String(), errs.String())
	}
	return out.Bytes()
}

func TestLintRecorded(t *testing.T) {
	t.Run("CRD-09 the recorded sessions with sub-agents are judged as the dated record says, which holds no content", func(t *testing.T) {
		long(t)
		dir := filepath.Dir(recordings(t))
		db := filepath.Join(t.TempDir(), "r.db")
		roots, err := filepath.Glob(filepath.Join(dir, "*__*"))
		if err != nil || len(roots) == 0 {
			t.Fatal(roots, err)
		}
		ranHere(t, append([]string{"import", "--brief", "--with-content", "--db", db}, roots...)...)
		var list struct{ Runs []struct{ Run, Name string } }
		if err := json.Unmarshal(ranHere(t, "inspect", "--db", db, "-o", "json"), &list); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, r := range list.Runs {
			var doc ruled
			if err := json.Unmarshal(ranHere(t, "lab", "lint", r.Run, "--db", db, "-o", "json"), &doc); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, judged(r.Name, &doc))
		}
		slices.Sort(lines)
		got := "# session rule judged findings not-judged\n" + strings.Join(lines, "")
		if *rewriteLint {
			if err := os.WriteFile(lintRecord, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		want, err := os.ReadFile(lintRecord)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// ruled is what lint says of each rule.
type ruled struct {
	Rules []struct {
		Rule          string
		Judged, Found int
		NotJudged     int `json:"not_judged"`
	}
}

// judged prints a line for each rule of a session that delegates; "" for another.
func judged(name string, doc *ruled) string {
	var b strings.Builder
	for _, r := range doc.Rules {
		if r.Rule == "lazy-delegation" && r.Judged+r.NotJudged == 0 {
			return ""
		}
		if r.Judged+r.NotJudged > 0 {
			fmt.Fprintf(&b, "%s %s %d %d %d\n", name, r.Rule, r.Judged, r.Found, r.NotJudged)
		}
	}
	return b.String()
}
