package sim

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

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
// the number of agents alive. ns/call, B/call and allocs/call exclude building
// the world.
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
				runtime.GC()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				b.StartTimer()
				if err := r.kernel.Run(); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				runtime.ReadMemStats(&after)
				calls := float64(n * (turns + 1))
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/call")
				b.ReportMetric(float64(after.Mallocs-before.Mallocs)/calls, "allocs/call")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/calls, "B/call")
				b.ReportMetric(float64(after.Sys)/(1<<20), "MiB")
				r.kernel.Close()
			}
		})
	}
}

// BenchmarkAudit measures what the auditor costs on top of a call: the same world
// without and with it by turns. Equal runs are equal event by event, so each is timed in
// laps of as many events, and counts by its fastest of every lap: another program that
// disturbs a lap in one run spoils nothing. All are processor times. ratio is one by the other.
func BenchmarkAudit(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for _, n := range []int{4, 90, 1_000} {
		b.Run(fmt.Sprintf("alive=%d", n), func(b *testing.B) {
			turns := min(50_000/n, 2_000) // no check looks at a history twice, so fewer turns cost a call as much
			calls := float64(n * (turns + 1))
			var best [2][]time.Duration
			var allocs [2]float64
			for i := range b.N * 2 {
				spec := benchSpec(b, n, turns)
				sinks := []transcript.Sink{transcript.NewDigest()}
				if i%2 == 1 {
					sinks = append(sinks, audit.New(AuditOptions(spec)))
				}
				took, made := runTimed(b, spec, transcript.Tee(sinks...))
				if best[i%2] == nil {
					best[i%2] = took
				}
				for k := range took {
					best[i%2][k] = min(best[i%2][k], took[k])
				}
				allocs[i%2] = made / calls
			}
			bare, audited := float64(sum(best[0]))/calls, float64(sum(best[1]))/calls
			b.ReportMetric(bare, "ns/call")
			b.ReportMetric(audited, "audited-ns/call")
			b.ReportMetric(audited/bare, "ratio")
			b.ReportMetric(allocs[1]-allocs[0], "audit-allocs/call")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// laps is a sink that notes how long every lap of a run took.
type laps struct {
	transcript.Sink
	events int
	last   time.Duration
	took   []time.Duration
}

// lap is how many events a lap has: about a millisecond.
const lap = 1_024

func (l *laps) Emit(e *transcript.Event) {
	l.Sink.Emit(e)
	if l.events++; l.events%lap == 0 {
		l.end()
	}
}

func (l *laps) end() {
	now := spent()
	l.took, l.last = append(l.took, now-l.last), now
}

// spent is the processor time of this process, which other programs do not lengthen.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func sum(list []time.Duration) (all time.Duration) {
	for _, d := range list {
		all += d
	}
	return all
}

// runTimed runs a world and tells the time of its laps and its allocations without what
// building it takes.
func runTimed(b *testing.B, spec *Spec, sink transcript.Sink) (took []time.Duration, allocs float64) {
	timed := &laps{Sink: sink}
	r, err := build(spec, nil, timed)
	if err != nil {
		b.Fatal(err)
	}
	defer r.kernel.Close()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	timed.events, timed.took, timed.last = 0, nil, spent()
	if err := r.kernel.Run(); err != nil {
		b.Fatal(err)
	}
	timed.end()
	runtime.ReadMemStats(&after)
	return timed.took, float64(after.Mallocs - before.Mallocs)
}

func TestAuditCost(t *testing.T) {
	t.Run("SPD-04 the auditor allocates for less than one call in ten", func(t *testing.T) {
		const agents, turns = 4, 1_000
		var made [2]uint64
		for i := range made {
			spec := benchSpec(t, agents, turns)
			sinks := []transcript.Sink{transcript.NewDigest()}
			if i == 1 {
				sinks = append(sinks, audit.New(AuditOptions(spec)))
			}
			r, err := build(spec, nil, transcript.Tee(sinks...))
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := r.kernel.Run(); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			r.kernel.Close()
			made[i] = after.Mallocs - before.Mallocs
		}
		if more := int64(made[1]) - int64(made[0]); more > agents*turns/10 {
			t.Errorf("%d allocations more in %d calls", more, agents*turns)
		}
	})
}
