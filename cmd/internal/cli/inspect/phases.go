package inspect

import (
	"strings"

	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"
)

// phaseFigures are a recorded run's metrics of its phases, by name; nil when no
// phase was recognised.
func phaseFigures(db *sqlite.DB, run string) (map[string]int64, error) {
	all, err := db.Metrics(run)
	if err != nil {
		return nil, err
	}
	var out map[string]int64
	for _, m := range all {
		if m.Scope == "run" && strings.HasPrefix(m.Name, "phase.") {
			if out == nil {
				out = map[string]int64{}
			}
			out[m.Name] = m.Value
		}
	}
	return out, nil
}

// phases says when each phase of the work went on, and what it shared with others.
func phases(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, _ *options) error {
	of, err := phaseFigures(db, info.ID)
	if err != nil {
		return err
	}
	if of == nil {
		d.Say("no phases: they are told by the items of work in workers' prompts, and no worker was given one")
	}
	d.Field("overlap", report.Duration(vtime.Duration(of["phase.overlap"])))
	phaseTable(d, of)
	return nil
}

// phaseTable adds the phases that were recognised.
func phaseTable(d *report.Document, of map[string]int64) {
	var ran []metrics.Phase
	for p := range metrics.NumPhases {
		if _, ok := of["phase."+p.String()+".time"]; ok {
			ran = append(ran, p)
		}
	}
	at := func(figure string) func(metrics.Phase) report.Value {
		return func(p metrics.Phase) report.Value {
			return report.Duration(vtime.Duration(of["phase."+p.String()+figure]))
		}
	}
	type col = report.Column[metrics.Phase]
	d.Table(report.TableOf("phases", ran,
		col{Name: "phase", Head: "PHASE", Of: func(p metrics.Phase) report.Value { return report.Text(p.String()) }},
		col{Name: "start", Head: " FROM", Of: at(".start")},
		col{Name: "end", Head: " TO", Of: at(".end")},
		col{Name: "busy", Head: " BUSY", Of: at(".busy")},
		col{Name: "at_once_with", Head: "AT ONCE WITH", Of: func(p metrics.Phase) report.Value {
			var words []string
			out := map[string]int64{}
			beside(of, p, func(q metrics.Phase, d vtime.Duration) {
				words, out[q.String()+"_ns"] = append(words, q.String()+" "+report.Time(d)), int64(d)
			})
			return report.Nested(out).As(strings.Join(words, ", "))
		}}))
}

// beside gives each other phase that went on beside one, and for how long.
func beside(of map[string]int64, p metrics.Phase, each func(q metrics.Phase, d vtime.Duration)) {
	for q := range metrics.NumPhases {
		if d := of["phase.overlap."+min(p, q).String()+"_"+max(p, q).String()]; p != q && d > 0 {
			each(q, vtime.Duration(d))
		}
	}
}
