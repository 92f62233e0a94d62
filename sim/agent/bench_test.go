package agent_test

import (
	"fmt"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/fork"
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

func (m *readModel) Complete(p *kernel.Proc, req *llm.Request, resp *llm.Response) error {
	resp.Started = p.Now()
	if err := p.Sleep(vtime.Second + vtime.Duration(req.Stream.Call&7)*vtime.Millisecond); err != nil {
		return err
	}
	m.calls++
	resp.Ended, resp.Stop = p.Now(), llm.StopToolUse
	if m.calls > m.limit {
		resp.Blocks = []llm.Block{{Kind: llm.Text, Content: readInput}}
		return nil
	}
	id := llm.NewToolUseID(req.Stream.Key.At(uint64(req.Stream.Call)))
	resp.Blocks = []llm.Block{{Kind: llm.ToolUse, ID: id, Name: "Read", Content: readInput}}
	return nil
}

// BenchmarkLoop measures one turn of the loop with a Read: request, answer, tool,
// result, events and digest; the model and the cache are not in it.
func BenchmarkLoop(b *testing.B) {
	for _, n := range []int{1, 90, 1000, 10000} {
		b.Run(fmt.Sprintf("agents=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			k := kernel.New(kernel.Options{})
			defer k.Close()
			snap, err := workspace.NewSnapshot(map[string]string{"a.go": "package a\n"})
			if err != nil {
				b.Fatal(err)
			}
			offered, err := tool.Offered(tool.Catalogue(), nil)
			if err != nil {
				b.Fatal(err)
			}
			gates := agent.DefaultGates()
			w := agent.NewWorld(agent.Config{
				Kernel: k, Builder: &llm.Builder{}, Model: &readModel{limit: b.N}, Sink: transcript.NewDigest(), FS: snap.Open(),
				Marks: mark.NewKey("bench", 1), Key: rng.Root(1), Root: "/w", Gates: gates, Offered: offered, Forker: fork.NewMaker(),
				Definitions: agent.BuiltIns(&gates), Rules: func(string) llm.SaltRules { return llm.SaltRules{} },
				Mode: permission.AcceptEdits, Limits: agent.Limits{Depth: 5, Turns: 1 << 30},
			})
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
