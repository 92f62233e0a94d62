package inspect

import (
	"fmt"

	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"
)

// fanOuts lists siblings that wrote the same prefix since none could read what
// another was writing. Their first calls continue nothing, so they are no misses
// by themselves.
func fanOuts(d *report.Document, fans []sqlite.FanOut) {
	if len(fans) == 0 {
		return
	}
	d.Say("\nsiblings started before the first one's response began, which could not read what it wrote")
	type col = report.Column[sqlite.FanOut]
	d.Table(report.TableOf("fan_outs", fans,
		col{Name: "call", Head: " CALL", Of: func(f sqlite.FanOut) report.Value { return report.Count(f.First.N) }},
		col{Name: "lineage", Head: "AGENT", Of: func(f sqlite.FanOut) report.Value { return report.Text(f.First.Lineage) }},
		col{Name: "type", Head: "TYPE", Drop: 3, Of: func(f sqlite.FanOut) report.Value { return report.Text(f.First.Type) }},
		col{Name: "siblings", Head: " SIBLINGS", Of: func(f sqlite.FanOut) report.Value { return report.Count(len(f.Others)) }},
		col{Name: "within", Head: " WITHIN", Drop: 2, Of: func(f sqlite.FanOut) report.Value { return report.Duration(f.Within()) }},
		col{Name: "tokens_read", Head: " CACHE READ", Drop: 1, Of: func(f sqlite.FanOut) report.Value { return report.Count(readBy(&f)) }},
		col{Name: "tokens_written_again_at_most", Head: " WRITTEN AGAIN AT MOST", Of: func(f sqlite.FanOut) report.Value { return report.Count(f.Again()) }},
		col{Head: "SHARED", Of: func(f sqlite.FanOut) report.Value { return report.Text(shared(&f)) }},
		col{Name: "shared_blocks", Of: func(f sqlite.FanOut) report.Value { return report.Count(f.Shared).If(f.Shared > 0) }}))
	d.Say("one that starts after that response has begun reads the shared part; agentsim whatif --stagger says what it saves")
}

// readBy is what the siblings of the first one read.
func readBy(f *sqlite.FanOut) (n int64) {
	for i := range f.Others {
		n += f.Others[i].Usage.Read
	}
	return n
}

func shared(f *sqlite.FanOut) string {
	if f.Shared == 0 {
		return "not known without content"
	}
	return fmt.Sprintf("blocks 1–%d", f.Shared)
}
