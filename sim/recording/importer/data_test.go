package importer

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// rawRow is a row as it stands in the file.
type rawRow map[string]any

func (r rawRow) text(k string) string { s, _ := r[k].(string); return s }

func (r rawRow) number(t testing.TB, k string) int64 {
	n, ok := r[k].(json.Number)
	if !ok {
		return 0
	}
	i, err := n.Int64()
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// rawRows reads the rows without the importer.
func rawRows(t testing.TB, dir string) (out []rawRow) {
	f, err := os.Open(filepath.Join(dir, "requests.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(z); lines.Scan(); {
		var r rawRow
		dec := json.NewDecoder(strings.NewReader(lines.Text()))
		dec.UseNumber()
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// decimal is nanoseconds as the rows write them: seconds, without trailing zeros.
func decimal(at int64) string {
	whole := strings.TrimSuffix(strings.TrimRight(strings.TrimSuffix(vtime.Instant(at).String(), "s"), "0"), ".")
	if !strings.Contains(whole, ".") {
		return whole + ".0"
	}
	return whole
}

func TestRecordedRows(t *testing.T) {
	dir := ccRecordings(t)
	all, report, err := readAll(os.DirFS(dir), Options{}, "requests.jsonl.gz")
	if err != nil || len(report.Skipped) > 0 {
		t.Fatalf("error %v, skipped %+v", err, report.Skipped)
	}
	raw := rawRows(t, dir)
	t.Run("IMP-01 each of the recorded rows is one request of its session, with its figures and its instants to the digit", func(t *testing.T) {
		if report.Requests != len(raw) || report.Sessions != 210 {
			t.Errorf("%d requests of %d sessions; there are %d rows of 210", report.Requests, report.Sessions, len(raw))
		}
		sameRows(t, all, raw)
	})
	t.Run("IMP-01 every predecessor and spawner that a row names is found", func(t *testing.T) {
		var named, found int
		for _, r := range raw {
			if r.text("pred") != "" {
				named++
			}
		}
		for _, s := range all {
			for i, r := range s.Requests {
				if r.Pred >= 0 && !r.Orphan && !r.Compacted && s.Client != clientCodex && s.Threads[r.Thread].Kind != recording.Compact {
					found++
				}
				if bad := lawful(s); bad != "" {
					t.Fatalf("%s of %s, request %d: %s", s.ID, s.Origin, i, bad)
				}
			}
		}
		if named != found {
			t.Errorf("%d rows name a predecessor, %d requests have one", named, found)
		}
	})
	t.Run("IMP-07 three of the four recorded compactions read what their main thread had read and written; the fourth follows a change of model", func(t *testing.T) {
		compactionForks(t, all)
	})
	t.Run("IMP-07 a recorded Codex fork's first call reads 3,456 tokens whatever its length", func(t *testing.T) {
		var lengths []int64
		for _, s := range all {
			if th := s.Threads[0]; th.Kind == recording.Fork {
				first := s.Requests[0].Usage
				if first.Read != 3456 || th.CopiedHead == 0 || s.Requests[0].WritesKnown {
					t.Errorf("%s: %+v after %d copied requests", s.ID, first, th.CopiedHead)
				}
				lengths = append(lengths, first.Prompt())
			}
		}
		slices.Sort(lengths)
		if want := []int64{141856, 205041}; !slices.Equal(lengths, want) {
			t.Errorf("forks have prompts of %v tokens, want %v", lengths, want)
		}
	})
}

func compactionForks(t *testing.T, all []*recording.Session) {
	var exact, switched int
	for _, s := range all {
		for i, r := range s.Requests {
			if s.Threads[r.Thread].Kind != recording.Compact {
				continue
			}
			switch p := s.Requests[r.Pred]; {
			case p.Thread != 0:
				t.Errorf("%s: a compaction goes on from thread %d", s.ID, p.Thread)
			case r.Usage.Read == s.Expected(i):
				exact++
			case p.Model != r.Model && r.Usage.Read == 17842:
				switched++
			default:
				t.Errorf("%s: reads %d of %d", s.ID, r.Usage.Read, s.Expected(i))
			}
		}
	}
	if exact != 3 || switched != 1 {
		t.Errorf("%d exact, %d after a change of model; want 3 and 1", exact, switched)
	}
}

// sameRows compares what was imported with the rows.
func sameRows(t *testing.T, all []*recording.Session, raw []rawRow) {
	type key struct{ repo, session, id string }
	byID := map[key]*recording.Request{}
	thread := map[key]recording.Thread{}
	for _, s := range all {
		for i := range s.Requests {
			r := &s.Requests[i]
			byID[key{s.Origin, s.ID, r.ID}] = r
			thread[key{s.Origin, s.ID, r.ID}] = s.Threads[r.Thread]
		}
	}
	for _, row := range raw {
		id := row.text("req")
		if id == "" {
			id = "main:" + string(row["seq"].(json.Number))
		}
		k := key{row.text("repo"), row.text("session"), id}
		r, th := byID[k], thread[k]
		if r == nil {
			t.Fatalf("no request %v", k)
		}
		usage := llm.Usage{Input: row.number(t, "uncached"), Write5m: row.number(t, "write_5m"), Write1h: row.number(t, "write_1h"), Read: row.number(t, "read"), Output: row.number(t, "output")}
		final, _ := row["output_final"].(bool)
		turn, _ := row["user_turn"].(bool)
		compact, _ := row["compact"].(bool)
		if r.Usage != usage || r.OutputKnown != final || r.UserTurn != turn || r.Compacted != compact ||
			r.Model != row.text("model") || r.Version != row.text("ver") || r.ServerMiss != row.text("miss_reason") ||
			th.Name != row.text("thread") || th.Type != row.text("agent_type") || r.AnswerBlocks != int(row.number(t, "lines")) {
			t.Errorf("%v: %+v of %+v, want %v", k, *r, th, row)
		}
		for _, at := range []struct {
			name string
			got  int64
		}{{"t_start", int64(r.Start)}, {"t_first", int64(r.First)}, {"t_last", int64(r.Last)}} {
			if n, ok := row[at.name].(json.Number); ok && decimal(at.got) != string(n) {
				t.Errorf("%v: %s is %s, want %s", k, at.name, decimal(at.got), n)
			}
		}
	}
}

func TestRecordedRollout(t *testing.T) {
	dir := ccRecordings(t)
	t.Run("IMP-03 a recorded rollout's requests add up to the total that it ends with", func(t *testing.T) {
		const name = "jdx__fnox/26/0569e91552/0/full.jsonl"
		all, report, err := readAll(os.DirFS(dir), Options{}, name)
		if err != nil || len(all) != 1 || len(report.Skipped) > 0 {
			t.Fatalf("%d sessions, error %v, skipped %+v", len(all), err, report.Skipped)
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		s, total := all[0], lastTotal(t, string(text))
		u := s.Usage()
		if u.Prompt() != total.Input || u.Read != total.Cached || u.Output != total.Output {
			t.Errorf("requests add up to %+v, the recording to %+v", u, total)
		}
		for i, r := range s.Requests {
			if int(r.Pred) != i-1 || r.Model != "gpt-5.5" || r.Start > r.First || r.First > r.Last || r.WritesKnown || !r.Billed {
				t.Errorf("request %d: %+v", i, r)
			}
		}
	})
}

// lastTotal is the last total_token_usage of a rollout.
func lastTotal(t *testing.T, text string) (u rolloutUsage) {
	const before = `"total_token_usage":`
	at := strings.LastIndex(text, before)
	if at < 0 {
		t.Fatal("no total")
	}
	if err := json.NewDecoder(strings.NewReader(text[at+len(before):])).Decode(&u); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestRecordedTraces(t *testing.T) {
	dir := ccRecordings(t)
	t.Run("IMP-04 a recorded trace's full blocks are as many as its prompts have room for, and add up to its totals", func(t *testing.T) {
		for _, name := range []string{"trace_0014.json", "trace_0274.json"} {
			all, report, err := readAll(os.DirFS(dir), Options{}, path.Join("callanjfox__kv-cache-tester/traces", name))
			if err != nil || len(all) != 1 || len(report.Skipped) > 0 {
				t.Fatalf("%s: %d sessions, error %v, skipped %+v", name, len(all), err, report.Skipped)
			}
			s := all[0]
			for i, r := range s.Requests {
				if int64(len(r.Blocks)) != r.Usage.Prompt()/s.BlockTokens || r.Billed {
					t.Errorf("%s: request %d has %d blocks of %d tokens: %+v", name, i, len(r.Blocks), s.BlockTokens, r.Usage)
				}
			}
			want := map[string]int64{"trace_0014.json": 12621267, "trace_0274.json": 5990912}[name]
			if got := s.Usage().Prompt(); got != want || len(s.Requests) != map[string]int{"trace_0014.json": 123, "trace_0274.json": 105}[name] {
				t.Errorf("%s: %d requests of %d tokens, the trace says %d", name, len(s.Requests), got, want)
			}
		}
	})
	t.Run("IMP-04 the three sub-agents of a recorded trace began together, when the request that spawned them had ended", func(t *testing.T) {
		all, _, err := readAll(os.DirFS(dir), Options{}, "callanjfox__kv-cache-tester/traces/trace_0274.json")
		if err != nil {
			t.Fatal(err)
		}
		s := all[0]
		var begun []int64
		for i := range s.Threads[1:] {
			first := slices.IndexFunc(s.Requests, func(r recording.Request) bool { return int(r.Thread) == i+1 })
			begun = append(begun, int64(s.Requests[first].Start)/1_000_000)
			if s.Threads[i+1].SpawnedBy != 0 {
				t.Errorf("%s was spawned by %d", s.Threads[i+1].Name, s.Threads[i+1].SpawnedBy)
			}
		}
		if want := []int64{19472, 19486, 19486}; !slices.Equal(begun, want) || int64(s.Requests[0].Last)/1_000_000 != 18990 {
			t.Errorf("begun at %v ms, want %v; their spawner ended at %v", begun, want, s.Requests[0].Last)
		}
	})
	t.Run("IMP-04 the sanitized and the derived form of recorded rounds say the same", func(t *testing.T) {
		var told [2][]llm.Usage
		for i, form := range []string{"sanitized", "derived"} {
			all, _, err := readAll(os.DirFS(dir), Options{}, path.Join("uw-syfi__TraceLab/example_sessions", form))
			if err != nil || len(all) != 2 {
				t.Fatalf("%s: %d sessions, error %v", form, len(all), err)
			}
			for _, s := range all {
				for j, r := range s.Requests {
					told[i] = append(told[i], r.Usage)
					if int(r.Pred) != j-1 || r.Start > r.First || r.First > r.Last {
						t.Errorf("%s: %+v", form, r)
					}
				}
			}
		}
		if len(told[0]) != 19 || !slices.Equal(told[0], told[1]) {
			t.Errorf("%v\n%v", told[0], told[1])
		}
	})
}

func BenchmarkRows(b *testing.B) {
	files := os.DirFS(ccRecordings(b))
	b.ReportAllocs()
	for b.Loop() {
		if _, report, err := readAll(files, Options{}, "requests.jsonl.gz"); err != nil || report.Requests != 15235 {
			b.Fatal(report, err)
		}
	}
}
