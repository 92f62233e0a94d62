package reprice

import (
	"fmt"
	"slices"

	"agentsim/cachemodel"
	"agentsim/mockllm/latency"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/rng"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"
)

// player asks a cache of its own what the requests of a record read and write.
type player struct {
	r       *Record
	sc      *scenarios.Scenario
	engine  *cachemodel.Anthropic
	latency latency.Latency
	book    *script.Book
	key     rng.Key // of the agents
	models  map[string]*model
	records *tokens.Records // counts that the scenario recorded; nil until one comes
	agents  map[int32]*asked
	flights []flight // by request
	due     callbacks
}

// model is a model's profile and its counts, without and with a forced tool.
type model struct {
	profile *cachemodel.Profile
	counts  [2]*tokens.Counts
}

// asked is an agent as far as its requests tell.
type asked struct {
	lineage string
	key     rng.Key
	plan    *agent.Plan
	head    *llm.Node // of its last request
	expects llm.Expectation
	marks   []llm.Breakpoint // of its last call
	call    int              // the number of that call; -1 for none
	sent    bool             // expects holds something
	resumed bool             // and nothing was sent since
	forced  bool             // its last request that was billed made the model call a tool
}

// flight is one request on its way.
type flight struct {
	call     Call
	req      llm.Request
	in       cachemodel.Request
	expects  llm.Expectation
	adm      cachemodel.Admission
	admitted bool
}

func newPlayer(r *Record, sc *scenarios.Scenario) (*player, error) {
	latency, err := sc.Provider.Latency.Whole()
	if err != nil {
		return nil, err
	}
	main := sc.Provider.ModelID(sc.Provider.Model)
	book, err := script.NewBook(sc.Scripts, script.NewFiller(tokens.Approx(main)))
	if err != nil {
		return nil, err
	}
	return &player{r: r, sc: sc, engine: cachemodel.NewAnthropic(sim.CacheOptions(&sc.Provider)), latency: latency,
		book: book, key: rng.Root(r.seed).Sub("agents"), models: map[string]*model{}, agents: map[int32]*asked{},
		flights: make([]flight, len(r.sent))}, nil
}

// step plays one event, after all that the provider does until then.
func (p *player) step(s *step) error {
	if s.birth != nil {
		return p.born(s.birth)
	}
	p.pump(s.at)
	for _, i := range s.sends {
		if err := p.admit(i, s.at); err != nil {
			return err
		}
	}
	if s.ends >= 0 {
		p.end(s.ends)
	}
	return nil
}

// born gives an agent its plan, and a fork what its parent's next request could
// have read. A resumed one keeps its own.
func (p *player) born(b *sqlite.Activation) error {
	if a := p.agents[b.Agent]; a != nil {
		a.resumed = true
		return nil
	}
	a := &asked{lineage: b.Lineage, key: p.key.Sub(b.Lineage), call: -1}
	p.agents[b.Agent] = a
	parent := p.agents[b.Parent]
	switch {
	case parent == nil:
		return p.root(a)
	case b.Structure == "fork":
		a.plan, a.expects, a.sent = parent.plan, parent.expects, parent.sent
	case b.Type == agent.TypeAside:
		plan := *parent.plan
		plan.Until, plan.Fourth = parent.head, false
		a.plan, a.expects, a.sent = &plan, parent.expects, parent.sent
	case b.Type == agent.TypeAsideAgent:
		a.plan = parent.plan
	default:
		plan := *parent.plan
		plan.TTL, plan.ShortAt = p.sc.Provider.SubagentTTL, 0
		if own, ok := p.r.lifetimes[b.Type]; ok {
			plan.TTL = own
		}
		a.plan = &plan
	}
	return nil
}

func (p *player) root(a *asked) error {
	roots := sim.Roots(p.sc)
	for i := range roots {
		if sim.RootLineage(&roots[i]) == a.lineage {
			a.plan = sim.Plan(&p.sc.Provider, &roots[i])
			return nil
		}
	}
	return fmt.Errorf("agent %s is none of the scenario's roots", a.lineage)
}

// model is that of a request, by its name.
func (p *player) model(name string) (*model, error) {
	if m := p.models[name]; m != nil {
		return m, nil
	}
	prof, err := sim.Profile(&p.sc.Provider, name)
	if err != nil {
		return nil, err
	}
	m := &model{profile: prof}
	var hidden tokens.Hidden
	if p.sc.Provider.CountsHidden() {
		hidden = tokens.Hidden{Auto: prof.HiddenAuto, Forced: prof.HiddenForced}
	}
	for i := range m.counts {
		m.counts[i] = tokens.For(name, tokens.Options{Hidden: hidden, Forced: i == 1})
	}
	p.models[name] = m
	return m, nil
}

