package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agentsim/cmd/internal/cli/cachereplay"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/recording/recordingtest"
)

func TestCacheReplay(t *testing.T) {
	t.Run("CACHE-V1 the published hit rate stands beside ours at all ten capacities, none off by more than 0.005, for the published trace alone", func(t *testing.T) {
		long(t)
		trace := recordingtest.Path(t, "mooncake", traceName)
		code, out, errs := try(nil, "lab", "cache", "replay", trace)
		if code != ui.Pass {
			t.Fatal(code, errs)
		}
		rows := regexp.MustCompile(`(?m)^.*  *3,993 +117,888 +[\d,]+ +0\.\d{4} +0\.\d{4} +[+-]0\.00([0-4]\d|50)$`).FindAllString(out, -1)
		if len(rows) != len(cachereplay.MooncakeFigure.Points) {
			t.Errorf("%d rows are within 0.005, want %d:\n%s", len(rows), len(cachereplay.MooncakeFigure.Points), out)
		}
		if !strings.Contains(out, "\npublished  Mooncake, FAST'25, Figure 9 ") {
			t.Errorf("no source:\n%s", out)
		}
		// The same requests as another file, and another engine, were not published.
		raw, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		other := filepath.Join(t.TempDir(), "other.jsonl")
		if err := os.WriteFile(other, raw[:len(raw)-1], 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{other}, {trace, "--engine", "vllm"}, {trace, "--capacity", "3M"}, {trace, other}} {
			code, out, errs := try(nil, append([]string{"lab", "cache", "replay"}, args...)...)
			if code != ui.Pass || strings.Contains(out, "PUBLISHED") {
				t.Errorf("%v: %v %s\n%s", args, code, errs, out)
			}
		}
	})
	t.Run("CACHE-V1 an interrupt ends a replay, with exit code 130 and no table", func(t *testing.T) {
		var rows strings.Builder
		for range 1000 {
			rows.WriteString(`{"timestamp":0,"input_length":5,"output_length":1,"hash_ids":[9]}` + "\n")
		}
		signals := make(chan os.Signal, 1)
		code, out, errs := try(func(s *ui.Env) {
			s.Interrupt = signals
			s.Stdin = &interrupting{text: strings.NewReader(rows.String()), signals: signals}
		}, "lab", "cache", "replay", "-")
		if code != ui.Interrupted || out != "" || !strings.HasPrefix(errs, "interrupted after ") {
			t.Errorf("%v %q %q", code, out, errs)
		}
	})
}

// interrupting is a trace during whose reading SIGINT comes. It goes on until
// the signal has been taken up.
type interrupting struct {
	text    *strings.Reader
	signals chan os.Signal
	sent    bool
}

func (r *interrupting) Read(p []byte) (int, error) {
	if !r.sent {
		r.sent = true
		r.signals <- os.Interrupt
	}
	n, err := r.text.Read(p)
	if err != nil {
		r.text.Seek(0, 0)
		n, err = r.text.Read(p)
	}
	return n, err
}
