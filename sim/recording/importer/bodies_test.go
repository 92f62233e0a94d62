package importer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"agentsim/sim/recording"
	"agentsim/sim/vtime"
	"agentsim/sim/wire"
)

// dump is a directory of bodies being made, a pair every ten seconds.
type dump struct {
	files fstest.MapFS
	index strings.Builder
	n     int
	agent string // as the client names it
	epoch time.Time

	content bool // whether what was said is kept
}

func newDump() *dump {
	return &dump{files: fstest.MapFS{}, epoch: time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)}
}

// pair adds a request and the content of its answer.
func (d *dump) pair(request, answer string) {
	d.n++
	sent := d.epoch.Add(time.Duration(d.n) * 10 * time.Second)
	q, a := fmt.Sprintf("%d.request.json", d.n), fmt.Sprintf("%d.response.json", d.n)
	d.files["b/"+q] = &fstest.MapFile{Data: []byte(request), ModTime: sent}
	d.files["b/"+a] = &fstest.MapFile{Data: fmt.Appendf(nil, `{"id":"msg_%d","model":"claude-opus-4-6","stop_reason":"end_turn","content":[%s],"usage":{"input_tokens":9}}`, d.n, answer), ModTime: sent}
	fmt.Fprintf(&d.index, `{"timestamp":%q,"session_id":"S","query_source":%q,"request_file":%q,"response_file":%q}`+"\n", sent.Add(5*time.Second).Format(time.RFC3339), d.agent, q, a)
}

// wrote says how many milliseconds after its request an answer was written.
func (d *dump) wrote(answer string, ms int) {
	request := d.files["b/"+strings.Replace(answer, "response", "request", 1)]
	d.files["b/"+answer].ModTime = request.ModTime.Add(time.Duration(ms) * time.Millisecond)
}

// body is a request of a system prompt and messages.
func body(system string, messages ...string) string {
	return fmt.Sprintf(`{"model":"claude-opus-4-6","system":%q,"messages":[%s]}`, system, strings.Join(messages, ","))
}

func user(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }

func says(content string) string { return `{"role":"assistant","content":[` + content + `]}` }

// read imports the directory as one session, with what was skipped.
func (d *dump) read(t *testing.T) (*recording.Session, []recording.Skip) {
	t.Helper()
	out, skipped := d.sessions(t)
	if len(out) != 1 {
		t.Fatalf("%d sessions, skipped %v", len(out), skipped)
	}
	return out[0], skipped
}

