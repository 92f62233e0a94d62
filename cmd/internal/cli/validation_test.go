package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/sim/recording/recordingtest"

	"github.com/zeebo/xxh3"
)

// The dated record of a validation, and the sample that lets anyone repeat it.
const (
	validationDate = "2026-11-22"
	coverageDate   = "2026-11-28"
)

// toldDate is that of the record of sessions that were played as scenarios tell them.
const toldDate = "2026-11-23"

var validationDir = mustAbs("../../../testdata/validation")

func mustAbs(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return abs
}

var rewriteValidation = flag.Bool("rewrite-validation", false, "write testdata/validation anew from AGENTSIM_DATA")

// recordings is the path of the recorded rows.
func recordings(t *testing.T) string {
	t.Helper()
	return recordingtest.Path(t, "sessions", "requests.jsonl.gz")
}

// validated is what validate prints.
func validated(t *testing.T, want ui.Code, paths ...string) string {
	t.Helper()
	return printed(t, want, append([]string{"lab", "validate"}, paths...)...)
}

// printed is what a command prints.
func printed(t *testing.T, want ui.Code, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	s := &ui.Env{Args: args, Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" },
		Now: func() time.Time { return time.Unix(0, 0) }}
	if code := Run(s); code != want {
		t.Fatalf("exit code %d, want %d\n%s%s", code, want, out.String(), errs.String())
	}
	return out.String()
}

func TestValidation(t *testing.T) {
	t.Run("IMP-06 CACHE-V3 the recorded rows are predicted as the dated record says", func(t *testing.T) {
		long(t)
		rows := recordings(t)
		if *rewriteValidation {
			writeSample(t, rows)
		}
		same(t, validationDate+".txt", fmt.Sprintf("$ agentsim lab validate requests.jsonl.gz      # %s\n\n%s", origin, validated(t, ui.Pass, rows)))
	})
	t.Run("IMP-06 CACHE-V3 whole transcripts are predicted as the dated record says, a missed target included", func(t *testing.T) {
		long(t)
		t.Chdir(filepath.Dir(recordings(t)))
		same(t, validationDate+"-transcripts.txt", "$ agentsim lab validate "+strings.Join(transcripts, " ")+"\n\n"+validated(t, ui.Missed, transcripts...))
	})
	t.Run("IMP-06 CACHE-V3 CACHE-V4 the sample that ships is predicted as its record says", func(t *testing.T) {
		same(t, "sample.txt", "$ agentsim lab validate testdata/validation/sample.jsonl.gz\n\n"+validated(t, ui.Pass, filepath.Join(validationDir, "sample.jsonl.gz")))
	})
	t.Run("TRI-03 bills of recorded sessions are forecast as the dated record says, a missed bound included", func(t *testing.T) {
		long(t)
		rows := recordings(t)
		same(t, coverageDate+"-coverage.txt", fmt.Sprintf("$ agentsim profile --coverage requests.jsonl.gz      # %s\n\n%s", origin, printed(t, ui.Missed, "profile", "--coverage", rows)))
	})
	t.Run("TRI-08 the band of an open session that estimate tells is the dated record's", bandOfRecord)
	t.Run("TRI-05 TRI-04 what scenarios of recorded sessions come to, through the whole stack, is as the dated record says", func(t *testing.T) {
		long(t)
		rows := recordings(t)
		same(t, toldDate+"-told.txt", fmt.Sprintf("$ agentsim lab validate --told requests.jsonl.gz      # %s\n\n%s", origin, validated(t, ui.Pass, "--told", rows)))
	})
	t.Run("TRI-05 TRI-04 likewise of the sample that ships", func(t *testing.T) {
		long(t)
		same(t, "sample-told.txt", "$ agentsim lab validate --told testdata/validation/sample.jsonl.gz\n\n"+validated(t, ui.Pass, "--told", filepath.Join(validationDir, "sample.jsonl.gz")))
	})
	t.Run("CACHE-V3 the sample holds figures only and no more than a mebibyte", onlyFigures)
}

