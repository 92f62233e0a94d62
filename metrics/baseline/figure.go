package baseline

import "agentsim/metrics"

// Metric says what a figure means: its unit, and which way is better.
type Metric struct {
	Name   string
	Unit   metrics.Unit
	Better string // lower, higher, or "" where neither is better by itself
	What   string
}

// judged names the metrics that a baseline keeps, in their order. Each question
// has one metric: parts of a sum stand here where somebody would gate them.
var judged = []string{"cost", "tokens.prompt", "tokens.input", "tokens.written", "tokens.read", "tokens.output", "cache.hit_ratio",
	"calls", "requests", "retries", "errors", "misses", "misses.tokens", "wake_ups", "compactions", "prompts", "denials", "reads.again",
	"time", "critical_path", "siblings.common.bytes", "siblings.common.tokens",
	"items.done", "items.rework", "items.failed", "items.wrong"}

// The figures that are no metrics of a run's fold.
const (
	CutBytes   = "turns.cut.bytes"
	Broken     = "invariants.broken"
	Unfinished = "roots.unfinished"
)

var own = []Metric{
	{CutBytes, metrics.Bytes, "lower", "bytes of requests that were not the beginning of the agent's next one"},
	{Unfinished, metrics.Count, "lower", "root agents that failed or reached their limit of turns"},
	{Broken, metrics.Count, "lower", "checks of invariants that failed"},
}

// Metrics lists what a baseline keeps, in its order.
func Metrics() []Metric {
	var out []Metric
	for _, name := range judged {
		n, ok := metrics.Find(name)
		if !ok {
			panic("baseline: no metric " + name)
		}
		out = append(out, Metric{n.Name, n.Unit, n.Better, n.What})
	}
	return append(out, own...)
}

var known = Metrics()

// Find returns the metric of that name.
func Find(name string) (Metric, bool) {
	for _, m := range known {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// Extra are figures that a run's fold does not know.
type Extra struct {
	Cut        int64 // metrics.Cuts
	Unfinished int64
	Broken     int64
}

// Figures are those of a run by name. What the run has no data for is left out.
func Figures(r *metrics.Run, x Extra) map[string]metrics.Value {
	out := map[string]metrics.Value{CutBytes: metrics.Whole(x.Cut, metrics.Bytes), Unfinished: metrics.Whole(x.Unfinished, metrics.Count),
		Broken: metrics.Whole(x.Broken, metrics.Count)}
	for _, name := range judged {
		if v, ok := metrics.Lookup(r, "", name); ok {
			out[name] = v
		}
	}
	return out
}
