package toscenario

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/recording/player"
	"agentsim/sim/recording/recordingtest"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// slack is how long after a lifetime the clients' logs still show hits.
const slack = 8500 * vtime.Millisecond

func TestConformance(t *testing.T) {
	t.Run("TRI-04 every session of the sample, through the whole stack, is billed as the player bills it, to the token", func(t *testing.T) {
		agree(t, filepath.Join("..", "..", "..", "testdata", "validation"), "sample.jsonl.gz")
	})
	t.Run("TRI-04 every recorded session, through the whole stack, is billed as the player bills it, to the token", func(t *testing.T) {
		agree(t, recordingtest.Path(t, "sessions"), "requests.jsonl.gz")
	})
	t.Run("TRI-04 LLM-13 what a recording lacks is filler of its size, and children are started by their parents", throughTheStack)
	t.Run("TRI-05 each word that a scenario tells decides what is billed", words)
	t.Run("TRI-05 no string of a session stands in a scenario made from it", canaries)
	t.Run("TRI-05 LLM-13 what was said is part of a scenario where it is asked for, and is verified", withContent)
}

// agree plays every session of a file through the stack and by the player.
func agree(t *testing.T, dir, name string) {
	n, near := 0, 0
	for _, s := range read(t, dir, name, false) {
		if player.Playable(s) != nil {
			continue
		}
		n++
		want, got := played(t, s), run(t, s, Options{Slack: slack}, "told")
		if got.recorded != want {
			t.Errorf("session %s: billed %+v, by the player %+v", s.ID, got.recorded, want)
		}
		if d := units(got.recorded) - units(s.Usage()); max(d, -d)*50 <= units(s.Usage()) {
			near++
		}
	}
	if n < 70 || near*100 < n*95 {
		t.Errorf("%d of %d sessions are within 2 %% of their recorded bill, want 95 %%", near, n)
	}
}

