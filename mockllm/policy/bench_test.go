package policy

import (
	"runtime"
	"testing"

	"agentsim/mockllm"
	"agentsim/sim/llm"
	"agentsim/sim/tool"
)

// conversation is a worker that reads on and on: each request adds an answer
// with two reads and their results.
type conversation struct {
	h       *house
	a       *agent
	results [2]*llm.Payload
	blocks  []llm.Block
}

func newConversation(b testing.TB) *conversation {
	b.Helper()
	h := newHouse(new(testing.T), standard, "structure=inline")
	c := &conversation{h: h, a: h.start("main", nil, "Do the work."), blocks: make([]llm.Block, 0, 1<<16)}
	env := &tool.Env{FS: h.fs, Cache: &tool.Cache{}, Marks: h.marks, Root: root}
	for i, p := range [2]string{"src/auth.go", "src/store.go"} {
		r := tool.Find(tool.Catalogue(), "Read").Run(env, llm.NewJSON(`{"file_path":"`+root+"/"+p+`"}`))
		c.results[i] = r.Content
	}
	return c
}

// grow appends two reads and their results without asking.
func (c *conversation) grow() {
	for i := range c.results {
		in := c.h.table.readInput(readKey{file: i})
		c.add(llm.Assistant, llm.Block{Kind: llm.ToolUse, Name: "Read", ID: llm.ToolUseID{byte(i + 1)}, Content: in})
	}
	for i, r := range c.results {
		c.add(llm.User, llm.Block{Kind: llm.ToolResult, ID: llm.ToolUseID{byte(i + 1)}, Content: r})
	}
}

func (c *conversation) add(role llm.Role, blk llm.Block) {
	if len(c.blocks) == cap(c.blocks) {
		c.blocks = make([]llm.Block, 0, 1<<16)
	}
	c.blocks = append(c.blocks, blk)
	c.a.head = c.h.builder.Append(c.a.head, role, &c.blocks[len(c.blocks)-1])
}

// BenchmarkFold is the new blocks of one call of a working agent, two reads and
// their results. Appending them to the conversation is part of it.
func BenchmarkFold(b *testing.B) {
	c := newConversation(b)
	b.ReportAllocs()
	for b.Loop() {
		c.grow()
		c.h.model.(*Model).memo.state(c.a.head)
	}
}

// asking is a model about to ask for its reads, without a word, at a request already
// folded.
func asking(t testing.TB) func() {
	t.Helper()
	h := newHouse(new(testing.T), standard, "structure=inline", "model.reads_per_turn=2", "model.preamble=false")
	a := h.start("main", nil, "Do the work.")
	a.use(a.ask())
	q := mockllm.Query{Head: a.head, Model: "m", MaxTokens: 1, Stream: llm.StreamName{Lineage: "main", Key: a.key, Call: 1}}
	var ans mockllm.Answer
	return func() {
		ans.Reset()
		if err := h.model.Answer(&q, &ans); err != nil || ans.Blocks[len(ans.Blocks)-1].Kind != llm.ToolUse {
			t.Fatalf("%+v, %v", ans, err)
		}
	}
}

// BenchmarkAnswer is the decision alone.
func BenchmarkAnswer(b *testing.B) {
	ask := asking(b)
	b.ReportAllocs()
	for b.Loop() {
		ask()
	}
}

func TestAllocations(t *testing.T) {
	c := newConversation(t)
	c.grow()
	const nodes = 4 // that grow makes
	fold := -nodes + testing.AllocsPerRun(200, func() {
		c.grow()
		c.h.model.(*Model).memo.state(c.a.head)
	})
	answer := testing.AllocsPerRun(200, asking(t))
	if fold+answer > 5 {
		t.Errorf("a call of the policy makes %g allocations (fold %g, answer %g), at most 5 are allowed", fold+answer, fold, answer)
	}
}

// foldWork is what the fold of one call takes, as the mean of some: how many blocks it
// looks at, and how many bytes it makes.
func (c *conversation) foldWork() (blocks, bytes uint64) {
	const calls = 64
	var before, after runtime.MemStats
	m := c.h.model.(*Model).memo
	for range calls {
		c.grow()
		runtime.ReadMemStats(&before)
		m.state(c.a.head)
		runtime.ReadMemStats(&after)
		blocks, bytes = blocks+uint64(len(m.path)), bytes+after.TotalAlloc-before.TotalAlloc
	}
	return blocks / calls, bytes / calls
}

func TestFoldWork(t *testing.T) {
	t.Run("LLM-11 the work of folding a call does not grow with what came before: as many blocks, no more bytes", func(t *testing.T) {
		c := newConversation(t)
		c.foldWork()
		early, small := c.foldWork()
		for range 4_000 {
			c.grow()
			c.h.model.(*Model).memo.state(c.a.head)
		}
		late, large := c.foldWork()
		if early != 4 || late != early || large > small+small/2 {
			t.Errorf("a call folds %d blocks and makes %d bytes, after thousands of calls %d and %d", early, small, late, large)
		}
	})
}
