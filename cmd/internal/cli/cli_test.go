package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
)

// try runs a command line inside the test's process.
func try(change func(*ui.Env), args ...string) (code ui.Code, stdout, stderr string) {
	var out, errs bytes.Buffer
	s := &ui.Env{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Now: func() time.Time { return time.Unix(0, 0) }}
	if change != nil {
		change(s)
	}
	code = Run(s)
	return code, out.String(), errs.String()
}

func TestConformance(t *testing.T) {
	t.Run("CLI-02 the codes are the documented ones, each once, and each is explained", codeNumbers)
	t.Run("CLI-02 each class of error has its code, however it is wrapped", classes)
	t.Run("CLI-02 a panic of ours is exit code 70, with the line that repeats it", panics)
	t.Run("CLI-02 an interrupt that comes at once still ends the run, with exit code 130", interrupted)
	t.Run("CLI-03 the first help page says all the verbs of scenario", scenarioVerbs)
	t.Run("CLI-03 NO_COLOR and a dumb terminal get what a pipe gets", noColor)
}

func scenarioVerbs(t *testing.T) {
	_, page, _ := try(nil, "--help")
	_, line, found := strings.Cut(page, "  scenario ")
	line, _, _ = strings.Cut(line, "\n")
	_, own, _ := try(nil, "scenario", "--help")
	_, own, _ = strings.Cut(own, "Available Commands:\n")
	own, _, _ = strings.Cut(own, "\n\n")
	for verb := range strings.Lines(own) {
		if verb = strings.Fields(verb)[0]; !found || !strings.Contains(line, verb) {
			t.Errorf("%s is not in %q", verb, line)
		}
	}
	if own == "" {
		t.Error("no verbs")
	}
}

func codeNumbers(t *testing.T) {
	want := []ui.Code{0, 1, 2, 3, 4, 5, 6, 7, 70, 129, 130, 143}
	for i, c := range ui.Codes {
		if i >= len(want) || c.Code != want[i] || c.What == "" {
			t.Errorf("code %d, %q, at place %d", c.Code, c.What, i)
		}
	}
	if len(ui.Codes) != len(want) {
		t.Errorf("%d codes, want %d", len(ui.Codes), len(want))
	}
}

func classes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want ui.Code
	}{
		{nil, ui.Pass},
		{&sqlite.Error{Path: "x.db", Kind: sqlite.ErrLocked}, ui.Operating},
		{&sqlite.RunError{Kind: sqlite.ErrNoRun}, ui.Operating},
		{&scenarios.Errors{List: []*scenarios.Error{{File: "x", Line: 1, Col: 1}}}, ui.Usage},
		{errors.New("unknown flag"), ui.Usage},
		{&ui.Failure{Code: ui.Missed}, ui.Missed},
		{&ui.Failure{Code: ui.Unfinished, Err: errors.New("limit")}, ui.Unfinished},
		{&sim.BugError{}, ui.Bug},
		{&sqlite.DigestError{}, ui.Bug},
		{ui.Fail(ui.Usage, &sim.BugError{}), ui.Bug},
		{&sim.LawError{Law: errors.New("CACHE-L6")}, ui.Broken},
	} {
		if got := ui.Classify(c.err); got != c.want {
			t.Errorf("%T has code %d, want %d", c.err, got, c.want)
		}
		if c.err == nil {
			continue
		}
		if got := ui.Classify(fmt.Errorf("while testing: %w", c.err)); got != c.want {
			t.Errorf("wrapped %T has code %d, want %d", c.err, got, c.want)
		}
	}
}

func panics(t *testing.T) {
	code, _, stderr := try(func(s *ui.Env) { s.Now = func() time.Time { panic("the clock fell off") } },
		"run", "hello", "--db", filepath.Join(t.TempDir(), "it's.db"))
	if code != ui.Bug || !strings.Contains(stderr, "bug: the clock fell off") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if !strings.Contains(stderr, "repeat with: agentsim run hello --db '") || !strings.Contains(stderr, `it'\''s.db'`) {
		t.Errorf("no line to repeat in %s", stderr)
	}
}

// endless is a run that only an interrupt or a limit ends.
const endless = `agentsim: 1
name: endless
provider: {model: claude-sonnet-4-5-20250929}
script:
  main: {user: hello}
  answers: [{agent: main, turns: [{text: hello}]}]
lab:
  retry: {max: 1_000_000_000, base: 1ms, cap: 1ms}
  faults: ["529"]
`

func interrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "endless.yaml")
	if err := os.WriteFile(name, []byte(endless), 0o666); err != nil {
		t.Fatal(err)
	}
	signals := make(chan os.Signal, 1)
	signals <- os.Interrupt
	code, _, stderr := try(func(s *ui.Env) { s.Interrupt = signals }, "run", name, "--record", "none")
	if code != ui.Interrupted || !strings.Contains(stderr, "endless did not finish: interrupted at ") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

func noColor(t *testing.T) {
	env := func(name, value string) func(*ui.Env) {
		return func(s *ui.Env) {
			s.Terminal = true
			s.Getenv = func(n string) string {
				if n == name {
					return value
				}
				return ""
			}
		}
	}
	args := []string{"run", "hello", "--record", "none"}
	_, pipe, _ := try(nil, args...)
	_, color, _ := try(env("", ""), args...)
	_, plain, _ := try(env("NO_COLOR", "1"), args...)
	_, dumb, _ := try(env("TERM", "dumb"), args...)
	if plain != pipe || dumb != pipe {
		t.Error("NO_COLOR or TERM=dumb changes more than the colours")
	}
	if !strings.Contains(color, "\x1b[1m") || strings.Contains(pipe, "\x1b") {
		t.Error("a terminal gets no colour, or a pipe does")
	}
}
