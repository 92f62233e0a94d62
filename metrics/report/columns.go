package report

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/metrics"
)

// column is one column of a comparison.
type column struct {
	name  string
	exact []string // the metrics that it shows, none of outcome
	head  string   // a leading space puts numbers to the right
	drop  int      // when a narrow terminal does without it: the largest first
	cell  func(*metrics.Run) Value
}

// columns are those with a name of their own. Any metric is one too.
var columns = []column{
	{"agents", []string{"agents"}, " AGENTS", 8, func(r *metrics.Run) Value { return Count(r.Started) }},
	{"calls", []string{"calls"}, " CALLS", 5, func(r *metrics.Run) Value { return Count(r.Total.Calls) }},
	{"failed", []string{"errors"}, " FAILED", 0, func(r *metrics.Run) Value { return Count(r.Total.Errors) }},
	{"prompt", []string{"tokens.prompt"}, " PROMPT", 7, func(r *metrics.Run) Value { return Tokens(r.Total.Usage.Prompt()) }},
	{"cache-read", []string{"tokens.read"}, " CACHE READ", 2, func(r *metrics.Run) Value { return Tokens(r.Total.Usage.Read) }},
	{"cache-write", []string{"tokens.written"}, " CACHE WRITE", 3, func(r *metrics.Run) Value { return Tokens(r.Total.Usage.Written()) }},
	{"uncached", []string{"tokens.input"}, " UNCACHED", 9, func(r *metrics.Run) Value { return Tokens(r.Total.Usage.Input) }},
	{"output", []string{"tokens.output"}, " OUTPUT", 6, func(r *metrics.Run) Value { return Tokens(r.Total.Usage.Output) }},
	{"hit-rate", []string{"cache.hit_ratio"}, " HIT RATE", 1, func(r *metrics.Run) Value { return Share(r.Total.Usage.Read, r.Total.Usage.Prompt()) }},
	{"cost", []string{"cost"}, " COST", 0, cost},
	{"time", []string{"time"}, " TIME", 0, func(r *metrics.Run) Value { return Duration(r.Makespan) }},
	{"re-invocations", []string{"wake_ups", "wake_ups.tokens"}, " RE-INVOCATIONS", 4, func(r *metrics.Run) Value { return Text(wakeUps(&r.Total)) }},
	{"done", []string{"items.done", "items.total"}, " DONE", 0, func(r *metrics.Run) Value { return Text(done(r.Items)) }},
	{"critical-path", []string{"critical_path"}, " CRITICAL PATH", 4, func(r *metrics.Run) Value { return Duration(r.CriticalPath) }},
	{"facts-lost", []string{"facts.lost"}, " FACTS LOST", 1, func(r *metrics.Run) Value { return Count(r.Total.LostFacts()) }},
	{"outcome", nil, "OUTCOME", 0, func(r *metrics.Run) Value { return Text(outcome(r)) }},
}

// Sets of columns that have a name.
var columnSets = map[string][]string{
	"default":   {"agents", "calls", "prompt", "cache-read", "cache-write", "uncached", "output", "hit-rate", "cost", "time", "re-invocations", "done"},
	"trade-off": {"cache-read", "cache-write", "uncached", "output", "cost", "re-invocations", "time", "critical-path", "facts-lost", "outcome"},
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

// Comparison says one line a variant with the columns named, which Columns has
// read. Where requests failed their number is beside the calls. The smallest bill
// of those that did all of their work is marked.
func Comparison(rows []Row, names []string) *Sheet {
	failed := slices.ContainsFunc(rows, func(r Row) bool { return r.Run.Total.Errors > 0 })
	if i := slices.Index(names, "calls"); i >= 0 && failed && !slices.Contains(names, "failed") {
		names = slices.Insert(slices.Clone(names), i+1, "failed")
	}
	best := cheapest(rows)
	shown := []Column[Row]{{Head: "VARIANT", Of: func(r Row) Value { return Text(variantName(r)) }}}
	for _, name := range names {
		c := columnOf(name)
		shown = append(shown, Column[Row]{Head: c.head, Drop: c.drop, Of: func(r Row) Value {
			v := c.cell(r.Run)
			if name == "cost" && best >= 0 && r.Run == rows[best].Run {
				return v.Marked(Better)
			}
			return v
		}})
	}
	return TableOf("", rows, append(shown, planColumns(rows)...)...).Widen("; --columns names others")
}

// planColumns are the units that plans of the rows count in, a column each.
func planColumns(rows []Row) (out []Column[Row]) {
	var units []string
	for _, r := range rows {
		if r.Unit == "" || slices.Contains(units, r.Unit) {
			continue
		}
		units = append(units, r.Unit)
		out = append(out, Column[Row]{Head: " " + strings.ToUpper(r.Unit), Of: func(x Row) Value { return Count(x.Units).If(x.Unit == r.Unit) }})
	}
	return out
}

// columnOf is a column by its name, or the one of a metric's path.
func columnOf(name string) column {
	if c := findColumn(name); c != nil {
		return *c
	}
	return column{name: name, head: " " + strings.ToUpper(name), cell: func(r *metrics.Run) Value {
		v, ok := FigureAt(r, name)
		return Metric(v).If(ok)
	}}
}

// FigureAt is what a column's path leads to in a run: METRIC or TYPE.METRIC.
func FigureAt(r *metrics.Run, path string) (metrics.Value, bool) {
	if _, ok := metrics.Find(path); ok {
		return metrics.Lookup(r, "", path)
	}
	typ, name, _ := strings.Cut(path, ".")
	return metrics.Lookup(r, typ, name)
}

// UnitOf is the unit that machines read in the name of a figure: METRIC or
// TYPE.METRIC.
func UnitOf(path string) Unit {
	n, ok := metrics.Find(path)
	if !ok {
		_, name, _ := strings.Cut(path, ".")
		n, _ = metrics.Find(name)
	}
	return Metric(metrics.Whole(0, n.Unit)).in()
}

// outcome says what became of the work: how much is done, how much of that was
// done twice, what failed and what acted on an old file; or why the run ended.
func outcome(r *metrics.Run) string {
	if !r.Completed() {
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
