package scenarios

import (
	"agentsim/mockllm/latency"
	"agentsim/scenarios/document"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// Defaults is a scenario in which nothing was said. Every effective scenario
// starts from it, so that its text names every value a run depends on.
func Defaults() *Scenario {
	s := &Scenario{
		Agentsim: Version,
		Seed:     42,
		Provider: Provider{
			Kind:         "anthropic",
			Organisation: "org",
			Workspace:    "default",
			Breakpoints:  Plan{Name: "agent"},
			Counter:      "approx",
			Latency:      Latency{Profile: latency.Default},
		},
		Project: Project{Date: "2026-01-01"},
		Model:   defaultModel(),
		Agents: Agents{
			Settings:    SettingsSpec{MaxTokens: ptr(int64(32_000))},
			Coordinator: defaultCoordinator(),
			Tools: ToolSpec{
				Read: literal(20 * vtime.Millisecond), Grep: literal(60 * vtime.Millisecond),
				Glob: literal(40 * vtime.Millisecond), Edit: literal(30 * vtime.Millisecond),
			},
		},
		Lab: Lab{
			Gates:  map[string]string{},
			FanOut: FanOut{Hold: "none", Cap: 5 * vtime.Second}, // CACHE-29
			Limits: defaultLimits(),
			Retry:  llm.DefaultRetry(),
		},
	}
	for _, g := range gate.All() {
		s.Gates[g.Name] = g.Default
	}
	return s
}

func ptr[T any](v T) *T { return &v }

// literal is a time that is always the same.
func literal(d vtime.Duration) *rng.Span { return &rng.Span{Lo: int64(d), Hi: int64(d)} }

// defaultModel is a worker that was told everything, reads two files at a time
// and says a sentence before it acts.
func defaultModel() Model {
	return Model{
		Prompting:     "full",
		ReadsPerTurn:  2,
		SpawnsPerTurn: 8,
		GistTokens:    25,
		PromptBudget:  4_000,
		ReportBudget:  4_000,
		ReportTokens:  document.Size{Lo: 600, Hi: 600, Set: true},
		StepTokens:    document.Size{Lo: 30, Hi: 90, Set: true},
		ThinkTokens:   document.Size{Lo: 150, Hi: 400, Set: true},
		Preamble:      true,
	}
}

// defaultLimits are far above any honest run and far below what hurts a
// machine (KRN-06): an agent that is alive takes 22 KB and one that has ended 10, so
// that a run stays below two gigabytes. Depth is SUB-21's.
func defaultLimits() Limits {
	return Limits{
		Steps:     100_000_000,
		Time:      24 * vtime.Hour,
		Processes: 50_000,
		Agents:    100_000,
		Depth:     5,
		Turns:     1_000,
		Tokens:    1_000_000,
		Queue:     100_000,
		Bytes:     64 << 20,
	}
}