// bandOfRecord reads how wide the bands of forecasts are whose agents were told.
func bandOfRecord(t *testing.T) {
	record, err := os.ReadFile(filepath.Join(validationDir, coverageDate+"-coverage.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var bands []string
	for line := range strings.Lines(string(record)) {
		if _, row, told := strings.Cut(line, "before, agents told "); told {
			var covered, least, most, band float64
			if _, err := fmt.Sscanf(row, "%f %% %f %% %f %% %f", &covered, &least, &most, &band); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			bands = append(bands, fmt.Sprintf("%.1f", band))
		}
	}
	if help := printed(t, ui.Pass, "estimate", "--help"); len(bands) != 2 || !strings.Contains(help, "band "+strings.Join(bands, " to ")+" times wide") {
		t.Errorf("the record has bands %v times wide, and estimate says\n%s", bands, help)
	}
}

// same compares with a file of the record, or writes it.
func same(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(validationDir, name)
	if *rewriteValidation {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			t.Fatalf("%s, line %d:\n got %s\nwant %s\nif the change is meant: go test ./cmd/internal/cli -run TestValidation -rewrite-validation", name, i+1, g[i], append(w, "")[min(i, len(w))])
		}
	}
	t.Fatalf("%s has more lines than validate prints", name)
}

// transcripts are the folders of whole recordings, an account each.
var transcripts = []string{"entireio__git-sync", "jdx__fnox", "marot__spotter", "moredip__session-share", "uw-syfi__TraceLab/example_sessions/sanitized"}

const origin = "15,235 content-free rows of MIT-licensed recordings: entireio/cli, entireio/git-sync, marot/spotter, moredip/session-share"

// sampleShare is how many of sampleOf sessions of the large repositories the
// sample holds; of the small ones it holds all.
const (
	sampleShare = 2
	sampleOf    = 5
)

// shownSession is the session whose rows stand in session.jsonl as well.
const shownSession = "56696f133324"

// sampleRow is what the sample keeps of a row: figures, and numbers in place of
// names.
type sampleRow struct {
	Repo     string      `json:"repo"`
	Agent    string      `json:"agent"`
	Session  string      `json:"session"`
	Thread   string      `json:"thread"`
	Type     string      `json:"agent_type,omitempty"`
	Req      string      `json:"req,omitempty"`
	Pred     string      `json:"pred,omitempty"`
	Spawner  string      `json:"spawned_by,omitempty"`
	Forked   string      `json:"forked_from,omitempty"`
	Seq      int64       `json:"seq,omitempty"`
	Model    string      `json:"model"`
	Ver      string      `json:"ver,omitempty"`
	Start    json.Number `json:"t_start,omitempty"`
	First    json.Number `json:"t_first,omitempty"`
	Last     json.Number `json:"t_last"`
	Read     int64       `json:"read"`
	Write5m  int64       `json:"write_5m,omitempty"`
	Write1h  int64       `json:"write_1h,omitempty"`
	Uncached int64       `json:"uncached"`
	Output   int64       `json:"output"`
	Final    bool        `json:"output_final,omitempty"`
	Lines    int         `json:"lines,omitempty"`
	User     bool        `json:"user_turn,omitempty"`
	Compact  bool        `json:"compact,omitempty"`
	Miss     string      `json:"miss_reason,omitempty"`
}

// writeSample makes the sample from the recorded rows.
func writeSample(t *testing.T, rows string) {
	t.Helper()
	names := map[string]string{}
	number := func(kind, name string) string {
		if name == "" || kind == "t" && name == "main" {
			return name
		}
		key := kind + "\x00" + name
		if names[key] == "" {
			names[key] = fmt.Sprint(kind, len(names))
		}
		return names[key]
	}
	var out bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	enc := json.NewEncoder(zip)
	var one bytes.Buffer // one session, for the page that shows commands
	eachRow(t, rows, func(r *sampleRow) {
		large := r.Repo == "entireio/cli" || r.Repo == "entireio/git-sync"
		if large && xxh3.HashString(r.Session)%sampleOf >= sampleShare {
			return
		}
		r.Type = number("k", r.Type)
		if strings.HasPrefix(r.Thread, "acompact-") {
			r.Thread = "acompact-" + number("t", r.Thread)
		} else {
			r.Thread = number("t", r.Thread)
		}
		r.Session, r.Forked = number("s", r.Session), number("s", r.Forked)
		r.Req, r.Pred, r.Spawner = number("r", r.Req), number("r", r.Pred), number("r", r.Spawner)
		err := enc.Encode(r)
		if r.Repo == "moredip/session-share" && r.Session == names["s\x00"+shownSession] {
			err = cmp.Or(err, json.NewEncoder(&one).Encode(r))
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	if err := cmp.Or(zip.Close(), os.WriteFile(filepath.Join(validationDir, "session.jsonl"), one.Bytes(), 0o644), os.WriteFile(filepath.Join(validationDir, "sample.jsonl.gz"), out.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func eachRow(t *testing.T, path string, do func(*sampleRow)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(zip)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r sampleRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		do(&r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// onlyFigures holds the sample to its promise: beside figures it has the names of
// repositories, models, versions and reasons, and ordinals.
func onlyFigures(t *testing.T) {
	path := filepath.Join(validationDir, "sample.jsonl.gz")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 1<<20 {
		t.Errorf("%d bytes", info.Size())
	}
	ordinal := func(s string) bool {
		return s == "" || s == "main" || strings.Trim(strings.TrimPrefix(s, "acompact-"), "0123456789") == strings.TrimPrefix(s, "acompact-")[:1]
	}
	n := 0
	eachRow(t, path, func(r *sampleRow) {
		n++
		for _, s := range []string{r.Session, r.Thread, r.Type, r.Req, r.Pred, r.Spawner, r.Forked} {
			if !ordinal(s) {
				t.Fatalf("row %d holds %q", n, s)
			}
		}
	})
	if n < 5_000 {
		t.Errorf("%d rows", n)
	}
}