// sessions imports the directory.
func (d *dump) sessions(t *testing.T) (out []*recording.Session, skipped []recording.Skip) {
	t.Helper()
	d.files["b/index.jsonl"] = &fstest.MapFile{Data: []byte(d.index.String())}
	report, err := Read(d.files, []string{"b"}, Options{Content: d.content}, func(s *recording.Session) error { out = append(out, s); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return out, report.Skipped
}

// at is an instant so many seconds after the dump's first.
func (d *dump) at(seconds int64) vtime.Instant {
	i, _ := vtime.ParseInstant(d.epoch.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339))
	return i
}

// plan says of each request its thread, the one that it goes on from and where it
// differs.
func plan(s *recording.Session) string {
	var out strings.Builder
	for _, r := range s.Requests {
		t := s.Threads[r.Thread]
		fmt.Fprintf(&out, "%s %s %v %d %q\n", r.ID, t.Name, t.Kind, r.Pred, unplaced(r.Changed))
	}
	return out.String()
}

// unplaced is a difference without where the block is in its body.
func unplaced(changed string) string {
	return regexp.MustCompile(`, (tools|system|messages)[^)]*\)`).ReplaceAllString(changed, ")")
}

func TestBodies(t *testing.T) {
	const text, spawn = `{"type":"text","text":"yes"}`, `{"type":"tool_use","id":"toolu_9","name":"Agent","input":{"prompt":"Find the bug."}}`
	result := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_9","content":"found"}]}`
	t.Run("WIRE-62 WIRE-46 a conversation whose front is another one in one request stays one thread, and an inferred fork is said", func(t *testing.T) {
		d := newDump()
		d.pair(body("s", user("go")), text)
		d.pair(body("s", user("go"), says(text), user("one")), text)
		d.pair(body("other", user("go"), says(text), user("one"), says(text), user("two")), text)
		d.pair(body("s", user("go"), says(text), user("one"), says(text), user("two"), says(text), user("three")), text)
		d.pair(body("s", user("go"), says(text), user("one"), says(text), user("else")), text)
		s, skipped := d.read(t)
		const want = `msg_1 main main -1 ""
msg_2 main main 0 ""
msg_3 main main 1 "system: byte 1 of block 1 (text)"
msg_4 main main 2 "system: byte 1 of block 1 (text)"
msg_5 thread-2 fork 1 ""
`
		if got := plan(s); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		if fmt.Sprint(skipped) == "[]" || !strings.Contains(skipped[0].What, "thread taken for a fork") || !skipped[0].Taken {
			t.Errorf("%+v", skipped)
		}
	})
	t.Run("WIRE-62 threads follow from what prompts begin with: turns, a spawned child, a fork, a title", func(t *testing.T) {
		d := newDump()
		d.pair(body("s", user("go")), spawn)
		d.pair(body("child", user("Find the bug.")), text)
		d.pair(body("s", user("go"), says(spawn), result), text)
		d.pair(body("s", user("go"), says(spawn), result, says(text), user("one")), text)
		d.pair(body("s", user("go"), says(spawn), result, says(text), user("two")), text)
		d.pair(body("title", user("go")), text)
		s, _ := d.read(t)
		want := `msg_1 main main -1 ""
msg_2 thread-2 subagent -1 ""
msg_3 main main 0 ""
msg_4 main main 2 ""
msg_5 thread-3 fork 2 ""
msg_6 thread-4 subagent -1 ""
`
		if got := plan(s); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		if c := s.Threads[1]; c.SpawnedBy != 0 || c.ToolUse != "toolu_9" || s.Requests[0].Tools[0].Spawned != 1 || !s.Requests[0].Tools[0].Done {
			t.Errorf("%+v of %+v", c, s.Requests[0].Tools)
		}
	})
	t.Run("WIRE-66 a prompt that stops being a continuation says in which block and byte, or in which setting", func(t *testing.T) {
		d := newDump()
		d.pair(body("Monday", user("go")), text)
		d.pair(body("Tuesday", user("go"), says(text), user("on")), text)
		d.pair(body("Tuesday", user("go"), says(`{"type":"text","text":"no"}`), user("on"), says(text), user("more")), text)
		d.pair(strings.Replace(body("Tuesday", user("go"), says(`{"type":"text","text":"no"}`), user("on"), says(text), user("more"), says(text), user("end")),
			"{", `{"thinking":{"type":"adaptive"},`, 1), text)
		s, _ := d.read(t)
		want := `msg_1 main main -1 ""
msg_2 main main 0 "system: byte 1 of block 1 (text)"
msg_3 main main 1 "history: byte 23 of block 3 (assistant text)"
msg_4 main main 2 "settings: thinking"
`
		if got := plan(s); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	})
	t.Run("WIRE-75 WIRE-63 what cannot be read is counted with its place, and the rest is read", func(t *testing.T) {
		d := newDump()
		d.pair(body("s", user("go")), text)
		d.pair(`{"messages":[`, text)
		d.pair(`{"messages":[],"messages":[]}`, text)
		d.pair(body("s", user("go"), says(text), user("on")), `{"type":"hologram"}`)
		d.index.WriteString("nonsense\n" + `{"timestamp":"yesterday","request_file":"1.request.json","response_file":"1.response.json"}` + "\n" +
			`{"timestamp":"2026-11-01T10:00:00Z","request_file":"../../etc/passwd","response_file":"1.response.json"}` + "\n")
		d.files["b/lone.request.json"] = &fstest.MapFile{Data: []byte(`{}`)}
		d.files["b/lone.response.json"] = &fstest.MapFile{Data: []byte(`{"error":{"type":"mine"}}`)}
		s, skipped := d.read(t)
		if len(s.Requests) != 2 || s.Requests[1].Pred != 0 {
			t.Errorf("%s", plan(s))
		}
		for _, want := range []string{"request that cannot be read: byte 13: the body is cut off", `request that cannot be read: byte 15: the key "messages" stands there twice`,
			"line that is no JSON object", "line without an instant", "line whose files are not there", "answer that is no message", "request without an answer: a failed attempt, or one that was going on"} {
			found := false
			for _, k := range skipped {
				found = found || k.What == want && k.File != ""
			}
			if !found {
				t.Errorf("%q is not among %v", want, skipped)
			}
		}
	})
	t.Run("WIRE-75 a file of more bytes than a request may have is not read", func(t *testing.T) {
		d := newDump()
		d.pair(body("s", user("go")), text)
		d.pair(body("s", user("go"), says(text), user("on"))+strings.Repeat(" ", wire.MaxBytes), text)
		s, skipped := d.read(t)
		if len(s.Requests) != 1 || len(skipped) != 1 || skipped[0] != (recording.Skip{What: "body of more than 33554432 bytes", Count: 1, File: "b/2.request.json"}) {
			t.Errorf("%s%+v", plan(s), skipped)
		}
	})
	t.Run("WIRE-62 the index says the session and when an answer ended, the file when its request was sent, and its name nothing", func(t *testing.T) {
		d := newDump()
		d.pair(body("s", user("go")), text)
		d.pair(body("s", user("go"), says(text), user("on")), text)
		d.pair(body("s", user("go")), text)
		answer := d.files["b/1.response.json"]
		answer.Data = []byte(strings.Replace(string(answer.Data), `"model":"claude-opus-4-6",`, "", 1))
		d.files["b/9.request.json"] = d.files["b/1.request.json"]
		delete(d.files, "b/1.request.json")
		lines := strings.SplitAfter(d.index.String(), "\n")
		d.index.Reset()
		d.index.WriteString(strings.Replace(lines[2], `"S"`, `"T"`, 1) + strings.Replace(lines[0], "1.request", "9.request", 1) + lines[1])
		all, skipped := d.sessions(t)
		if len(all) != 2 || all[0].ID != "S" || all[1].ID != "T" || plan(all[0]) != "msg_1 main main -1 \"\"\nmsg_2 main main 0 \"\"\n" || len(skipped) != 0 {
			t.Fatalf("%+v, skipped %v", all, skipped)
		}
		if r := &all[0].Requests[0]; r.Start != d.at(10) || r.First != d.at(15) || r.Last != d.at(15) || r.Model != "claude-opus-4-6" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("WIRE-76 a session's id that leads out of a directory is replaced", func(t *testing.T) {
		d := newDump()
		d.pair(body("s", user("go")), text)
		index := strings.Replace(d.index.String(), `"S"`, `"../S"`, 1)
		d.index.Reset()
		d.index.WriteString(index)
		if s, _ := d.read(t); strings.ContainsAny(s.ID, "./") || s.ID == "" {
			t.Error(s.ID)
		}
	})
	t.Run("WIRE-63 a request was sent when its answer ended where its file was written later, or more than an hour before", func(t *testing.T) {
		for seconds, want := range map[int64]int64{6: 15, -3590: -3580, -3700: 15} {
			d := newDump()
			d.pair(body("s", user("go")), text)
			d.files["b/1.request.json"].ModTime = d.epoch.Add(time.Duration(10+seconds) * time.Second)
			s, _ := d.read(t)
			if got := s.Requests[0].Start; got != d.at(want) {
				t.Errorf("%d seconds: %v, want %v", seconds, got, d.at(want))
			}
		}
	})
	t.Run("WIRE-62 without an index an answer that was written before a request is not its own, and pairs are marked", func(t *testing.T) {
		d := newDump()
		d.pair(body("s", user("go")), text)
		d.pair(body("s", user("go"), says(text), user("on")), `{"type":"text","text":"end"}`)
		early := *d.files["b/1.response.json"]
		early.Data, early.ModTime = []byte(strings.Replace(string(early.Data), "msg_1", "msg_0", 1)), d.epoch
		d.files["b/0.response.json"] = &early
		d.wrote("2.response.json", 5_000)
		d.index.Reset()
		s, skipped := d.read(t)
		if got, want := plan(s), "msg_1 main main -1 \"\"\nmsg_2 main main 0 \"\"\n"; got != want || s.ID != "b" {
			t.Errorf("%s: got\n%swant\n%s", s.ID, got, want)
		}
		for _, want := range []string{"pair of request and answer found by what they hold: there is no index.jsonl",
			"pair of request and answer found by when their files were written alone: no other request here was open then"} {
			if !slices.ContainsFunc(skipped, func(k recording.Skip) bool { return k.What == want && k.Count == 1 }) {
				t.Errorf("%q is not among %v", want, skipped)
			}
		}
	})
	t.Run("WIRE-62 without an index pairs are found by what they hold, whatever their names", func(t *testing.T) {
		d := newDump()
		d.pair(body("s", user("go")), text)
		d.pair(body("other", user("go"), says(text), user("on")), spawn)
		d.pair(body("s", user("go"), says(text), user("on"), says(spawn), result), text)
		d.files["b/1.response.json"], d.files["b/2.response.json"] = d.files["b/2.response.json"], d.files["b/1.response.json"]
		d.index.Reset()
		s, skipped := d.read(t)
		if got, want := plan(s), "msg_1 main main -1 \"\"\nmsg_2 main main 0 \"system: byte 1 of block 1 (text)\"\n"; got != want {
			t.Errorf("got\n%swant\n%s, skipped %v", got, want, skipped)
		}
	})
	t.Run("WIRE-62 without an index an answer is found that is repeated with other white space, of any client's tool use", func(t *testing.T) {
		for _, id := range []string{"toolu_0123456789abcdef01234567", "call_7"} {
			use := `{"type":"tool_use","id":"` + id + `","name":"Read","input":{"path":"a b.go","n":1}}`
			d := newDump()
			d.pair(body("s", user("go")), strings.ReplaceAll(use, `":`, `": `))
			d.pair(body("s", user("go"), says(use), `{"role":"user","content":[{"type":"tool_result","tool_use_id":"`+id+`","content":"x"}]}`), text)
			d.wrote("1.response.json", 5)
			d.wrote("2.response.json", 5)
			d.index.Reset()
			s, skipped := d.read(t)
			if len(s.Requests) != 1 || s.Requests[0].ID != "msg_1" || !slices.ContainsFunc(skipped, func(k recording.Skip) bool { return k.What == Alone && k.Count == 1 && k.File == "b/2.response.json" }) {
				t.Errorf("%s: %sskipped %v", id, plan(s), skipped)
			}
		}
	})
	t.Run("WIRE-62 without an index what nothing repeats is paired by when files were written, where no other request was open", func(t *testing.T) {
		edited := strings.Replace(result, "found", "cleared", 1)
		for _, c := range []struct {
			name          string
			change        func(d *dump)
			pairs, unread int
		}{
			{"one after the other", func(d *dump) {}, 3, 0},
			{"at the same instant", func(d *dump) { d.wrote("2.response.json", 0) }, 1, 2},
			{"one copied right after the other", func(d *dump) { d.wrote("2.response.json", 10) }, 2, 1},
			{"open at once", func(d *dump) { d.wrote("2.response.json", 12_000) }, 1, 2},
			{"after an hour", func(d *dump) { d.wrote("3.response.json", 4_000_000) }, 2, 1},
			{"of another model", func(d *dump) {
				f := d.files["b/3.response.json"]
				f.Data = []byte(strings.Replace(string(f.Data), "opus", "haiku", 1))
			}, 2, 1},
		} {
			d := newDump()
			d.pair(body("s", user("go")), spawn)
			d.pair(body("s", user("go"), says(spawn), result), text)
			d.pair(body("s", user("go"), says(spawn), edited, says(text), user("on")), text)
			for i := 1; i <= d.n; i++ {
				d.wrote(fmt.Sprintf("%d.response.json", i), 5_000)
			}
			c.change(d)
			d.index.Reset()
			s, skipped := d.read(t)
			unread := 0
			for _, k := range skipped {
				if strings.HasPrefix(k.What, Unanswered) {
					unread = int(k.Count)
				}
			}
			if len(s.Requests) != c.pairs || unread != c.unread {
				t.Errorf("%s: %d requests, %d without an answer, want %d and %d; skipped %v", c.name, len(s.Requests), unread, c.pairs, c.unread, skipped)
			}
		}
	})
	t.Run("WIRE-66 WIRE-17 block, byte, event and the place in the file are those that an editor shows, counted by hand", func(t *testing.T) {
		const front = `{"model":"claude-opus-4-6","betas":["a"],"tools":[{"name":"Bash","input_schema":{}},{"name":"Edit","input_schema":{}},{"name":"Read","input_schema":{}}],` +
			`"system":[{"type":"text","text":"x-anthropic-billing-header: cch=1;"},{"type":"text","text":"Be \"careful\" – höflich."}],`
		first := front + `"messages":[{"role":"user","content":[{"type":"text","text":"Today is Sunday."},{"type":"text","text":"Fix the parser."}]}]}`
		second := strings.TrimSuffix(first, "]}") + `,{"role":"assistant","content":[` + text + `]},{"role":"user","content":"on"}]}`
		const perhaps = " (whether that alone ends a prefix is not known)"
		for _, c := range []struct{ old, new, want string }{
			{"parser", "lexer", "history: byte 31 of block 6 (user text, messages[0].content[1])"},
			{"Sunday", "Monday", "history: byte 32 of block 5 (user text, messages[0].content[0])"},
			{"höflich", "freundlich", "system: byte 42 of block 4 (text, system[1])"},
			{"cch=1", "cch=2", ""},
			{`{"name":"Edit","input_schema":{}},{"name":"Read","input_schema":{}}`, `{"name":"Read","input_schema":{}},{"name":"Edit","input_schema":{}}`,
				"tools: byte 9 of block 2 (tool Edit moved, tools[1])"},
			{`{"name":"Edit","input_schema":{}},`, "", "tools: byte 9 of block 2 (tool Edit removed, tools[1])"},
			{`{"name":"Edit"`, `{"name":"Ask","input_schema":{}},{"name":"Edit"`, "tools: byte 9 of block 2 (tool Ask inserted, tools[1])"},
			{`"betas":["a"]`, `"betas":["a","b"]`, "settings: betas" + perhaps},
			{`"model"`, `"context_management":{"edits":[]},"thread":{},"model"`, "settings: context_management" + perhaps + "; settings: thread" + perhaps},
			{`"model"`, `"inference_geo":"us","zip":1,"zap":2,"metadata":{"user_id":"u"},"model"`, "settings: inference_geo" + perhaps + "; settings: unknown field" + perhaps},
			{`"model"`, `"output_format":{"type":"json_schema","schema":{}},"model"`, "settings: output_format"},
			{`"model"`, `"tool_choice":{"type":"any"},"model"`, "settings: tool_choice"},
		} {
			d := newDump()
			d.pair(first, text)
			d.pair(strings.Replace(second, c.old, c.new, 1), text)
			s, _ := d.read(t)
			if got := s.Requests[1].Changed; got != c.want {
				t.Errorf("%s for %s: %q, want %q", c.new, c.old, got, c.want)
			}
			if r := &s.Requests[1]; r.Continues() != (c.want == "" || strings.HasSuffix(c.want, perhaps)) {
				t.Errorf("%s: continues %v", c.want, r.Continues())
			}
		}
	})
	t.Run("WIRE-63 an answer that is an error of the API is told with its file, and leaves pairs of others as they are, with an index and without", func(t *testing.T) {
		for _, indexed := range []bool{true, false} {
			d := newDump()
			d.pair(body("s", user("go")), text)
			d.pair(body("s", user("go"), says(text), user("on")), text)
			d.pair(body("s", user("go"), says(text), user("on, again")), text)
			for i := 1; i <= d.n; i++ {
				d.wrote(fmt.Sprintf("%d.response.json", i), 5_000)
			}
			d.files["b/2.response.json"].Data = []byte(`{"type":"error","error":{"type":"overloaded_error","message":"mine"}}`)
			lines := strings.SplitAfter(d.index.String(), "\n")
			d.index.Reset()
			if indexed {
				d.index.WriteString(lines[0] + lines[2])
			}
			s, skipped := d.read(t)
			if len(s.Requests) != 2 {
				t.Errorf("indexed %v: %d requests, skipped %v", indexed, len(s.Requests), skipped)
			}
			for what, file := range map[string]string{"answer that is an error of the API (overloaded_error)": "2.response.json",
				"request without an answer: a failed attempt, or one that was going on": "2.request.json"} {
				found := false
				for _, k := range skipped {
					found = found || k.What == what && strings.HasSuffix(k.File, file) && k.Count == 1
				}
				if !found {
					t.Errorf("indexed %v: %s of %s is not among %v", indexed, what, file, skipped)
				}
			}
		}
	})
}
