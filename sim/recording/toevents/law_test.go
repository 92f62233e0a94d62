package toevents_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/judge"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
	_ "agentsim/sim/transcript/sqlite/driver"
	"agentsim/sim/vtime"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestLaws(t *testing.T) {
	t.Run("REC-06 what is imported comes back from the tables as it was, its content aside", comesBack)
	t.Run("REC-06 a session has one run: equal ones have one id and one digest, and any change another id", identity)
	t.Run("REC-06 events are in order, and each agent's request is answered before its next", ordered)
	t.Run("CACHE-L6 REC-06 the bill of an imported run is the sum over its requests at the table's rates", bill)
	t.Run("IMP-04 blocks rebuilt from usage end where the recording says that reads and writes ended", positions)
}

// genSession draws a session that does not contradict itself.
func genSession(t *rapid.T) *recording.Session {
	s := &recording.Session{Format: rapid.SampledFrom([]string{"claude-code", "rows"}).Draw(t, "format"),
		ID: rapid.StringMatching(`[a-f0-9]{1,20}`).Draw(t, "id"), Origin: rapid.String().Draw(t, "origin"), Client: "c"}
	n := rapid.IntRange(0, 12).Draw(t, "requests")
	threads := rapid.IntRange(1, 4).Draw(t, "threads")
	for i := range threads {
		th := recording.Thread{Name: rapid.StringMatching(`[a-z0-9]{1,3}`).Draw(t, "name"), Parent: int32(rapid.IntRange(-1, i-1).Draw(t, "parent")),
			SpawnedBy: int32(rapid.IntRange(-1, n-1).Draw(t, "by")), ToolUse: rapid.SampledFrom([]string{"", "t1", "t2"}).Draw(t, "use"),
			Async: rapid.Bool().Draw(t, "async"), Partial: rapid.Bool().Draw(t, "partial"), Workflow: rapid.SampledFrom([]string{"", "wf_1"}).Draw(t, "workflow"), CopiedHead: rapid.IntRange(0, 3).Draw(t, "copied"),
			ToolTokens: rapid.Int64Range(0, 500).Draw(t, "tools"), SystemTokens: rapid.Int64Range(0, 500).Draw(t, "system")}
		if i > 0 {
			th.Kind = recording.ThreadKind(rapid.IntRange(0, 3).Draw(t, "kind"))
			th.Type = rapid.SampledFrom([]string{"", "Explore"}).Draw(t, "type")
		}
		s.Threads = append(s.Threads, th)
	}
	if rapid.IntRange(0, 3).Draw(t, "named") == 0 {
		s.BlockTokens = 64
	}
	if rapid.IntRange(0, 3).Draw(t, "priced") == 0 {
		s.Prices = &recording.PriceFile{Name: rapid.String().Draw(t, "prices"), Text: rapid.String().Draw(t, "rates")}
	}
	at := begin
	for i := range n {
		at = at.Add(vtime.Duration(rapid.Int64Range(0, 400_000).Draw(t, "gap")) * vtime.Millisecond)
		s.Requests = append(s.Requests, genRequest(t, s, i, at))
	}
	for range rapid.IntRange(0, 2).Draw(t, "files") {
		s.Files = append(s.Files, recording.File{Name: rapid.String().Draw(t, "file"), SHA256: "ab", Bytes: 7})
		s.Skipped = append(s.Skipped, recording.Skip{What: rapid.String().Draw(t, "what"), Count: 2, File: "f", Line: 3})
	}
	return s
}

