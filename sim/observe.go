package sim

import (
	"slices"
	"strings"

	"agentsim/sim/agent"
	"agentsim/sim/fork"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/transcript"
)

// observer reads what agents report and records what became of the work. It
// sees the same text as whoever gets the report.
type observer struct{ r *run }

// Said reads the marks in an answer's text.
func (o *observer) Said(a *agent.Agent, text *llm.Payload) {
	raw := text.Raw()
	o.checkReport(a, raw)
	if !strings.Contains(raw, "[[") {
		return
	}
	var done []string
	stale := false
	o.r.marks.Scan(raw, func(m mark.Mark) {
		switch m.Verb {
		case mark.Done:
			done = append(done, m.Args[0])
		case mark.On:
			v, ok := o.r.fs.Stat(m.Args[0])
			stale = stale || !ok || v.Hash != m.Args[1]
		case mark.Failed:
			o.r.world.RecordFor(a, &transcript.Item{Item: m.Args[0], Outcome: "failed", Missing: strings.Split(m.Args[1], ",")})
		}
	})
	for _, item := range slices.Compact(done) {
		o.r.world.RecordFor(a, &transcript.Item{Item: item, Outcome: outcomeOf(a, stale)})
	}
}

// outcomeOf says how well an item was done: on a version of a file that is no
// longer there, after work done twice, or simply done.
func outcomeOf(a *agent.Agent, stale bool) string {
	switch {
	case stale:
		return "wrong"
	case a.TakeRework() > 0:
		return "rework"
	}
	return "done"
}

// checkReport records a fork whose report does not begin with its scope
// (FRK-08).
func (o *observer) checkReport(a *agent.Agent, raw string) {
	if !a.IsFork() || !a.Finished() {
		return
	}
	if _, ok := fork.Report(raw); !ok {
		start, _, _ := strings.Cut(raw, "\n")
		o.r.world.RecordFor(a, &transcript.Finding{Rule: "fork-report", Detail: "the report begins " + start})
	}
}
