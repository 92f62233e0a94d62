package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"agentsim/metrics"
)

// column is one column of a comparison.
type column struct {
	name  string
	exact []string // the metrics that it shows, none of outcome
	head  string   // a leading space puts numbers to the right
	cell  func(*metrics.Run) string
}

// columns are those with a name of their own. Any metric is one too.
var columns = []column{
	{"agents", []string{"agents"}, " AGENTS", func(r *metrics.Run) string { return strconv.FormatInt(r.Started, 10) }},
	{"calls", []string{"calls"}, " CALLS", func(r *metrics.Run) string { return strconv.FormatInt(r.Total.Calls, 10) }},
	{"failed", []string{"errors"}, " FAILED", func(r *metrics.Run) string { return strconv.FormatInt(r.Total.Errors, 10) }},
	{"prompt", []string{"tokens.prompt"}, " PROMPT", func(r *metrics.Run) string { return Quantity(r.Total.Usage.Prompt()) }},
	{"read", []string{"tokens.read"}, " READ", func(r *metrics.Run) string { return Quantity(r.Total.Usage.Read) }},
	{"written", []string{"tokens.written"}, " WRITTEN", func(r *metrics.Run) string { return Quantity(r.Total.Usage.Written()) }},
	{"plain", []string{"tokens.input"}, " PLAIN", func(r *metrics.Run) string { return Quantity(r.Total.Usage.Input) }},
	{"output", []string{"tokens.output"}, " OUTPUT", func(r *metrics.Run) string { return Quantity(r.Total.Usage.Output) }},
	{"hit", []string{"cache.hit_ratio"}, " HIT", func(r *metrics.Run) string { return Percent(r.Total.Usage.Read, r.Total.Usage.Prompt()) }},
	{"cost", []string{"cost"}, " COST", cost},
	{"time", []string{"time"}, " TIME", func(r *metrics.Run) string { return Time(r.Makespan) }},
	{"wake-ups", []string{"wake_ups", "wake_ups.tokens"}, " WAKE-UPS", func(r *metrics.Run) string { return wakeUps(&r.Total) }},
	{"done", []string{"items.done", "items.total"}, " DONE", func(r *metrics.Run) string { return done(r.Items) }},
	{"critical-path", []string{"critical_path"}, " CRITICAL PATH", func(r *metrics.Run) string { return Time(r.CriticalPath) }},
	{"facts-lost", []string{"facts.lost"}, " FACTS LOST", func(r *metrics.Run) string { return strconv.FormatInt(r.Total.LostFacts(), 10) }},
	{"outcome", nil, "OUTCOME", outcome},
}

// Sets of columns that have a name.
var columnSets = map[string][]string{
	"default":   {"agents", "calls", "prompt", "read", "written", "plain", "output", "hit", "cost", "time", "wake-ups", "done"},
	"trade-off": {"read", "written", "plain", "output", "cost", "wake-ups", "time", "critical-path", "facts-lost", "outcome"},
}

// Columns reads a list of columns: names of columns and of sets, and paths to metrics,
// of the whole run or an agent type in it, as in trade-off,phase.overlap,fork.cost. ""
// is the default set. The error names the word that is none of them, and what there is.
func Columns(list string, in metrics.Known) ([]string, error) {
	if list == "" {
		list = "default"
	}
	var out []string
	for _, word := range strings.Split(list, ",") {
		word = strings.TrimSpace(word)
		path, bad := metrics.ParsePath(word, metrics.Known{Types: in.Types})
		switch {
		case columnSets[word] != nil:
			out = append(out, columnSets[word]...)
		case findColumn(word) != nil:
			out = append(out, word)
		case bad == nil:
			out = append(out, strings.TrimPrefix(word, path.Variant+"."))
		case strings.HasPrefix(bad.Msg, "no "):
			return nil, fmt.Errorf("%s; there is %s", bad.Msg, strings.Join(bad.Names, ", "))
		default:
			return nil, fmt.Errorf("there is no column %q; write trade-off, default, a metric such as reads.again, or some of %s", word, columnNames())
		}
	}
	return out, nil
}

func columnNames() string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

func findColumn(name string) *column {
	if i := slices.IndexFunc(columns, func(c column) bool { return c.name == name }); i >= 0 {
		return &columns[i]
	}
	return nil
}

// Metrics are the metrics that the columns named show, in their order and each
// once. An outcome is no metric.
func Metrics(names []string) (out []string) {
	for _, name := range names {
		shown := []string{name}
		if c := findColumn(name); c != nil {
			shown = c.exact
		}
		for _, m := range shown {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	return out
}

// CompareBy prints one line a variant with the columns named, which Columns has
// read.
func CompareBy(w io.Writer, rows []Row, names []string, st Style) error {
	return Comparison(rows, names).Write(w, st)
}

// Comparison is the table that CompareBy prints. Where requests failed their
// number stands beside the calls.
func Comparison(rows []Row, names []string) *Table {
	failed := slices.ContainsFunc(rows, func(r Row) bool { return r.Run.Total.Errors > 0 })
	if i := slices.Index(names, "calls"); i >= 0 && failed && !slices.Contains(names, "failed") {
		names = slices.Insert(slices.Clone(names), i+1, "failed")
	}
	heads := []string{"VARIANT"}
	for _, name := range names {
		heads = append(heads, headOf(name))
	}
	t := NewTable(heads...)
	for _, r := range rows {
		cells := []string{variantName(r)}
		for _, name := range names {
			cells = append(cells, cellOf(r.Run, name))
		}
		t.Row(cells...)
	}
	return t
}

func headOf(name string) string {
	if c := findColumn(name); c != nil {
		return c.head
	}
	return " " + strings.ToUpper(name)
}

// cellOf is a column's cell; a dash where a metric has no data.
func cellOf(r *metrics.Run, name string) string {
	if c := findColumn(name); c != nil {
		return c.cell(r)
	}
	if v, ok := FigureAt(r, name); ok {
		return Figure(v)
	}
	return "–"
}

// FigureAt is what a column's path leads to in a run: METRIC or TYPE.METRIC.
func FigureAt(r *metrics.Run, path string) (metrics.Value, bool) {
	if _, ok := metrics.Find(path); ok {
		return metrics.Lookup(r, "", path)
	}
	typ, name, _ := strings.Cut(path, ".")
	return metrics.Lookup(r, typ, name)
}

// outcome says what became of the work: how much is done, how much of that was
// done twice, what failed and what acted on an old file; or why the run ended.
func outcome(r *metrics.Run) string {
	if r.Outcome != "completed" {
		return string(r.Outcome)
	}
	o := r.Items
	if o.Total == 0 {
		return "–"
	}
	text := fmt.Sprintf("%d of %d done", o.Done, o.Total)
	for _, part := range []struct {
		n    int64
		what string
	}{{o.Rework, "again"}, {o.Failed, "failed"}, {o.Wrong, "wrong"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return text
}