func genRequest(t *rapid.T, s *recording.Session, i int, at vtime.Instant) recording.Request {
	tokens := rapid.Int64Range(0, 3000)
	r := recording.Request{ID: fmt.Sprintf("msg_%d", i), Thread: int32(rapid.IntRange(0, len(s.Threads)-1).Draw(t, "thread")),
		Pred: int32(rapid.IntRange(-1, i-1).Draw(t, "pred")), Version: rapid.SampledFrom([]string{"", "2.1.38"}).Draw(t, "version"),
		Model: rapid.SampledFrom([]string{"claude-opus-4-5-20251101", "claude-haiku-4-5-20251001", "gpt-5.5"}).Draw(t, "model"),
		Usage: llm.Usage{Input: tokens.Draw(t, "in"), Output: tokens.Draw(t, "out"), Read: tokens.Draw(t, "read")},
		Start: at, First: at.Add(vtime.Duration(rapid.Int64Range(-5, 9_000).Draw(t, "first")) * vtime.Millisecond),
		OutputKnown: rapid.Bool().Draw(t, "output"), WritesKnown: true, Billed: true,
		UserTurn: rapid.Bool().Draw(t, "user"), Compacted: rapid.IntRange(0, 5).Draw(t, "compacted") == 0,
		AnswerBlocks: rapid.IntRange(0, 3).Draw(t, "answer blocks"),
		Stop:         rapid.SampledFrom([]string{"", "end_turn", "tool_use", "stop"}).Draw(t, "stop"),
		ServerMiss:   rapid.SampledFrom([]string{"", "", "tools_changed", "unavailable"}).Draw(t, "server"), ServerMissed: tokens.Draw(t, "missed")}
	r.Last = r.First.Add(vtime.Duration(rapid.Int64Range(-5, 9_000).Draw(t, "last")) * vtime.Millisecond)
	switch rapid.IntRange(0, 5).Draw(t, "writes") {
	case 0:
		r.WritesKnown = false
	case 1:
		r.Usage.Write1h = tokens.Draw(t, "w1")
	case 2:
		r.Billed, r.Usage.Read = false, 0
	default:
		r.Usage.Write5m = tokens.Draw(t, "w5")
	}
	if r.Pred >= 0 && rapid.Bool().Draw(t, "exact") {
		r.Usage.Read = s.Requests[r.Pred].Usage.Read + s.Requests[r.Pred].Usage.Written()
	}
	r.Orphan = rapid.Bool().Draw(t, "orphan")
	setting := rapid.SampledFrom([]string{"", "x"})
	r.Settings = recording.Settings{Thinking: setting.Draw(t, "thinking"), Effort: setting.Draw(t, "effort"), Speed: setting.Draw(t, "speed")}
	for range rapid.IntRange(0, 2).Draw(t, "told") {
		r.Told = append(r.Told, recording.Told{What: recording.What(rapid.IntRange(0, recording.Whats-1).Draw(t, "what")),
			File: int32(rapid.IntRange(0, 2).Draw(t, "file")), Line: rapid.Int64Range(0, 99).Draw(t, "line")})
	}
	for k := range rapid.IntRange(0, 3).Draw(t, "uses") {
		u := recording.ToolUse{ID: fmt.Sprintf("t%d", k), Name: "Read", Spawned: int32(rapid.IntRange(-1, len(s.Threads)-1).Draw(t, "spawned"))}
		if u.Done = rapid.Bool().Draw(t, "done"); u.Done {
			u.IsError, u.Bytes = rapid.Bool().Draw(t, "error"), tokens.Draw(t, "bytes")
			u.Took = vtime.Duration(rapid.Int64Range(0, 900_000).Draw(t, "took")) * vtime.Millisecond
		}
		r.Tools = append(r.Tools, u)
	}
	r.Changed = rapid.SampledFrom([]string{"", "", "tools: byte 40 of block 2 (tool Read)", "settings: thinking", "marks: none from block 2 (user text) on"}).Draw(t, "changed")
	if s.BlockTokens > 0 {
		r.Blocks = rapid.SliceOfN(rapid.Uint64Range(1, 3), 0, 6).Draw(t, "blocks")
		if len(r.Blocks) == 0 {
			r.Blocks = nil
		}
	} else if rapid.Bool().Draw(t, "sizes") {
		r.Blocks, r.BlockBytes = []uint64{1, 2}, rapid.SliceOfN(rapid.Int64Range(1, 900), 2, 2).Draw(t, "bytes")
	}
	return r
}

// withContent gives a session messages.
func withContent(t *rapid.T, s *recording.Session) {
	for i := range s.Requests {
		r := &s.Requests[i]
		for range rapid.IntRange(0, 2).Draw(t, "messages") {
			r.Said = append(r.Said, llm.Msg{Role: llm.User, Blocks: []llm.Block{textOf(rapid.String().Draw(t, "said"))}})
		}
		r.Answer = []llm.Block{textOf(rapid.String().Draw(t, "answer"))}
		if rapid.Bool().Draw(t, "front") {
			r.Front = []llm.Block{textOf(rapid.String().Draw(t, "system"))}
		}
	}
}

