package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/transcript/sqlite"
)

func TestPrivacy(t *testing.T) {
	t.Run("REPO-08 what was said, read, written and named in a session stands in no file and no output unless --with-content was given", canaries)
	t.Run("REPO-08 SRV-03 runs rm removes what only a run held, from every byte of the file, and what others hold stays", removedRuns)
	t.Run("REPO-08 the database is the user's own, and in a repository it lies in the state directory, where every command finds it", stateDirectory)
}

// secrets are planted in a session, each in a place of its own.
var secrets = []string{"canary-cwd", "canary-branch", "canary-title", "canary-summary", "canary-user", "canary-thinking", "canary-text",
	"canary-input", "canary-file", "canary-result", "canary-todo", "canary-attachment", "canary-compact", "canary-task", "canary-report",
	"canary-description", "canary-directory", "canary-error", "canary-snapshot", "canary-hook", "canary-name"}

// secretSession lies in a directory that is named after the one worked in.
const secretSession = `{"type":"ai-title","title":"canary-title","sessionId":"33333333-2222-4333-8444-555555555555"}
{"type":"summary","summary":"canary-summary","leafUuid":"u1"}
{"type":"file-history-snapshot","messageId":"u1","snapshot":{"trackedFileBackups":{"canary-snapshot":{}}}}
{"type":"user","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":"33333333-2222-4333-8444-555555555555","cwd":"/home/canary-cwd","gitBranch":"canary-branch","version":"2.1.120","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"user","content":"my key is canary-user"}}
{"type":"attachment","uuid":"x1","parentUuid":"u1","sessionId":"33333333-2222-4333-8444-555555555555","timestamp":"2026-03-01T10:00:00.100Z","attachment":{"type":"queued_command","prompt":"canary-attachment"}}
{"type":"assistant","uuid":"a1","parentUuid":"x1","isSidechain":false,"sessionId":"33333333-2222-4333-8444-555555555555","cwd":"/home/canary-cwd","gitBranch":"canary-branch","version":"2.1.120","timestamp":"2026-03-01T10:00:04.000Z","requestId":"r1","message":{"id":"msg_01","model":"claude-sonnet-4-5-20250929","role":"assistant","stop_reason":"tool_use","content":[{"type":"thinking","thinking":"canary-thinking"},{"type":"text","text":"canary-text"},{"type":"tool_use","id":"toolu_01","name":"Write","input":{"file_path":"/home/canary-file","content":"canary-input"}},{"type":"tool_use","id":"toolu_02","name":"Task","input":{"description":"canary-description","prompt":"canary-task","subagent_type":"Explore"}}],"usage":{"input_tokens":10,"cache_creation_input_tokens":1000,"cache_read_input_tokens":0,"output_tokens":50}}}
{"type":"user","uuid":"u2","parentUuid":"a1","isSidechain":false,"sessionId":"33333333-2222-4333-8444-555555555555","timestamp":"2026-03-01T10:00:05.000Z","toolUseResult":{"oldTodos":["canary-todo"]},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01","is_error":true,"content":"canary-error"},{"type":"tool_result","tool_use_id":"toolu_02","content":[{"type":"text","text":"canary-report canary-result"}]}]}}
{"type":"system","subtype":"hook","content":"canary-hook","uuid":"s1","parentUuid":"u2","sessionId":"33333333-2222-4333-8444-555555555555","timestamp":"2026-03-01T10:00:05.500Z"}
{"type":"user","uuid":"u3","parentUuid":"s1","isCompactSummary":true,"sessionId":"33333333-2222-4333-8444-555555555555","timestamp":"2026-03-01T10:00:06.000Z","message":{"role":"user","content":"canary-compact"}}
{"type":"canary","sessionId":"33333333-2222-4333-8444-555555555555"}
{"type":"assistant","uuid":"a2","parentUuid":"u3","isSidechain":false,"sessionId":"33333333-2222-4333-8444-555555555555","version":"2.1.120","timestamp":"2026-03-01T10:00:09.000Z","requestId":"r2","message":{"id":"msg_02","model":"claude-sonnet-4-5-20250929","role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"canary-text"}],"usage":{"input_tokens":10,"cache_creation_input_tokens":900,"cache_read_input_tokens":0,"output_tokens":50}}}
`

