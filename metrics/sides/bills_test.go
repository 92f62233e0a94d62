package sides

import (
	"slices"
	"testing"

	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/sim/vtime"
)

func TestBills(t *testing.T) {
	run := func(parts metrics.Parts) *metrics.Run {
		return &metrics.Run{Models: []metrics.Model{{Name: "m", Cost: parts}}, Makespan: 61 * vtime.Second}
	}
	rows := []report.Row{{Variant: "fork", Run: run(metrics.Parts{Read: 1e12, Written: 2e12, Input: 5e11, Output: 3e12})}, {Run: run(metrics.Parts{})}}
	t.Run("DOC-03 a run's bar has its bill in parts, in dollars, with its total and its time", func(t *testing.T) {
		b := Bills("name", rows)
		if b == nil || b.Title != "name" || len(b.Rows) != 2 {
			t.Fatalf("%+v", b)
		}
		if r := b.Rows[0]; r.Name != "fork" || r.Label != "$6.50 · 1m01s" || !slices.Equal(r.Parts, []float64{1, 2, 0.5, 3}) {
			t.Errorf("%+v", r)
		}
		if r := b.Rows[1]; r.Name != "(only)" || r.Label != "$0.00 · 1m01s" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("DOC-03 there is no picture where nothing was billed or a price is not known", func(t *testing.T) {
		if b := Bills("name", rows[1:]); b != nil {
			t.Errorf("%+v", b)
		}
		rows[1].Run.Models[0].Unpriced = true
		if b := Bills("name", rows); b != nil {
			t.Errorf("%+v", b)
		}
	})
}
