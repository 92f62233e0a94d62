package sim

import (
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"agentsim/sim/audit"
	"agentsim/sim/transcript"
)

// BenchmarkBars holds what a call costs against the bars that the project has set: a
// call beside the bare loop, with the auditor beside a call without it, among 10,000
// agents beside a call among 1,000. What is compared is measured by turns in rounds, in
// processor time, which other programs lengthen less; a ratio is the median of those of
// the rounds.
func BenchmarkBars(b *testing.B) {
	const rounds = 7
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	kinds := []func() float64{                        // what a call takes
		bare:        func() float64 { return bareCost(1_000, 200_000) },
		call:        func() float64 { return callCost(b, 1_000, 50, false) },
		audited:     func() float64 { return callCost(b, 1_000, 50, true) },
		ofMany:      func() float64 { return callCost(b, 10_000, 10, false) },
		manyAudited: func() float64 { return callCost(b, 10_000, 10, true) },
	}
	costs := make([][]float64, len(kinds))
	for range rounds {
		for i, took := range kinds {
			costs[i] = append(costs[i], took())
		}
	}
	for _, x := range []struct {
		name   string
		of, by int
		bar    float64
	}{
		{"SPD-05 a call among 1,000 beside the bare loop", call, bare, 6},
		{"SPD-05 audited, among 1,000", audited, call, 1.25},
		{"SPD-05 audited, among 10,000", manyAudited, ofMany, 1.25},
		{"SPD-05 a call among 10,000 beside one among 1,000", ofMany, call, 1.5},
	} {
		b.Run(x.name, func(b *testing.B) {
			var ratios []float64
			for i := range rounds {
				ratios = append(ratios, costs[x.of][i]/costs[x.by][i])
			}
			b.ReportMetric(x.bar, "bar")
			b.ReportMetric(slices.Min(ratios), "least")
			b.ReportMetric(median(ratios), "times")
			b.ReportMetric(slices.Max(ratios), "most")
			b.ReportMetric(median(costs[x.of]), "ns/call")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// Kinds of calls.
const (
	bare = iota
	call
	audited
	ofMany
	manyAudited
)

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// bareCost is the bare loop's processor time for a call, in nanoseconds.
func bareCost(alive, calls int) float64 {
	l := newBareLoop(alive)
	defer l.close()
	l.run(alive)
	return spent(func() { l.run(calls) }) / float64(calls)
}

// callCost is the whole stack's.
func callCost(b *testing.B, alive, turns int, audited bool) float64 {
	spec := benchSpec(b, alive, turns)
	sinks := []transcript.Sink{transcript.NewDigest()}
	if audited {
		sinks = append(sinks, audit.New(AuditOptions(spec)))
	}
	r, err := build(spec, nil, transcript.Tee(sinks...))
	if err != nil {
		b.Fatal(err)
	}
	defer r.kernel.Close()
	return spent(func() { err = r.kernel.Run() }) / float64(alive*(turns+1))
}

// spent is the processor time of this process that do takes.
func spent(do func()) float64 {
	runtime.GC()
	now := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			panic(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	from := now()
	do()
	return float64(now() - from)
}
