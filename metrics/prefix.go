package metrics

import (
	"fmt"

	"agentsim/metrics/sharedprefix"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// Shared is how much of their beginning some requests have in common: the first
// requests of the children of one message, or a request and the one before it of
// the same agent.
type Shared struct {
	// Who is the agent and its call, from 1, such as main#3: of siblings the
	// parent and the call that spawned them, else the later of the two requests.
	Who      string `json:"who"`
	Siblings int    `json:"children,omitempty"` // children of one message, 2 or more; 0 for requests of one agent
	// Block is the first position that differs, from 1, and Byte the offset of
	// the first byte that differs in the flat bytes of the requests, which is how
	// many bytes are shared.
	Block int32 `json:"block"`
	Byte  int64 `json:"byte"`
	Of    int64 `json:"bytes"` // bytes of the earlier request; of siblings those of the first one's
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
	kin    sharedprefix.Families
	shared []Shared // by index of the kin, from its first request on
	parted []Shared
	cut    int64
}

type prefixAgent struct {
	lineage string
	call    int       // of its last request, from 0
	head    *llm.Node // of its last request
}

// Emit takes one event in.
func (p *Prefixes) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		p.kin.Start(e.Agent, b)
		p.agent(e.Agent).lineage = b.Lineage
	case *transcript.Request:
		if b.Head != nil {
			p.request(e.Agent, b)
		}
	}
}

// agent is the state of an ordinal.
func (p *Prefixes) agent(ordinal int32) *prefixAgent {
	for int(ordinal) >= len(p.agents) {
		p.agents = append(p.agents, prefixAgent{call: -1})
	}
	return &p.agents[ordinal]
}

// call names a call as expectations do, from 1.
func call(lineage string, n int) string { return fmt.Sprintf("%s#%d", lineage, n+1) }

func (p *Prefixes) request(ordinal int32, b *transcript.Request) {
	if a := p.agent(ordinal); b.Call != a.call {
		p.turn(a, b)
		a.call, a.head = b.Call, b.Head
	}
	k, joined := p.kin.Request(ordinal, b)
	if !joined {
		return
	}
	for len(p.shared) <= k.Index {
		p.shared = append(p.shared, Shared{})
	}
	g := &p.shared[k.Index]
	if block, at := part(k.First, b.Head); k.Seen == 1 || at < g.Byte {
		g.Who, g.Of, g.Block, g.Byte = k.Who(), k.First.Bytes, block, at
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
	p := llm.Part(a, b)
	if p.Common == nil {
		return 1, 0
	}
	return p.Common.Pos + 1, p.Common.Bytes + max(0, p.At)
}

// Siblings lists what siblings share, groups of two or more in order of their
// first spawn.
func (p *Prefixes) Siblings() (out []Shared) {
	for i := range p.shared {
		if k := &p.kin.All[i]; k.Children > 1 && k.Seen > 1 {
			p.shared[i].Siblings = k.Children
			out = append(out, p.shared[i])
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