// played is what the player says of a session with hindsight.
func played(t *testing.T, s *recording.Session) (u llm.Usage) {
	t.Helper()
	opt := player.Options{Known: Known(s, slack), Cache: cachemodel.DefaultAnthropicOptions()}
	opt.Cache.LateExpiry = slack
	r, err := player.Play([]*recording.Session{s}, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Requests[0] {
		u = u.Plus(p.Usage)
	}
	return u
}

// units are hundredths of an uncached input token.
func units(u llm.Usage) int64 {
	return 100*u.Input + 125*u.Write5m + 200*u.Write1h + 10*u.Read + 500*u.Output
}

func read(t *testing.T, dir, name string, content bool) (out []*recording.Session) {
	t.Helper()
	if _, err := importer.Read(os.DirFS(dir), []string{name}, importer.Options{Content: content}, func(s *recording.Session) error {
		out = append(out, s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// outcome is what a run came to: the bill of recorded calls, that of hidden ones, and
// what the run's events tell of agents and tools.
type outcome struct {
	recorded, hidden llm.Usage
	agents           []string // structure and lineage
	tools, said      int      // results and their bytes
	user             []int    // bytes of each message of the user's behind the first
	unseen           map[int32]bool
}

func (o *outcome) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		o.unseen[e.Agent] = strings.HasSuffix(b.Lineage, llm.HiddenSuffix)
		o.agents = append(o.agents, string(b.Structure)+" "+b.Lineage+" "+b.Type)
	case *transcript.UserMessage:
		if e.Agent == 0 {
			o.user = append(o.user, b.Bytes)
		}
	case *transcript.ToolResult:
		o.tools, o.said = o.tools+1, o.said+b.Bytes
	case *transcript.Response:
		if o.unseen[e.Agent] {
			o.hidden = o.hidden.Plus(b.Resp.Usage)
		} else {
			o.recorded = o.recorded.Plus(b.Resp.Usage)
		}
	}
}

// run runs a variant of a session's scenario, read from its text.
func run(t *testing.T, s *recording.Session, opt Options, variant string, sets ...string) *outcome {
	t.Helper()
	told, err := Of(s, opt)
	if err != nil {
		t.Fatal(err)
	}
	o, err := runText(told.Text("told", "a test", opt.Slack), variant, sets...)
	if err != nil {
		t.Fatalf("session %s: %v", s.ID, err)
	}
	return o
}

func runText(text []byte, variant string, sets ...string) (*outcome, error) {
	f, err := scenarios.Parse("told.yaml", text)
	if err != nil {
		return nil, err
	}
	if names := f.VariantNames(); len(names) == 1 {
		variant = names[0]
	}
	sc, err := f.Effective(variant, sets)
	if err != nil {
		return nil, err
	}
	spec, err := sim.NewSpec(sc, variant)
	if err != nil {
		return nil, err
	}
	o := &outcome{unseen: map[int32]bool{}}
	res, err := sim.Run(spec, sim.Options{Sinks: []transcript.Sink{o}})
	if err == nil && res.Outcome != sim.Completed {
		err = fmt.Errorf("%s: %s", res.Outcome, res.Detail)
	}
	return o, err
}

const model = "claude-opus-4-5-20251101"

// small is a session of three threads: a main one whose second call expects what an
// unrecorded request renewed, whose third one is missed, and that is compacted; a
// sub-agent; and a summary that goes on from the main thread.
func small() *recording.Session {
	at := func(s int64) vtime.Instant { return vtime.Instant(s * int64(vtime.Second)) }
	call := func(thread, pred int32, start int64, read, write int64, tools ...recording.ToolUse) recording.Request {
		return recording.Request{ID: "r", Thread: thread, Pred: pred, Model: model, Start: at(1_000 + start), First: at(1_001 + start), Last: at(1_002 + start),
			Usage: llm.Usage{Input: 3, Read: read, Write5m: write, Output: 100}, OutputKnown: true, WritesKnown: true, Billed: true, AnswerBlocks: 1 + len(tools), Tools: tools}
	}
	use := func(name string, spawned int32) recording.ToolUse {
		return recording.ToolUse{ID: "u-" + name, Name: name, Spawned: spawned, Done: true, Bytes: 2_000, Took: vtime.Second}
	}
	s := &recording.Session{Format: "rows", ID: "s", Threads: []recording.Thread{
		{Name: "main", Parent: -1, SpawnedBy: -1},
		{Name: "a1", Kind: recording.SubAgent, Type: "Explore", Parent: 0, SpawnedBy: 0, ToolUse: "u-Task"},
		{Name: "acompact", Kind: recording.Compact, Parent: 0, SpawnedBy: -1},
	}, Requests: []recording.Request{
		call(0, -1, 0, 16_000, 4_000, use("Task", 1), use("Read", -1)),
		call(1, -1, 3, 0, 12_000, use("Grep", -1)),
		call(1, 1, 6, 12_000, 3_000),
		call(0, 0, 20, 20_000, 5_000),
		call(0, 3, 500, 25_100, 2_000, use("Read", -1)),
		call(0, 4, 510, 16_000, 12_000),
		call(2, 5, 520, 28_000, 500),
		call(0, 5, 530, 16_000, 3_000),
	}}
	s.Requests[4].UserTurn, s.Requests[5].UserTurn = true, true
	s.Requests[7].Compacted = true
	return s
}

func throughTheStack(t *testing.T) {
	o := run(t, small(), Options{}, "told")
	want := []string{"root main main", "subagent main/1.1 Explore", "subagent main/2.hidden hidden", "root thread-3 main"}
	if !reflect.DeepEqual(o.agents, want) {
		t.Errorf("agents %q, want %q", o.agents, want)
	}
	if o.tools != 4 || o.said < 3*2_000 {
		t.Errorf("%d results of %d bytes", o.tools, o.said)
	}
	filler := script.NewFiller(tokens.Approx(model))
	user := []int{len(filler.Raw(llm.Prose, 1)), len(filler.Raw(llm.Prose, 27_100-25_000-100)), len("Thread main, call 5.\n" + filler.Raw(llm.Prose, 19_000-16_000))}
	if !reflect.DeepEqual(o.user, user) {
		t.Errorf("the user's messages have %d bytes, want %d: what the prompts grew by, the answers aside", o.user, user)
	}
	if got, want := o.recorded, small().Usage(); got != want {
		t.Errorf("billed %+v, recorded %+v", got, want)
	}
	if o.hidden.Read != 25_000 || o.hidden.Write5m != 100 {
		t.Errorf("the hidden request was billed %+v: it reads what was left and leaves the answer", o.hidden)
	}
}

// words leaves out what a scenario tells, word by word.
func words(t *testing.T) {
	text, err := Of(small(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := string(text.Text("told", "a test", 0))
	for what, read := range map[string]int64{"misses": 27_100 - 16_000, "hidden": 16_000 - 25_100, "warm": -16_000} { // order: each is a run of its own
		o, err := runText([]byte(whole), "told", "script.untold=["+what+"]")
		if err != nil {
			t.Fatal(err)
		}
		if got := o.recorded.Read - small().Usage().Read; got != read {
			t.Errorf("without %s %d more tokens are read, want %d\n%s", what, got, read, whole)
		}
	}
	for _, word := range []string{"from: anew", "from: main 4", "type: Explore", "miss: 16000", "hidden: 5m20s, left: 25100"} {
		if !strings.Contains(whole, word) {
			t.Errorf("no %q in\n%s", word, whole)
		}
	}
}

func canaries(t *testing.T) {
	s := small()
	s.Origin, s.Client = "canary-origin", "canary-client"
	s.Files = []recording.File{{Name: "canary-file", SHA256: "canary-hash"}}
	s.Skipped = []recording.Skip{{What: "canary-skip", File: "canary-file"}}
	s.ID, s.Format = "canary-id", "canary-format"
	var spoil func(v reflect.Value, path string)
	spoil = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.String:
			if !strings.HasSuffix(path, ".Model") { // a session of an unknown model is not playable
				v.SetString("canary" + path)
			}
		case reflect.Slice:
			for i := range v.Len() {
				spoil(v.Index(i), fmt.Sprintf("%s-%d", path, i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				spoil(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		}
	}
	for i := range s.Threads {
		spoil(reflect.ValueOf(&s.Threads[i]).Elem(), fmt.Sprintf("-thread-%d", i))
	}
	for i := range s.Requests {
		r := &s.Requests[i]
		r.Said = []llm.Msg{{Role: llm.User, Blocks: []llm.Block{{Kind: llm.Text, Content: llm.NewText(llm.Prose, "canary-said")}}}}
		r.Answer = []llm.Block{{Kind: llm.Text, Content: llm.NewText(llm.Prose, "canary-answer")}}
		spoil(reflect.ValueOf(r).Elem(), fmt.Sprintf("-request-%d", i))
	}
	told, err := Of(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(told.Text("told", "a test", 0)); strings.Contains(text, "canary") {
		t.Errorf("a string of the session stands in\n%s", text)
	}
}

func withContent(t *testing.T) {
	s := small()
	say := func(text string) []llm.Msg {
		return []llm.Msg{{Role: llm.User, Blocks: []llm.Block{{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)}}}}
	}
	s.Requests[0].Said, s.Requests[4].Said = say("Look into it."), say("And now?")
	s.Requests[3].Answer = []llm.Block{{Kind: llm.Text, Content: llm.NewText(llm.Prose, "It is so.")}}
	s.Requests[3].Said = []llm.Msg{{Role: llm.User, Blocks: []llm.Block{{Kind: llm.ToolResult, ID: recording.ToolUseID("u-Read"), Content: llm.NewText(llm.Prose, "package a")}}}}
	told, err := Of(s, Options{Content: true})
	if err != nil {
		t.Fatal(err)
	}
	text := string(told.Text("told", "a test", 0))
	for _, want := range []string{`says: Look into it.`, "It is so.", `result: package a`, "And now?"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	o, err := runText([]byte(text), "told")
	if err != nil || o.recorded != s.Usage() {
		t.Errorf("%v, billed %+v", err, o.recorded)
	}
	_, err = runText([]byte(text), "told", "script.recorded=[{thread: main, calls: [{prompt: 20k, uses: [{tool: Read, bytes: 9_000}]}, {at: 1s, prompt: 30k}]}]", "tools.replace_over=100")
	if err == nil || !strings.Contains(err.Error(), "were recorded") {
		t.Errorf("a shortened result is answered all the same: %v", err)
	}
	s.Threads[1].Async = true
	if told, err = Of(s, Options{Content: true}); err != nil {
		t.Fatal(err)
	}
	_, err = runText(told.Text("told", "a test", 0), "told", "script.untold=[hidden]")
	if err == nil || !strings.Contains(err.Error(), "main, call 3: the user's side says another text than was recorded") {
		t.Errorf("a notification in the place of what the user said is answered all the same: %v", err)
	}
}
