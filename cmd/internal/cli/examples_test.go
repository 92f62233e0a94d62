package cli

import (
	"bufio"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentsim/cmd/internal/ui"

	"github.com/spf13/cobra"
)

// placeholder is the run that examples name.
const placeholder = "9c1e"

// recordedSessions are the commands whose run has to be a recorded session.
var recordedSessions = map[string]bool{"agentsim whatif": true}

// served are the commands that talk to a server; make cluster has one.
var served = map[string]bool{"agentsim worker": true}

// TestExamples runs every line of every command's examples, as a shell does, in
// a directory that has what they speak of. The lines of one command run one
// after another in one directory.
func TestExamples(t *testing.T) {
	long(t)
	t.Run("CLI-01 every command shows examples in its --help, and all of them run as they stand", examplesRun)
}

func examplesRun(t *testing.T) {
	place := examplePlace(t)
	walkCommands(newRoot(&ui.Env{Getenv: os.Getenv}), func(cmd *cobra.Command) {
		if served[cmd.CommandPath()] {
			return
		}
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			t.Parallel()
			lines := exampleLines(cmd)
			if len(lines) == 0 {
				t.Fatal("it shows no example: give the command one that runs")
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(place)); err != nil {
				t.Fatal(err)
			}
			run := exampleRun(t, dir, recordedSessions[cmd.CommandPath()])
			for _, line := range lines {
				runExample(t, dir, strings.ReplaceAll(line, placeholder, run))
			}
		})
	})
}

// walkCommands visits the commands that do something by themselves; those that lab has
// too once.
func walkCommands(cmd *cobra.Command, visit func(*cobra.Command)) {
	for _, c := range cmd.Commands() {
		if cmd.Name() == "lab" && slices.ContainsFunc(cmd.Root().Commands(), func(r *cobra.Command) bool { return r.Name() == c.Name() }) {
			continue
		}
		walkCommands(c, visit)
	}
	if cmd.Runnable() && !cmd.HasSubCommands() {
		visit(cmd)
	}
}

// exampleLines are the command lines of a command's examples.
func exampleLines(cmd *cobra.Command) (out []string) {
	for line := range strings.SplitSeq(cmd.Example, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// runExample runs a line by a shell whose home is the directory.
func runExample(t *testing.T, dir, line string) string {
	t.Helper()
	if !strings.HasPrefix(line, "agentsim ") {
		t.Fatalf("%q is no command line of this program", line)
	}
	if strings.HasPrefix(line, "agentsim serve") {
		return serveExample(t, dir, line)
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// serveExample starts a server, at a free port, and ends it as a user does once it has said
// where it is.
func serveExample(t *testing.T, dir, line string) string {
	t.Helper()
	if !strings.Contains(line, "--listen") {
		line += " --listen 127.0.0.1:0"
	}
	if !strings.Contains(line, "--db") {
		line += " --db agentsim.db"
	}
	cmd := exec.Command("sh", "-c", "exec "+strings.ReplaceAll(line, "runs.db", "agentsim.db"))
	cmd.Dir = dir
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out, _ := bufio.NewReader(said).ReadString('\n')
	cmd.Process.Signal(os.Interrupt)
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != int(ui.Interrupted) || !strings.HasPrefix(out, "http://127.0.0.1:") {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
	return out
}

// exampleRun is the id of the run of the kind that the examples speak of.
func exampleRun(t *testing.T, dir string, session bool) string {
	t.Helper()
	from, which := "agentsim.db", "SELECT id FROM runs"
	if session {
		which = "SELECT run FROM agents GROUP BY run HAVING max(parent) >= 0 AND sum(write_1h) = 0 ORDER BY count(*) DESC, run" // with sub-agents, and lifetimes of 5m
		if err := os.Remove(filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
		runExample(t, dir, "agentsim import requests.jsonl.gz")
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, from))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var id string
	if err := db.QueryRow(which).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id[:8]
}

// examplePlace makes the directory: a project, definitions, scenarios, recorded
// sessions, requests, a trace and a record of a run.
func examplePlace(t *testing.T) string {
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recorded := exampleFixture(t, "session.jsonl")
	for _, name := range []string{"session.jsonl", "recordings/session.jsonl", ".claude/projects/shop/session.jsonl", "testdata/validation/session.jsonl"} {
		put(name, recorded)
	}
	sample := exampleFixture(t, "sample.jsonl.gz")
	for _, name := range []string{"testdata/validation/sample.jsonl.gz", "requests.jsonl.gz", ".claude/projects/my-repository/sample.jsonl.gz"} {
		put(name, sample)
	}
	const reviewer = "---\nname: reviewer\ndescription: reviews\ntools: Read\n---\nYou review.\n"
	put(".claude/agents/reviewer.md", reviewer)
	put("src/shop/.claude/agents/tester.md", strings.ReplaceAll(reviewer, "reviewer", "tester"))
	put("src/shop/main.go", "package main\n")
	put("before.json", `{"model": "claude-sonnet-4-5-20250929", "messages": [{"role": "user", "content": "Hello."}]}`)
	put("after.json", `{"model": "claude-sonnet-4-5-20250929", "messages": [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Good day."}]}`)
	const trace = `{"timestamp": 0, "input_length": 1100, "output_length": 6, "hash_ids": [0, 1, 2]}` + "\n" +
		`{"timestamp": 1, "input_length": 1536, "output_length": 6, "hash_ids": [0, 1, 3]}` + "\n"
	put("synthetic_trace.jsonl", trace)
	put("traces/talk.jsonl", trace)
	put("old.yaml", "name: old\nprovider: {model: claude-sonnet-5-5}\nmain: {user: hello}\nscripts: [{agent: main, turns: [{text: hello}]}]\n")
	runExample(t, dir, "agentsim scenario new mine.yaml")
	runExample(t, dir, "agentsim run coordinator --set provider.model=claude-sonnet-4-6")
	if err := os.Remove(filepath.Join(dir, "mine.yaml")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// exampleFixture is a file of the whole program's recordings.
func exampleFixture(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../testdata/validation", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
