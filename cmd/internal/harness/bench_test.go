package harness

import (
	"path/filepath"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim/transcript/sqlite"
)

// BenchmarkSweep measures a run of two calls of a sweep that is stored, one at a
// time: SPD-06 is 0.3 ms.
func BenchmarkSweep(b *testing.B) {
	file, err := scenarios.Open("hello")
	if err != nil {
		b.Fatal(err)
	}
	db, err := sqlite.Create(filepath.Join(b.TempDir(), "x.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	store, err := NewStore(db, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	w, err := NewSweep(&Maker{File: file}, file.VariantNames(), b.N)
	if err != nil {
		b.Fatal(err)
	}
	h := New(&ui.Env{Now: time.Now}, "sweeping", b.N)
	h.Workers, h.Recorder = 1, store
	defer h.Close()
	b.ReportAllocs()
	b.ResetTimer()
	if err := h.Sweep(w); err != nil {
		b.Fatal(err)
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
}
