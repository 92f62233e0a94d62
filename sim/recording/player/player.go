package player

import (
	"fmt"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// Options say how sessions are played.
type Options struct {
	Cache  cachemodel.AnthropicOptions
	Hidden bool // play the client's own follow-up requests
	// Alter, if set, may change what a request asks for; Extra may add requests of
	// the client that repeat what request i of session si left to be read, in
	// order of time.
	Alter func(si, i int, a *Ask)
	Extra func(si, i int) []vtime.Instant
	Known *Known // nil: what a recording does not say at once is learned as it is played; else Hidden is not looked at
}

// Ask is one request as it is played. Instants are those of the recording's
// clock.
type Ask struct {
	Model              string
	TTL                llm.TTL
	Uncached           bool // it carries no breakpoint
	Start, Begin, Last vtime.Instant
}

// Played is what the model says of one request.
type Played struct {
	Usage  llm.Usage   // Output is the recording's
	Extra  []llm.Usage // of the requests that Options.Extra added behind it
	Static int64       // tokens of the static prefix it began with, as known then; 0 for unknown
	Cut    bool        // its conversation went on from the static prefix only
	alone  bool        // no request played here keeps its static prefix alive
}

// Playable says why a session cannot be played; nil when it can.
func Playable(s *recording.Session) error {
	for i := range s.Requests {
		r := &s.Requests[i]
		switch {
		case !r.Billed:
			return fmt.Errorf("session %s: request %d of %d has no usage: a recording without a bill cannot be played", s.ID, i+1, len(s.Requests))
		case !r.WritesKnown:
			return fmt.Errorf("session %s: request %d of %d (%s) was billed without writes: only Anthropic's cache is played", s.ID, i+1, len(s.Requests), r.Model)
		}
		if p, err := cachemodel.Lookup(r.Model); err != nil {
			return fmt.Errorf("session %s: request %d of %d: %w", s.ID, i+1, len(s.Requests), err)
		} else if !p.Found.Minimum {
			return fmt.Errorf("session %s: request %d of %d: the least length that %s caches is not known", s.ID, i+1, len(s.Requests), r.Model)
		}
	}
	return nil
}

// Result is what the model says of the sessions that were played.
type Result struct {
	Requests [][]Played // by session and request
	Options  []string   // undocumented points of the cache that touched a figure, name=value
}

// Play plays the sessions in one store. Every session must be Playable; the
// error is a request that the API would refuse.
func Play(sessions []*recording.Session, opt Options) (*Result, error) {
	p := &play{sessions: sessions, opt: opt, engine: cachemodel.NewAnthropic(opt.Cache), builder: &llm.Builder{},
		counts: counts{}, statics: map[staticKey]*static{}, sizes: map[staticKey]int64{}, shared: map[string]int64{}, profiles: map[string]*cachemodel.Profile{}}
	p.flights = make([][]flight, len(sessions))
	p.out = make([][]Played, len(sessions))
	for si, s := range sessions {
		if err := Playable(s); err != nil {
			return nil, err
		}
		p.flights[si] = make([]flight, len(s.Requests))
		p.out[si] = make([]Played, len(s.Requests))
		p.threads = append(p.threads, make([]map[staticKey]*static, len(s.Threads)))
	}
	for _, e := range p.timeline() {
		if err := p.step(e); err != nil {
			return nil, err
		}
	}
	return &Result{p.out, p.engine.Options()}, nil
}

// play is one playing.
type play struct {
	sessions []*recording.Session
	opt      Options
	engine   *cachemodel.Anthropic
	builder  *llm.Builder
	counts   counts
	profiles map[string]*cachemodel.Profile
	statics  map[staticKey]*static     // current static prefix of each kind of thread
	sizes    map[staticKey]int64       // of the static prefix that was learned last, whatever the client's version
	threads  [][]map[staticKey]*static // static prefix that a thread is known to have
	flights  [][]flight
	out      [][]Played
	hidden   cachemodel.Admission
	// shared is, by origin, how many static prefixes that no request here kept
	// alive were read all the same, less how many were not: above 0, others of the
	// account keep them alive.
	shared map[string]int64
}

// flight is one request on its way.
type flight struct {
	ask    Ask
	asked  bool
	end    *llm.Node // of what it leaves to be read
	went   *llm.Node // end of what it went on from; nil behind the static prefix
	aside  *llm.Node // of what the client's own request before it left, where a line tells of that
	static *static
	req    cachemodel.Request
	adm    cachemodel.Admission
}

// counts are the tokens of prefixes, exact.
type counts map[llm.Hash]int64

// At is the number of tokens up to n.
func (c counts) At(n *llm.Node) int64 {
	for ; n != nil; n = n.Parent {
		if !n.IsBorder() {
			return c[n.Hash]
		}
	}
	return 0
}

// Err is 0: recorded counts are exact.
func (c counts) Err(*llm.Node) int64 { return 0 }

// ask is what request i of session si asks for.
func (p *play) ask(si, i int) *Ask {
	f := &p.flights[si][i]
	if f.asked {
		return &f.ask
	}
	s := p.sessions[si]
	r := &s.Requests[i]
	f.asked = true
	ttl, _ := s.Lifetime(i)
	f.ask = Ask{Model: r.Model, TTL: ttl, Start: r.Start, Begin: max(r.First, r.Start), Last: max(r.Last, r.First, r.Start)}
	if p.opt.Alter != nil {
		p.opt.Alter(si, i, &f.ask)
		f.ask.Begin = max(f.ask.Begin, f.ask.Start)
		f.ask.Last = max(f.ask.Last, f.ask.Begin)
	}
	return &f.ask
}

// profile is a model's, with nothing hidden: recorded counts hold all.
func (p *play) profile(model string) *cachemodel.Profile {
	if f := p.profiles[model]; f != nil {
		return f
	}
	row, err := cachemodel.Lookup(model)
	if err != nil {
		panic("player: a session was played that is not playable: " + err.Error())
	}
	f := *row
	f.Tail, f.HiddenAuto, f.HiddenForced = 0, 0, 0
	p.profiles[model] = &f
	return &f
}
