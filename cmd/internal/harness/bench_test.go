package harness

import (
	"maps"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim/transcript/sqlite"
)

// BenchmarkSweep measures the processor time of a run of two calls of a sweep that is
// stored, one at a time. SPD-06 is 0.3 ms. With both cores busy it took 0.64 of the time
// that it took before 2026-11-28.
func BenchmarkSweep(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	b.ReportAllocs()
	var from time.Duration
	sweeping(b, b.N, func() { b.ResetTimer(); from = spent(b) })
	b.ReportMetric(float64(spent(b)-from)/float64(b.N), "cpu-ns/op")
}

// spent is the processor time of this process, which other programs do not lengthen.
func spent(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func hello(t testing.TB) *scenarios.File {
	file, err := scenarios.Open("hello")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// sweeping stores the runs of a sweep.
func sweeping(t testing.TB, runs int, begin func()) *sqlite.DB {
	file := hello(t)
	db, err := sqlite.Create(filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	store, err := NewStore(db, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewSweep(&Maker{File: file}, file.VariantNames(), runs)
	if err != nil {
		t.Fatal(err)
	}
	h := New(&ui.Env{Now: time.Now}, "sweeping", runs)
	h.Workers, h.Recorder = 1, store
	defer h.Close()
	begin()
	if err := h.Sweep(w); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return db
}

// A run may allocate so often, and so many bytes: 548 times and 121,000 when this was
// written, 914 times and 185,000 before runs shared more of what is equal between seeds.
const mostAllocations, mostBytes = 580, 135_000

func TestSweepCost(t *testing.T) {
	t.Run("SPD-06 a stored run of two calls allocates little, and has every figure on record", func(t *testing.T) {
		const runs = 500
		var before, after runtime.MemStats
		db := sweeping(t, runs, func() { runtime.ReadMemStats(&before) })
		runtime.ReadMemStats(&after)
		if n := (after.Mallocs - before.Mallocs) / runs; n > mostAllocations {
			t.Errorf("a run allocates %d times, more than %d", n, mostAllocations)
		}
		if n := (after.TotalAlloc - before.TotalAlloc) / runs; n > mostBytes {
			t.Errorf("a run allocates %d bytes, more than %d", n, mostBytes)
		}
		list, err := db.Runs()
		if err != nil || len(list) != runs {
			t.Fatal(len(list), err)
		}
		figures, err := db.Metrics(list[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		specs, err := (&Maker{File: hello(t), Sets: []string{"seed=" + strconv.FormatUint(list[0].Seed, 10)}}).Specs([]string{""})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := figuresOf(t, specs[0])
		maps.DeleteFunc(want, func(name string, _ int64) bool { return !strings.HasPrefix(name, "run ") })
		got := map[string]int64{}
		for _, m := range figures {
			got[m.Scope+" "+m.Name] = m.Value
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("on record is:\n%s", d)
		}
	})
}
