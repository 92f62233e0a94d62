package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"agentsim/cmd/internal/ui"
)

func TestTerminal(t *testing.T) {
	t.Run("CLI-03 what takes longer than a second shows its progress on a terminal, and nothing elsewhere or before", longWorks)
	t.Run("CLI-03 a run that takes long by itself shows progress before it is over", oneLongRun)
	t.Run("CLI-03 a table keeps to the terminal's width without losing a word; a pipe gets whole lines", tableWidth)
	t.Run("CLI-03 the width is what COLUMNS says, else the terminal's, else not known", widthFrom)
}

// slow makes every look at the clock a while later than the last one.
func slow(step time.Duration, terminal bool, term string) func(*ui.Env) {
	var mu sync.Mutex
	now := time.Unix(0, 0)
	return func(s *ui.Env) {
		s.ErrTerminal = terminal
		s.Getenv = func(name string) string { return map[string]string{"TERM": term}[name] }
		s.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(step)
			return now
		}
	}
}

// sweptText is a scenario with two variants and a sweep of two places.
const sweptText = `agentsim: 1
name: swept
provider: {model: claude-sonnet-4-5-20250929}
script:
  main: {user: hello}
  answers: [{agent: main, turns: [{text: hello}]}]
variants: {a: {}, b: {provider: {ttl: "1h"}}}
sweep:
  main.system.tokens: [100, 200]
`

func longWorks(t *testing.T) {
	long(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "swept.yaml")
	if err := os.WriteFile(file, []byte(sweptText), 0o600); err != nil {
		t.Fatal(err)
	}
	trace := largeTrace(t)
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"run", file, "--record", "none"}, []string{"running", "sweeping"}},
		{[]string{"lab", "validate", trace}, []string{"reading"}},
		{[]string{"crossover", "--turns", "2,3"}, []string{"comparing"}},
		{[]string{"import", "--dry-run", trace}, []string{"reading"}},
		{[]string{"bench", file, "--baseline", filepath.Join(dir, "b.json"), "--update"}, []string{"running"}},
		{[]string{"sweep", file, "--db", filepath.Join(dir, "sweep.db"), "--seeds", "2"}, []string{"sweeping"}},
	} {
		code, out, stderr := try(slow(2*time.Second, true, ""), c.args...)
		for _, word := range c.says {
			if !strings.Contains(stderr, "\r"+word+" ") {
				t.Errorf("%v: no progress of %s, exit code %d: %q", c.args, word, code, stderr)
			}
		}
		if strings.Contains(out, "\r") {
			t.Errorf("%v: progress among the results: %q", c.args, out)
		}
		for name, change := range map[string]func(*ui.Env){
			"a pipe": slow(2*time.Second, false, ""), "a dumb terminal": slow(2*time.Second, true, "dumb"), "a short work": slow(time.Microsecond, true, ""),
		} { // order: each is a run of its own
			if _, _, stderr := try(change, c.args...); strings.Contains(stderr, "\r") {
				t.Errorf("%v: %s gets progress: %q", c.args, name, stderr)
			}
		}
	}
}

// largeTrace is a recorded session of three megabytes, most of them blanks.
func largeTrace(t *testing.T) string {
	name := filepath.Join(traces(t, 1), "trace-00.json")
	text, err := os.ReadFile(name)
	if err == nil {
		text = bytes.Replace(text, []byte(`"requests":[`), append([]byte(`"requests":[`), bytes.Repeat([]byte(" "), 3<<20)...), 1)
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func oneLongRun(t *testing.T) {
	var shown strings.Builder
	s := &ui.Env{Stderr: &shown}
	slow(2*time.Second, true, "")(s)
	p := ui.NewProgress(s, "running", "runs", 1)
	for range ui.PulseEvery - 1 {
		p.Pulse()[0].Emit(nil)
	}
	if shown.Len() > 0 {
		t.Errorf("shown at once: %q", shown.String())
	}
	sink := p.Pulse()[0]
	for range ui.PulseEvery {
		sink.Emit(nil)
	}
	if !strings.Contains(shown.String(), "running") || !strings.Contains(shown.String(), "0/1") {
		t.Errorf("not shown: %q", shown.String())
	}
	p.Finish()
	if s.ErrTerminal = false; ui.NewProgress(s, "running", "runs", 1).Pulse() != nil {
		t.Error("events are counted for nobody")
	}
}

func tableWidth(t *testing.T) {
	const width = 72
	on := func(terminal bool) func(*ui.Env) {
		return func(s *ui.Env) { s.Terminal, s.Width = terminal, width }
	}
	_, pipe, _ := try(on(false), "scenario", "list")
	_, fitted, _ := try(on(true), "scenario", "list")
	widest := 0
	for line := range strings.Lines(pipe) {
		widest = max(widest, utf8.RuneCountInString(line)-1)
	}
	if widest <= width {
		t.Fatalf("a pipe gets at most %d columns", widest)
	}
	plain := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(fitted)
	for line := range strings.Lines(plain) {
		if n := utf8.RuneCountInString(line) - 1; n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if got, want := strings.Join(strings.Fields(plain), " "), strings.Join(strings.Fields(pipe), " "); got != want {
		t.Errorf("words are lost or moved:\n%s", plain)
	}
	_, csv, _ := try(on(true), "scenario", "list", "-o", "csv")
	if lines, want := strings.Count(csv, "\n"), strings.Count(pipe, "\n"); lines != want {
		t.Errorf("%d lines of CSV, want %d: it depends on the terminal's width", lines, want)
	}
}

func widthFrom(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []io.Closer{r, w} {
		defer f.Close()
	}
	for columns, want := range map[string]int{"120": 120, "": 0, "wide": 0, "0": 0, "-3": 0} { // order: each is judged by itself
		if got := terminalWidth(columns, w); got != want {
			t.Errorf("COLUMNS=%q: %d, want %d", columns, got, want)
		}
	}
	if isTerminal(w) {
		t.Error("a pipe is taken for a terminal")
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
