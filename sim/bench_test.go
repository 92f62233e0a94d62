package sim

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim/audit"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// benchSpec is a world of n root agents that read the same file turns times,
// each call a whole one: request, cache look-up, answer, tool, result, events,
// digest.
func benchSpec(b testing.TB, n, turns int) *Spec {
	b.Helper()
	sc := *scenarios.Defaults()
	sc.Name = "bench"
	sc.Provider.Model = "claude-sonnet-4-5-20250929"
	sc.Limits.Turns, sc.Limits.Processes = turns+2, 2*n
	sc.Compaction = &scenarios.Compaction{Share: new(int64)} // 0, never: a summary is a call that the script does not have
	read := scenarios.Turn{Tools: []scenarios.ToolTurn{{Name: "Read", Raw: `{"file_path":"a.go"}`}}}
	script := scenarios.Script{Agent: "**", Turns: make([]scenarios.Turn, turns+1)}
	for i := range turns {
		script.Turns[i] = read
	}
	script.Turns[turns] = scenarios.Turn{Text: &scenarios.Content{Text: "done"}}
	sc.Scripts = []scenarios.Script{script}
	bare, tools := false, []string{"Read"}
	for i := range n {
		sc.Roots = append(sc.Roots, scenarios.Root{
			Name: fmt.Sprintf("r%06d", i), At: vtime.Duration(i) * vtime.Microsecond, Context: &bare, Tools: &tools,
			User: &scenarios.Content{Text: "go"}, System: &scenarios.Content{Tokens: scenarios.Size{Lo: 1500, Hi: 1500, Set: true}},
		})
	}
	snap, err := workspace.NewSnapshot(map[string]string{"a.go": "package a\n\nfunc F() int { return 1 }\n"})
	if err != nil {
		b.Fatal(err)
	}
	return &Spec{Scenario: &sc, Policy: "fifo", Project: snap}
}

// BenchmarkCall measures one model call through the whole stack, unrecorded, by
// the number of agents alive. ns/call, which is processor time, B/call and allocs/call
// exclude building the world.
func BenchmarkCall(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	for _, n := range []int{4, 90, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("alive=%d", n), func(b *testing.B) {
			turns := min(max(4, 200_000/n), 2_000)
			for range b.N {
				b.StopTimer()
				spec := benchSpec(b, n, turns)
				r, err := build(spec, nil, transcript.NewDigest())
				if err != nil {
					b.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				b.StartTimer()
				took := spent(func() { err = r.kernel.Run() })
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				runtime.ReadMemStats(&after)
				calls := float64(n * (turns + 1))
				b.ReportMetric(took/calls, "ns/call")
				b.ReportMetric(float64(after.Mallocs-before.Mallocs)/calls, "allocs/call")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/calls, "B/call")
				b.ReportMetric(float64(after.Sys)/(1<<20), "MiB")
				if n == 100_000 {
					b.Logf("%d agents alive: %d MiB of the machine; bar 2048", n, after.Sys>>20)
				}
				r.kernel.Close()
			}
		})
	}
}

func TestCallCost(t *testing.T) {
	const agents, turns = 4, 1_000
	t.Run("SPD-02 a call, with its answer, its tool and its events, allocates at most six times", func(t *testing.T) {
		if made := allocations(t, benchSpec(t, agents, turns)); made > 6*agents*turns {
			t.Errorf("%d allocations in %d calls", made, agents*turns)
		}
	})
	t.Run("SPD-05 a call takes three steps and five events", func(t *testing.T) {
		// Beside its calls with a tool an agent has one without, which takes two steps and
		// two events; it begins and is there at its root's instant, and three events are
		// of start and end.
		const calls = agents * turns
		for _, spare := range []int64{0, -1} {
			var events counter
			spec := benchSpec(t, agents, turns)
			spec.Scenario.Limits.Steps = 3*calls + 4*agents + spare
			r, err := build(spec, nil, &events)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.kernel.Run(); (err != nil) != (spare < 0) {
				t.Errorf("with %d steps: %v", spec.Scenario.Limits.Steps, err)
			}
			r.kernel.Close()
			if want := counter(5*calls + 5*agents); spare == 0 && events != want {
				t.Errorf("%d events in %d calls, want %d", events, calls, want)
			}
		}
	})
}

// counter counts events.
type counter int

func (c *counter) Emit(*transcript.Event) { *c++ }

// allocations is how many a run makes without what building its world takes.
func allocations(t *testing.T, spec *Spec, more ...transcript.Sink) int64 {
	t.Helper()
	r, err := build(spec, nil, transcript.Tee(append(more, transcript.NewDigest())...))
	if err != nil {
		t.Fatal(err)
	}
	defer r.kernel.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := r.kernel.Run(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return int64(after.Mallocs - before.Mallocs)
}

func TestAuditCost(t *testing.T) {
	t.Run("SPD-04 the auditor allocates for less than one call in ten", func(t *testing.T) {
		const agents, turns = 4, 1_000
		spec := benchSpec(t, agents, turns)
		audited := allocations(t, spec, audit.New(AuditOptions(spec)))
		if more := audited - allocations(t, spec); more > agents*turns/10 {
			t.Errorf("%d allocations more in %d calls", more, agents*turns)
		}
	})
}
