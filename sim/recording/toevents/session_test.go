package toevents_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// begin is the wall time at which the sessions of these tests begin.
const begin = vtime.Instant(1_770_000_000_000_000_000)

// parseSession reads a session, a line for each thread and request:
//
//	session format=claude-code id=… blocks=64
//	thread NAME kind=subagent type=Explore parent=0 by=1 use=t1 tools=10 system=20 async
//	request ID thread=0 pred=0 at=1.5 first=2 last=3 model=… in=1 w5=2 w1=3 read=4 out=5 stop=…
//	  uses=t1:Task:2:0.5:77,… user compacted server=tools_changed:99 said=… answer=… ids=1,2,3
//
// Instants are seconds; a use is id:name:spawned:took:bytes.
func parseSession(t *testing.T, text string) *recording.Session {
	t.Helper()
	s := &recording.Session{Format: "claude-code", ID: "4d5611e5-241a-462a-8d15-5122611a9569", Client: "claude-code"}
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		f := fieldsOf(t, words[1:])
		switch words[0] {
		case "session":
			s.Format, s.ID, s.BlockTokens = f.text("format", s.Format), f.text("id", s.ID), f.number("blocks", 0)
		case "thread":
			s.Threads = append(s.Threads, f.thread(words[1]))
		case "request":
			s.Requests = append(s.Requests, f.request(words[1]))
		default:
			t.Fatalf("unknown word %s", words[0])
		}
	}
	return s
}

type fields struct {
	t  *testing.T
	of map[string]string
}

func fieldsOf(t *testing.T, words []string) fields {
	f := fields{t, map[string]string{}}
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		f.of[k] = v
	}
	return f
}

func (f fields) text(key, missing string) string {
	if v, ok := f.of[key]; ok {
		return v
	}
	return missing
}

func (f fields) flag(key string) bool { _, ok := f.of[key]; return ok }

func (f fields) number(key string, missing int64) int64 {
	v, ok := f.of[key]
	if !ok {
		return missing
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

func (f fields) seconds(key string, missing vtime.Instant) vtime.Instant {
	v, ok := f.of[key]
	if !ok {
		return missing
	}
	n, err := strconv.ParseFloat(v, 64)
	if err != nil {
		f.t.Fatal(err)
	}
	return begin.Add(vtime.Duration(n * float64(vtime.Second)))
}

func (f fields) thread(name string) recording.Thread {
	kinds := map[string]recording.ThreadKind{"main": recording.Main, "subagent": recording.SubAgent, "fork": recording.Fork, "compact": recording.Compact}
	return recording.Thread{Name: name, Kind: kinds[f.text("kind", "main")], Type: f.text("type", ""), Parent: int32(f.number("parent", -1)),
		SpawnedBy: int32(f.number("by", -1)), ToolUse: f.text("use", ""), Async: f.flag("async"),
		ToolTokens: f.number("tools", 0), SystemTokens: f.number("system", 0)}
}

func (f fields) request(id string) recording.Request {
	r := recording.Request{ID: id, Thread: int32(f.number("thread", 0)), Pred: int32(f.number("pred", -1)),
		Model: f.text("model", "claude-opus-4-5-20251101"), Version: f.text("version", "2.1.38"), Stop: f.text("stop", "end_turn"),
		Usage: llm.Usage{Input: f.number("in", 0), Write5m: f.number("w5", 0), Write1h: f.number("w1", 0),
			Read: f.number("read", 0), Output: f.number("out", 0)},
		OutputKnown: !f.flag("placeholder"), WritesKnown: !f.flag("nowrites"), Billed: !f.flag("unbilled"), UserTurn: f.flag("user"), Compacted: f.flag("compacted")}
	r.Start = f.seconds("at", begin)
	r.First = f.seconds("first", r.Start.Add(vtime.Second))
	r.Last = f.seconds("last", r.First.Add(vtime.Second))
	if v, ok := f.of["server"]; ok {
		reason, tokens, _ := strings.Cut(v, ":")
		r.ServerMiss = reason
		r.ServerMissed, _ = strconv.ParseInt(tokens, 10, 64)
	}
	for _, u := range list(f.text("uses", "")) {
		p := strings.Split(u, ":")
		use := recording.ToolUse{ID: p[0], Name: p[1], Spawned: -1}
		if len(p) > 2 && p[2] != "-" {
			n, _ := strconv.Atoi(p[2])
			use.Spawned = int32(n)
		}
		if len(p) > 3 {
			took, _ := strconv.ParseFloat(p[3], 64)
			bytes, _ := strconv.Atoi(p[4])
			use.Done, use.Took, use.Bytes = true, vtime.Duration(took*float64(vtime.Second)), int64(bytes)
		}
		r.Tools = append(r.Tools, use)
	}
	for _, v := range list(f.text("ids", "")) {
		n, _ := strconv.ParseUint(v, 10, 64)
		r.Blocks = append(r.Blocks, n)
	}
	for _, v := range list(f.text("said", "")) {
		r.Said = append(r.Said, llm.Msg{Role: llm.User, Blocks: []llm.Block{textOf(v)}})
	}
	for _, v := range list(f.text("answer", "")) {
		r.Answer = append(r.Answer, textOf(v))
	}
	return r
}

func textOf(s string) llm.Block {
	return llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, s)}
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// blocksOf lists a conversation's blocks from the first on.
func blocksOf(n *llm.Node) string {
	var out []string
	for ; n != nil; n = n.Parent {
		if !n.IsBorder() {
			out = append([]string{fmt.Sprintf("%s %s", n.Level, n.Block.Content.Raw())}, out...)
		}
	}
	return strings.Join(out, "\n  ")
}
