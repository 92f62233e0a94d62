package whatif

import (
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/player"
	"agentsim/sim/vtime"
)

// Ask answers a question about s. The error is a *Refusal when s does not hold
// what is asked, else a request that the API would refuse.
func Ask(s *recording.Session, q *Question, opt Options) (*Answer, error) {
	p, err := prepare(s, q, opt)
	if err != nil {
		return nil, err
	}
	base, err := p.play(s, p.known, nil, nil)
	if err != nil {
		return nil, err
	}
	without, err := p.play(p.session, p.given, p.alter, nil)
	if err != nil {
		return nil, err
	}
	then := without
	if p.refreshes != nil {
		if then, err = p.play(p.session, p.given, p.alter, p.extra); err != nil {
			return nil, err
		}
	}
	alone, err := player.Play([]*recording.Session{s}, p.options())
	if err != nil {
		return nil, err
	}
	a := p.answer
	p.bill(alone, base, then)
	p.band(base, then)
	p.weighGaps(without, then)
	w := p.world()
	a.Taken = w.taken()
	a.Assumed = append(p.common(), p.notes...)
	a.Options = slices.Compact(slices.Sorted(slices.Values(append(base.Options, then.Options...))))
	return a, nil
}

// plan is a question made ready for one session.
type plan struct {
	recorded *recording.Session
	session  *recording.Session // as it is played under the question
	q        *Question
	opt      Options
	asks     []change      // of each request
	known    *player.Known // of the recorded session
	given    *player.Known // of the session under the question
	// refreshes are, by request, when its prompt is repeated; nil for never.
	refreshes [][]vtime.Instant
	answer    *Answer
	notes     []string // what the question itself takes for granted
}

// change is what a request asks for under the question.
type change struct {
	ttl      llm.TTL
	uncached bool
}

