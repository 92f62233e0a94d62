package exporter_test

import (
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/exporter"
)

func TestNames(t *testing.T) {
	t.Run("EXPT-03 a recorded name is never more of a path than a name, and two threads never share a file", func(t *testing.T) {
		s := &recording.Session{ID: "../../etc", Threads: []recording.Thread{{Name: "main", Parent: -1}}}
		for i, name := range []string{"../../x", "..-..-x", "a/b", "a-b", "", strings.Repeat("n", 1000)} {
			s.Threads = append(s.Threads, recording.Thread{Name: name, Kind: recording.SubAgent})
			s.Requests = append(s.Requests, recording.Request{ID: name, Thread: int32(i + 1), Pred: -1, Usage: llm.Usage{Output: 1}})
		}
		seen := map[string]bool{}
		for _, f := range exporter.ClaudeCode(s, 0) {
			parts := strings.Split(f.Name, "/")
			if len(parts) != 3 || parts[1] != "subagents" || strings.Contains(f.Name, "..") || len(f.Name) > 160 || seen[f.Name] {
				t.Errorf("file %s", f.Name)
			}
			seen[f.Name] = true
			var text strings.Builder
			if err := f.Write(&text); err != nil || strings.Count(text.String(), "\n") != 2 || !strings.Contains(text.String(), exporter.Missing) {
				t.Errorf("%s: %v\n%s", f.Name, err, text.String())
			}
		}
		if len(seen) != 6 {
			t.Errorf("%d files", len(seen))
		}
	})
}
