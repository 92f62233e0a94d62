package sharedprefix

import (
	"fmt"
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/transcript"
)

// The limits of what is kept of a run.
const (
	maxGroups = 400
	maxCuts   = 100
)

// Sink is a transcript.Sink that makes a run's Record.
type Sink struct {
	rec    Record
	agents []agentState
	kin    Families
	groups map[int]*group // by kin
	order  []*group
	blocks map[llm.Hash]int
	texts  map[string]int
}

type agentState struct {
	lineage, kind, source string
	call                  int
	head                  *llm.Node // of its last request; of a fork's parent's, before its first
	marks                 []llm.Breakpoint
}

// group is the children of one message and one type.
type group struct {
	first, worst *transcript.Request
	who          [2]string
	kind, source string
	common       int32 // blocks that worst shares with first
	count        int
}

// Emit takes one event in.
func (s *Sink) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		s.start(e.Agent, b)
	case *transcript.Request:
		s.request(e.Agent, b)
	}
}

func (s *Sink) agent(ordinal int32) *agentState {
	if s.groups == nil {
		s.groups = map[int]*group{}
	}
	for int(ordinal) >= len(s.agents) {
		s.agents = append(s.agents, agentState{call: -1})
	}
	return &s.agents[ordinal]
}

func (s *Sink) start(ordinal int32, b *transcript.AgentStart) {
	if s.agent(ordinal).lineage != "" {
		return // a new activation
	}
	s.kin.ByType = true
	a := agentState{lineage: b.Lineage, kind: b.Type, source: b.Lineage, call: -1}
	if k := s.kin.Start(ordinal, b); k >= 0 {
		a.source = s.kin.All[k].Who()
		if p := s.agent(b.Parent); b.Structure == transcript.Fork {
			a.head, a.marks = p.head, p.marks
		}
	}
	s.agents[ordinal] = a
}

func (s *Sink) request(ordinal int32, b *transcript.Request) {
	a := s.agent(ordinal)
	if b.Head == nil || b.Call == a.call {
		return
	}
	if a.head != nil {
		s.turn(a, b)
	}
	k, joined := s.kin.Request(ordinal, b)
	if a.call < 0 {
		s.open(a, b, &k, joined)
	}
	a.call, a.head = b.Call, b.Head
	a.marks = slices.Clone(b.Breakpoints)
}

// open enters an agent's first request. What a group has in common is what the
// first one and the one that shares least with it have. Who has no kin is alone.
func (s *Sink) open(a *agentState, b *transcript.Request, k *Kin, joined bool) {
	var g *group
	if joined {
		g = s.groups[k.Index]
	}
	switch {
	case g == nil && len(s.order) == maxGroups:
		return
	case g == nil:
		g = &group{first: keep(b), who: [2]string{a.lineage}, kind: a.kind, source: a.source}
		s.order = append(s.order, g)
		if joined {
			s.groups[k.Index] = g
		}
	case g.worst == nil || blocksOf(k.Common) < g.common:
		g.worst, g.common, g.who[1] = keep(b), blocksOf(k.Common), a.lineage
	}
	g.count++
}

// delta is the bytes that a block adds, with those of a border before it.
func delta(n *llm.Node) []byte {
	var dst []byte
	for b := n.Parent; b != nil && b.IsBorder(); b = b.Parent {
		dst = append(llm.AppendDelta(nil, b), dst...)
	}
	return llm.AppendDelta(dst, n)
}

// keep copies what is kept of a request: events are reused.
func keep(b *transcript.Request) *transcript.Request {
	return &transcript.Request{Head: b.Head, Model: b.Model, Breakpoints: slices.Clone(b.Breakpoints)}
}

func blocksOf(n *llm.Node) int32 {
	if n == nil {
		return 0
	}
	return n.Pos
}

// turn looks whether a request begins with the whole one before it.
func (s *Sink) turn(a *agentState, b *transcript.Request) {
	p := llm.Part(a.head, b.Head)
	if p.A == nil {
		return
	}
	if len(s.rec.Cuts) == maxCuts {
		return
	}
	var common, had, kept int64
	if p.Common != nil {
		common = p.Common.Bytes
	}
	counter, hour := tokens.Approx(b.Model), false
	for _, m := range a.marks {
		t := counter.Tokens(m.Node.Cum)
		had = max(had, t)
		if m.Node.Pos <= blocksOf(p.Common) {
			kept = max(kept, t)
		}
		hour = hour || m.TTL == llm.TTL1h
	}
	same := p.B != nil && string(llm.AppendDelta(nil, p.A)) == string(llm.AppendDelta(nil, p.B))
	at := max(p.At, 0)
	if same {
		at = 0
	}
	c := Cut{Who: fmt.Sprintf("%s#%d", a.lineage, b.Call+1), Type: a.kind, Model: b.Model, Lost: a.head.Bytes - common - at, Again: had - kept, Hour: hour}
	c.Place = Place{Block: int(blocksOf(p.Common)) + 1, Byte: common + at, InBlock: at}
	c.Place.name(p.A)
	c.Before, c.After = cutText(p.A, at), cutText(p.B, at)
	c.Place.Same = same
	s.rec.Cuts = append(s.rec.Cuts, c)
}

func cutText(n *llm.Node, at int64) string {
	if n == nil {
		return ""
	}
	return Excerpt(string(llm.AppendDelta(nil, n)), at)
}

// Record is what was kept.
func (s *Sink) Record() *Record {
	for _, g := range s.order {
		s.opening(g, 0, g.first, g.count)
		if g.worst != nil {
			s.opening(g, 1, g.worst, 0)
		}
	}
	s.groups, s.order, s.agents = nil, nil, nil
	return &s.rec
}

func (s *Sink) opening(g *group, i int, b *transcript.Request, count int) {
	o := Opening{Who: g.who[i], Type: g.kind, Model: b.Model, Source: g.source, Count: count, Marks: []int{}}
	for _, m := range b.Breakpoints {
		o.Marks = append(o.Marks, int(m.Node.Pos))
		o.Hour = o.Hour || m.TTL == llm.TTL1h
	}
	if o.Last = s.block(b.Head, b.Model); o.Last >= 0 {
		s.rec.Openings = append(s.rec.Openings, o)
	}
}

// block enters a node and all before it, and gives its index; -1 for a border
// with nothing before it.
func (s *Sink) block(head *llm.Node, model string) int {
	if s.blocks == nil {
		s.blocks, s.texts = map[llm.Hash]int{}, map[string]int{}
	}
	path, at := unseen(head, s.blocks)
	counter := tokens.Approx(model)
	for _, n := range path {
		text := string(delta(n))
		t, ok := s.texts[text]
		if !ok {
			t = len(s.rec.Texts)
			s.texts[text], s.rec.Texts = t, append(s.rec.Texts, text)
		}
		b := Block{Before: at, Level: n.Level.String(), Kind: n.Block.Kind.String(), Name: n.Block.Name, Text: t, Bytes: n.Bytes, Tokens: counter.Tokens(n.Cum)}
		if n.Level == llm.Messages {
			b.Role = n.Role.String()
		}
		at = len(s.rec.Blocks)
		s.blocks[n.Hash], s.rec.Blocks = at, append(s.rec.Blocks, b)
	}
	return at
}
