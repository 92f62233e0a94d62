package sqlite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/transcript"

	"github.com/google/go-cmp/cmp"
)

func TestReading(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{Batch: 6}, (*emitter).story)
	recorded(t, db, runNamed("noise"), Options{}, (*emitter).story)
	check := func(name, q, want string) {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(want, dump(t, db, q)); d != "" {
				t.Error(d)
			}
		})
	}
	check("REC-01 cost_by_agent answers who spent what",
		`SELECT lineage, structure, calls, failed, prompt, read, written, input, output, cost FROM cost_by_agent WHERE run = 'r'`,
		`main|root|1|1|1003|0|1000|3|20|2103
main/0.0|fork|1|0|1205|1000|200|5|10|4455
main/0.1|subagent|1|0|304|0|300|4|10|654
`)
	check("REC-01 hit_rate_by_structure answers what share came from the cache",
		`SELECT structure, calls, failed, read, prompt, round(hit_rate, 4), missed FROM hit_rate_by_structure WHERE run = 'r'`,
		`fork|1|0|1000|1205|0.8299|0
root|1|1|0|1003|0|0
subagent|1|0|0|304|0|1
`)
	check("REC-01 why_missed answers why this call missed, and what it could have read",
		`SELECT n, lineage, reason, meaning, expected, read, lost, first_position, first_byte, after FROM why_missed WHERE run = 'r'`,
		"3|main/0.1|system|the system blocks differ|1000|0|1000|3|120|1\n")
	check("REC-01 child_saw answers what this child's first request held, block by block",
		`SELECT pos, level, role, kind, name, cached, substr(content, 1, 14) FROM child_saw WHERE run = 'r' AND lineage = 'main/0.0'`,
		`1|tools||tool|Read|1|{"name":"Read"
2|tools||tool|Agent|1|{"name":"Agent
3|system||text||1|You are "main"
4|messages|user|text||1|Do it.
5|messages|assistant|text||0|agent 0, call 
6|messages|assistant|tool_use|Read|0|{"file_path":"
7|messages|assistant|tool_use|Read|0|{"file_path":"
8|messages|user|tool_result||0|line "one" of 
9|messages|user|tool_result||0|line "one" of 
10|messages|user|text||0|fork: do f0
`)
	check("REC-01 calls has a row for each call, with its tokens and its cost",
		`SELECT n, lineage, call, attempt, prompt, read, written, input, output, status, stop, cost, cost_uncached FROM calls WHERE run = 'r'`,
		`1|main|0|0|1003|0|1000|3|20|ok|end_turn|2103|1103
2|main/0.0|0|0|1205|1000|200|5|10|ok|end_turn|4455|1255
3|main/0.1|0|0|304|0|300|4|10|ok|end_turn|654|354
4|main|1|0|0|0|0|0|0|error|overloaded_error|0|0
5|main|1|1|0|0|0|0|0|open||0|0
`)
	check("REC-01 breakpoints tells at which mark a request read and wrote, and how far it looked back",
		`SELECT seq, idx, pos, ttl, reads, back, writes FROM breakpoints WHERE run = 'r'`,
		"3|0|4|5m|0|0|1000\n11|0|10|5m|1000|6|200\n17|0|4|5m|0|0|300\n26|0|9|automatic|0|0|0\n")
	check("REC-01 agents holds how each ended, with its own figures and those of its descendants",
		`SELECT lineage, status, turns, input, write_5m, write_1h, read, output,
			rolled_input, rolled_write_5m, rolled_write_1h, rolled_read, rolled_output FROM agents WHERE run = 'r' AND agent = 1`,
		"main/0.0|completed|1|1|2|3|4|5|6|7|8|9|10\n")
	t.Run("REC-01 lines joins the columns to the canonical text", func(t *testing.T) { linesView(t, db) })
	t.Run("REC-01 a run's spec, project, tree, calls and misses are read back", func(t *testing.T) { readBack(t, db) })
	t.Run("REC-04 the first event that differs from the record is named, with both sides and the field", func(t *testing.T) { replayDiffers(t, db) })
}

func linesView(t *testing.T, db *DB) {
	var lines []string
	for line, err := range db.Events("r") {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if len(lines) != 29 {
		t.Errorf("%d lines", len(lines))
	}
	if d := cmp.Diff(strings.Join(lines, "\n")+"\n", dump(t, db, `SELECT line FROM lines WHERE run = 'r' ORDER BY seq`)); d != "" {
		t.Error(d)
	}
}

func readBack(t *testing.T, db *DB) {
	if spec, err := db.Spec("r"); err != nil || !cmp.Equal(spec, runNamed("r")) {
		t.Errorf("spec %+v, %v", spec, err)
	}
	if s, err := db.Schedule("r"); err != nil || s != "1,0*3" {
		t.Errorf("schedule %q, %v", s, err)
	}
	tree, err := db.Tree("r")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range tree {
		got = append(got, strings.TrimSpace(fmt.Sprintln(a.Agent, a.Parent, a.Lineage, a.Structure, a.Status, a.Turns, a.Calls, a.Failed, a.Cost, a.Uncached)))
	}
	want := []string{"0 -1 main root completed 1 1 1 2103 1103", "1 0 main/0.0 fork completed 1 1 0 4455 1255",
		"2 0 main/0.1 subagent completed 1 1 0 654 354"}
	if !slices.Equal(got, want) {
		t.Errorf("tree %q", got)
	}
	calls, err := db.Calls("r")
	misses := slices.DeleteFunc(calls, func(c CallInfo) bool { return c.Miss == "" })
	if err != nil || len(misses) != 1 {
		t.Fatal(misses, err)
	}
	call, err := db.Call("r", 3)
	if err != nil || len(call.Marks) != 1 || call.Marks[0].Writes != 300 {
		t.Fatalf("%+v, %v", call, err)
	}
	call.Marks, misses[0].Marks = nil, nil
	if d := cmp.Diff(misses[0], call); d != "" || call.Miss != "system" || call.After != 1 || call.Meaning == "" {
		t.Errorf("call %+v\n%s", call, d)
	}
	blocks, err := db.Blocks("r", 11)
	if err != nil || len(blocks) != 10 || !blocks[3].Cached || blocks[4].Cached || blocks[9].Content != "fork: do f0" {
		t.Errorf("blocks %+v, %v", blocks, err)
	}
	if m, err := db.Metrics("r"); err != nil || len(m) != 1 || m[0] != (Metric{"run", "cost", 12, "picodollars"}) {
		t.Errorf("metrics %v, %v", m, err)
	}
}

// tweak changes one event of a transcript on its way.
type tweak struct {
	transcript.Sink
	seq uint64
}

func (s tweak) Emit(e *transcript.Event) {
	if b, ok := e.Body.(*transcript.Response); ok && e.Seq == s.seq {
		b.Resp.Usage.Read++
	}
	s.Sink.Emit(e)
}

func replayDiffers(t *testing.T, db *DB) {
	same := transcript.NewCheck(db.Events("r"))
	newEmitter(same).story()
	if d, err := same.Finish(); d != nil || err != nil {
		t.Errorf("a replay of the same differs: %v, %v", d, err)
	}
	c := transcript.NewCheck(db.Events("r"))
	newEmitter(tweak{c, 12}).story()
	d, err := c.Finish()
	if err != nil || d == nil {
		t.Fatal(d, err)
	}
	if d.Index != 12 || d.Field != "read" || d.WantValue != "1000" || d.GotValue != "1001" ||
		!strings.Contains(d.Want, "read=1000") || !strings.Contains(d.Got, "read=1001") {
		t.Errorf("%v", d)
	}
}
