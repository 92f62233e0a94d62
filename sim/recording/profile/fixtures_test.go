package profile

import (
	"fmt"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

const opus = "claude-opus-4-5-20251101"

// base is when the tests' sessions begin: a date.
const base = vtime.Instant(1_790_000_000) * vtime.Instant(vtime.Second)

// session is one whose main thread sends prompts of these sizes, a minute apart, of
// which all but a hundred tokens were read.
func plainSession(id string, prompts ...int64) *recording.Session {
	s := &recording.Session{Format: "claude-code", ID: id, Threads: []recording.Thread{{Name: "main", Parent: -1, SpawnedBy: -1}}}
	for i, size := range prompts {
		start := base.Add(vtime.Duration(i) * vtime.Minute)
		s.Requests = append(s.Requests, recording.Request{ID: fmt.Sprint(i), Pred: int32(i) - 1, Model: opus, Start: start, First: start, Last: start,
			Usage: llm.Usage{Read: size - 100, Write5m: 100}, Billed: true, WritesKnown: true, OutputKnown: true, UserTurn: i == 0})
	}
	return s
}

func measured(opt Options, sessions ...*recording.Session) *Profile {
	m := New(opt)
	for _, s := range sessions {
		m.Add("", s)
	}
	return m.Profile()
}

func mustFind(t *testing.T, p *Profile, w Want) *Figure {
	t.Helper()
	w.Thin = true
	if w.Role == "" {
		w.Role = Main
	}
	w.Family = FamilyOf(opus)
	f, _ := p.Find(w)
	if f == nil {
		t.Fatalf("no figure %+v", w)
	}
	return f
}

// spawnSession has a main thread that reads two files, spawns two children at its
// second request, and children that read.
func spawnSession() *recording.Session {
	s := plainSession("spawner", 1000, 1500, 1600)
	use := func(id, name, input string) llm.Block {
		return llm.Block{Kind: llm.ToolUse, ID: recording.ToolUseID(id), Name: name, Content: llm.NewJSON(input)}
	}
	result := func(id, text string) []llm.Msg {
		return []llm.Msg{{Role: llm.User, Blocks: []llm.Block{{Kind: llm.ToolResult, ID: recording.ToolUseID(id), Content: llm.NewText(llm.Code, text)}}}}
	}
	tool := func(id, name string, bytes int64, spawned int32) recording.ToolUse {
		return recording.ToolUse{ID: id, Name: name, Done: true, Bytes: bytes, Took: vtime.Second, Spawned: spawned}
	}
	r := s.Requests
	r[0].Answer = []llm.Block{{Kind: llm.Thinking, Content: llm.NewText(llm.Prose, "hmm")}, use("r1", "Read", `{"file_path":"/secret/a.go"}`)}
	r[0].Tools = []recording.ToolUse{tool("r1", "Read", 20, -1)}
	r[1].Said = result("r1", "1→aaaa\n2→bbbb\n")
	r[1].Answer = []llm.Block{use("s1", "Task", `{"prompt":"look","subagent_type":"my-type"}`), use("s2", "Task", `{"prompt":"look again","subagent_type":"Explore"}`)}
	r[1].Tools = []recording.ToolUse{tool("s1", "Task", 40, 1), tool("s2", "Task", 60, 2)}
	r[2].Answer = []llm.Block{use("m1", "mcp__secret__go", `{}`), {Kind: llm.Text, Content: llm.NewText(llm.Prose, "done")}}
	r[2].Tools = []recording.ToolUse{tool("m1", "mcp__secret__go", 5, -1)}
	for i, kind := range []string{"my-type", "Explore"} {
		s.Threads = append(s.Threads, recording.Thread{Name: kind, Kind: recording.SubAgent, Type: kind, SpawnedBy: 1, ToolUse: fmt.Sprint("s", i+1)})
		at := base.Add(vtime.Duration(i+4) * vtime.Minute)
		first := recording.Request{Thread: int32(i) + 1, Pred: -1, Model: opus, Start: at, First: at, Last: at, Billed: true, WritesKnown: true,
			Usage: llm.Usage{Read: 250, Write5m: 750}, Answer: []llm.Block{use(fmt.Sprint("c", i), "Read", `{"file_path":"/secret/a.go"}`)},
			Tools: []recording.ToolUse{tool(fmt.Sprint("c", i), "Read", 20, -1)}}
		second := first
		second.Pred, second.Usage, second.Answer, second.Tools = int32(len(s.Requests)), llm.Usage{Read: 1000, Write5m: 200}, []llm.Block{{Kind: llm.Text, Content: llm.NewText(llm.Prose, "found")}}, nil
		second.Start = at.Add(vtime.Second)
		second.Said = result(fmt.Sprint("c", i), "2→bbbb\n3→cccc\n")
		s.Requests = append(s.Requests, first, second)
	}
	return s
}
