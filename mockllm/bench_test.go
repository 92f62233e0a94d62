package mockllm_test

import (
	"testing"

	"agentsim/cachemodel"
	"agentsim/mockllm"
	"agentsim/mockllm/latency"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
)

// BenchmarkComplete is a scripted call through kernel, server and cache.
func BenchmarkComplete(b *testing.B) {
	turns := make([]scenarios.Turn, 1)
	turns[0] = scenarios.Turn{Text: &scenarios.Content{Text: "on it"}, Tools: []scenarios.ToolTurn{{Name: "Read", Raw: `{"file_path":"a"}`}}}
	book, err := script.NewBook([]scenarios.Script{{Agent: "main", Turns: turns}}, filler())
	if err != nil {
		b.Fatal(err)
	}
	s := &stage{k: kernel.New(kernel.Options{})}
	steady, err := latency.Named("steady")
	if err != nil {
		b.Fatal(err)
	}
	s.server = mockllm.NewServer(mockllm.Config{Engine: cachemodel.NewAnthropic(cachemodel.DefaultAnthropicOptions()),
		Source: book, Builder: &s.b, Latency: steady.Latency})
	head := s.head("Go on.")
	req := &llm.Request{Model: model, Head: head, MaxTokens: 8192, Breakpoints: []llm.Breakpoint{{Node: head}},
		Stream: llm.StreamName{Lineage: "main", Key: rng.Root(1)}}
	s.k.Spawn("main", func(p *kernel.Proc) error {
		var resp llm.Response
		b.ReportAllocs()
		for b.Loop() {
			if err := complete(p, s.server, req, &resp); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.k.Run(); err != nil {
		b.Fatal(err)
	}
}