// canaries runs every command that reads sessions or the database.
func canaries(t *testing.T) {
	t.Chdir(t.TempDir())
	session := filepath.Join("projects", "-home-canary-directory", "33333333-2222-4333-8444-555555555555.jsonl")
	if err := errorsOf(os.MkdirAll(filepath.Dir(session), 0o755), os.WriteFile(session, []byte(secretSession), 0o644)); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := try(nil, "run", "hello"); code != ui.Pass {
		t.Fatal(errs)
	}
	var said bytes.Buffer
	all := func(args ...string) {
		for _, form := range ui.Formats {
			_, out, errs := try(nil, append(slices.Clone(args), "-o", form)...)
			fmt.Fprintf(&said, "%v\n%s%s", args, out, errs)
		}
	}
	all("import", "projects")
	all("import", "projects", "--dry-run", "--all")
	run, other := usualRun(t, "claude-code/33333333"), usualRun(t, "hello")
	all("inspect")
	all("inspect", run)
	for _, flags := range []string{"--misses", "--phases", "--call 1", "--call 2 --blocks", "--said main", "--reprice provider.model=claude-opus-4-8"} {
		all(append([]string{"inspect", run}, strings.Fields(flags)...)...)
	}
	all("lab", "lint", run)
	all("whatif", run)
	all("whatif", run, "--structure", "fork")
	all("lab", "validate", "projects")
	all("lab", "diff", run+":1", run+":2")
	all("compare", run, other)
	_, printed, failed := try(nil, "profile", "projects")
	said.WriteString(printed + failed)
	if !strings.Contains(printed, "compactions: {n: 1, sessions: 1") || !strings.Contains(printed, "prompt_bytes: {n: 1") {
		t.Errorf("the planted session is not measured:\n%s%s", printed, failed)
	}
	for _, args := range [][]string{{"profile", "projects", "-o", "ours.yaml"}, {"profile", "merge", "projects"}, {"profile", run}, {"profile", "agentsim.db"}} {
		_, out, errs := try(nil, args...)
		said.WriteString(out + errs)
	}
	all("profile", "show", "ours.yaml")
	unnamedSession(t)
	_, out, errs := try(nil, "replay", run)
	said.WriteString(out + errs)
	unseen(t, "an output", said.Bytes())
	for _, name := range filesHere(t) {
		if strings.HasPrefix(name, "projects") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		unseen(t, name, text)
	}
	if !strings.Contains(said.String(), "run "+run+" was imported without what was said: agentsim import --with-content PATH reads it again") {
		t.Error("nothing says that content is missing and how to have it")
	}
	if code, _, errs := try(nil, "import", "projects", "--with-content"); code != ui.Pass {
		t.Fatal(errs)
	}
	if text, err := os.ReadFile("agentsim.db"); err != nil || !bytes.Contains(text, []byte("canary-text")) {
		t.Errorf("asked for, what was said is not stored (%v)", err)
	}
}

func errorsOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

func unseen(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, s := range secrets {
		if i := bytes.Index(text, []byte(s)); i >= 0 {
			t.Errorf("%s holds %s: %q", where, s, text[max(0, i-120):min(len(text), i+60)])
		}
	}
}

// unnamedSession imports what somebody gave a name to, a session of another id and a
// trace that has none. The database is looked through with all others.
func unnamedSession(t *testing.T) {
	t.Helper()
	for file, text := range map[string]string{
		"canary-name.jsonl": strings.ReplaceAll(secretSession, "33333333-", "44444444-"),
		"canary-name.json":  `{"models":["m"],"block_size":64,"hash_id_scope":"local","requests":[{"t":0,"type":"n","in":200,"out":5,"hash_ids":[1]}]}`,
	} {
		file = filepath.Join("projects", file)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := try(nil, "import", file); code != ui.Pass || !strings.Contains(out, "1 session") {
			t.Fatal(out, errs)
		}
	}
}

