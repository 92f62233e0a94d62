package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/transcript/sqlite"
)

// hostile is a text that does something wherever it is taken for more than text: it
// colours and renames a terminal, turns its line round, ends a query, calls a command
// and leads out of a directory.
const hostile = "\x1b[31m\x1b]0;owned\x07\u009b2J\u202e'); DROP TABLE runs; --\n\r$(touch owned)`touch owned`; touch owned # ../../../owned"

func TestHostileRequests(t *testing.T) {
	t.Run("WIRE-76 what a request says is in no path, runs nothing, ends no query, and reaches a terminal escaped", func(t *testing.T) {
		t.Chdir(t.TempDir())
		hostileBodies(t)
		before := filesHere(t)
		see := func(args ...string) (code ui.Code) {
			for _, form := range ui.Formats {
				var out, errs string
				code, out, errs = try(nil, append(slices.Clone(args), "-o", form)...)
				escaped(t, args, out)
				escaped(t, args, errs)
			}
			return code
		}
		if code := see("import", "bodies", "--with-content"); code != ui.Pass {
			t.Fatal("exit code", code)
		}
		run := onlyRun(t)
		for _, flags := range []string{"", "--misses", "--call 2", "--call 2 --blocks", "--call 2 --said", "--said main", "--phases", "--reprice provider.model=claude-opus-4-8"} {
			see(append([]string{"inspect", run}, strings.Fields(flags)...)...)
		}
		see("inspect")
		see("inspect", run, "--call", hostile)
		see("lab", "lint", run)
		see("whatif", run)
		see("lab", "diff", "bodies/a.request.json", "bodies/b.request.json")
		see("lab", "diff", run+":1", run+":2")
		see("run", "hello", "--heads", "bodies/a.request.json", "--project", "bodies", "--record", "none")
		if code := see("lab", "db", "check"); code != ui.Pass {
			t.Error("the database was changed: exit code", code)
		}
		if text, err := os.ReadFile(rundb.UsualName); err != nil || !bytes.Contains(text, []byte("; DROP TABLE runs; --")) {
			t.Errorf("what was said is not stored as it is (%v)", err)
		}
		if now := filesHere(t); !slices.Equal(now, append([]string{rundb.UsualName}, before...)) {
			t.Errorf("files: %q, before: %q", now, before)
		}
	})
}

// escaped fails where an output has a character that a terminal acts on.
func escaped(t *testing.T, args []string, out string) {
	t.Helper()
	acts := func(c rune) bool {
		return c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c))
	}
	if i := strings.IndexFunc(out, acts); i >= 0 {
		t.Errorf("%q: %q", args, out[max(0, i-60):min(len(out), i+60)])
	}
}

// hostileBodies writes a directory of two requests and their answers in which all that
// may be any text is hostile. The second has another tool and another history.
func hostileBodies(t *testing.T) {
	t.Helper()
	type object = map[string]any
	use := object{"type": "tool_use", "id": hostile, "name": "Read" + hostile, "input": object{"file_path": hostile, hostile: hostile}}
	request := func(tool string, messages ...any) object {
		return object{
			"model": "claude-opus-4-6", "betas": []string{hostile}, "metadata": object{"user_id": hostile}, hostile: hostile,
			"output_config": object{"effort": hostile},
			"tools":         []any{object{"name": tool, "description": hostile, "input_schema": object{}}, object{"name": "Agent", "input_schema": object{}}},
			"system":        []any{object{"type": "text", "text": "x-anthropic-billing-header: " + hostile}, object{"type": "text", "text": hostile}},
			"messages":      append([]any{object{"role": "user", "content": hostile}}, messages...),
		}
	}
	answer := func(id string, content object) object {
		return object{"id": id, "type": "message", "role": "assistant", "model": "claude-opus-4-6", "content": []any{content}, "stop_reason": hostile,
			"usage":       object{"input_tokens": 4, "cache_creation_input_tokens": 9000, "output_tokens": 5, "service_tier": hostile},
			"diagnostics": object{"cache_miss_reason": object{"type": hostile}}}
	}
	index := ""
	for name, body := range map[string]any{
		"a.request.json": request("Read" + hostile),
		"b.request.json": request("Write"+hostile, object{"role": "assistant", "content": []any{use}},
			object{"role": "user", "content": []any{object{"type": "tool_result", "tool_use_id": hostile, "content": hostile}, object{"type": "a" + hostile, "x": hostile}}}),
		"a.response.json": answer("msg_a"+hostile, use),
		"b.response.json": answer("msg_b"+hostile, object{"type": "text", "text": hostile}),
	} {
		writeJSON(t, filepath.Join("bodies", name), body)
	}
	for _, name := range []string{"a", "b", "../../" + hostile} {
		line, err := json.Marshal(object{"timestamp": "2026-11-01T10:00:05Z", "session_id": "../" + hostile, "query_source": hostile, "model": hostile,
			"request_id": hostile, "message_id": hostile, "request_file": name + ".request.json", "response_file": name + ".response.json"})
		if err != nil {
			t.Fatal(err)
		}
		index += string(line) + "\n"
	}
	if err := os.WriteFile("bodies/index.jsonl", []byte(index), 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeJSON(t *testing.T, name string, what any) {
	t.Helper()
	text, err := json.Marshal(what)
	if err := errorsOf(err, os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, text, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// onlyRun is the id of the one run of the usual database.
func onlyRun(t *testing.T) string {
	t.Helper()
	db, err := sqlite.Open(rundb.UsualName)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs()
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	return ui.Short(runs[0].ID)
}
