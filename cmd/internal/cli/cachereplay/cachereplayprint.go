package cachereplay

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
)

// MooncakeFigure is the published figure that a replay is held against (CACHE-V1).
var MooncakeFigure = struct {
	sum    string // SHA-256 of the trace
	source string
	Points []cachePoint
}{
	sum:    "bd070915a98fc0ed264d7cfef2ce746002eb3076a695ec31ba2674c0111ec131",
	source: "Mooncake, FAST'25, Figure 9 (FAST25-release/traces/synthetic_trace.jsonl, plain LRU)",
	Points: []cachePoint{{10_000, 3}, {100_000, 117}, {1_000_000, 1461}, {2_000_000, 2345}, {4_000_000, 3805},
		{5_000_000, 4352}, {8_000_000, 5447}, {10_000_000, 5886}, {50_000_000, 6582}, {0, 6582}},
}

// cachePoint is a hit rate in ten-thousandths by the cache's tokens, 0 for
// unbounded.
type cachePoint struct{ tokens, rate int64 }

// publishedRate is what was published for a row, if this is that replay.
func (r *cacheReplayed) publishedRate(row *cacheRow) (rate int64, ok bool) {
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

// parseCapacities reads --capacity; where it is not given they are those of the
// published figure.
func parseCapacities(words []string, given bool) (out []int64, err error) {
	if given && len(words) == 0 {
		return nil, ui.Failf(ui.Usage, "--capacity: it is empty: write numbers of tokens, such as 500k,2.5M,unbounded")
	}
	for i, w := range words {
		w = strings.TrimSpace(w)
		if w == "" {
			return nil, ui.Failf(ui.Usage, "--capacity: value %d of %d is empty: write a number of tokens, such as 500k, 2.5M or unbounded", i+1, len(words))
		}
		n, err := parseCapacity(w)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	if len(words) == 0 {
		for _, p := range MooncakeFigure.Points {
			out = append(out, p.tokens)
		}
	}
	return out, nil
}

// parseCapacity reads a number of tokens exactly.
func parseCapacity(w string) (int64, error) {
	if w == "unbounded" {
		return 0, nil
	}
	number, unit := w, int64(1)
	for suffix, n := range map[string]int64{"k": 1e3, "M": 1e6, "G": 1e9} { // order: a word has one last letter
		if cut, ok := strings.CutSuffix(w, suffix); ok {
			number, unit = cut, n
		}
	}
	n, ok := new(big.Rat).SetString(number)
	if strings.Trim(number, "0123456789.") != "" || !ok {
		return 0, ui.Failf(ui.Usage, "--capacity %s: write a number of tokens, such as 500k, 2.5M or unbounded", w)
	}
	n.Mul(n, new(big.Rat).SetInt64(unit))
	if !n.IsInt() || n.Sign() <= 0 || !n.Num().IsInt64() {
		return 0, ui.Failf(ui.Usage, "--capacity %s: write a whole number of tokens, at least one block's", w)
	}
	return n.Num().Int64(), nil
}

// printCache prints a line on what was replayed and the table.
func printCache(s *ui.Env, r *cacheReplayed) error {
	if r.requests == 0 {
		return ui.Failf(ui.Operating, "there is no request in the %s", ui.Plural(len(r.traces), "trace"))
	}
	name, formats := r.traces[0].path, []string{}
	if len(r.traces) > 1 {
		name = ui.Plural(len(r.traces), "trace")
	}
	for _, t := range r.traces {
		if !slices.Contains(formats, t.format) {
			formats = append(formats, t.format)
		}
	}
	s.Printf("%s   %s · %s · %s full blocks of %d tokens · engine %s\n\n", name, strings.Join(formats, ", "),
		ui.Plural(int(r.requests), "request"), report.Quantity(r.full), r.blockTokens, r.engine)
	heads := []string{" TOKENS", " BLOCKS", " REQUESTS", " FULL BLOCKS", " HIT BLOCKS", " HIT RATE"}
	_, ours := r.publishedRate(r.rows[0])
	for _, row := range r.rows {
		_, ok := r.publishedRate(row)
		ours = ours || ok
	}
	if ours {
		heads = append(heads, " PUBLISHED", " OFF")
	}
	t := report.NewTable(heads...)
	for _, row := range r.rows {
		t.Row(r.cells(row, ours)...)
	}
	if err := t.Write(s.Stdout, s.Style()); err != nil {
		return err
	}
	if ours {
		s.Printf("\npublished  %s\n", MooncakeFigure.source)
	}
	return nil
}

// cells are a row's, with the published figure where the table has it.
func (r *cacheReplayed) cells(row *cacheRow, ours bool) []string {
	tokens, blocks := "unbounded", "unbounded"
	if row.capacity != 0 {
		tokens, blocks = report.Quantity(row.capacity), strconv.Itoa(row.blocks)
	}
	out := []string{tokens, blocks, strconv.FormatInt(r.requests, 10), strconv.FormatInt(r.full, 10),
		strconv.FormatInt(row.hits, 10), hitRate(row.hits, r.full)}
	if !ours {
		return out
	}
	p, ok := r.publishedRate(row)
	if !ok {
		return append(out, "–", "–")
	}
	off, sign := 10_000*row.hits-p*r.full, "+"
	if off < 0 {
		off, sign = -off, "-"
	}
	return append(out, hitRate(p, 10_000), sign+hitRate(off, 10_000*r.full))
}

// hitRate prints a part of a whole, at most 1, with four decimals: 0.5841.
func hitRate(num, den int64) string {
	if den == 0 {
		return "–"
	}
	n := (2*10_000*num + den) / (2 * den)
	return fmt.Sprintf("%d.%04d", n/10_000, n%10_000)
}

// cacheJSON is a replay for machines.
type cacheJSON struct {
	Engine      string           `json:"engine"`
	BlockTokens int              `json:"block_tokens"`
	Traces      []cacheTraceJSON `json:"traces"`
	Requests    int64            `json:"requests"`
	FullBlocks  int64            `json:"full_blocks"`
	Rows        []cacheRowJSON   `json:"rows"`
	Published   string           `json:"published,omitempty"`
}

type cacheTraceJSON struct {
	Path     string `json:"path"`
	Format   string `json:"format"`
	SHA256   string `json:"sha256"`
	Requests int64  `json:"requests"`
}

// cacheRowJSON is one capacity; tokens and blocks are null when it is unbounded.
type cacheRowJSON struct {
	Tokens    *int64     `json:"tokens"`
	Blocks    *int       `json:"blocks"`
	HitBlocks int64      `json:"hit_blocks"`
	HitRate   ratioJSON  `json:"hit_rate"`
	Published *ratioJSON `json:"published,omitempty"`
}

// ratioJSON is an exact part of a whole.
type ratioJSON struct {
	Num int64 `json:"num"`
	Den int64 `json:"den"`
}

func (r *cacheReplayed) document() cacheJSON {
	doc := cacheJSON{Engine: r.engine, BlockTokens: r.blockTokens, Traces: []cacheTraceJSON{}, Requests: r.requests, FullBlocks: r.full}
	for _, t := range r.traces {
		doc.Traces = append(doc.Traces, cacheTraceJSON{t.path, t.format, t.sum, t.requests})
	}
	for _, row := range r.rows {
		j := cacheRowJSON{HitBlocks: row.hits, HitRate: ratioJSON{row.hits, r.full}}
		if row.capacity != 0 {
			j.Tokens, j.Blocks = &row.capacity, &row.blocks
		}
		if p, ok := r.publishedRate(row); ok {
			j.Published, doc.Published = &ratioJSON{p, 10_000}, MooncakeFigure.source
		}
		doc.Rows = append(doc.Rows, j)
	}
	return doc
}

// TableRows are the rows of its table.
func (d cacheJSON) TableRows() any { return d.Rows }
