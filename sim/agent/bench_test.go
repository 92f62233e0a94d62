package agent_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"agentsim/sim/agent"
	"agentsim/sim/fork"
	"agentsim/sim/gate"
	"agentsim/sim/handoff"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// readModel answers every call with one Read, at no cost of its own beyond the
// answer, so that the benchmark measures the agent layer.
type readModel struct{ calls, limit int }

var readInput = llm.NewJSON(`{"file_path":"a.go"}`)

func (m *readModel) Begin(k *kernel.Kernel, req *llm.Request, resp *llm.Response) (llm.Call, error) {
	resp.Started = k.Now()
	return &readCall{m, req, resp, k.Now().Add(vtime.Second + vtime.Duration(req.Stream.Call&7)*vtime.Millisecond)}, nil
}

type readCall struct {
	m    *readModel
	req  *llm.Request
	resp *llm.Response
	ends vtime.Instant
}

func (c *readCall) Ends() vtime.Instant { return c.ends }

func (c *readCall) Abandon(vtime.Instant) {}

func (c *readCall) End() error {
	c.m.calls++
	c.resp.Ended, c.resp.Stop = c.ends, llm.StopToolUse
	if c.m.calls > c.m.limit {
		c.resp.Blocks = []llm.Block{{Kind: llm.Text, Content: readInput}}
		return nil
	}
	id := llm.NewToolUseID(c.req.Stream.Key.At(uint64(c.req.Stream.Call)))
	c.resp.Blocks = []llm.Block{{Kind: llm.ToolUse, ID: id, Name: "Read", Content: readInput}}
	return nil
}

// BenchmarkLoop measures one turn of the loop with a Read: request, answer, tool,
// result, events and digest; the model and the cache are not in it.
func BenchmarkLoop(b *testing.B) {
	for _, n := range []int{1, 90, 1000, 10000} {
		b.Run(fmt.Sprintf("agents=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			k, w, offered := benchWorld(b, &readModel{limit: b.N}, gate.Default())
			defer k.Close()
			plan := &agent.Plan{Name: agent.PlanAgent}
			for i := range n {
				w.Start(agent.RootSpec{Lineage: fmt.Sprintf("r%d", i), Model: "m", Plan: plan, System: []string{"be brief"}, Static: 1, Offered: offered, First: text("go")})
			}
			b.ResetTimer()
			if err := k.Run(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// forkModel lets the lead read until its history is long enough, then answers
// with forks. What is timed is the way from that answer to the last fork's first
// request.
type forkModel struct {
	reads, forks, sent int
	began              time.Time
	took               time.Duration
}

var forkInput = llm.NewJSON(`{"description":"look at it","prompt":"Look at it."}`)

func (m *forkModel) Begin(k *kernel.Kernel, req *llm.Request, resp *llm.Response) (llm.Call, error) {
	if req.Stream.Lineage != "main" {
		if m.sent++; m.sent == m.forks {
			m.took += time.Since(m.began)
		}
	}
	return &fakeCall{ends: k.Now().Add(vtime.Second), end: func() error { return m.answer(req, resp) }}, nil
}

func (m *forkModel) answer(req *llm.Request, resp *llm.Response) error {
	use := func(i int, name string, input *llm.Payload) llm.Block {
		id := llm.NewToolUseID(req.Stream.Key.At(uint64(req.Stream.Call)).At(uint64(i)))
		return llm.Block{Kind: llm.ToolUse, ID: id, Name: name, Content: input}
	}
	resp.Blocks = []llm.Block{{Kind: llm.Text, Content: readInput}}
	switch {
	case req.Stream.Lineage == "main" && req.Stream.Call < m.reads:
		resp.Blocks = append(resp.Blocks, use(0, "Read", readInput))
	case req.Stream.Lineage == "main" && req.Stream.Call == m.reads:
		for i := range m.forks {
			resp.Blocks = append(resp.Blocks, use(i, "Agent", forkInput))
		}
		runtime.GC() // of what the history left
		m.began = time.Now()
	}
	return nil
}

// BenchmarkFork measures a fork by the length of the history it inherits: the
// spawn in five stages, its context, its conversation and its first request. Histories
// are measured by turns, in rounds; a ratio is the median of those of the rounds.
func BenchmarkFork(b *testing.B) {
	histories := []int{10, 100, 1000} // blocks
	costs := make([][]float64, len(histories))
	for range max(7, b.N) {
		for i, blocks := range histories {
			costs[i] = append(costs[i], forkCost(b, blocks))
		}
	}
	for i, blocks := range histories {
		var ratios []float64
		for round := range costs[i] {
			ratios = append(ratios, costs[i][round]/costs[0][round])
		}
		b.ReportMetric(median(costs[i]), fmt.Sprintf("ns/fork-of-%d", blocks))
		b.Logf("a fork behind %4d blocks %6.0f ns, %.2f times one behind %d; bar 0.80 to 1.20", blocks, median(costs[i]), median(ratios), histories[0])
	}
	b.ReportMetric(0, "ns/op")
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// forkCost is what a fork takes behind so many blocks, in nanoseconds.
func forkCost(b *testing.B, blocks int) float64 {
	const worlds = 40
	m := &forkModel{reads: blocks / 3, forks: 8}
	for range worlds {
		m.sent = 0
		k, w, offered := benchWorld(b, m, gate.Set{ForkSubagent: true})
		w.Start(agent.RootSpec{Lineage: "main", Model: "m", Plan: &agent.Plan{Name: agent.PlanAgent}, System: []string{"be brief"}, Static: 1, Offered: offered, First: text("go")})
		if err := k.Run(); err != nil {
			b.Fatal(err)
		}
		k.Close()
	}
	return float64(m.took.Nanoseconds()) / float64(worlds*m.forks)
}

// benchWorld is a world with one file and nothing else to wait for.
func benchWorld(b *testing.B, m agent.Model, gates gate.Set) (*kernel.Kernel, *agent.World, []*tool.Tool) {
	b.Helper()
	k := kernel.New(kernel.Options{})
	snap, err := workspace.NewSnapshot(map[string]string{"a.go": "package a\n"})
	if err != nil {
		b.Fatal(err)
	}
	offered, err := tool.Offered(tool.Catalogue(), nil)
	if err != nil {
		b.Fatal(err)
	}
	return k, agent.NewWorld(agent.Config{
		Kernel: k, Builder: &llm.Builder{}, Model: m, Sink: transcript.NewDigest(), FS: snap.Open(), Interactive: true,
		Marks: mark.NewKey(1), Key: rng.Root(1), Root: "/w", Gates: gates, Offered: offered, Forker: fork.NewMaker(), Classifier: handoff.New(nil, mark.NewKey(1)),
		Definitions: agent.BuiltIns(&gates), Rules: func(string) llm.SaltRules { return llm.SaltRules{} },
		Mode: permission.AcceptEdits, Limits: agent.Limits{Depth: 5, Turns: 1 << 30},
	}), offered
}
