package cachereplay

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
)

// MooncakeFigure is the published figure that a replay is held against (CACHE-V1).
var MooncakeFigure = struct {
	sum    string // SHA-256 of the trace
	source string
	Points []point
}{
	sum:    "bd070915a98fc0ed264d7cfef2ce746002eb3076a695ec31ba2674c0111ec131",
	source: "Mooncake, FAST'25, Figure 9 (FAST25-release/traces/synthetic_trace.jsonl, plain LRU)",
	Points: []point{{10_000, 3}, {100_000, 117}, {1_000_000, 1461}, {2_000_000, 2345}, {4_000_000, 3805},
		{5_000_000, 4352}, {8_000_000, 5447}, {10_000_000, 5886}, {50_000_000, 6582}, {0, 6582}},
}

// point is a hit rate in ten-thousandths by the cache's tokens, 0 for
// unbounded.
type point struct{ tokens, rate int64 }

// publishedRate is what was published for a row, if this is that replay.
func (r *replayed) publishedRate(row *row) (rate int64, ok bool) {
	if len(r.traces) != 1 || r.traces[0].sum != MooncakeFigure.sum || r.engine != "lru" {
		return 0, false
	}
	for _, p := range MooncakeFigure.Points {
		if p.tokens == row.capacity {
			return p.rate, true
		}
	}
	return 0, false
}

// published are the capacities of that figure.
var published = []string{"10k", "100k", "1M", "2M", "4M", "5M", "8M", "10M", "50M", "unbounded"}

// parseCapacities reads --capacity.
func parseCapacities(words []string) (out []int64, err error) {
	if len(words) == 0 {
		words = []string{""}
	}
	for _, w := range words {
		v, err := metrics.ParseValue(w)
		switch {
		case strings.TrimSpace(w) == "unbounded":
			out = append(out, 0)
		case err != nil || v.Unit != metrics.Count || v.Num <= 0:
			return nil, ui.Failf(ui.Usage, "--capacity %q: write a whole number of tokens, at least one block's, such as 500k or 2.5M, or unbounded", w)
		default:
			out = append(out, v.Num)
		}
	}
	return out, nil
}

// document is what was replayed, and what each capacity came to.
func (r *replayed) document() *report.Document {
	d := &report.Document{}
	name := r.traces[0].path
	if len(r.traces) > 1 {
		name = ui.Plural(len(r.traces), "trace")
	}
	d.Say("%s   mooncake · %s · %s full blocks of %d tokens · engine %s\n", name,
		ui.Plural(int(r.requests), "request"), report.Quantity(r.full), r.blockTokens, r.engine)
	d.Field("engine", report.Text(r.engine))
	d.Field("block_tokens", report.Count(r.blockTokens))
	d.Field("requests", report.Count(r.requests))
	d.Field("full_blocks", report.Count(r.full))
	type col = report.Column[trace]
	d.Table(report.TableOf("traces", r.traces,
		col{Name: "path", Of: func(t trace) report.Value { return report.Text(t.path) }},
		col{Name: "sha256", Of: func(t trace) report.Value { return report.Text(t.sum) }},
		col{Name: "requests", Of: func(t trace) report.Value { return report.Count(t.requests) }}))
	d.Main("capacities")
	d.Table(report.TableOf("capacities", r.rows, r.columns()...))
	if r.published() {
		d.Say("\npublished  %s", MooncakeFigure.source)
		d.Field("published_in", report.Text(MooncakeFigure.source))
	}
	return d
}

// published reports whether something was published on a row.
func (r *replayed) published() bool {
	return slices.ContainsFunc(r.rows, func(row *row) bool { _, ok := r.publishedRate(row); return ok })
}

// columns are what is said of each capacity, beside what was published on it.
func (r *replayed) columns() []report.Column[*row] {
	type col = report.Column[*row]
	columns := []col{
		{Name: "tokens", Head: " TOKENS", Of: func(row *row) report.Value {
			return orUnbounded(row, report.Tokens(row.capacity), report.Quantity(row.capacity))
		}},
		{Name: "blocks", Head: " BLOCKS", Drop: 1, Of: func(row *row) report.Value {
			return orUnbounded(row, report.Count(row.blocks), ui.Count(int64(row.blocks)))
		}},
		{Head: " REQUESTS", Drop: 3, Of: func(*row) report.Value { return report.Count(r.requests) }},
		{Head: " FULL BLOCKS", Drop: 2, Of: func(*row) report.Value { return report.Count(r.full) }},
		{Name: "hit_blocks", Head: " HIT BLOCKS", Of: func(row *row) report.Value { return report.Count(row.hits) }},
		{Name: "hit_ratio", Head: " HIT RATE", Of: func(row *row) report.Value {
			return report.Ratio(row.hits, r.full).As(hitRate(row.hits, r.full))
		}},
	}
	if !r.published() {
		return columns
	}
	return append(columns,
		col{Name: "published_hit_ratio", Head: " PUBLISHED", Of: func(row *row) report.Value {
			p, ok := r.publishedRate(row)
			return report.Ratio(p, 10_000).As(hitRate(p, 10_000)).If(ok)
		}},
		col{Head: " OFF", Of: func(row *row) report.Value {
			p, ok := r.publishedRate(row)
			off, sign := 10_000*row.hits-p*r.full, "+"
			if off < 0 {
				off, sign = -off, "-"
			}
			return report.Text(sign + hitRate(off, 10_000*r.full)).If(ok)
		}})
}

// orUnbounded is a size of what has a bound.
func orUnbounded(row *row, v report.Value, size string) report.Value {
	if row.capacity == 0 {
		return v.If(false).As("unbounded")
	}
	return v.As(size)
}

// hitRate prints a part of a whole, at most 1, with four decimals: 0.5841.
func hitRate(num, den int64) string {
	if den == 0 {
		return "–"
	}
	n := (2*10_000*num + den) / (2 * den)
	return fmt.Sprintf("%d.%04d", n/10_000, n%10_000)
}
