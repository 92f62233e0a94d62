package overview

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
)

func TestOverview(t *testing.T) {
	t.Run("REPO-07 sessions are read for three seconds at most, and the rest is said", bounded)
	t.Run("REPO-07 files of sub-agents beside a session are part of it", agentsBeside)
	t.Run("REPO-07 sessions that were last written a month before the newest are not read", old)
}

const line = `{"type":"user","uuid":"u%[1]d","parentUuid":null,"isSidechain":false,"sessionId":"s%[1]d","version":"2.1.120","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"user","content":"Hello."}}
{"type":"assistant","uuid":"a%[1]d","parentUuid":"u%[1]d","isSidechain":false,"sessionId":"s%[1]d","version":"2.1.120","timestamp":"2026-03-01T10:00:02.000Z","requestId":"r%[1]d","message":{"id":"m%[1]d","model":"claude-opus-4-5-20251101","role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"Hi."}],"usage":{"input_tokens":1000,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}
`

// see prints the overview of five sessions, one a day, or every days of them, on a
// clock that goes on by a second each time it is asked.
func see(t *testing.T, apart time.Duration) string {
	home, out, clock := t.TempDir(), &bytes.Buffer{}, time.Unix(0, 0)
	dir := filepath.Join(home, ".claude", "projects", "[x]")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		name, at := filepath.Join(dir, fmt.Sprintf("s%d.jsonl", i)), time.Unix(1_770_000_000, 0).Add(-apart*time.Duration(i))
		if err := os.WriteFile(name, fmt.Appendf(nil, line, i), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(home)
	s := &ui.Env{Stdout: out, Stderr: out, Getenv: func(name string) string {
		if name == "HOME" {
			return home
		}
		return ""
	}, Now: func() time.Time { clock = clock.Add(time.Second); return clock }}
	if err := Print(s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func agentsBeside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]int{"s1.jsonl": 1, "s2.jsonl": 2, "agent-a.jsonl": 1, "agent-b.jsonl": 1, "agent-c.jsonl": 3} {
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, line, of), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]int{}
	for _, f := range list(filepath.Dir(dir)) {
		got[filepath.Base(f.name)] = len(f.agents)
	}
	if want := map[string]int{"s1.jsonl": 2, "s2.jsonl": 0, "agent-c.jsonl": 0}; !maps.Equal(got, want) {
		t.Errorf("sessions and how many files of agents each has: %v, want %v", got, want)
	}
}

func bounded(t *testing.T) {
	out := see(t, time.Hour)
	for _, want := range []string{"5 sessions in ~/.claude/projects; only 3 read, the newest first", "$0.0150 for 3 requests"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
}

func old(t *testing.T) {
	out := see(t, 20*24*time.Hour)
	if !strings.Contains(out, "$0.0100 for 2 requests") || strings.Contains(out, "only") {
		t.Errorf("two of five are of the last thirty days:\n%s", out)
	}
}
