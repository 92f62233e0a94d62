package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentsim/cmd/internal/ui"
)

// libraryBaseline is what the library's scenarios came to when it was last
// written: agentsim bench --baseline testdata/bench/library.baseline --update
const libraryBaseline = "../../../testdata/bench/library.baseline"

func TestBench(t *testing.T) {
	t.Run("CLI-05 the library holds against its own baseline", func(t *testing.T) {
		long(t)
		code, stdout, stderr := try(nil, "bench", "--baseline", libraryBaseline)
		if code != ui.Pass || !strings.Contains(stdout, "verdict") {
			t.Errorf("exit code %d; where the change is meant, write it with\n  go run ./cmd/agentsim bench --baseline testdata/bench/library.baseline --update\n%s%s", code, stdout, stderr)
		}
	})
	t.Run("MET-06 the real benchstat reads the figures, knows which way is better and that they are exact", benchstatReads)
	t.Run("MET-06 benchstat flags two runs of one name that differ: nondeterminism", benchstatFlags)
}

// benchstat runs the real one, as the module pins it, on files of figures.
func benchstat(t *testing.T, files ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"tool", "benchstat"}, files...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("benchstat: %v\n%s", err, out)
	}
	return string(out)
}

// figuresFile writes the figures of a scenario with a system prompt of some
// tokens.
func figuresFile(t *testing.T, dir, tokens string) string {
	t.Helper()
	scenario, out := filepath.Join(dir, "one.yaml"), filepath.Join(dir, tokens+".txt")
	text := "agentsim: 1\nname: one\nprovider: {model: claude-sonnet-4-5-20250929}\nscript:\n  main: {user: hello, system: {tokens: " + tokens +
		"}}\n  answers: [{agent: main, turns: [{text: hello yourself}]}]\nvariants: {plain: {}}\n"
	if err := os.WriteFile(scenario, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := try(nil, "bench", scenario, "--baseline", filepath.Join(dir, "none"), "--gobench", out)
	if code != ui.NoBaseline {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	return out
}

func benchstatReads(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(figuresFile(t, dir, "2000"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Unit cost-USD better=lower assume=exact\n", "Unit cache.hit_ratio better=higher assume=exact\n",
		"Unit tokens.read assume=exact\n", "Unit time-sec better=lower assume=exact\n", "\nBenchmarkOne/variant=plain/seed=42 1 0.0"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	out := benchstat(t, filepath.Join(dir, "2000.txt"), figuresFile(t, dir, "3000"))
	for _, want := range []string{"cost-USD", "One/variant=plain/seed=42", "time-sec", "tokens.prompt", "± 0%"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "exact distribution expected") || strings.Contains(out, "need >=") {
		t.Errorf("benchstat does not take single figures for exact:\n%s", out)
	}
}

func benchstatFlags(t *testing.T) {
	dir := t.TempDir()
	one, err := os.ReadFile(figuresFile(t, dir, "2000"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(figuresFile(t, dir, "3000"))
	if err != nil {
		t.Fatal(err)
	}
	both := filepath.Join(dir, "both.txt")
	if err := os.WriteFile(both, append(one, other...), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := benchstat(t, both); !strings.Contains(out, "exact distribution expected, but values range from") {
		t.Errorf("benchstat says nothing of two values of one run:\n%s", out)
	}
}
