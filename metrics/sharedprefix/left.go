package sharedprefix

import (
	"cmp"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Sent is a request that was answered.
type Sent struct {
	N       int64  // in the run, from 1
	Agent   string // its lineage
	First   bool   // of its agent
	Model   string
	Head    *llm.Node
	Marks   []llm.Breakpoint
	ReadTo  int32 // blocks
	Written int64 // tokens
	Started vtime.Instant
}

// Left is what other agents had left in the cache for an agent's first request: a prefix
// that they had marked too.
type Left struct {
	Sent
	By      *Sent // who used it last
	Blocks  int32 // of it
	Unused  vtime.Duration
	TTL     llm.TTL
	Expired bool // it was not there any more; else it was read
}

// use is the last one of a prefix.
type use struct {
	of  *Sent
	ttl llm.TTL
}

// prefix is what an entry of the cache is of.
type prefix struct {
	model string
	hash  llm.Hash
}

// LeftOver lists, of requests in any order, what agents' first ones found of what others
// left, and what of that had expired. Nobody can read what is below a model's minimum,
// nor what another is writing; neither is in it. Count is a prefix's tokens.
func LeftOver(sent []Sent, count func(model string, n *llm.Node) int64) (out []Left) {
	slices.SortStableFunc(sent, func(a, b Sent) int { return cmp.Compare(a.Started, b.Started) })
	last := map[prefix]use{}
	for i := range sent {
		s := &sent[i]
		if s.First {
			if l, found := leftFor(s, last, count); found {
				out = append(out, l)
			}
		}
		if len(s.Marks) == 0 {
			continue
		}
		for n := s.Marks[len(s.Marks)-1].Node; n != nil; n = n.Parent { // it uses each shorter one too
			if u, known := last[prefix{s.Model, n.Hash}]; known {
				last[prefix{s.Model, n.Hash}] = use{s, u.ttl}
			}
		}
		for _, m := range s.Marks {
			p := prefix{s.Model, m.Node.Hash}
			last[p] = use{s, max(m.TTL, last[p].ttl)}
		}
	}
	return out
}

// leftFor looks as a breakpoint does, from the last one back.
func leftFor(s *Sent, last map[prefix]use, count func(model string, n *llm.Node) int64) (Left, bool) {
	for i := len(s.Marks) - 1; i >= 0; i-- {
		back := cachemodel.LookBack
		for n := s.Marks[i].Node; n != nil && back > 0; n = n.Parent {
			if n.IsBorder() {
				continue
			}
			back--
			u, known := last[prefix{s.Model, n.Hash}]
			if !known || u.of.Agent == s.Agent {
				continue
			}
			l := Left{Sent: *s, By: u.of, Blocks: n.Pos, Unused: s.Started.Sub(u.of.Started), TTL: u.ttl}
			if p, err := cachemodel.Lookup(s.Model); err != nil || count(s.Model, n) < p.Minimum {
				return l, false
			}
			l.Expired = s.ReadTo < l.Blocks && l.Unused > u.ttl.Duration()
			return l, l.Expired || s.ReadTo >= l.Blocks
		}
	}
	return Left{}, false
}

// Sessions is a transcript.Sink that keeps what LeftOver asks for of the agents that it
// tells about, those that nobody started, and of others that came before them.
type Sessions struct {
	agents []string // lineages, by ordinal
	models []string // of first requests that nobody started
	open   map[int32]Sent
	sent   []Sent
}

// Emit takes one event in.
func (s *Sessions) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		for int(e.Agent) >= len(s.agents) {
			s.agents = append(s.agents, "")
		}
		s.agents[e.Agent] = b.Lineage
	case *transcript.Request:
		if s.open == nil {
			s.open = map[int32]Sent{}
		}
		lineage := s.agents[e.Agent]
		first := b.Call == 0 && !strings.Contains(lineage, "/")
		switch known := slices.Contains(s.models, b.Model); {
		case known:
		case !first: // no session begins with what another model has cached
			return
		default:
			s.models = append(s.models, b.Model)
		}
		s.open[e.Agent] = Sent{Agent: lineage, First: first, Model: b.Model, Head: b.Head, Marks: Marked(b.Breakpoints, b.Head, b.Automatic)}
	case *transcript.Response:
		x, is := s.open[e.Agent]
		if !is {
			return
		}
		delete(s.open, e.Agent)
		x.N, x.ReadTo, x.Started = int64(len(s.sent)+1), blocksOf(b.Resp.Cache.ReadTo), b.Resp.Started
		s.sent = append(s.sent, x)
	}
}

// Marked are breakpoints with the one that the API places itself.
func Marked(of []llm.Breakpoint, head *llm.Node, automatic bool) []llm.Breakpoint {
	of = slices.Clone(of)
	if automatic {
		of = append(of, llm.Breakpoint{Node: head})
	}
	return of
}

// Met is how many first requests of sessions found what another one had left, and for how
// many it had expired.
type Met struct{ Found, Expired int64 }

// Met counts.
func (s *Sessions) Met(count func(model string, n *llm.Node) int64) (m Met) {
	for _, l := range LeftOver(s.sent, count) {
		if l.Expired {
			m.Expired++
		} else {
			m.Found++
		}
	}
	return m
}
