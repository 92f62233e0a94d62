package crossover

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/recording/recordingtest"
	"agentsim/sim/vtime"
)

const second = vtime.Instant(vtime.Second)

// family is a main thread that spawns two children in one answer, one of them on
// another model and pausing for six minutes before its last call.
func family() *recording.Session {
	call := func(thread, pred int32, at int64, model string, u llm.Usage) recording.Request {
		start := vtime.Instant(at) * second
		return recording.Request{Thread: thread, Pred: pred, Model: model, Start: start, First: start + second, Last: start + 2*second,
			Usage: u, OutputKnown: true, WritesKnown: true, Billed: true}
	}
	const opus, haiku = "claude-opus-4-5-20251101", "claude-haiku-4-5-20251001"
	return &recording.Session{ID: "s", Threads: []recording.Thread{{Name: "main", Parent: -1, SpawnedBy: -1},
		{Name: "a", Kind: recording.SubAgent, SpawnedBy: 0}, {Name: "b", Kind: recording.SubAgent, SpawnedBy: 0, Async: true},
		{Name: "c", Kind: recording.SubAgent, Parent: -1, SpawnedBy: -1}},
		Requests: []recording.Request{
			call(0, -1, 0, opus, llm.Usage{Input: 5, Write1h: 69_995, Output: 300}),
			call(1, -1, 10, opus, llm.Usage{Write5m: 16_200, Read: 8_000, Output: 100}),
			call(2, -1, 10, haiku, llm.Usage{Write5m: 20_200, Output: 100}),
			call(1, 1, 20, opus, llm.Usage{Write5m: 1_100, Read: 24_200, Output: 100}),
			call(1, 3, 30, opus, llm.Usage{Write5m: 2_100, Read: 25_300, Output: 100}),
			call(2, 2, 400, haiku, llm.Usage{Write5m: 21_000, Output: 100}),
			call(3, -1, 500, opus, llm.Usage{Write5m: 9_000, Output: 100}),
		}}
}

// readers is a session in which so many children read a file that their parent had read.
func readers(children int) *recording.Session {
	s := family()
	s.Threads, s.Requests = s.Threads[:1], s.Requests[:1]
	read := func(i int, name string) {
		s.Requests[i].Answer = []llm.Block{{Kind: llm.ToolUse, ID: recording.ToolUseID(name), Name: "Read", Content: llm.NewJSON(`{"file_path":"a.go"}`)}}
		s.Requests[i].Said = []llm.Msg{{Role: llm.User, Blocks: []llm.Block{{Kind: llm.ToolResult, ID: recording.ToolUseID(name), Content: llm.NewText(llm.Code, "one\n")}}}}
	}
	read(0, "main")
	for i := range children {
		s.Threads = append(s.Threads, recording.Thread{Name: "a", Kind: recording.SubAgent, SpawnedBy: 0})
		r := family().Requests[1]
		r.Thread = int32(i) + 1
		s.Requests = append(s.Requests, r)
		read(i+1, fmt.Sprint(i))
	}
	return s
}

