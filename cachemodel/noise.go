package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// What a real server does for no reason that a client could see (IMP-09), and the
// best effort of a batch (CACHE-47). All of it is off by default, and each draw
// belongs to its request's stream name: to nobody else and to no order.

// Million is the whole of a share given in parts per million.
const Million = 1_000_000

// VisibilityLag lets a request miss what the request before it wrote: it reads
// what that one read. Measured on recorded tool loops of 2026-04-11 to 2026-05-04:
// 5.4 % of all steps, evenly 6.0 % at gaps under 30 s, 3 of 158 at 30 to 120 s and
// 0 of 99 above; before and after that time next to none.
type VisibilityLag struct {
	Share  int64          // parts per million of the requests within Window; 0 is off
	Window vtime.Duration // after the start of the request that wrote
}

// CollapseNoise lets a request read no further than its first breakpoint, or
// nothing. Measured on the other recorded tool loops: 0.1 to 0.4 % of the steps.
type CollapseNoise struct {
	Share     int64 // parts per million; 0 is off
	ToNothing bool  // else to the prefix of the first breakpoint, where there are others behind it
}

// BatchHits is the share of requests in a batch, in parts per million, that find
// what is there, where a scenario says nothing: the middle of the 30 to 98 % that
// the documentation reports.
const BatchHits = 640_000

// noise is what came between a request and an entry it would have read.
type noise uint8

const (
	quiet noise = iota
	lagging
	collapsed
	bestEffort
)

// disturbed is what a request reads that would have read hit.
func (e *Anthropic) disturbed(a *Admission, hit *place) *place {
	s := &a.Request.Stream
	key := s.Key.At(uint64(s.Call)).At(uint64(s.Attempt))
	o := &e.opt
	switch {
	case o.Batch && !happens(key.Sub("batch"), o.BatchHits):
		return e.disturb(a, bestEffort, 0)
	case happens(key.Sub("collapse"), o.CollapseNoise.Share):
		marks := min(1, a.n-1)
		if o.CollapseNoise.ToNothing {
			marks = 0
		}
		return e.disturb(a, collapsed, marks)
	case a.Start.Sub(hit.written) <= o.VisibilityLag.Window && happens(key.Sub("visibility-lag"), o.VisibilityLag.Share):
		e.hidden = hit
		hit = e.disturb(a, lagging, a.n)
		e.hidden = nil
	}
	return hit
}

// happens draws with a chance in parts per million.
func happens(key rng.Key, share int64) bool { return share > 0 && key.Between(1, Million) <= share }

// disturb looks the request up once more with its first marks only.
func (e *Anthropic) disturb(a *Admission, why noise, marks int) *place {
	a.noise, a.Report.ReadTo = why, nil
	switch why {
	case lagging:
		e.touched.lag = true
	case collapsed:
		e.touched.collapse = true
	case bestEffort:
		e.touched.bestEffort = true
	}
	return e.lookUp(a, marks)
}

// readable is the place of a prefix that an entry ends and that the request at
// hand may see, or nil. One with a limit sees nothing longer. One that lags sees nothing that its predecessor wrote,
// which is all that one request wrote.
func (e *Anthropic) readable(h llm.Hash) *place {
	p := e.store.alive(h)
	if p != nil && e.hidden != nil && p.written == e.hidden.written || p != nil && e.limit != nil && p.tokens > *e.limit {
		return nil
	}
	return p
}

// miss is the reason in a diagnosis.
func (n noise) miss() llm.MissReason {
	switch n {
	case lagging:
		return llm.MissNotYetReadable
	case collapsed, bestEffort:
		return llm.MissNoise
	}
	return llm.NotMissed
}
