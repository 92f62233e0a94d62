package sqlite

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// emitter makes transcripts by hand: chains by the real builder, figures given.
type emitter struct {
	llm.Builder
	sink  transcript.Sink
	seq   uint64
	at    vtime.Instant
	calls map[int32]int
	files int // how many files the reads go through, in turn
	// sent is every request in order, its event and its bytes, unless lean.
	sent []sent
	lean bool
}

type sent struct {
	seq   int64
	bytes string
}

func newEmitter(s transcript.Sink) *emitter {
	return &emitter{sink: s, calls: map[int32]int{}, files: 4}
}

func (e *emitter) emit(agent int32, b transcript.Body) uint64 {
	e.at += vtime.Instant(vtime.Millisecond)
	e.sink.Emit(&transcript.Event{Seq: e.seq, At: e.at, Phase: 1, Agent: agent, Body: b})
	e.seq++
	return e.seq - 1
}

// prompt is a conversation with two tools, a system block and a first message.
func (e *emitter) prompt(system, user string) *llm.Node {
	n := e.Root(llm.Scope{Workspace: "w", Model: "m"}, llm.Salts{})
	for _, name := range []string{"Read", "Agent"} {
		def := llm.NewJSON(`{"name":"` + name + `","input_schema":{}}`)
		n = e.Append(n, llm.NoRole, &llm.Block{Kind: llm.ToolDef, Name: name, Content: def})
	}
	n = e.Border(n, llm.System, llm.Salts{})
	n = e.Append(n, llm.NoRole, textBlock(system))
	n = e.Border(n, llm.Messages, llm.Salts{})
	return e.Append(n, llm.User, textBlock(user))
}

func textBlock(s string) *llm.Block {
	return &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, s)}
}

func (e *emitter) start(agent, parent int32, lineage, structure string) {
	e.emit(agent, &transcript.AgentStart{ID: llm.AgentID(agent + 1), Lineage: lineage, Parent: parent, Type: structure,
		Structure: transcript.Structure(structure), Model: "m", Tools: []string{"Read", "Agent"}, Context: transcript.ContextFacts{Abort: "linked"}})
}

// call sends a request that is answered with a text and n tool uses, and runs
// these; the conversation with their results is returned.
func (e *emitter) call(agent int32, head *llm.Node, u llm.Usage, cache llm.CacheReport, expect *llm.Node, tools int) *llm.Node {
	c := e.calls[agent]
	e.calls[agent]++
	req := &transcript.Request{Call: c, Head: head, Model: "m", Breakpoints: []llm.Breakpoint{{Node: head}}}
	if expect != nil {
		req.Expect = &llm.Expectation{Head: expect}
	}
	seq := e.emit(agent, req)
	if !e.lean {
		e.sent = append(e.sent, sent{int64(seq), string(llm.AppendRequest(nil, head))})
	}
	n := e.Append(head, llm.Assistant, textBlock(fmt.Sprintf("agent %d, call %d", agent, c)))
	for i := range tools {
		in := llm.NewJSON(fmt.Sprintf(`{"file_path":"f%d.go"}`, c%e.files))
		n = e.Append(n, llm.Assistant, &llm.Block{Kind: llm.ToolUse, ID: toolID(agent, c, i), Name: "Read", Content: in})
	}
	e.emit(agent, &transcript.Response{Call: c, Head: n, Model: "m", Resp: &llm.Response{Stop: llm.EndTurn, Usage: u,
		Cache: cache, Started: e.at, Began: e.at + 1, Ended: e.at + 2}})
	for i := range tools {
		n = e.tool(agent, c, i, n)
	}
	return n
}

func toolID(agent int32, call, i int) llm.ToolUseID {
	return llm.NewToolUseID(rng.Root(uint64(agent)).At(uint64(call)).At(uint64(i)))
}

func (e *emitter) tool(agent int32, call, i int, n *llm.Node) *llm.Node {
	id := toolID(agent, call, i)
	e.emit(agent, &transcript.ToolCall{Call: call, Index: i, ID: id, Name: "Read", Input: llm.Hash{Hi: 1}})
	text := fmt.Sprintf("line \"one\" of f%d.go\n", call%e.files) + strings.Repeat(fmt.Sprintf("\tcode of file %d\n", call%e.files), 120)
	e.emit(agent, &transcript.ToolResult{Call: call, Index: i, ID: id, Name: "Read", Bytes: len(text), IsError: call == 3})
	blk := &llm.Block{Kind: llm.ToolResult, ID: id, Content: llm.NewText(llm.Code, text), IsError: call == 3}
	return e.Append(n, llm.User, blk)
}

func (e *emitter) finish(agent int32) {
	e.emit(agent, &transcript.AgentEnd{Status: "completed", Turns: e.calls[agent], Own: llm.Usage{Input: 1, Write5m: 2, Write1h: 3, Read: 4, Output: 5},
		Rolled: llm.Usage{Input: 6, Write5m: 7, Write1h: 8, Read: 9, Output: 10}})
}

