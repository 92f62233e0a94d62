package whatif

import (
	"cmp"
	"slices"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording/player"
	"agentsim/sim/vtime"
)

// keepMargin is how long before it expires a prefix is refreshed.
const keepMargin = 10 * vtime.Second

// gapEdges are where one length of idle gaps ends and the next begins.
var gapEdges = [...]vtime.Duration{5 * vtime.Minute, 10 * vtime.Minute, 20 * vtime.Minute, 30 * vtime.Minute, vtime.Hour, 2 * vtime.Hour,
	4 * vtime.Hour, 8 * vtime.Hour, 24 * vtime.Hour, 7 * 24 * vtime.Hour}

// askKeepAlive repeats the last prompt of each conversation that is idle, just
// before it would expire, until it goes on or has been idle for too long. What
// comes next is not known to the client, so a gap that turns out too long costs
// its refreshes as well.
func (p *plan) askKeepAlive() error {
	if p.q.KeepAlive == 0 {
		return nil
	}
	p.refreshes = make([][]vtime.Instant, len(p.session.Requests))
	for _, g := range p.idles() {
		every := p.asks[g.from].ttl.Duration() - keepMargin
		for at := g.last.Add(every); at < p.session.Requests[g.to].Start && at.Sub(g.last) <= p.q.KeepAlive; at = at.Add(every) {
			p.refreshes[g.from] = append(p.refreshes[g.from], at)
		}
	}
	p.note("a refresh repeats the last prompt %s before it would expire, asks for one token and takes no time", keepMargin)
	f := p.opt.priced(p.recorded.Requests[0].Model)
	write := f.Rates.Write5m
	if p.asks[0].ttl == llm.TTL1h {
		write = f.Rates.Write1h
	}
	p.note("by the prices of %s, %d refreshes in a row cost less than writing a conversation again instead of reading it", f.ID, (write-f.Rates.Read)/f.Rates.Read)
	p.note("the client cannot know how long it will be idle: it refreshes until %s have passed, also where the conversation then stays idle for longer", p.q.KeepAlive)
	p.note("a conversation is not refreshed behind its last request")
	return nil
}

// idle is the time between two requests of a thread that follow one another.
type idle struct {
	from, to int32
	last     vtime.Instant // at which from's prompt was used last
}

func (p *plan) idles() (out []idle) {
	of, _ := p.recorded.ByThread()
	for _, reqs := range of {
		for n := 1; n < len(reqs); n++ {
			g := idle{from: reqs[n-1], to: reqs[n]}
			from, to := &p.session.Requests[g.from], &p.session.Requests[g.to]
			if g.last = from.Start; to.Pred == g.from {
				g.last = max(g.last, p.given.Hidden[0][g.to])
			}
			if to.Start > g.last {
				out = append(out, g)
			}
		}
	}
	return out
}

// weighGaps says for each length of gaps whether keeping conversations alive
// paid: what the refreshes cost, and what the requests behind them saved.
func (p *plan) weighGaps(without, with *player.Result) {
	if p.refreshes == nil {
		return
	}
	sums := make([]Gap, len(gapEdges)+1)
	for _, g := range p.idles() {
		extra := with.Requests[0][g.from].Extra
		if len(extra) == 0 {
			continue
		}
		length := p.session.Requests[g.to].Start.Sub(g.last)
		n, _ := slices.BinarySearchFunc(gapEdges[:], length, cmp.Compare[vtime.Duration])
		s, rates := &sums[n], p.opt.priced(p.session.Requests[g.from].Model)
		s.N++
		s.Refreshes += int64(len(extra))
		for _, u := range extra {
			s.Paid += rates.Cost(u)
		}
		s.Saved += cost(p, without, g.to) - cost(p, with, g.to)
	}
	for n := range sums {
		if n > 0 {
			sums[n].From = gapEdges[n-1]
		}
		if n < len(gapEdges) {
			sums[n].UpTo = gapEdges[n]
		}
		if sums[n].N > 0 {
			p.answer.Gaps = append(p.answer.Gaps, sums[n])
		}
	}
}

func cost(p *plan, r *player.Result, i int32) cachemodel.Picodollars {
	return p.opt.priced(p.session.Requests[i].Model).Cost(r.Requests[0][i].Usage)
}