// prepare refuses what the session cannot answer and changes what was asked.
func prepare(s *recording.Session, q *Question, opt Options) (*plan, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	if err := billable(s, &opt); err != nil {
		return nil, err
	}
	p := &plan{recorded: s, q: q, opt: opt, answer: &Answer{}, known: player.Hindsight([]*recording.Session{s}, opt.Slack)}
	if q.Static > 0 {
		p.tellStatic()
	}
	p.copy()
	for _, step := range [...]func() error{p.askModel, p.askStagger, p.askLifetime, p.askKeepAlive} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// billable refuses a session that cannot be played or priced.
func billable(s *recording.Session, opt *Options) error {
	if len(s.Requests) == 0 {
		return refuse("", "it holds no requests")
	}
	if err := player.Playable(s); err != nil {
		return refuse("", "%s", strings.TrimPrefix(err.Error(), "session "+s.ID+": "))
	}
	for i := range s.Requests {
		if p := opt.priced(s.Requests[i].Model); !p.Found.Rates {
			return refuse("", "request %d of %d: no rates of %s are known, so there is no bill", i+1, len(s.Requests), p.ID)
		}
	}
	return nil
}

// priced is a model that was looked up before, with its rates.
func (opt *Options) priced(model string) *cachemodel.Profile {
	if opt.Price == nil {
		return profile(model)
	}
	return must(opt.Price(model))
}

// profile is that of a model which was looked up before.
func profile(model string) *cachemodel.Profile { return must(cachemodel.Lookup(model)) }

func must(p *cachemodel.Profile, err error) *cachemodel.Profile {
	if err != nil {
		panic("whatif: a session was priced that is not playable: " + err.Error())
	}
	return p
}

// copy makes the session that the question changes.
func (p *plan) copy() {
	c := *p.recorded
	c.Requests = slices.Clone(c.Requests)
	c.Threads = slices.Clone(c.Threads)
	p.session = &c
	k := *p.known
	k.Static, k.From = [][]int64{slices.Clone(k.Static[0])}, [][]int32{slices.Clone(k.From[0])}
	k.Seen, k.Warm = [][]bool{slices.Clone(k.Seen[0])}, [][]bool{slices.Clone(k.Warm[0])}
	p.given = &k
	p.asks = make([]change, len(c.Requests))
	for i := range p.asks {
		p.asks[i].ttl, _ = p.recorded.Lifetime(i)
		p.asks[i].uncached = p.q.NoCache
	}
}

// tellStatic takes the static prefix of sub-agents from the question where the
// recording does not tell it.
func (p *plan) tellStatic() {
	for i := range p.recorded.Requests {
		r := &p.recorded.Requests[i]
		if n := &p.known.Static[0][i]; *n == 0 && p.kind(r) == recording.SubAgent && p.q.Static <= size(r) {
			*n = p.q.Static
		}
	}
}

// size is what a request leaves to be read, in tokens.
func size(r *recording.Request) int64 { return r.Usage.Read + r.Usage.Written() }

// kind is the kind of a request's thread as recorded.
func (p *plan) kind(r *recording.Request) recording.ThreadKind {
	return p.recorded.Threads[r.Thread].Kind
}

// resize makes a request leave so many tokens to be read, with so much plain
// input behind them.
func resize(r *recording.Request, size, input int64) {
	r.Usage = llm.Usage{Read: size, Input: input, Output: r.Usage.Output}
}

func (p *plan) play(s *recording.Session, known *player.Known, alter func(si, i int, a *player.Ask), extra func(si, i int) []vtime.Instant) (*player.Result, error) {
	opt := p.options()
	opt.Known, opt.Alter, opt.Extra = known, alter, extra
	return player.Play([]*recording.Session{s}, opt)
}

// options are those under which recordings are judged.
func (p *plan) options() player.Options {
	opt := player.Options{Cache: cachemodel.DefaultAnthropicOptions(), Hidden: true}
	opt.Cache.LateExpiry = p.opt.Slack
	return opt
}

func (p *plan) alter(_, i int, a *player.Ask) {
	a.TTL, a.Uncached = p.asks[i].ttl, p.asks[i].uncached
}

func (p *plan) extra(_, i int) []vtime.Instant { return p.refreshes[i] }

// band says what a longer lifetime saves if user turns read less than the model
// says.
func (p *plan) band(base, then *player.Result) {
	var kept cachemodel.Picodollars // saved by user turns that it keeps
	for i := range p.recorded.Requests {
		r := &p.recorded.Requests[i]
		was, is := base.Requests[0][i].Usage, then.Requests[0][i].Usage
		if f := p.opt.priced(r.Model); r.UserTurn && p.asks[i].ttl == llm.TTL1h && is.Read > was.Read {
			kept += f.Cost(was) - f.Cost(is)
		}
	}
	if a := p.answer; p.q.lifetimes() && kept > 0 {
		a.Low, a.High = a.Saved()-kept*(100-leastRead)/100, a.Saved()-kept*(100-mostRead)/100
	}
}

// bill sums what was billed, reproduced and asked.
func (p *plan) bill(alone, base, then *player.Result) {
	a := p.answer
	for i := range p.recorded.Threads {
		k := p.recorded.Threads[i].Kind
		for _, b := range [...]*Bills{&a.Recorded, &a.Alone, &a.Model, &a.If} {
			b[k].Threads++
		}
	}
	for i := range p.recorded.Requests {
		r := &p.recorded.Requests[i]
		k := p.kind(r)
		was, will := p.opt.priced(r.Model), p.opt.priced(p.session.Requests[i].Model)
		a.Recorded[k].add(r.Usage, was.Cost(r.Usage))
		u := alone.Requests[0][i].Usage
		a.Alone[k].add(u, was.Cost(u))
		u = base.Requests[0][i].Usage
		a.Model[k].add(u, was.Cost(u))
		u = then.Requests[0][i].Usage
		a.If[k].add(u, will.Cost(u))
		for _, u := range then.Requests[0][i].Extra {
			a.If[k].add(u, will.Cost(u))
			a.Refreshes[k].add(u, will.Cost(u))
		}
	}
}