// admit brings request i before the cache.
func (p *player) admit(i int, now vtime.Instant) error {
	s, f := &p.r.sent[i], &p.flights[i]
	a := p.agents[s.Agent]
	if a == nil || a.plan == nil {
		return fmt.Errorf("%s: its agent is not on record", callName(s))
	}
	m, err := p.model(s.Model)
	if err != nil {
		return fmt.Errorf("%s: %w", callName(s), err)
	}
	f.call = Call{Sent: s, Lineage: a.lineage, profile: m.profile}
	f.req = llm.Request{Model: s.Model, Head: s.Head, MaxTokens: p.sc.Settings.Tokens(),
		Stream: llm.StreamName{Lineage: a.lineage, Key: a.key, Call: s.Call, Attempt: s.Attempt}}
	if s.Stop == llm.MaxTokens.String() && s.Usage.Output == 0 {
		f.req.MaxTokens = 0 // it only warmed the cache
	}
	p.expect(a, f)
	if err := a.mark(f, now); err != nil {
		return fmt.Errorf("%s: %w", callName(s), err)
	}
	f.call.marked = sameMarks(&f.req, s)
	counts, err := p.counts(i, m, a, f)
	if err != nil {
		return fmt.Errorf("%s: %w", callName(s), err)
	}
	if s.Stop == refused {
		return nil
	}
	f.in = cachemodel.Request{Request: &f.req, Profile: m.profile, Counts: counts}
	if err := p.engine.Admit(now, &f.in, &f.adm); err != nil {
		return fmt.Errorf("%s would be refused: %w; run the scenario with the setting to see what follows", callName(s), err)
	}
	f.admitted = true
	f.call.first = f.adm.Usage
	p.schedule(s, f)
	return nil
}

// mark places a request's markers. They are placed once for a call: further
// attempts have those of the first.
func (a *asked) mark(f *flight, now vtime.Instant) error {
	s := f.call.Sent
	static, system, err := front(s, a.plan)
	if err != nil {
		return err
	}
	again := s.Call == a.call
	a.plan.Place(&f.req, static, system, s.Call, now)
	a.head = f.req.Head
	if again {
		f.req.Breakpoints = a.marks
	}
	a.marks, a.call = f.req.Breakpoints, s.Call
	return nil
}

// sameMarks reports whether a request has the markers that are on record.
func sameMarks(req *llm.Request, s *sqlite.Sent) bool {
	return req.Automatic == s.Automatic && slices.Equal(req.Breakpoints, s.Marks)
}

// expect sets what the request could read of the agent's earlier one.
func (p *player) expect(a *asked, f *flight) {
	if a.resumed {
		// The conversation was made anew from its transcript: what was sent before is
		// looked for in it by position.
		a.resumed = false
		a.expects.Head, a.expects.Mark = block(f.req.Head, a.expects.Head), block(f.req.Head, a.expects.Mark)
	}
	if a.sent {
		f.expects = a.expects
		f.req.Expect = &f.expects
	}
}

// block is the block of a conversation at the position of another's, nil for none.
func block(head, other *llm.Node) *llm.Node {
	if other == nil {
		return nil
	}
	for n := head; n != nil && n.Pos >= other.Pos; n = n.Parent {
		if n.Pos == other.Pos && !n.IsBorder() {
			return n
		}
	}
	return nil
}

// counts are those of a request: the model's, with what the scenario recorded over
// them. Whether it makes the model call a tool, which has hidden tokens of its own,
// is on record only by the size of its prompt.
func (p *player) counts(i int, m *model, a *asked, f *flight) (llm.Counts, error) {
	s := &p.r.sent[i]
	if given := p.book.Counts(a.lineage, s.Call); len(given) > 0 {
		at := make(map[int]int64, len(given))
		for pos, n := range given { // order: one map becomes another
			if pos < 0 {
				pos += int(s.Head.Pos) + 1
			}
			at[pos] = n
		}
		if p.records == nil {
			p.records = &tokens.Records{}
		}
		if err := p.records.Set(s.Head, at); err != nil {
			return nil, err
		}
	}
	of := func(forced int) llm.Counts {
		if p.records == nil {
			return m.counts[forced]
		}
		return &tokens.Recorded{Base: m.counts[forced], Records: p.records}
	}
	if p.sc == p.r.own {
		if prompt := s.Usage.Prompt(); prompt > 0 {
			a.forced = of(0).At(s.Head)+m.profile.Tail != prompt && of(1).At(s.Head)+m.profile.Tail == prompt
		}
		p.r.forced[i] = a.forced
	}
	if !p.r.forced[i] {
		return of(0), nil
	}
	f.req.Settings.ToolChoice = "any"
	return of(1), nil
}
