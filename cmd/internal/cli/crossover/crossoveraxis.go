package crossover

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/crossover"
	"agentsim/sim/vtime"
)

// axis is a value of a query that can be varied, and how its flag is read.
type axis struct {
	name  string
	head  string  // of its column
	label string  // of its axis on a plot, with its unit
	field string  // of a crossover.Query, as its errors call it
	usual string  // the list where it is varied and its flag is not given
	least float64 // the least value that there is, where a plot should not begin at zero
	read  func(list string) ([]place, error)
}

// place is one value on an axis.
type place struct {
	label string
	x     float64 // on a plot
	set   func(*crossover.Query)
}

var axes = []axis{
	{"turns", "TURNS", "turns of each child, T", "turns", "1,2,4,6,8,10,12,16,20,24", 0, func(s string) ([]place, error) {
		return wholes(s, func(q *crossover.Query, n int64) { q.Turns = n })
	}},
	{"prefix", "PREFIX", "the parent's prefix P, thousands of tokens", "prefix", "20k..160k:20k", 0, func(s string) ([]place, error) {
		return sizes(s, func(q *crossover.Query, n int64) { q.Prefix = n })
	}},
	{"know", "KNOW", "what a child must know, S+R, thousands of tokens", "know", "10k..70k:10k", 0, func(s string) ([]place, error) {
		return sizes(s, func(q *crossover.Query, n int64) { q.Know, q.Own = n, min(q.Own, n) })
	}},
	{"siblings", "SIBLINGS", "children of one answer", "siblings", "1,2,3,5,8,9,10,12", 1, func(s string) ([]place, error) {
		return wholes(s, func(q *crossover.Query, n int64) { q.Siblings = n })
	}},
	{"stagger", "STAGGER", "how long siblings wait at most, seconds", "stagger", "0s,1s,2s,3s,5s,10s", 0, durations},
	{"parent", "PARENT", "the parent's cache entry at the spawn", "", "warm,cold", 0, parents},
	{"model", "MODEL", "model", "model", "all", 0, modelsOf},
}

// axisNames lists the axes for messages.
func axisNames() string {
	var names []string
	for _, a := range axes {
		names = append(names, a.name)
	}
	return strings.Join(names, ", ")
}

func axisNamed(name string) (*axis, bool) {
	i := slices.IndexFunc(axes, func(a axis) bool { return a.name == name })
	if i < 0 {
		return nil, false
	}
	return &axes[i], true
}

// maxPlacesOnAxis bounds a list: each place is some ten runs.
const maxPlacesOnAxis = 500

// wholes reads 1,2,4 or 1..24 or 10..60:10, in any mixture.
func wholes(list string, set func(*crossover.Query, int64)) ([]place, error) {
	return numbers(list, set, func(n int64) (string, float64) { return strconv.FormatInt(n, 10), float64(n) })
}

// sizes reads the same with k and M for thousands and millions of tokens.
func sizes(list string, set func(*crossover.Query, int64)) ([]place, error) {
	return numbers(list, set, func(n int64) (string, float64) { return report.Quantity(n), float64(n) / 1000 })
}

func numbers(list string, set func(*crossover.Query, int64), show func(int64) (string, float64)) (out []place, err error) {
	for _, part := range strings.Split(list, ",") {
		values, err := span(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		for _, n := range values {
			p := place{set: func(q *crossover.Query) { set(q, n) }}
			p.label, p.x = show(n)
			out = append(out, p)
		}
	}
	return out, bounded(len(out))
}

func bounded(n int) error {
	if n > maxPlacesOnAxis {
		return ui.Failf(ui.Usage, "%d values are too many: at most %d", n, maxPlacesOnAxis)
	}
	return nil
}

// span reads one number, or from..to, or from..to:step.
func span(s string) ([]int64, error) {
	ends, step, stepped := strings.Cut(s, ":")
	from, to, ranged := strings.Cut(ends, "..")
	if stepped && !ranged {
		return nil, ui.Failf(ui.Usage, "%q has a step but no range: write from..to:step, such as 10k..70k:10k", s)
	}
	a, err := tokensOf(from)
	if err != nil || !ranged {
		return []int64{a}, err
	}
	b, err := tokensOf(to)
	if err != nil {
		return nil, err
	}
	by := int64(1)
	if stepped {
		if by, err = tokensOf(step); err != nil {
			return nil, err
		}
	}
	if by < 1 || b < a {
		return nil, ui.Failf(ui.Usage, "%q goes nowhere: write from..to:step with from ≤ to and a step of at least 1", s)
	}
	if n := (b-a)/by + 1; n > maxPlacesOnAxis {
		return nil, bounded(int(n))
	}
	var out []int64
	for ; a <= b; a += by {
		out = append(out, a)
	}
	return out, nil
}

// mostSize keeps sums of sizes far from overflow; queries are stricter.
const mostSize = 1_000_000_000

// tokensOf reads 80000, 80_000, 80k, 1.5k or 1M.
func tokensOf(s string) (int64, error) {
	bad := ui.Failf(ui.Usage, "%q is no number: write 80000, 80_000, 80k or 1M", s)
	digits, unit := strings.ReplaceAll(s, "_", ""), int64(1)
	switch {
	case strings.HasSuffix(digits, "k"):
		digits, unit = strings.TrimSuffix(digits, "k"), 1000
	case strings.HasSuffix(digits, "M"):
		digits, unit = strings.TrimSuffix(digits, "M"), 1_000_000
	}
	whole, part, fraction := strings.Cut(digits, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n < 0 || n > mostSize/unit || strings.HasPrefix(whole, "+") {
		return 0, bad
	}
	n *= unit
	if !fraction {
		return n, nil
	}
	for _, d := range part {
		unit /= 10
		if d < '0' || d > '9' || unit == 0 {
			return 0, bad
		}
		n += int64(d-'0') * unit
	}
	if part == "" {
		return 0, bad
	}
	return n, nil
}

// durations reads 0s,1s,5s.
func durations(list string) (out []place, err error) {
	for _, part := range strings.Split(list, ",") {
		d, err := vtime.ParseDuration(strings.TrimSpace(part))
		if err != nil {
			return nil, ui.Failf(ui.Usage, "%q is no duration: write 500ms, 5s or 1m", part)
		}
		out = append(out, place{d.String(), float64(d) / float64(vtime.Second), func(q *crossover.Query) { q.Stagger = d }})
	}
	return out, bounded(len(out))
}

// parents reads warm,cold.
func parents(list string) (out []place, err error) {
	for i, word := range strings.Split(list, ",") {
		if word != "warm" && word != "cold" {
			return nil, ui.Failf(ui.Usage, "%q is no state of a parent: write warm or cold", word)
		}
		out = append(out, place{word, float64(i), func(q *crossover.Query) { q.Cold = word == "cold" }})
	}
	return out, nil
}

// modelsOf reads model ids, dated or not; all is every model that can be billed.
func modelsOf(list string) (out []place, err error) {
	ids := strings.Split(list, ",")
	if list == "all" {
		ids = nil
		for _, id := range cachemodel.Models() {
			if p, err := cachemodel.Lookup(id); err == nil && p.Require(true) == nil {
				ids = append(ids, id)
			}
		}
	}
	for i, id := range ids {
		id = strings.TrimSpace(id)
		if p, err := cachemodel.Lookup(id); err == nil {
			id = p.Pinned()
		}
		out = append(out, place{strings.TrimPrefix(id, "claude-"), float64(i), func(q *crossover.Query) { q.Model = id }})
	}
	return out, bounded(len(out))
}
