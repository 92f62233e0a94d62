package harness

import (
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/sharedprefix"
	"agentsim/sim/transcript"
)

// Gather says what is kept of a run beside its figures.
type Gather struct {
	Cuts   bool `json:"cuts,omitempty"`   // what a cache cannot have kept
	Trace  bool `json:"trace,omitempty"`  // its events and the outline of its requests, as a baseline holds them
	Fronts bool `json:"fronts,omitempty"` // what its requests share
	Met    bool `json:"met,omitempty"`    // what sessions found that others had left
}

// Gathered is what was kept; what was not asked for is zero.
type Gathered struct {
	Cut     int64 // bytes
	Lines   []string
	Outline *sharedprefix.Outline
	Fronts  *sharedprefix.Record
	Met     sharedprefix.Met
}

// gathering is what is kept of a run that goes on.
type gathering struct {
	cuts   *metrics.Cuts
	trace  *baseline.Trace
	fronts *sharedprefix.Sink
	met    *sharedprefix.Sessions
}

// sinks begin to keep what is asked for.
func (g *gathering) sinks(ask Gather) (out []transcript.Sink) {
	if ask.Cuts {
		g.cuts = &metrics.Cuts{}
		out = append(out, g.cuts)
	}
	if ask.Trace {
		g.trace = &baseline.Trace{}
		out = append(out, g.trace)
	}
	if ask.Fronts {
		g.fronts = &sharedprefix.Sink{}
		out = append(out, g.fronts)
	}
	if ask.Met {
		g.met = &sharedprefix.Sessions{}
		out = append(out, g.met)
	}
	return out
}

// done is what was kept.
func (g *gathering) done() (out Gathered) {
	if g.cuts != nil {
		out.Cut = g.cuts.Bytes
	}
	if g.trace != nil {
		out.Lines, out.Outline = g.trace.Lines, &g.trace.Outline
	}
	if g.fronts != nil {
		out.Fronts = g.fronts.Record()
	}
	if g.met != nil {
		out.Met = g.met.Met(CountTokens)
	}
	return out
}
