package cli

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"agentsim/cmd/internal/ui"
	"agentsim/sim/recording/recordingtest"

	"mvdan.cc/sh/v3/shell"
)

var rewriteReadme = flag.Bool("rewrite-readme", false, "write what the commands print into README.md and the guides of docs")

// A run that the page names is the one recorded last by the command above it.
var (
	runID    = regexp.MustCompile(` ([0-9a-f]{8}|RUN)\b`)
	recorded = regexp.MustCompile(`(?m)^(?:recorded|inspect) .*\b([0-9a-f]{8})$`)
)

// TestReadme runs every `$ agentsim …` line in the console blocks of README.md and of
// the guides in docs, in order and in one directory for each page, and holds what they
// print against the page.
func TestReadme(t *testing.T) {
	long(t)
	guides, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(guides) < 3 {
		t.Fatalf("%d guides: %v", len(guides), err)
	}
	for _, name := range append([]string{"../../../README.md"}, guides...) {
		page, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(page), func(t *testing.T) { executedPage(t, page) })
	}
}

func executedPage(t *testing.T, page string) {
	src, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(src), "\n$ agentsim") {
		return
	}
	trace := readmeDirectory(t, string(src))
	var out strings.Builder
	in, last, code := "", "", ui.Pass
	lines := strings.SplitAfter(string(src), "\n")
	for i, line := range lines {
		switch {
		case in == "" && strings.HasPrefix(line, "```console"):
			in = "text"
		case in != "" && strings.HasPrefix(line, "```"):
			in = ""
		case in != "" && strings.HasPrefix(line, "$ agentsim") && trace == "" && strings.Contains(line, traceName):
			in = "text" // its recording is not here
		case in != "" && strings.HasPrefix(line, "$ sed "):
			in = "output"
			readmeSed(t, line)
		case in != "" && line == "$ echo $?\n":
			out.WriteString(line + strconv.Itoa(int(code)) + "\n")
			in, code = "output", ui.Pass
			continue
		case in != "" && strings.HasPrefix(line, "$ agentsim"):
			in = "output"
			line = runID.ReplaceAllString(line, " "+last)
			var text string
			text, code = readmeOutput(line)
			if code != ui.Pass && nextCommand(lines[i+1:]) != "$ echo $?\n" {
				t.Errorf("%s ends with exit code %d: the page says so by $ echo $?, or shows what works\n%s", strings.TrimSpace(line), code, text)
			}
			if ids := recorded.FindStringSubmatch(text); ids != nil {
				last = ids[1]
			}
			out.WriteString(line + text)
			continue
		case in == "output":
			continue // what the page says; the command's own words stand already
		}
		out.WriteString(line)
	}
	switch {
	case *rewriteReadme:
		if err := os.WriteFile(page, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	case out.String() != string(src):
		t.Errorf("%s does not show what its commands print: run go test ./cmd/internal/cli -run TestReadme -rewrite-readme\nit should read:\n%s", filepath.Base(page), out.String())
	}
}

// readmeDirectory makes a directory with what the page's commands need and goes
// there. It returns the trace that the page replays, "" where it is not.
func readmeDirectory(t *testing.T, page string) string {
	t.Helper()
	files := fenced(page, "```yaml")
	trace := recordedTrace(t)
	shown, err := filepath.Abs("../../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(shown, "testdata"); err != nil {
		t.Fatal(err)
	}
	if trace != "" {
		if err := os.Symlink(trace, filepath.Base(trace)); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(page, "$ agentsim run mine.yaml") {
		if err := os.WriteFile("mine.yaml", []byte(files[0]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return trace
}

// traceName is a trace that the page replays and that is not part of the tree.
const traceName = "synthetic_trace.jsonl"

// recordedTrace is where that trace is; "" where it is not.
func recordedTrace(t *testing.T) string {
	t.Helper()
	path, err := recordingtest.Find(t, "mooncake", traceName)
	if err != nil {
		return ""
	}
	return path
}

// readmeOutput is what a command line prints, as a terminal shows it, and how it
// ends.
func readmeOutput(line string) (string, ui.Code) {
	words, err := shell.Fields(strings.TrimPrefix(strings.TrimSpace(line), "$ agentsim"), nil) // as who pastes it has them
	if err != nil {
		return err.Error(), ui.Usage
	}
	code, stdout, stderr := try(nil, words...)
	return stdout + stderr, code
}

// nextCommand is the next command of a block, "" where the block ends.
func nextCommand(lines []string) string {
	for _, line := range lines {
		if strings.HasPrefix(line, "```") {
			break
		}
		if strings.HasPrefix(line, "$ ") {
			return line
		}
	}
	return ""
}

// readmeSed does what a line `$ sed -i s/OLD/NEW/ FILE` says.
func readmeSed(t *testing.T, line string) {
	t.Helper()
	words := strings.Fields(line)
	parts := strings.Split(words[3], "/")
	src, err := os.ReadFile(words[4])
	if err != nil {
		t.Fatal(err)
	}
	now := strings.ReplaceAll(string(src), parts[1], parts[2])
	if now == string(src) {
		t.Fatalf("%s changes nothing", strings.TrimSpace(line))
	}
	if err := os.WriteFile(words[4], []byte(now), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fenced lists the blocks that open with a fence of the given kind.
func fenced(page, fence string) (out []string) {
	for _, part := range strings.Split(page, fence+"\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		out = append(out, block)
	}
	return out
}

// TestScenarioPage runs each whole scenario that docs/scenarios.md shows.
func TestScenarioPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	t.Chdir(t.TempDir())
	for _, text := range fenced(string(page), "```yaml") {
		if !strings.HasPrefix(text, "agentsim: 1\n") {
			continue // a part, which package scenarios loads
		}
		ran++
		if err := os.WriteFile("page.yaml", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := try(nil, "run", "page.yaml", "--record", "none"); code != ui.Pass || errs != "" {
			t.Errorf("LANG-12 %s\n%s%s", text, out, errs)
		}
	}
	if ran < 2 {
		t.Errorf("LANG-12 the page shows %d whole scenarios", ran)
	}
}
