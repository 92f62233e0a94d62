package agent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Plan places the cache markers of an agent's requests (LOOP-12).
type Plan struct {
	Name     PlanName
	TTL      llm.TTL
	ShortAt  vtime.Duration // of the run; from then on the lifetime is five minutes, 0 for never (CACHE-96)
	Explicit []llm.Marks    // for PlanExplicit, by ascending FromCall
	// Fourth uses the fourth slot: the parent's mark on a fork's first request,
	// the agent's own previous mark later (CON-23). Only with PlanAgent and
	// PlanLast.
	Fourth bool
	// Until is the block behind which nothing is marked, as if the request ended with it;
	// nil for none (BTW-02, BTW-03).
	Until *llm.Node
}

// PlanName names a plan.
type PlanName string

// The plans.
const (
	PlanNone      PlanName = "none"      // no marker at all
	PlanAutomatic PlanName = "automatic" // the API marks the last cacheable block
	PlanLast      PlanName = "last"      // the last block of the last message
	PlanAgent     PlanName = "agent"     // last shared system block, last system block, last block
	PlanExplicit  PlanName = "explicit"  // positions given by the scenario
)

// planKey is a parent's plan with the lifetime of a sub-agent.
type planKey struct {
	of  *Plan
	ttl llm.TTL
}

// childPlan is the plan of an agent's sub-agents: its own, with the lifetime of their
// definition, else that of the session's sub-agents (DEF-12), which no plan's limit
// touches (CACHE-96).
func (w *World) childPlan(pl *Plan, def *Definition) *Plan {
	k := planKey{pl, w.cfg.SubagentTTL}
	if def.CacheTTL != nil {
		k.ttl = *def.CacheTTL
	}
	if pl.TTL == k.ttl && pl.ShortAt == 0 {
		return pl
	}
	if w.plans[k] == nil {
		child := *pl
		child.TTL, child.ShortAt = k.ttl, 0
		w.plans[k] = &child
	}
	return w.plans[k]
}

// mark fills the request's markers for its head.
func (pl *Plan) mark(a *Agent, req *llm.Request) {
	now := a.w.cfg.Kernel.Now()
	beyond := pl.Place(req, a.front.static, a.front.system, a.client.calls, now)
	a.w.overLimit = a.w.overLimit || pl.short(now) && (req.Automatic || len(req.Breakpoints) > 0)
	if beyond != nil {
		detail := fmt.Sprintf("call %d: no block at %s; the request has blocks 1 to %d", a.client.calls, strings.Join(beyond, ", "), req.Head.Pos)
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: "breakpoint", Detail: detail})
	}
}

// short reports whether the plan's limit has been reached.
func (pl *Plan) short(now vtime.Instant) bool {
	return pl.ShortAt > 0 && now >= vtime.Instant(pl.ShortAt)
}

// OverLimit reports whether a request of a main thread was marked after the plan's
// limit had been reached.
func (w *World) OverLimit() bool { return w.overLimit }

// Place fills the markers of a request whose head and expectation are set. static
// and system are the last system block that the agent shares with others and the
// last one, nil for none; call is the number of the agent's call, from 0, and now
// its instant. It returns the positions of an explicit plan that the request does not have.
func (pl *Plan) Place(req *llm.Request, static, system *llm.Node, call int, now vtime.Instant) (beyond []string) {
	if pl.short(now) {
		over := *pl
		over.TTL, pl = llm.TTL5m, &over
	}
	if pl.Until != nil {
		before, whole := *pl, req.Head
		before.Until, req.Head = nil, pl.Until
		defer func() { req.Head = whole }()
		pl = &before
	}
	req.Breakpoints = req.Breakpoints[:0]
	req.Automatic, req.AutoTTL = pl.Name == PlanAutomatic, pl.TTL
	switch pl.Name {
	case PlanLast:
		pl.markFourth(req)
		pl.add(req, req.Head)
	case PlanAgent:
		pl.add(req, static)
		pl.add(req, system)
		pl.markFourth(req)
		pl.add(req, req.Head)
	case PlanExplicit:
		return pl.markExplicit(req, call)
	}
	return nil
}

// markExplicit marks given positions, in whatever order they stand there, and
// returns those that the request does not have.
func (pl *Plan) markExplicit(req *llm.Request, call int) (beyond []string) {
	var nodes []*llm.Node
	for _, at := range pl.positions(call) {
		if n := position(req.Head, at); n != nil {
			nodes = append(nodes, n)
		} else {
			beyond = append(beyond, strconv.Itoa(at))
		}
	}
	slices.SortFunc(nodes, func(x, y *llm.Node) int { return int(x.Pos - y.Pos) })
	for _, n := range nodes {
		pl.add(req, n)
	}
	return beyond
}

// markFourth marks where the request before this one, or the parent's, ended.
func (pl *Plan) markFourth(req *llm.Request) {
	if !pl.Fourth || req.Expect == nil || req.Expect.Mark == nil || req.Expect.Mark.Level != llm.Messages {
		return
	}
	// The mark may stand on another chain: of a history before a rebase, or of
	// one that was rendered anew. Only the blocks since then are walked.
	n, mark := req.Head, req.Expect.Mark
	for n.Pos > mark.Pos {
		n = n.Parent
	}
	if n.Hash == mark.Hash {
		pl.add(req, n)
	}
}

// add appends a marker unless it stands at or before the one before it.
func (pl *Plan) add(req *llm.Request, n *llm.Node) {
	if n == nil || n.IsBorder() {
		return
	}
	if k := len(req.Breakpoints); k > 0 && req.Breakpoints[k-1].Node.Pos >= n.Pos {
		return
	}
	req.Breakpoints = append(req.Breakpoints, llm.Breakpoint{Node: n, TTL: pl.TTL})
}

// positions are those of the last entry that has begun.
func (pl *Plan) positions(call int) []int {
	var at []int
	for _, m := range pl.Explicit {
		if m.FromCall <= call {
			at = m.At
		}
	}
	return at
}

// position finds a block of a chain by its position, nil if there is none.
func position(head *llm.Node, at int) *llm.Node {
	if at < 0 {
		at += int(head.Pos) + 1
	}
	for n := head; n != nil; n = n.Parent {
		if !n.IsBorder() && int(n.Pos) == at {
			return n
		}
	}
	return nil
}
