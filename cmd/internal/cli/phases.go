package cli

import (
	"strings"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
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

// printPhases prints when each phase of the work went on, and what it shared with
// others (CRD-07); nothing where none was recognised.
func printPhases(s *ui.Env, db *sqlite.DB, run string) error {
	of, err := phaseFigures(db, run)
	if err != nil || of == nil {
		return err
	}
	t := report.NewTable("PHASE", " FROM", " TO", " BUSY", "AT ONCE WITH")
	for p := range metrics.NumPhases {
		name := "phase." + p.String()
		if _, ran := of[name+".time"]; !ran {
			continue
		}
		at := func(figure string) string { return report.Time(vtime.Duration(of[name+figure])) }
		t.Row(p.String(), at(".start"), at(".end"), at(".busy"), besides(of, p))
	}
	s.Printf("\n")
	return t.Write(s.Stdout, s.Style())
}

// besides lists the phases that another went on beside, and for how long.
func besides(of map[string]int64, p metrics.Phase) string {
	var out []string
	for q := range metrics.NumPhases {
		a, b := min(p, q), max(p, q)
		if d := of["phase.overlap."+a.String()+"_"+b.String()]; p != q && d > 0 {
			out = append(out, q.String()+" "+report.Time(vtime.Duration(d)))
		}
	}
	return strings.Join(out, ", ")
}

// phasesJSON is the document of inspect --phases, in nanoseconds from the run's
// start.
type phasesJSON struct {
	Run     string      `json:"run"`
	Phases  []phaseJSON `json:"phases"`
	Overlap int64       `json:"overlap"` // time in which two phases or more went on
}

type phaseJSON struct {
	Phase   string           `json:"phase"`
	Start   int64            `json:"start"`
	End     int64            `json:"end"`
	Busy    int64            `json:"busy"`
	Besides map[string]int64 `json:"at_once_with"`
}

// inspectPhases prints the phases alone.
func inspectPhases(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, o *inspectOptions) error {
	of, err := phaseFigures(db, info.ID)
	if err != nil {
		return err
	}
	if o.output != "table" {
		return s.Emit(o.output, phasesDocument(info.ID, of))
	}
	if err := rundb.Heading(s, db, info); err != nil {
		return err
	}
	if of == nil {
		s.Printf("no phases: they are told by the items of work in workers' prompts, and no worker was given one\n")
		return nil
	}
	return printPhases(s, db, info.ID)
}

func phasesDocument(run string, of map[string]int64) phasesJSON {
	doc := phasesJSON{Run: run, Phases: []phaseJSON{}, Overlap: of["phase.overlap"]}
	for p := range metrics.NumPhases {
		name := "phase." + p.String()
		if _, ran := of[name+".time"]; !ran {
			continue
		}
		one := phaseJSON{p.String(), of[name+".start"], of[name+".end"], of[name+".busy"], map[string]int64{}}
		for q := range metrics.NumPhases {
			if d := of["phase.overlap."+min(p, q).String()+"_"+max(p, q).String()]; p != q && d > 0 {
				one.Besides[q.String()] = d
			}
		}
		doc.Phases = append(doc.Phases, one)
	}
	return doc
}
