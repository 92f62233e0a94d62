// Package mockllm is the simulated Messages API: a server that answers requests
// on virtual time, and the sources of behaviour behind it.
//
// Rules:
//   - The model is a pure function of the request's bytes, its model name and
//     its stream name. It cannot see the simulator: a Query is all it gets.
//   - A call lives through the cache's Admit, Begin and End. Begin runs as a
//     provider callback (phase 0), before any agent of that instant, and so does an
//     End that others can notice: no bill depends on how a tie is broken.
//   - The only suspension is the wait for the answer.
//   - Simulated errors are *llm.APIError; any other error is the scenario's or
//     the abort of the waiting process.
//   - A copy of a request is a call of its own, billed and recorded as failed; a copy of
//     an answer is dropped by the client. Neither runs a tool twice.
package mockllm

import (
	"errors"
	"fmt"

	"agentsim/cachemodel"
	"agentsim/mockllm/fault"
	"agentsim/mockllm/latency"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
)

// Config is what a Server is made of. Engine, Source, Builder and Latency are
// required.
type Config struct {
	Engine  cachemodel.Engine
	Source  Source
	Builder *llm.Builder // the run's
	Latency latency.Latency
	Faults  *fault.Plan // nil: none
	// Profile finds a model; nil is cachemodel.Lookup.
	Profile func(model string) (*cachemodel.Profile, error)
	// Counter counts tokens; nil is the approximate counter of the model.
	Counter tokens.Counter
	// NoHidden leaves out the tokens that tools add to a prompt (CACHE-45).
	NoHidden bool
	// MaxPrompt is the most tokens that a prompt may have, tail included, before
	// the run ends (KRN-06); 0 is no limit. A model's window is another thing: a
	// prompt above it is refused, and the run goes on.
	MaxPrompt int64
	// Limits are each model's rate limits.
	Limits RateLimits
}

// LimitTokens is the name of the limit on a prompt's tokens in a
// *kernel.LimitError.
const LimitTokens = "tokens"

// Server answers calls. It belongs to one run.
type Server struct {
	cfg      Config
	models   map[modelKey]*model
	last     modelKey        // of the last call, and
	lastOf   *model          // its model
	recorded *tokens.Records // of all conversations; nil until a count comes
	free     []*call
	blocks   []llm.Block
	meters   map[string]*meters    // by model
	refused  [len(limitNames)]bool // a call by the limit
}

type modelKey struct {
	id     string
	forced bool
}

type model struct {
	profile  *cachemodel.Profile
	meters   *meters // nil without limits
	counts   *tokens.Counts
	recorded *tokens.Recorded // counts, overridden; nil until a count comes
	tails    map[int64]*cachemodel.Profile
}

// tailed is the model's profile with so many tokens behind the last block.
func (m *model) tailed(tokens int64) *cachemodel.Profile {
	if m.tails == nil {
		m.tails = map[int64]*cachemodel.Profile{}
	}
	if m.tails[tokens] == nil {
		p := *m.profile
		p.Tail = tokens
		m.tails[tokens] = &p
	}
	return m.tails[tokens]
}

// NewServer makes a server. Its latency and limits are those of a scenario, which
// were checked there.
func NewServer(cfg Config) *Server {
	if cfg.Profile == nil {
		cfg.Profile = cachemodel.Lookup
	}
	return &Server{cfg: cfg, models: map[modelKey]*model{}}
}

// Begin admits a request at the present instant and begins its answer, which fills resp.
// The error is an *llm.APIError for a simulated one, or what is wrong with the scenario.
func (s *Server) Begin(k *kernel.Kernel, req *llm.Request, resp *llm.Response) (llm.Call, error) {
	*resp = llm.Response{}
	c := s.take()
	c.req, c.resp, c.kernel = req, resp, k
	now := k.Now()
	if err := c.admit(now); err != nil {
		var api *llm.APIError
		if errors.As(err, &api) {
			api.Started = now
		}
		s.give(c)
		return nil, err
	}
	resp.Started = now
	c.schedule(now)
	if err := c.deliverAgain(now); err != nil {
		s.give(c)
		return nil, err
	}
	return c, nil
}

// model is the profile and the counts for a request.
func (s *Server) model(req *llm.Request) (*model, error) {
	key := modelKey{req.Model, req.Settings.ForcesTool()}
	if s.lastOf != nil && key == s.last {
		return s.lastOf, nil
	}
	m := s.models[key]
	if m == nil {
		profile, err := s.cfg.Profile(req.Model)
		if err != nil {
			return nil, err
		}
		o := tokens.Options{Counter: s.cfg.Counter, Forced: key.forced}
		if !s.cfg.NoHidden {
			o.Hidden = tokens.Hidden{Auto: profile.HiddenAuto, Forced: profile.HiddenForced}
		}
		m = &model{profile: profile, counts: tokens.For(req.Model, o), meters: s.metersOf(profile.ID)}
		s.models[key] = m
	}
	s.last, s.lastOf = key, m
	return m, nil
}

// counts is the model's, overridden by what was recorded for the prefixes of the
// conversation, whoever's call it came with.
func (s *Server) counts(m *model, req *llm.Request, a *Answer) (llm.Counts, error) {
	if len(a.Counts) == 0 && s.recorded == nil {
		return m.counts, nil
	}
	if s.recorded == nil {
		s.recorded = &tokens.Records{}
	}
	if m.recorded == nil {
		m.recorded = &tokens.Recorded{Base: m.counts, Records: s.recorded}
	}
	if len(a.Counts) == 0 {
		return m.recorded, nil
	}
	at, err := absolute(a.Counts, req.Head)
	if err == nil {
		err = s.recorded.Set(req.Head, at)
	}
	if err != nil {
		return nil, fmt.Errorf("%s, call %d: %w", req.Stream.Lineage, req.Stream.Call, err)
	}
	return m.recorded, nil
}

// absolute turns positions counted from the last block into ones from the first.
// Two counts for one position are an error that names the lowest such position.
func absolute(counts map[int]int64, head *llm.Node) (map[int]int64, error) {
	out := make(map[int]int64, len(counts))
	twice := 0
	for pos, n := range counts { // order: one map becomes another, and the lowest is named
		if pos < 0 {
			pos += int(head.Pos) + 1
		}
		if _, ok := out[pos]; ok && (twice == 0 || pos < twice) {
			twice = pos
		}
		out[pos] = n
	}
	if twice != 0 {
		return nil, fmt.Errorf("recorded counts at positions %d and %d are of one block: leave one of them out", twice, twice-int(head.Pos)-1)
	}
	return out, nil
}

// take hands out a call object; give takes it back.
func (s *Server) take() *call {
	if n := len(s.free); n > 0 {
		c := s.free[n-1]
		s.free = s.free[:n-1]
		return c
	}
	return &call{s: s}
}

func (s *Server) give(c *call) {
	if c.running {
		return // torn down in the middle: the engine still holds its admission
	}
	c.req, c.resp, c.in, c.head, c.rule, c.model = nil, nil, cachemodel.Request{}, nil, nil, nil
	clear(c.answer.Blocks)
	clear(c.passes)
	s.free = append(s.free, c)
}

const blockSlab = 64

// keep copies an answer's blocks to where the conversation can refer to them.
func (s *Server) keep(blocks []llm.Block) []llm.Block {
	n := len(blocks)
	if n > len(s.blocks) {
		s.blocks = make([]llm.Block, max(blockSlab, n))
	}
	out := s.blocks[:n:n]
	s.blocks = s.blocks[n:]
	copy(out, blocks)
	return out
}
