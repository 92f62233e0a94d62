package sqlite

import (
	"fmt"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Carried is what a writer that Later made gathered of a run, in a form that can be sent
// to another process.
type Carried struct {
	Agents []byte // cells of their rows, as seals are made of them
	Ended  [3]uint64
	Events int64
	At     vtime.Instant // of the last one
	Usage  llm.Usage
	Calls  int64

	Cost, Uncached int64 // picodollars
}

// Carry hands over what the writer gathered; nothing may be emitted to it any more.
func (w *Writer) Carry() *Carried {
	for _, t := range w.all() {
		if t != &w.agents && len(t.rows) > 0 {
			panic("sqlite: rows of " + t.name + " are not carried")
		}
	}
	t, s := &w.totals, &w.endedSum
	c := &Carried{Ended: [3]uint64{uint64(s.rows), s.hi, s.lo}, Events: w.count, At: w.lastAt, Calls: t.calls, Usage: t.usage, Cost: t.cost, Uncached: t.uncached}
	for _, v := range w.agents.rows {
		c.Agents = appendCell(c.Agents, v)
	}
	return c
}

// Bring takes over what the writer of another process gathered of the same run. The
// error is one of damage on the way.
func (w *Writer) Bring(c *Carried) error {
	for rest := cells(c.Agents); len(rest) > 0; {
		v, err := rest.next()
		if err != nil {
			return fmt.Errorf("run %s: rows of its agents: %w", w.of.ID, err)
		}
		w.agents.rows = append(w.agents.rows, v)
	}
	if len(w.agents.rows)%w.agents.width != 0 {
		return fmt.Errorf("run %s: rows of its agents: %w", w.of.ID, errCell)
	}
	w.endedSum = sum{int64(c.Ended[0]), c.Ended[1], c.Ended[2]}
	w.count, w.lastAt, w.totals = c.Events, c.At, totals{c.Calls, c.Usage, c.Cost, c.Uncached}
	return nil
}
