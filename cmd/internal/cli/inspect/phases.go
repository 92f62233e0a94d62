package inspect

import (
	"strings"

	"agentsim/cmd/internal/rundb"
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
		d.Say("no phases: they follow from the items of work in workers' prompts, and no worker was given one")
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
		col{Name: "start", Head: " FROM", Unit: report.Seconds, Of: at(".start")},
		col{Name: "end", Head: " TO", Unit: report.Seconds, Of: at(".end")},
		col{Name: "busy", Head: " BUSY", Unit: report.Seconds, Of: at(".busy")},
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

// progress says how far agents in the background had come, at each change
// (TSK-07).
func progress(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, _ *options) error {
	if err := rundb.NeedsAll(info); err != nil {
		return err
	}
	list, err := db.Progress(info.ID)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		d.Say("no progress: no agent was in the background")
	}
	type col = report.Column[sqlite.Progress]
	d.Table(report.TableOf("changes", list,
		col{Name: "at", Head: " AT", Unit: report.Seconds, Of: func(p sqlite.Progress) report.Value { return report.At(p.At) }},
		col{Name: "agent", Head: "AGENT", Of: func(p sqlite.Progress) report.Value { return report.Text(p.Lineage) }},
		col{Name: "tool_uses", Head: " TOOL USES", Of: func(p sqlite.Progress) report.Value { return report.Count(p.ToolUses) }},
		col{Name: "tokens_input", Head: " INPUT", Of: func(p sqlite.Progress) report.Value { return report.Tokens(p.Input) }},
		col{Name: "tokens_output", Head: " OUTPUT", Of: func(p sqlite.Progress) report.Value { return report.Tokens(p.Output) }},
		col{Name: "last_tools", Head: "LAST TOOLS", Of: func(p sqlite.Progress) report.Value { return report.List(p.Last) }},
	))
	return nil
}

// said gives what an agent said, byte for byte: what its output file held.
func said(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, o *options) error {
	if err := rundb.NeedsContent(info); err != nil {
		return err
	}
	text, err := db.Said(info.ID, o.said)
	if err != nil {
		return err
	}
	d.Print(func(report.Style) string { return text })
	d.Field("run", report.Text(info.ID))
	d.Field("agent", report.Text(o.said))
	d.Field("said", report.Text(text))
	return nil
}