func TestInputs(t *testing.T) {
	t.Run("TRI-07 one function reads what decides: parent's prompt and lifetime, own head and what of it is warm, what is read, calls, output, model, width, pauses", func(t *testing.T) {
		in := &Inputs{}
		in.Add(family())
		want := []Query{
			{Model: "claude-opus-4-5-20251101", Prefix: 70_000, Own: 24_000, Know: 24_000 + 3_000, Warm: 8_000, Turns: 3, Siblings: 2, Reading: MaxTurns,
				Task: TaskTokens, Said: 300, Growth: 100, Output: 100, Lacks: 1000, Hour: true, Half: 333},
			{Model: "claude-opus-4-5-20251101", Child: "claude-haiku-4-5-20251001", Prefix: 70_000, Own: 20_000, Know: 20_000 + 700, Turns: 2, Siblings: 2, Reading: MaxTurns,
				Task: TaskTokens, Said: 300, Growth: 100, Output: 100, Lacks: 1000, Hour: true, Half: 500, Pauses: 1},
		}
		if len(in.Children) != 2 || in.Children[0] != want[0] || in.Children[1] != want[1] {
			t.Errorf("%+v, want %+v", in.Children, want)
		}
		if in.Background != 1 || len(in.Left) != 1 || in.Left[0].Thread != "c" || in.Placeholders != 0 {
			t.Errorf("%d in the background, left %+v", in.Background, in.Left)
		}
		if share, n := in.Overlap(); share != 142 || n != 0 {
			t.Errorf("overlap %d of %d children", share, n)
		}
	})
	t.Run("TRI-07 a parent's tools and system prompt are its first prompt without what is said in it, or the least that it found in the cache", func(t *testing.T) {
		s := readers(1)
		s.Requests[0].Said[0].Blocks[0].Content = llm.NewText(llm.Prose, strings.Repeat("word ", 4_000))
		said := tokens.Approx(s.Requests[0].Model).Tokens(s.Requests[0].Said[0].Blocks[0].Measure())
		for read, want := range map[int64]int64{0: 70_000 - said, 1_000: 1_000} {
			s.Requests[0].Usage = llm.Usage{Input: 5, Read: read, Write1h: 69_995 - read, Output: 300}
			in := &Inputs{}
			if in.Add(s); in.Children[0].Head != want || said < 2_000 {
				t.Errorf("read %d, said %d: the head is %d, want %d", read, said, in.Children[0].Head, want)
			}
		}
	})
	t.Run("PRO-02 what fewer than 20 children of a sample show of their overlap is not used: the shipped profile's share is", func(t *testing.T) {
		for _, c := range []struct {
			children                    int // that read what their parent had read
			sample                      bool
			share, n, thinShare, thinOf int64
		}{{2, false, 1000, 2, 0, 0}, {2, true, 142, 0, 1000, 2}, {19, true, 142, 0, 1000, 19}, {20, true, 1000, 20, 0, 0}, {0, true, 142, 0, 0, 0}} {
			in := &Inputs{Sample: c.sample}
			in.Add(readers(c.children))
			if share, n := in.Overlap(); share != c.share || n != c.n {
				t.Errorf("%+v: overlap %d of %d children", c, share, n)
			}
			if share, n := in.Thin(); share != c.thinShare || n != c.thinOf {
				t.Errorf("%+v: thin %d of %d children", c, share, n)
			}
			if len(in.Children) > 0 && in.Settled()[0].Lacks != 1000-c.share {
				t.Errorf("%+v: children lack %d", c, in.Settled()[0].Lacks)
			}
		}
	})
	t.Run("TRI-07 forks that do not find their parent's prompt in the cache write it in the arithmetic too, but for what they read", func(t *testing.T) {
		s := family()
		for thread := range int32(3) {
			fork := s.Requests[1]
			fork.Thread, fork.Usage = int32(len(s.Threads))+thread, llm.Usage{Read: 69_995, Write5m: 3_000, Output: 100}
			if thread == 0 {
				fork.Usage = llm.Usage{Read: 30_000, Write5m: 42_000, Output: 100}
			}
			s.Requests = append(s.Requests, fork)
		}
		for range 3 {
			s.Threads = append(s.Threads, recording.Thread{Name: "fork", Kind: recording.Fork, SpawnedBy: 0})
		}
		in := &Inputs{}
		in.Add(s)
		if n, reach, lost := in.Missed(); in.Forks != 3 || n != 1 || reach != 30_000 || lost != 39_995 {
			t.Fatalf("%d of %d forks missed %d and read %d", n, in.Forks, lost, reach)
		}
		cost := func(misses int64) Pair {
			list := in.Settled()[:1]
			if list[0].Misses != 333 || list[0].Reach != 428_571 {
				t.Fatalf("%+v", list[0])
			}
			list[0].Misses = misses
			return Estimate(list)
		}
		p, _ := cachemodel.Lookup("claude-opus-4-5-20251101")
		want := 40_000 * (p.Rates.Write1h - p.Rates.Read)
		if d := cost(1000).minus(cost(0)); d != (Pair{Fork: want}) {
			t.Errorf("%+v more, want %d for forks", d, want)
		}
		// Simulated forks write what recorded ones did, and nothing of their own.
		simulated := func(misses int64) Pair {
			list := in.Settled()[:1]
			list[0].Misses, list[0].Siblings = misses, 12
			p, err := NewLab().Simulate(list)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		want = 40_000 * 333 / 1000 * (p.Rates.Write1h - p.Rates.Read)
		if d := simulated(333).minus(simulated(0)); d != (Pair{Fork: want}) {
			t.Errorf("simulated %+v more, want %d for forks", d, want)
		}
		if q := in.Settled()[0]; q.Adds != (2*2_995+2_000)/3 {
			t.Errorf("forks' first prompts add %d", q.Adds)
		}
	})
	t.Run("TRI-07 what recorded forks' first prompts add stands in simulated ones and in the arithmetic, not what generated answers weigh", func(t *testing.T) {
		q := usual()
		q.Task, q.Siblings, q.Turns, q.Adds = TaskTokens, 3, 1, 2_500
		b, err := NewLab().run(q, fork, q.world())
		if want := q.Prefix + 2_500; err != nil || b.first != want || q.begins()+q.Task != want {
			t.Errorf("%v: a fork begins with %d tokens, %d by arithmetic, want %d", err, b.first, q.begins()+q.Task, want)
		}
	})
	t.Run("TRI-07 the parent's answer, where it is known, takes the place of the generated one", func(t *testing.T) {
		first := func(said int64) int64 {
			q := usual()
			q.Siblings, q.Turns, q.Said = 5, 1, said
			b, err := NewLab().run(q, fork, q.world())
			if err != nil {
				t.Fatal(err)
			}
			return b.first
		}
		generated := first(0)
		if some, more := first(1_000), first(1_500); more != some+500 || some >= generated {
			t.Errorf("a fork begins with %d tokens, %d and %d behind answers of 1,000 and 1,500", generated, some, more)
		}
	})
	t.Run("TRI-07 CON-23 where no fork ran, too many of one answer read the parent's tools and system prompt alone: ten, and nine where the parent says a word beside", func(t *testing.T) {
		for _, c := range []struct {
			blocks, siblings int
			lost             bool
		}{{9, 9, false}, {10, 9, true}, {10, 10, true}, {9, 8, false}} {
			s := family()
			parent := s.Requests[0]
			parent.Usage = llm.Usage{Read: 15_000, Write1h: 55_000, Output: 900}
			parent.AnswerBlocks = c.blocks
			child := s.Requests[1]
			s.Threads, s.Requests = s.Threads[:1], []recording.Request{parent}
			for i := range c.siblings {
				child.Thread = int32(i) + 1
				s.Threads = append(s.Threads, recording.Thread{Kind: recording.SubAgent, SpawnedBy: 0})
				s.Requests = append(s.Requests, child)
			}
			in := &Inputs{}
			in.Add(s)
			q := in.Settled()[0]
			if want := map[bool]int64{true: 1000}[c.lost]; q.Misses != want || q.Head != 15_000 {
				t.Errorf("%+v: %d thousandths miss, the head is %d", c, q.Misses, q.Head)
			}
			b, err := NewLab().run(q, fork, q.world())
			read := int64(70_000)
			if c.lost {
				read = 15_000
			}
			if err != nil || b.seen.Read/int64(c.siblings) != read {
				t.Errorf("%+v: %v, simulated forks read %d of %d", c, err, b.seen.Read/int64(c.siblings), read)
			}
		}
	})
	t.Run("TRI-07 what forks and fresh children wrote again behind misses in their course is in the arithmetic and in what is simulated, where forks ran", func(t *testing.T) {
		s := family()
		s.Requests[3].Usage = llm.Usage{Read: 2_200, Write5m: 23_100, Output: 100} // of 24,200 tokens
		alone := &Inputs{}
		alone.Add(s)
		if alone.Again() != (Counts{}) || alone.Rewritten() != (Pair{}) || alone.Settled()[0].Again != 0 {
			t.Fatalf("without forks %+v, %+v", alone.Again(), alone.Settled()[0])
		}
		fork, next := s.Requests[1], s.Requests[1]
		fork.Usage = llm.Usage{Read: 69_995, Write5m: 2_005, Output: 100}
		next.Usage = llm.Usage{Read: 20_000, Write5m: 54_000, Output: 100}
		fork.Thread, next.Thread = int32(len(s.Threads)), int32(len(s.Threads))
		next.Start = fork.Last
		next.Last = next.Start
		s.Requests = append(s.Requests, fork, next)
		s.Threads = append(s.Threads, recording.Thread{Name: "fork", Kind: recording.Fork, SpawnedBy: 0})
		in := &Inputs{}
		in.Add(s)
		list := in.Settled()
		if n := in.Again(); n != (Counts{52_000, 22_000 / int64(len(list))}) || list[0].Forked != 52_000*1_000_000/70_000 {
			t.Fatalf("again %+v, %+v", n, list[0])
		}
		bare := slices.Clone(list)
		for i := range bare {
			bare[i].Again, bare[i].Forked = 0, 0
		}
		if d := Estimate(list).minus(Estimate(bare)); d != in.Rewritten() || d.Fork <= 0 || d.Fresh <= 0 {
			t.Errorf("%+v more, want %+v", d, in.Rewritten())
		}
		with, err := NewLab().Simulate(list)
		without, err2 := NewLab().Simulate(bare)
		if d := with.minus(without); err != nil || err2 != nil || d != in.Rewritten() {
			t.Errorf("simulated %+v more, want %+v; %v, %v", d, in.Rewritten(), err, err2)
		}
	})
	t.Run("TRI-07 a measured child, simulated, costs what it was billed, and what was estimated", func(t *testing.T) {
		in := &Inputs{}
		in.Add(family())
		for i := range in.Children { // one at a time
			in.Children[i].Siblings = 1
		}
		simulated, err := NewLab().Simulate(in.Settled())
		if err != nil {
			t.Fatal(err)
		}
		if estimate := Estimate(in.Settled()); simulated.Fresh != estimate.Fresh || simulated.Fork <= estimate.Fork || simulated.Fork > estimate.Fork*107/100 { // its own blocks
			t.Errorf("simulated %+v, estimated %+v", simulated, estimate)
		}
		if d := simulated.Fresh - in.Billed.Fresh; max(d, -d)*100 > in.Billed.Fresh {
			t.Errorf("simulated %d, billed %d", simulated.Fresh, in.Billed.Fresh)
		}
	})
	t.Run("TRI-07 over the recorded children, at one model and lifetime, a fork costs more at no overlap and less where half of what is read is known", func(t *testing.T) {
		in := &Inputs{}
		_, err := importer.Read(os.DirFS(recordingtest.Path(t, "sessions")), []string{"requests.jsonl.gz"}, importer.Options{}, func(s *recording.Session) error { in.Add(s); return nil })
		if err != nil {
			t.Fatal(err)
		}
		at := func(overlap int64) (thousandths int64) {
			list := in.Settled()
			for i := range list {
				list[i].Child, list[i].Hour, list[i].Long, list[i].Lacks = "", false, false, 1000-overlap
			}
			p := Estimate(list)
			return int64(p.Fork * 1000 / p.Fresh)
		}
		if none, half := at(0), at(500); len(in.Children) < 70 || none < 1190 || none > 1250 || half < 880 || half > 970 {
			t.Errorf("%d children: %d at none, %d at half; another sum over 84 of them gave 1220 and 910", len(in.Children), none, half)
		}
	})
}
