package metrics

import (
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

func (f *Fold) request(e *transcript.Event, b *transcript.Request) {
	a := f.agent(e.Agent)
	f.hangUp(a, e.At)
	a.sent, a.inCall = e.At, true
	a.Tally.Requests++
	f.requests++
	a.number = f.requests
	if b.Attempt > 0 {
		a.Tally.Retries++
	}
	f.firstRequest(e.Agent, b)
}

func (f *Fold) response(e *transcript.Event, b *transcript.Response) {
	a := f.agent(e.Agent)
	a.Tally.Calls++
	f.call = Call{Agent: e.Agent, Call: b.Call, Attempt: b.Attempt, Model: b.Model, Ended: e.At,
		Usage: b.Resp.Usage, Miss: b.Resp.Cache.Miss}
	f.bill(a)
	f.narrow(a, &b.Resp.Cache)
	a.woken = false
}

// narrow keeps that f.call read what had nearly expired, and what it would have cost to
// write that again, for as long.
func (f *Fold) narrow(a *agent, read *llm.CacheReport) {
	if read.Life == 0 || read.Left > read.Life/10 {
		return
	}
	n, u := &f.run.Narrow, f.call.Usage
	if n.Calls++; n.Calls == 1 || read.Left < n.Left {
		n.Left, n.Life, n.Lineage, n.Number = read.Left, read.Life, a.Lineage, a.number
	}
	if m := f.model(f.call.Model); !m.Unpriced {
		again := u
		if again.Read = 0; read.Life >= vtime.Hour {
			again.Write1h += u.Read
		} else {
			again.Write5m += u.Read
		}
		n.Cost += m.price.Cost(again) - m.price.Cost(u)
	}
}

func (f *Fold) apiError(e *transcript.Event, b *transcript.APIError) {
	a := f.agent(e.Agent)
	a.Tally.Errors++
	f.call = Call{Agent: e.Agent, Call: b.Call, Attempt: b.Attempt, Model: b.Model, Ended: e.At,
		Usage: b.Err.Usage, Miss: b.Err.Cache.Miss, Status: b.Err.Status, Failed: true}
	f.bill(a)
	a.Tally.ErrorCost += f.call.Cost
}

// bill books f.call, which has just ended, to its agent.
func (f *Fold) bill(a *agent) {
	c := &f.call
	c.Sent = a.sent
	f.hangUp(a, c.Ended)
	t := &a.Tally
	if c.Usage != (llm.Usage{}) {
		parts := f.price(c)
		if a.woken {
			t.WakeUpCost += parts.Total() - parts.Output
		}
	}
	t.book(c)
	f.note(a, c)
	if f.opt.OnCall != nil {
		f.opt.OnCall(c)
	}
}

// book adds what a call was billed and why it missed.
func (t *Tally) book(c *Call) {
	t.Usage = t.Usage.Plus(c.Usage)
	t.Cost += c.Cost
	t.Uncached += c.Uncached
	if r := c.Miss.Reason; r != llm.NotMissed {
		t.Misses[r].Calls++
		t.Misses[r].Lost += c.Miss.Lost
		t.Misses[r].Cost += c.lost
	}
}

// price sets the call's cost, books it to its model and returns its parts. Rates
// may depend on the length of one prompt, so parts are summed call by call.
func (f *Fold) price(c *Call) (p Parts) {
	m := f.model(c.Model)
	m.Usage = m.Usage.Plus(c.Usage)
	if m.Unpriced {
		return p
	}
	c.Cost, c.Uncached = m.price.Cost(c.Usage), m.price.CostUncached(c.Usage)
	if c.Miss.Reason != llm.NotMissed {
		c.lost = c.Cost - m.price.Cost(c.Usage.Hit(c.Miss.Lost))
	}
	r, u := rates(m.price, c.Usage), c.Usage
	p = Parts{
		Input:   r.Cost(llm.Usage{Input: u.Input}),
		Written: r.Cost(llm.Usage{Write5m: u.Write5m, Write1h: u.Write1h}),
		Read:    r.Cost(llm.Usage{Read: u.Read}),
		Output:  r.Cost(llm.Usage{Output: u.Output}),
	}
	m.Cost = m.Cost.Plus(p)
	return p
}

// rates are those that hold for a call of that length.
func rates(p *cachemodel.Profile, u llm.Usage) cachemodel.Rates {
	if p.LongPrompt > 0 && u.Prompt() > p.LongPrompt {
		return p.Above
	}
	return p.Rates
}

// hangUp ends the interval of the request on its way, if there is one: the
// agent was busy and its chain grew by so much.
func (f *Fold) hangUp(a *agent, now vtime.Instant) {
	if !a.inCall {
		return
	}
	took := now.Sub(a.sent)
	a.inCall = false
	a.Ended = now
	a.Tally.Busy += took
	a.Path += took
}

// model finds a model's price and use. Runs have a handful of models.
func (f *Fold) model(name string) *model {
	for i := range f.models {
		if f.models[i].Name == name {
			return &f.models[i]
		}
	}
	price, err := f.opt.Price(name)
	m := model{Model{Name: name, Unpriced: err != nil}, price}
	if err == nil {
		m.Prices = strings.Join(price.Words(), " ")
	}
	f.models = append(f.models, m)
	return &f.models[len(f.models)-1]
}

// Watched is the figures of one call that somebody asked for.
type Watched struct {
	Name  string // as in Options.Watch
	Tally Tally
}

// watched is a call that is waited for.
type watched struct {
	Watched
	lineage string
	call    int // from 0; -1 matches none
}

func newWatched(name string) watched {
	lineage, number, _ := strings.Cut(name, "#")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		n = 0
	}
	return watched{Watched{Name: name}, lineage, n - 1}
}

// note keeps the figures of a call that is watched; each attempt adds its own.
func (f *Fold) note(a *agent, c *Call) {
	for i := range f.watch {
		w := &f.watch[i]
		if w.call != c.Call || w.lineage != a.Lineage {
			continue
		}
		t := &w.Tally
		t.Requests++
		if c.Failed {
			t.Errors++
		} else {
			t.Calls++
		}
		t.Busy += c.Ended.Sub(c.Sent)
		t.book(c)
	}
}