func newDB(t testing.TB) *sqlite.DB {
	db, err := sqlite.Create(filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// store records a session and returns its run's id.
func store(t interface{ Fatal(...any) }, db *sqlite.DB, s *recording.Session) string {
	verdicts := judge.Classify(s)
	run := toevents.Of(s, verdicts)
	w, err := db.Begin(sqlite.Run{ID: run.ID, Name: run.Name, Variant: run.Variant, Policy: transcript.PolicyRecorded,
		Semantics: toevents.Semantics, Spec: sqlite.SessionText(s)}, "", sqlite.Options{Cost: price})
	if err != nil {
		t.Fatal(err)
	}
	d := transcript.NewDigest()
	if err := toevents.Emit(s, verdicts, transcript.Tee(d, w)); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(sqlite.End{Status: sqlite.Completed, Digest: d.Sum()}); err != nil {
		t.Fatal(err)
	}
	return run.ID
}

func price(model string, u llm.Usage) (int64, int64) {
	p, err := cachemodel.Lookup(model)
	if err != nil {
		return 0, 0
	}
	return int64(p.Cost(u)), int64(p.CostUncached(u))
}

func comesBack(t *testing.T) {
	db := newDB(t)
	drawn := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		if rapid.IntRange(0, 1).Draw(t, "store") > 0 {
			return
		}
		s := genSession(t)
		if s.BlockTokens == 0 && rapid.Bool().Draw(t, "content") {
			withContent(t, s)
		}
		note(drawn, reflect.ValueOf(*s))
		got, err := db.Recording(store(t, db, s))
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Requests {
			r := &s.Requests[i]
			r.Said, r.Answer, r.Front, r.Blocks, r.BlockBytes = nil, nil, nil, nil, nil
		}
		// Where its files lie and what was passed over is no part of a run; the
		// first import of it counts.
		if d := cmp.Diff(s, got, cmpopts.IgnoreFields(recording.Session{}, "Files", "Skipped")); d != "" {
			t.Fatalf("not what was imported:\n%s", d)
		}
	})
	for _, typ := range []reflect.Type{reflect.TypeFor[recording.Session](), reflect.TypeFor[recording.Thread](), reflect.TypeFor[recording.Request](),
		reflect.TypeFor[recording.ToolUse](), reflect.TypeFor[recording.Settings](), reflect.TypeFor[recording.Told](), reflect.TypeFor[llm.Usage]()} {
		for i := range typ.NumField() {
			// A short run draws too few sessions to have met every field.
			if name := typ.Name() + "." + typ.Field(i).Name; !drawn[name] && !testing.Short() {
				t.Errorf("%s was never drawn, so nobody knows whether it comes back", name)
			}
		}
	}
	s := parseSession(t, "thread main\nrequest a w5=10")
	s.Files, s.Skipped = []recording.File{{Name: "a/b.jsonl", SHA256: "12ab", Bytes: 9}}, []recording.Skip{{What: "odd line", Count: 3, File: "a/b.jsonl", Line: 4}}
	got, err := db.Recording(store(t, db, s))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s, got); d != "" {
		t.Errorf("not what was imported:\n%s", d)
	}
}

// note notes the fields of recorded things that hold something.
func note(drawn map[string]bool, v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			note(drawn, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				drawn[v.Type().Name()+"."+v.Type().Field(i).Name] = true
				note(drawn, v.Field(i))
			}
		}
	}
}

func identity(t *testing.T) {
	digest := func(s *recording.Session) string {
		d := transcript.NewDigest()
		if err := toevents.Emit(s, judge.Classify(s), d); err != nil {
			t.Fatal(err)
		}
		return d.Sum()
	}
	id := func(s *recording.Session) string { return toevents.Of(s, judge.Classify(s)).ID }
	read := func(text string) *recording.Session { return parseSession(t, "thread main\n"+text) }
	const line = "request a at=0 w5=10 in=1 uses=x:Read said=hello answer=hi"
	a, b := read(line), read(line)
	b.Files, b.Skipped = []recording.File{{Name: "elsewhere"}}, []recording.Skip{{What: "a line"}}
	if id(a) != id(b) || digest(a) != digest(b) {
		t.Error("where a session's files lie, or what was passed over in them, makes another run of it")
	}
	for _, other := range []string{"request b at=0 w5=10 in=1 uses=x:Read said=hello answer=hi", "request a at=0 w5=11 in=1 uses=x:Read said=hello answer=hi",
		"request a at=0 w5=10 in=1 uses=y:Read said=hello answer=hi", "request a at=0 w5=10 in=1 uses=x:Read said=hullo answer=hi",
		"request a at=0 w5=10 in=1 uses=x:Read said=hello answer=ho", "request a at=0 w5=10 in=1 uses=x:Read"} {
		if o := read(other); id(a) == id(o) || digest(a) == digest(o) {
			t.Errorf("%s is the same run as %s", other, line)
		}
	}
}

// watch looks at the order of events.
type watch struct {
	seq    uint64
	at     vtime.Instant
	alive  map[int32]bool
	asked  map[int32]bool
	told   int
	faults []string
}

func (w *watch) Emit(e *transcript.Event) {
	bad := func(format string, args ...any) {
		w.faults = append(w.faults, fmt.Sprintf("event %d %s of %d: ", e.Seq, e.Body.Kind(), e.Agent)+fmt.Sprintf(format, args...))
	}
	if e.Seq != w.seq {
		bad("should be number %d", w.seq)
	}
	if e.At < w.at {
		bad("before the one in front of it")
	}
	w.seq, w.at = w.seq+1, e.At
	if e.Agent >= 0 && !w.alive[e.Agent] && e.Body.Kind() != transcript.KindAgentStart {
		bad("of an agent that is not alive")
	}
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		if b.Parent >= 0 && !w.alive[b.Parent] {
			bad("its parent is not alive")
		}
		w.alive[e.Agent] = true
	case *transcript.AgentEnd:
		w.alive[e.Agent] = false
	case *transcript.Request:
		if w.asked[e.Agent] {
			bad("before the answer to the last one")
		}
		w.asked[e.Agent] = true
		w.told++
	case *transcript.Response:
		w.asked[e.Agent] = false
	}
}