// filesHere are all files below the current directory.
func filesHere(t *testing.T) (out []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// usualRun is the id of the run of this name in the usual database.
func usualRun(t *testing.T, name string) string {
	t.Helper()
	return otherRun(t, name, "")
}

// otherRun is a run of a name that is not the one given.
func otherRun(t *testing.T, name, than string) string {
	t.Helper()
	db, err := sqlite.Open(rundb.UsualName)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs()
	i := slices.IndexFunc(runs, func(r sqlite.RunInfo) bool { return r.Name == name && ui.Short(r.ID) != than })
	if err != nil || i < 0 {
		t.Fatalf("no run %s (%v)", name, err)
	}
	return ui.Short(runs[i].ID)
}

func stateDirectory(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	for _, c := range []struct{ variable, at string }{
		{"HOME", filepath.Join(home, ".local", "state", "agentsim", "agentsim.db")},
		{"XDG_STATE_HOME", filepath.Join(home, "agentsim", "agentsim.db")},
	} {
		in := func(s *ui.Env) {
			s.Getenv = func(name string) string {
				if name == c.variable {
					return home
				}
				return ""
			}
		}
		repo := filepath.Join(dir, c.variable)
		if err := errorsOf(os.MkdirAll(filepath.Join(repo, ".git"), 0o755), os.MkdirAll(filepath.Join(repo, "sub"), 0o755)); err != nil {
			t.Fatal(err)
		}
		t.Chdir(filepath.Join(repo, "sub"))
		code, out, errs := try(in, "run", "hello")
		if code != ui.Pass || !strings.Contains(out, "recorded     "+c.at+", run ") || strings.Contains(out, " --db ") {
			t.Errorf("exit code %d\n%s%s", code, out, errs)
		}
		info, err := os.Stat(c.at)
		parent, errDir := os.Stat(filepath.Dir(c.at))
		if err := errorsOf(err, errDir); err != nil || info.Mode().Perm() != 0o600 || parent.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v: %v", info, parent, err)
		}
		_, run, _ := strings.Cut(out, "agentsim replay ")
		run = run[:8]
		for _, line := range []string{"inspect", "replay RUN", "sweep hello", "lab diff RUN:1 RUN:2", "lab lint RUN", "whatif RUN", "compare RUN RUN", "lab db check"} {
			line = strings.ReplaceAll(line, "RUN", run)
			if code, _, errs := try(in, strings.Fields(line)...); code != ui.Pass {
				t.Errorf("%s: exit code %d, %s", line, code, errs)
			}
		}
		if left := filesHere(t); left != nil {
			t.Errorf("%v was left in the repository", left)
		}
		if err := os.WriteFile("agentsim.db", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, out, _ := try(in, "run", "hello"); !strings.Contains(out, "recorded     agentsim.db, run ") {
			t.Errorf("the database that is there was not used:\n%s", out)
		}
	}
}

// removedRuns removes a session that was imported with what was said, beside runs that
// share blocks with one another.
func removedRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("session.jsonl", []byte(secretSession), 0o644); err != nil {
		t.Fatal(err)
	}
	do := func(want ui.Code, args ...string) string {
		t.Helper()
		code, out, errs := try(nil, args...)
		if code != want {
			t.Fatalf("%v: exit code %d: %s", args, code, errs)
		}
		return out + errs
	}
	do(ui.Pass, "run", "hello")
	hello := usualRun(t, "hello")
	do(ui.Pass, "run", "hello", "--seed", "7")
	again := otherRun(t, "hello", hello)
	do(ui.Pass, "import", "session.jsonl", "--with-content")
	session := usualRun(t, "claude-code/33333333")
	blocks := do(ui.Pass, "inspect", hello, "--call", "1", "--blocks")
	text := func() []byte {
		raw, err := os.ReadFile(rundb.UsualName)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	if !bytes.Contains(text(), []byte("canary-text")) {
		t.Fatal("what was said is not stored")
	}
	if said := do(ui.Operating, "runs", "rm", session, "ffff"); !strings.Contains(said, "no such run: ffff; there is ") || !bytes.Contains(text(), []byte("canary-text")) {
		t.Errorf("an id that is none: %s", said)
	}
	if said := do(ui.Pass, "runs", "rm", session); !strings.HasPrefix(said, "agentsim.db: 1 run removed, with ") || strings.Contains(said, " 0 ") {
		t.Errorf("%s", said)
	}
	unseen(t, "the database", text())
	do(ui.Pass, "lab", "db", "check")
	do(ui.Operating, "inspect", session)
	do(ui.Pass, "runs", "rm", again)
	do(ui.Pass, "lab", "db", "check")
	do(ui.Pass, "replay", hello)
	if after := do(ui.Pass, "inspect", hello, "--call", "1", "--blocks"); after != blocks {
		t.Errorf("a call of a run that stays was\n%s\nand is\n%s", blocks, after)
	}
}
