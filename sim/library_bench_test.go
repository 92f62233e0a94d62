package sim_test

import (
	"runtime/debug"
	"slices"
	"syscall"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// BenchmarkLibrary measures the processor time of runs of the library, audited and not
// recorded, garbage collection included: ms/run and us/call are those of the median
// round, ratio that of the shortest rounds with the auditor and without it. ms/first is the first round and the reading of the scenario, which are the
// first of the process where one sub-benchmark alone is asked for.
func BenchmarkLibrary(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	for _, name := range scenarios.Names() {
		f, err := scenarios.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, variant := range f.VariantNames() {
			b.Run(name+"/"+variant, func(b *testing.B) { benchLibrary(b, name, variant) })
		}
	}
}

func benchLibrary(b *testing.B, name, variant string) {
	var spec *sim.Spec
	var calls requests
	first := processorTime(b, func() error {
		f, err := scenarios.Open(name)
		if err != nil {
			return err
		}
		sc, err := f.Effective(variant, nil)
		if err != nil {
			return err
		}
		if spec, err = sim.NewSpec(sc, variant); err != nil {
			return err
		}
		_, err = sim.Run(spec, sim.Options{Sinks: []transcript.Sink{&calls}})
		return err
	})
	var rounds, bare []float64
	for b.Loop() {
		for _, to := range []*[]float64{&rounds, &bare} {
			*to = append(*to, processorTime(b, func() error {
				_, err := sim.Run(spec, sim.Options{NoAudit: to == &bare})
				return err
			}))
		}
	}
	slices.Sort(rounds)
	median := rounds[len(rounds)/2]
	b.ReportMetric(rounds[0]/slices.Min(bare), "ratio")
	b.ReportMetric(first, "ms/first")
	b.ReportMetric(rounds[0], "ms/least")
	b.ReportMetric(median, "ms/run")
	b.ReportMetric(1000*median/float64(calls), "us/call")
	b.ReportMetric(float64(calls), "calls")
	b.ReportMetric(0, "ns/op")
}

// requests counts the calls of models.
type requests int

func (n *requests) Emit(e *transcript.Event) {
	if e.Body.Kind() == transcript.KindRequest {
		*n++
	}
}

// processorTime is how long the processors of this process are at work for fn, in
// milliseconds.
func processorTime(b *testing.B, fn func() error) float64 {
	var u [2]syscall.Rusage
	for i := range u {
		if i == 1 {
			if err := fn(); err != nil {
				b.Fatal(err)
			}
		}
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u[i]); err != nil {
			b.Fatal(err)
		}
	}
	return float64(u[1].Utime.Nano()+u[1].Stime.Nano()-u[0].Utime.Nano()-u[0].Stime.Nano()) / 1e6
}
