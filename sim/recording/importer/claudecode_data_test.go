package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/recordingtest"
	"agentsim/sim/vtime"
)

// ccRecordings is the folder of recorded sessions.
func ccRecordings(t testing.TB) string {
	t.Helper()
	return recordingtest.Path(t, "sessions")
}

// ccRow is a row of requests.jsonl.gz, as another program derived it from the
// transcripts.
type ccRow struct {
	File    string      `json:"file"`
	Session string      `json:"session"`
	Thread  string      `json:"thread"`
	Req     string      `json:"req"`
	Pred    string      `json:"pred"`
	Model   string      `json:"model"`
	Version string      `json:"ver"`
	Start   json.Number `json:"t_start"`
	First   json.Number `json:"t_first"`
	Last    json.Number `json:"t_last"`
	Read    int64       `json:"read"`
	Write5m int64       `json:"write_5m"`
	Write1h int64       `json:"write_1h"`
	Input   int64       `json:"uncached"`
	Output  int64       `json:"output"`
	Final   bool        `json:"output_final"`
	Lines   int32       `json:"lines"`
	Turn    bool        `json:"user_turn"`
	Compact bool        `json:"compact"`
	Miss    string      `json:"miss_reason"`
}

// ccRows are the rows whose line holds one of the words.
func ccRows(t *testing.T, dir string, words ...string) (out []ccRow) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "requests.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		for _, w := range words {
			if !bytes.Contains(lines.Bytes(), []byte(w)) {
				continue
			}
			var r ccRow
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			out = append(out, r)
			break
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// diskSources are files below a folder.
func diskSources(dir string, names ...string) (out []source) {
	for _, name := range names {
		out = append(out, identified(source{name: name, open: func() (*opened, error) {
			f, err := os.Open(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			return openSource(f, func(int64) {})
		}}))
	}
	return out
}

// ccPrefix is how the rows name what a transcript names.
func ccPrefix(s string) string {
	if s == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}

// ccSeconds is an instant as the rows write it.
func ccSeconds(t vtime.Instant) json.Number {
	ms := int64(t) / int64(vtime.Millisecond)
	s := strconv.FormatInt(ms/1000, 10) + "." + strconv.FormatInt(1000+ms%1000, 10)[1:]
	if s = strings.TrimRight(s, "0"); strings.HasSuffix(s, ".") {
		s += "0"
	}
	return json.Number(s)
}

// ccRowsOf are the rows that a session would give.
func ccRowsOf(c *claudeCodeReader) (out []ccRow) {
	for i := range c.requests {
		r := &c.requests[i]
		row := ccRow{
			Session: ccPrefix(c.out.ID), Thread: c.threads[r.Thread].Name, Req: ccPrefix(r.ID), Model: r.Model, Version: r.Version,
			Start: ccSeconds(r.Start), First: ccSeconds(r.First), Last: ccSeconds(r.Last),
			Read: r.Usage.Read, Write5m: r.Usage.Write5m, Write1h: r.Usage.Write1h, Input: r.Usage.Input, Output: r.Usage.Output,
			Final: r.OutputKnown, Lines: int32(r.AnswerBlocks), Turn: r.UserTurn, Compact: r.Compacted, Miss: r.ServerMiss,
		}
		if r.Pred >= 0 {
			row.Pred = ccPrefix(c.requests[r.Pred].ID)
		}
		out = append(out, row)
	}
	return out
}

func TestClaudeCodeRecordings(t *testing.T) {
	const id = "4b2030ed-5563-49ea-b703-6a002f2d3cc8"
	for _, s := range []struct {
		what  string
		rows  []string // words of the rows' file names
		files []string
	}{
		{"spotter's tool_heavy", []string{"transcripts/tool_heavy.jsonl"}, []string{"marot__spotter/tool_heavy.jsonl"}},
		{"spotter's subagent", []string{"transcripts/subagent.jsonl"}, []string{"marot__spotter/subagent.jsonl"}},
		{"session-share's with a sub-agent's file", []string{id}, []string{
			"moredip__session-share/" + id + ".jsonl", "moredip__session-share/" + id + "/subagents/agent-a2018e5.jsonl"}},
		{"git-sync's checkpoint", []string{"5d/4b8f06380e/1/"}, []string{"entireio__git-sync/5d/4b8f06380e/1/full.jsonl"}},
	} {
		t.Run("IMP-01 IMP-02 each request of "+s.what+" is what was derived from the transcript elsewhere", func(t *testing.T) {
			dir := ccRecordings(t)
			c := newClaudeCode(&Options{}, &skips{})
			if err := c.readAll(diskSources(dir, s.files...)); err != nil {
				t.Fatal(err)
			}
			ccSameRows(t, ccRowsOf(c), ccRows(t, dir, s.rows...))
		})
	}
}

// ccSameRows compares all requests of the threads that the rows know, by id.
func ccSameRows(t *testing.T, got, want []ccRow) {
	t.Helper()
	if len(want) == 0 {
		t.Fatal("no such rows")
	}
	known := map[string]ccRow{}
	threads := map[string]bool{}
	for _, r := range want {
		r.File = ""
		known[r.Req] = r
		threads[r.Thread] = true
	}
	n := 0
	for _, r := range got {
		if !threads[r.Thread] {
			continue
		}
		n++
		if w := known[r.Req]; r != w {
			t.Errorf("request %s\n got %+v\nwant %+v", r.Req, r, w)
		}
	}
	if n != len(want) {
		t.Errorf("%d requests, want %d", n, len(want))
	}
}

func TestClaudeCodeForks(t *testing.T) {
	t.Run("IMP-07 a compaction's fork reads exactly what its parent read and wrote", func(t *testing.T) {
		const name = "marot__spotter/4d5611e5-241a-462a-8d15-5122611a9569"
		s, err := claudeCodeSession(diskSources(ccRecordings(t), name+"/subagents/agent-acompact-e1f845.jsonl",
			name+".jsonl", name+"/subagents/agent-a2898e3.jsonl"), &Options{}, &skips{})
		if err != nil {
			t.Fatal(err)
		}
		forks, after := 0, 0
		for i, r := range s.Requests {
			if r.Compacted {
				after++
				if want := int64(16_470); r.Pred < 0 || r.Usage.Read >= s.Expected(i)/5 {
					t.Errorf("the first request behind the boundary reads %d of %d; want the static prefix, some %d", r.Usage.Read, s.Expected(i), want)
				}
			}
			if s.Threads[r.Thread].Kind != recording.Compact {
				continue
			}
			forks++
			if r.Pred < 0 || s.Requests[r.Pred].Thread != 0 || r.Usage.Read != s.Expected(i) || r.Usage.Read != 164_830 {
				t.Errorf("the fork goes on from %d and reads %d; want one of the main thread and %d", r.Pred, r.Usage.Read, s.Expected(i))
			}
		}
		if forks != 1 || after != 1 {
			t.Errorf("%d compaction forks and %d requests after a compaction, want one of each", forks, after)
		}
	})
	t.Run("IMP-07 of the five compaction forks four read their parent's prefix, and the fifth followed another model", func(t *testing.T) {
		rows := ccRows(t, ccRecordings(t), `"marot/spotter"`)
		exact, switched := 1, 0 // the one above
		for _, fork := range rows {
			if !strings.HasPrefix(fork.Thread, "acompact-") {
				continue
			}
			parent := ccRow{}
			for _, r := range rows {
				if r.Session == fork.Session && r.Thread == "main" && ccBefore(t, r.Last, fork.Start) && !ccBefore(t, r.Last, parent.Last) {
					parent = r
				}
			}
			switch {
			case fork.Model == parent.Model && fork.Read == parent.Read+parent.Write5m+parent.Write1h:
				exact++
			case fork.Model != parent.Model && fork.Read == 17_842:
				switched++
			default:
				t.Errorf("fork %s reads %d behind %+v", fork.Thread, fork.Read, parent)
			}
		}
		if exact != 4 || switched != 1 {
			t.Errorf("%d read exactly, %d after another model; want 4 and 1", exact, switched)
		}
	})
}

func TestClaudeCodeContent(t *testing.T) {
	t.Run("IMP-01 with content each prompt of the recordings is one that the API would accept", func(t *testing.T) {
		const name = "marot__spotter/4d5611e5-241a-462a-8d15-5122611a9569"
		for _, files := range [][]string{
			{name + ".jsonl", name + "/subagents/agent-a2898e3.jsonl", name + "/subagents/agent-acompact-e1f845.jsonl"},
			{"marot__spotter/subagent.jsonl"},
			{"entireio__git-sync/d7/d18da5063a/0/full.jsonl"},
		} {
			s, err := claudeCodeSession(diskSources(ccRecordings(t), files...), &Options{Content: true}, &skips{})
			if err != nil {
				t.Fatal(err)
			}
			ccPrompts(t, s)
		}
	})
}

// ccPrompts builds each request's prompt and checks that it is well-formed.
func ccPrompts(t *testing.T, s *recording.Session) {
	t.Helper()
	var b llm.Builder
	empty := b.Border(b.Border(b.Root(llm.Scope{}, llm.Salts{}), llm.System, llm.Salts{}), llm.Messages, llm.Salts{})
	prompts := make([]*llm.Node, len(s.Requests))
	for i := range s.Requests {
		r, n := &s.Requests[i], empty
		if r.Pred >= 0 && !r.Compacted {
			n = prompts[r.Pred]
			answer := s.Requests[r.Pred].Answer
			for k := range answer {
				n = b.Append(n, llm.Assistant, &answer[k])
			}
		}
		for _, m := range r.Said {
			for k := range m.Blocks {
				n = b.Append(n, m.Role, &m.Blocks[k])
			}
		}
		if err := llm.WellFormedSince(n, nil); err != nil {
			t.Errorf("request %d, %s of %s: %v", i, r.ID, s.Threads[r.Thread].Name, err)
		}
		prompts[i] = n
	}
}

// ccBefore compares two times of rows; an absent one is before all.
func ccBefore(t *testing.T, a, b json.Number) bool {
	t.Helper()
	of := func(n json.Number) int64 {
		ns, ok := parseSeconds(cmp.Or(string(n), "0"))
		if !ok {
			t.Fatalf("%s is no time", n)
		}
		return ns
	}
	return of(a) < of(b)
}

// BenchmarkClaudeCode reads a session of 3 MB with its sub-agents.
func BenchmarkClaudeCode(b *testing.B) {
	const name = "marot__spotter/4d5611e5-241a-462a-8d15-5122611a9569"
	src := diskSources(ccRecordings(b), name+".jsonl", name+"/subagents/agent-a2898e3.jsonl", name+"/subagents/agent-acompact-e1f845.jsonl")
	for _, content := range []bool{false, true} {
		b.Run("content="+strconv.FormatBool(content), func(b *testing.B) {
			b.ReportAllocs()
			lines := 0
			for b.Loop() {
				s, err := claudeCodeSession(src, &Options{Content: content}, &skips{})
				if err != nil {
					b.Fatal(err)
				}
				var n int64
				for _, f := range s.Files {
					n += f.Bytes
				}
				b.SetBytes(n)
				lines += 1512 + 144 + 5
			}
			b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
