package metrics

import (
	"fmt"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// Shared is how much of their beginning some requests have in common: the first
// requests of the children of one message, or a request and the one before it of
// the same agent.
type Shared struct {
	// Who is the agent and its call, from 1, such as main#3: of siblings the
	// parent and the call that spawned them, else the later of the two requests.
	Who      string
	Siblings int // children of one message, 2 or more; 0 for requests of one agent
	// Block is the first position that differs, from 1, and Byte the offset of
	// the first byte that differs in the flat bytes of the requests, which is how
	// many bytes are shared.
	Block int32
	Byte  int64
	Of    int64 // bytes of the earlier request; of siblings those of the first one's
}

// String says it in a line.
func (s Shared) String() string {
	if s.Siblings > 0 {
		return fmt.Sprintf("the %d children of %s share %d bytes, up to block %d", s.Siblings, s.Who, s.Byte, s.Block)
	}
	return fmt.Sprintf("%s shares %d of %d bytes with the request before it, up to block %d", s.Who, s.Byte, s.Of, s.Block)
}

// Prefixes is a transcript.Sink that finds where prefixes part. Like a prompt
// cache it sees hashes of blocks; the byte comes from the blocks that differ.
type Prefixes struct {
	agents []prefixAgent
	broods []brood
	parted []Shared
	cut    int64
}

type prefixAgent struct {
	lineage string
	call    int       // of its last request, from 0
	head    *llm.Node // of its last request
	brood   int       // index from 1 of the one it belongs to, until its first request
	opened  int       // index from 1 of the brood that its last call spawned
}

// brood are the children of one message. The first one's request is kept until
// all have sent theirs.
type brood struct {
	Shared
	first   *llm.Node
	waiting int
}

// Emit takes one event in.
func (p *Prefixes) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		p.start(e.Agent, b)
	case *transcript.Request:
		p.request(p.agent(e.Agent), b)
	}
}

// agent is the state of an ordinal.
func (p *Prefixes) agent(ordinal int32) *prefixAgent {
	for int(ordinal) >= len(p.agents) {
		p.agents = append(p.agents, prefixAgent{call: -1})
	}
	return &p.agents[ordinal]
}

func (p *Prefixes) start(ordinal int32, b *transcript.AgentStart) {
	if a := p.agent(ordinal); a.lineage != "" {
		return // a new activation of a known agent
	}
	p.agents[ordinal].lineage = b.Lineage
	if b.Parent < 0 || b.ToolUse == (llm.ToolUseID{}) {
		return
	}
	parent := p.agent(b.Parent)
	if parent.opened == 0 {
		p.broods = append(p.broods, brood{Shared: Shared{Who: call(parent.lineage, parent.call)}})
		parent.opened = len(p.broods)
	}
	g := &p.broods[parent.opened-1]
	g.Siblings++
	g.waiting++
	p.agent(ordinal).brood = parent.opened
}

// call names a call as expectations do, from 1.
func call(lineage string, n int) string { return fmt.Sprintf("%s#%d", lineage, n+1) }

func (p *Prefixes) request(a *prefixAgent, b *transcript.Request) {
	if b.Head == nil {
		return
	}
	if b.Call != a.call {
		a.opened = 0
		p.turn(a, b)
		a.call, a.head = b.Call, b.Head
	}
	if a.brood == 0 {
		return
	}
	g := &p.broods[a.brood-1]
	a.brood = 0
	g.waiting--
	if g.first == nil {
		g.first, g.Of = b.Head, b.Head.Bytes
		g.Block, g.Byte = b.Head.Pos+1, b.Head.Bytes
		return
	}
	if block, at := part(g.first, b.Head); at < g.Byte {
		g.Block, g.Byte = block, at
	}
}

// turn looks whether an agent's request begins with the whole one before it.
func (p *Prefixes) turn(a *prefixAgent, b *transcript.Request) {
	if a.head == nil {
		return
	}
	block, at := part(a.head, b.Head)
	if at >= a.head.Bytes {
		return
	}
	p.cut += a.head.Bytes - at
	p.parted = append(p.parted, Shared{Who: call(a.lineage, b.Call), Block: block, Byte: at, Of: a.head.Bytes})
}

// part is where two requests part: the first position that differs, and how many
// bytes they share. Where one begins with the other that is the shorter's end.
func part(a, b *llm.Node) (block int32, at int64) {
	c := llm.Common(a, b)
	if c == nil {
		return 1, 0
	}
	x, y := after(a, c), after(b, c)
	if x == nil || y == nil {
		return c.Pos + 1, c.Bytes
	}
	p, q := llm.AppendDelta(nil, x), llm.AppendDelta(nil, y)
	n := 0
	for n < len(p) && n < len(q) && p[n] == q[n] {
		n++
	}
	return c.Pos + 1, c.Bytes + int64(n)
}

// after is the node that follows ancestor c, by hash, on the way to n; nil when
// n is c.
func after(n, c *llm.Node) *llm.Node {
	var last *llm.Node
	for ; n != nil && n.Hash != c.Hash; n = n.Parent {
		last = n
	}
	return last
}

// Siblings lists what siblings share, groups of two or more in order of their
// first spawn.
func (p *Prefixes) Siblings() (out []Shared) {
	for i := range p.broods {
		if g := &p.broods[i]; g.Siblings > 1 && g.waiting < g.Siblings-1 {
			out = append(out, g.Shared)
		}
	}
	return out
}

// Parted lists the requests that do not begin with the whole request before them
// of the same agent, in the order in which they were sent.
func (p *Prefixes) Parted() []Shared { return p.parted }

// Cut is how many bytes of requests were not the beginning of the next request of
// the same agent: what a cache cannot have kept.
func (p *Prefixes) Cut() int64 { return p.cut }
