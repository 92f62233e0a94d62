package inspect

import (
	"fmt"

	"agentsim/cmd/internal/harness"
	"agentsim/metrics/report"
	"agentsim/metrics/sharedprefix"
	"agentsim/sim/transcript/sqlite"
)

// leftExpired lists the first requests of agents that continue nobody's, and so miss
// nothing, for which what another agent had left had expired. A record without content
// does not tell.
func leftExpired(db *sqlite.DB, info sqlite.RunInfo) ([]sharedprefix.Left, error) {
	if info.Recorded() || !info.Level.Whole() || !info.Level.Content() {
		return nil, nil
	}
	calls, err := db.Calls(info.ID)
	if err != nil {
		return nil, err
	}
	by := map[int64]*sqlite.CallInfo{}
	for i := range calls {
		by[calls[i].N] = &calls[i]
	}
	sent, err := db.Sent(info.ID)
	if err != nil {
		return nil, err
	}
	var all []sharedprefix.Sent
	for i := range sent {
		s := &sent[i]
		if c := by[s.N]; c != nil && s.Status == "ok" {
			all = append(all, sharedprefix.Sent{N: s.N, Agent: c.Lineage, First: s.Call == 0 && c.Structure != "fork" && c.Miss == "", Model: s.Model, Head: s.Head,
				Marks: sharedprefix.Marked(s.Marks, s.Head, s.Automatic), ReadTo: int32(c.ReadTo), Written: s.Usage.Written(), Started: s.Started})
		}
	}
	var gone []sharedprefix.Left
	for _, l := range sharedprefix.LeftOver(all, harness.CountTokens) {
		if l.Expired {
			gone = append(gone, l)
		}
	}
	return gone, nil
}

// leftFor says of a first request what another agent had left for it, where that had
// expired.
func leftFor(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, c one) error {
	if c.Call > 0 {
		return nil
	}
	gone, err := leftExpired(db, info)
	for _, l := range gone {
		if l.N == c.N {
			d.Detail("left by another", "blocks 1–%d, last used by call %d (%s) %s before", l.Blocks, l.By.N, l.By.Agent, report.Time(l.Unused))
			d.Detail("not read since", "it had expired: unused for longer than its TTL, %s", l.TTL)
			d.Field("left_by_others", report.Object(leftTable([]sharedprefix.Left{l})))
		}
	}
	return err
}

// leftOver lists them.
func leftOver(d *report.Document, gone []sharedprefix.Left) {
	if len(gone) == 0 {
		return
	}
	d.Say("\nfirst requests of agents for which what another agent had left had expired: they continue nothing, so they are no misses")
	d.Table(leftTable(gone))
}

func leftTable(gone []sharedprefix.Left) *report.Sheet {
	type col = report.Column[sharedprefix.Left]
	return report.TableOf("left_expired", gone,
		col{Name: "call", Head: " CALL", Of: func(l sharedprefix.Left) report.Value { return report.Count(l.N) }},
		col{Name: "lineage", Head: "AGENT", Of: func(l sharedprefix.Left) report.Value { return report.Text(l.Agent) }},
		col{Name: "blocks", Head: "LEFT", Drop: 2, Of: func(l sharedprefix.Left) report.Value {
			return report.Count(l.Blocks).As(fmt.Sprintf("blocks 1–%d", l.Blocks))
		}},
		col{Name: "last_call", Head: " LAST USED BY CALL", Of: func(l sharedprefix.Left) report.Value { return report.Count(l.By.N) }},
		col{Name: "last_agent", Head: "OF", Drop: 1, Of: func(l sharedprefix.Left) report.Value { return report.Text(l.By.Agent) }},
		col{Name: "unused", Head: " UNUSED FOR", Unit: report.Seconds, Of: func(l sharedprefix.Left) report.Value { return report.Duration(l.Unused) }},
		col{Name: "tokens_written_again_at_most", Head: " WRITTEN AGAIN AT MOST", Of: func(l sharedprefix.Left) report.Value { return report.Count(l.Written) }},
		col{Name: "ttl", Head: "TTL", Of: func(l sharedprefix.Left) report.Value { return report.Text(l.TTL.String()) }})
}
