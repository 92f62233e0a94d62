package sqlite

import (
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// billed is what the writer keeps of an agent's latest answered request, for what
// its recording has to add.
type billed struct {
	seq, n int64
	model  string
	usage  llm.Usage
	lost   int64
}

// recorded makes the rows of what only a recording knows of a request.
func (w *Writer) recorded(e *transcript.Event, b *transcript.Recorded) {
	last := &w.agent(e.Agent).last
	w.recordedRequests.add(w.run, int64(e.Seq), last.n, last.seq, b.ID, b.Pred, b.Version, b.Stop,
		flag(b.UserTurn), flag(b.Compacted), flag(!b.OutputUnknown), flag(!b.WritesUnknown), flag(!b.Unbilled),
		int64(b.AnswerBlocks), b.ServerMiss, b.ServerMissed, b.Class, b.Cause, b.Expected, last.lost, w.lostCost(last), b.Told, b.Changed)
	for i, t := range b.Tools {
		w.recordedTools.add(w.run, int64(e.Seq), int64(i), t.ID, int64(t.Spawned))
	}
}

// lostCost is what a miss cost: the call's price less that of one that reads the
// lost tokens.
func (w *Writer) lostCost(c *billed) int64 {
	if w.opt.Cost == nil || c.lost <= 0 {
		return 0
	}
	paid, _ := w.opt.Cost(c.model, c.usage)
	hit, _ := w.opt.Cost(c.model, c.usage.Hit(c.lost))
	return paid - hit
}
