package metrics

import (
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// group gathers the children that one assistant message spawned. It holds on to
// a node of the conversation only until every child has sent its first request.
type group struct {
	Siblings
	seen   int
	sealed bool // the parent has gone on: no child will join
	common *llm.Node
	model  string
}

// joinGroup enters a new child in the group of its parent's latest call.
func (f *Fold) joinGroup(child int32, b *transcript.AgentStart) {
	p := f.agent(b.Parent)
	if p.opened == 0 {
		f.groups = append(f.groups, group{Siblings: Siblings{Parent: b.Parent, Call: p.call, Type: b.Type, Tokens: -1}})
		p.opened = int32(len(f.groups))
	}
	f.groups[p.opened-1].Children++
	f.agents[child].joins = p.opened
}

// firstRequest narrows the group's common prefix to what this child shares.
func (f *Fold) firstRequest(a *agent, b *transcript.Request) {
	g := &f.groups[a.joins-1]
	a.joins = 0
	if g.seen++; g.seen == 1 {
		g.common, g.model = b.Head, b.Model
	} else {
		g.common = llm.Common(g.common, b.Head)
	}
	f.settle(g)
}

// seal closes the group of an agent that goes on to its next call.
func (f *Fold) seal(a *agent) {
	if a.opened == 0 {
		return
	}
	g := &f.groups[a.opened-1]
	a.opened, g.sealed = 0, true
	f.settle(g)
}

// settle writes the group's figures down and lets go of the conversation once
// nobody can narrow it any more.
func (f *Fold) settle(g *group) {
	if !g.sealed || g.seen < g.Children {
		return
	}
	f.measure(g)
	g.common = nil
}

func (f *Fold) measure(g *group) {
	if g.common == nil {
		return
	}
	g.Bytes, g.Blocks = g.common.Bytes, g.common.Pos
	if f.opt.Tokens != nil {
		g.Tokens = f.opt.Tokens(g.model, g.common)
	}
}
