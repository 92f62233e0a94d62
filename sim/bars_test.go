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
	kinds := []struct {
		name string
		took func() float64 // a call
	}{
		{"bare, 1,000 alive", func() float64 { return bareCost(1_000, 200_000) }},
		{"call, 1,000 alive", func() float64 { return callCost(b, 1_000, 50, false) }},
		{"audited, 1,000 alive", func() float64 { return callCost(b, 1_000, 50, true) }},
		{"call, 10,000 alive", func() float64 { return callCost(b, 10_000, 10, false) }},
		{"audited, 10,000 alive", func() float64 { return callCost(b, 10_000, 10, true) }},
	}
	bars := []struct {
		of, by int
		bar    float64
	}{{1, 0, 6}, {2, 1, 1.25}, {4, 3, 1.25}, {3, 1, 1.5}}
	for range b.N {
		costs := make([][]float64, len(kinds))
		for range rounds {
			for i := range kinds {
				costs[i] = append(costs[i], kinds[i].took())
			}
		}
		for i, k := range kinds {
			b.Logf("%-22s %7.0f ns a call", k.name, median(costs[i]))
		}
		for _, x := range bars {
			var ratios []float64
			for i := range rounds {
				ratios = append(ratios, costs[x.of][i]/costs[x.by][i])
			}
			b.Logf("%-22s %5.2f times %-20s %.2f to %.2f; bar %.2f", kinds[x.of].name, median(ratios), kinds[x.by].name+",", slices.Min(ratios), slices.Max(ratios), x.bar)
		}
		b.ReportMetric(median(costs[1]), "ns/call")
		b.ReportMetric(median(costs[3]), "ns/call-of-10000")
	}
	b.ReportMetric(0, "ns/op")
}

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