func ordered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genSession(t)
		w := &watch{alive: map[int32]bool{}, asked: map[int32]bool{}}
		if err := toevents.Emit(s, judge.Classify(s), w); err != nil {
			t.Fatal(err)
		}
		for i, open := range w.asked {
			if open {
				t.Errorf("agent %d waits for an answer", i)
			}
		}
		for i, alive := range w.alive {
			if alive {
				t.Errorf("agent %d never ended", i)
			}
		}
		if len(w.faults) > 0 || w.told != len(s.Requests) {
			t.Fatalf("%d of %d requests told; %v", w.told, len(s.Requests), w.faults)
		}
	})
}

func bill(t *testing.T) {
	db := newDB(t)
	rapid.Check(t, func(t *rapid.T) {
		s := genSession(t)
		want, uncached := int64(0), int64(0)
		for i := range s.Requests {
			if r := &s.Requests[i]; r.Billed {
				c, u := price(r.Model, r.Usage)
				want, uncached = want+c, uncached+u
			}
		}
		fold, ends := metrics.New(metrics.Options{}), rolled{s: s}
		if err := toevents.Emit(s, judge.Classify(s), transcript.Tee(fold, &ends)); err != nil {
			t.Fatal(err)
		}
		if ends.sum != s.Usage() {
			t.Fatalf("the roots' usage with all below them is %v, the session's %v", ends.sum, s.Usage())
		}
		if got := fold.Run(); int64(got.Total.Cost) != want || int64(got.Total.Uncached) != uncached || got.Total.Usage != s.Usage() {
			t.Fatalf("folded %d, %d without a cache, %v; want %d, %d, %v", got.Total.Cost, got.Total.Uncached, got.Total.Usage, want, uncached, s.Usage())
		}
		if rapid.IntRange(0, 3).Draw(t, "store") > 0 {
			return
		}
		info, err := db.FindRun(store(t, db, s))
		if err != nil || info.Cost != want || info.Uncached != uncached || info.Usage != s.Usage() {
			t.Fatalf("stored %d, %d, %v; want %d, %d, %v (%v)", info.Cost, info.Uncached, info.Usage, want, uncached, s.Usage(), err)
		}
		agents, err := db.Tree(info.ID)
		if err != nil {
			t.Fatal(err)
		}
		var roots llm.Usage
		for i := range agents {
			want -= agents[i].Cost
			roots = roots.Plus(agents[i].Usage)
		}
		if want != 0 || roots != s.Usage() {
			t.Fatalf("the agents' bills are %d less than the run's; their usage %v, the session's %v", want, roots, s.Usage())
		}
	})
}

// rolled sums what roots and all below them consumed.
type rolled struct {
	s   *recording.Session
	sum llm.Usage
}

func (r *rolled) Emit(e *transcript.Event) {
	if b, ok := e.Body.(*transcript.AgentEnd); ok && r.s.Threads[e.Agent].Parent < 0 {
		r.sum = r.sum.Plus(b.Rolled)
	}
}

// ends checks where reads and writes of prompts made from usage end.
type ends struct {
	t     *rapid.T
	heads map[int32]*llm.Node
}

func (e *ends) Emit(ev *transcript.Event) {
	switch b := ev.Body.(type) {
	case *transcript.Request:
		e.heads[ev.Agent] = b.Head
	case *transcript.Response:
		u, c := b.Resp.Usage, &b.Resp.Cache
		if c.ReadTo != nil && (u.Read == 0 || llm.Common(c.ReadTo, e.heads[ev.Agent]) != c.ReadTo) {
			e.t.Fatalf("read %d to a block that is no part of the prompt", u.Read)
		}
		if (c.WrittenTo != nil) != (u.Written() > 0) {
			e.t.Fatalf("wrote %d to %v", u.Written(), c.WrittenTo)
		}
		if c.ReadTo != nil && c.WrittenTo != nil && c.ReadTo.Pos > c.WrittenTo.Pos {
			e.t.Fatalf("read to %d, wrote to %d", c.ReadTo.Pos, c.WrittenTo.Pos)
		}
	}
}

func positions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genSession(t)
		for i := range s.Requests {
			s.Requests[i].Blocks = nil
		}
		if err := toevents.Emit(s, judge.Classify(s), &ends{t: t, heads: map[int32]*llm.Node{}}); err != nil {
			t.Fatal(err)
		}
	})
}
