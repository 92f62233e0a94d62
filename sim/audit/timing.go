package audit

import (
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Timing is how long calls of the model take: the first byte comes after the queue, the
// time of the prompt's tokens by whether they are read from the cache, and a delay that
// each try draws for itself.
type Timing struct {
	Queue, Prefill, Read, Decode, Jitter vtime.Duration
	Queued, Jittered                     *rng.Span // drawn, in place of Queue and Jitter
	Draws                                rng.Key   // of agents, by lineage
}

// jitterSteps is how many steps there are from no jitter to all of it.
const jitterSteps = 1000

// first is LLM-07 for an answer: its first byte comes when the formula says. What is drawn
// is drawn again for further tries alone, which are rare; of others it is in its bounds.
func (u *cacheBooks) first(a *agent, b *transcript.Response) {
	s, r := u.opt.Session, b.Resp
	if s == nil || s.Timing == nil || r.Iterations != nil || a.resumed {
		return
	}
	t := s.Timing
	least := t.Queue + t.Prefill*vtime.Duration(r.Usage.Prompt()-r.Usage.Read) + t.Read*vtime.Duration(r.Usage.Read)
	most := least + t.Jitter
	if b.Attempt > 0 {
		least += t.drawn(a.lineage, b.Call, b.Attempt)
		most = least
	} else if t.Queued != nil || t.Jittered != nil {
		return
	}
	if took := r.Began.Sub(r.Started); u.fails(llm07, took >= least && took <= most) {
		u.report(llm07, a, "a first byte after "+least.String()+" to "+most.String(), "after "+took.String())
	}
}

// drawn is what a try of a call draws, beyond what is fixed.
func (t *Timing) drawn(lineage string, call, attempt int) (d vtime.Duration) {
	key := t.Draws.Sub(lineage).At(uint64(call)).At(uint64(attempt)).Sub("latency")
	if t.Queued != nil {
		d = vtime.Duration(t.Queued.Draw(key.Sub("queue"))) - t.Queue
	}
	switch {
	case t.Jittered != nil:
		d += vtime.Duration(t.Jittered.Draw(key.Sub("jitter")))
	case t.Jitter > 0:
		d += t.Jitter / jitterSteps * vtime.Duration(key.Sub("jitter").Between(0, jitterSteps))
	}
	return d
}

// cutShort is CON-09 for a call that was aborted: it is billed for no more of its answer
// than was streamed by then.
func (u *cacheBooks) cutShort(a *agent, e *llm.APIError) {
	s := u.opt.Session
	if s == nil || s.Timing == nil || e.Type != "aborted" {
		return
	}
	most := int64(0)
	if e.Began > 0 {
		most = int64(u.now.Sub(e.Began) / s.Timing.Decode)
	}
	if u.fails(con09, e.Usage.Output <= most) {
		u.report(con09, a, "no more than the "+decimal(most)+" tokens billed that were streamed before the abort", decimal(e.Usage.Output))
	}
}
