package agent

import (
	"strconv"

	"agentsim/sim/llm"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// Aside is a question of the user beside the conversation (/btw): an agent of its own
// answers it, and the root never hears of either (BTW-01). Context, tools and the
// number of turns are cut each by itself (BTW-04).
type Aside struct {
	Question []llm.Block
	Fresh    bool // it knows nothing of the conversation
	Tools    bool // tools are carried out, but for Agent; else they are offered and every call is refused
	Turns    int  // after which it ends; 0 is one
}

// Of an agent that answers a side question.
const (
	TypeAside      = "side-question" // of the whole conversation, in one turn
	TypeAsideAgent = "side-agent"    // of other cuts
	AsideSource    = "side_question"
	WhyAside       = "a side question is answered without tools"
	WhyAsideAgent  = "a side question starts no agent"
)

// ask starts the agent that answers a side question, while the root goes on with what
// it does.
func ask(r *Root, q *Aside) {
	a := r.agent
	if a.client.req.Head == nil && !q.Fresh {
		a.finding("aside-vain", a.lineage+": a side question before the first request has no context and is not asked")
		return
	}
	r.asides++
	def := &Definition{Type: TypeAside, Source: FromBuiltIn}
	if q.Fresh || q.Turns > 1 {
		def.Type = TypeAsideAgent
	}
	s := a.w.newAgent(a.lineage+llm.AsideSuffix+strconv.Itoa(r.asides), a, def)
	s.maxTurns, s.toolless, s.plan = max(q.Turns, 1), !q.Tools, a.plan
	ctx := newContext(a.ctxNow(), Options{ID: s.id(), Chain: s.key.Sub("chain").Uint64(), Source: AsideSource, Pool: a.ctx.Pool, Exact: true})
	s.equip(ctx, a.front)
	s.client.set(a.client.req.Settings)
	s.compaction.fullAt = 0
	cache, question := "cloned", q.Question
	if q.Fresh {
		cache, question = "empty", append(a.front.opens(nil), question...)
	} else {
		inherit(s, a)
	}
	s.introduce(transcript.AgentStart{Context: transcript.ContextFacts{FileCache: cache}})
	s.say(&llm.Msg{Role: llm.User, Blocks: question})
	s.proc = a.w.cfg.Kernel.Spawn(s.lineage, s.body)
}

// inherit gives an agent the conversation of another as that one sent it last, byte
// for byte, with the answer to it if that is whole and asks for no tool. Of a single
// answer nothing is marked but what the other's request was marked by, so that nothing
// is written for a question that nobody repeats (BTW-02).
func inherit(a, from *Agent) {
	a.conv.Border, a.conv.Last, a.conv.Head, a.conv.open = from.conv.Border, from.conv.Last, from.conv.Head, from.conv.open
	for a.conv.open > 0 {
		a.conv.Last, a.conv.Head, a.conv.open = a.conv.Last.Prev, from.client.req.Head, a.conv.open-countUses(a.conv.Last)
	}
	a.client.expects = from.client.expects
	a.client.req.Expect = &a.client.expects
	if a.maxTurns == 1 {
		plan := *from.plan
		plan.Until, plan.Fourth = from.client.req.Head, false
		a.plan = &plan
	}
}

// beside is why a call is refused because its caller answers a side question, "" where it
// is not.
func (u *toolUse) beside() string {
	switch {
	case u.by.toolless:
		return WhyAside
	case u.by.ctx.Source == AsideSource && u.tool.CanonicalName() == tool.AgentName:
		return WhyAsideAgent
	}
	return ""
}