// story is a small run with a root, a fork that reads the root's prefix and a
// sub-agent that misses it.
func (e *emitter) story() {
	e.emit(-1, &transcript.RunStart{Scenario: "story", Seed: 7, Semantics: 1})
	e.start(0, -1, "main", "root")
	e.emit(0, &transcript.UserMessage{Bytes: 5})
	first := e.prompt("You are \"main\".\n", "Do it.")
	n := e.call(0, first, llm.Usage{Input: 3, Write5m: 1000, Output: 20}, llm.CacheReport{WrittenTo: first}, nil, 2)
	e.emit(0, &transcript.Task{ID: "a01", Type: "agent", To: "pending"})

	e.start(1, 0, "main/0.0", "fork")
	fork := e.Append(n, llm.User, textBlock("fork: do f0"))
	e.call(1, fork, llm.Usage{Input: 5, Write5m: 200, Read: 1000, Output: 10}, llm.CacheReport{ReadTo: first, WrittenTo: fork}, first, 1)
	e.finish(1)

	e.start(2, 0, "main/0.1", "subagent")
	sub := e.prompt("You are a helper.", "Do f1.")
	e.call(2, sub, llm.Usage{Input: 4, Write5m: 300, Output: 10}, llm.CacheReport{WrittenTo: sub, Miss: llm.Miss{
		Reason: llm.MissSystem, Expected: 1000, Lost: 1000, Pos: 3, Byte: 120}}, first, 0)
	e.finish(2)
	e.emit(0, &transcript.Notification{TaskID: "a01", Op: "delivered", Place: "idle", Status: "completed"})
	e.emit(0, &transcript.WakeUp{Why: "notification", Prefix: 1020})
	e.emit(0, &transcript.Item{Item: "fix", Outcome: "done", Missing: []string{"a", "b"}})
	e.emit(-1, &transcript.Finding{Rule: "r", Detail: "d"})

	c := e.calls[0]
	e.emit(0, &transcript.Request{Call: c, Head: n, Model: "m"})
	e.emit(0, &transcript.APIError{Call: c, Err: &llm.APIError{Status: 529, Type: "overloaded_error"}, RetryIn: vtime.Second})
	e.emit(0, &transcript.Request{Call: c, Attempt: 1, Head: n, Model: "m", Automatic: true})
	e.finish(0)
	e.emit(-1, &transcript.RunEnd{Outcome: "completed"})
}

// prices are such that a wrong field shows: 1, 2, 3, 4 and 5 per token.
func prices(model string, u llm.Usage) (cost, uncached int64) {
	return u.Input + 2*u.Write5m + 3*u.Write1h + 4*u.Read + 5*u.Output, u.Prompt() + 5*u.Output
}

func runNamed(id string) Run {
	return Run{ID: id, Name: "story", Variant: "v", Seed: 1<<64 - 1, Policy: "fifo", Semantics: 1, Spec: "name: story\n",
		Files: []File{{"a.go", "package a\n"}, {"b.go", "package b\n"}}}
}

func tempDB(t testing.TB) *DB {
	t.Helper()
	db, err := Create(filepath.Join(t.TempDir(), "runs?#%.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.sql.Exec("PRAGMA synchronous = OFF"); err != nil { // no test cuts the power
		t.Fatal(err)
	}
	return db
}

// record runs emit into a new execution and returns the digest of what it emitted.
func record(t testing.TB, db *DB, run Run, opt Options, emit func(*emitter)) (string, error) {
	t.Helper()
	opt.Cost = prices
	w, err := db.Begin(run, "2026-01-01T00:00:00Z", opt)
	if err != nil {
		t.Fatal(err)
	}
	d := transcript.NewDigest()
	emit(newEmitter(transcript.Tee(d, w)))
	return d.Sum(), w.Finish(endOf(d))
}

func endOf(d *transcript.Digest) End {
	return End{Status: Completed, Digest: d.Sum(), Schedule: "1,0*3", FinishedAt: "2026-01-01T00:00:01Z",
		Metrics:    []Metric{{"run", "cost", 12, "picodollars"}},
		Invariants: []Invariant{{"ISO-02", 4, 0}}}
}

func recorded(t testing.TB, db *DB, run Run, opt Options, emit func(*emitter)) string {
	t.Helper()
	digest, err := record(t, db, run, opt, emit)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// storedLines is the text of a run's events, as the file has them.
func storedLines(t fatal, db *DB, run string) string {
	var out strings.Builder
	for line, err := range db.Events(run) {
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

type fatal interface{ Fatal(...any) }

// dump is the rows of a query, cells joined by |, rows by line ends.
func dump(t testing.TB, db *DB, q string, args ...any) string {
	t.Helper()
	rows, err := db.sql.Query(q, args...)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for rows.Next() {
		cells, at := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			at[i] = &cells[i]
		}
		if err := rows.Scan(at...); err != nil {
			t.Fatal(err)
		}
		for i, c := range cells {
			if i > 0 {
				out.WriteByte('|')
			}
			if c != nil {
				fmt.Fprint(&out, c)
			}
		}
		out.WriteByte('\n')
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

type storedPayload struct {
	key, content string
	bytes        int
}

func scanPayload(rows *sql.Rows) (p storedPayload, err error) {
	return p, rows.Scan(&p.key, &p.content, &p.bytes)
}
