package audit

import (
	"slices"

	"agentsim/sim/transcript"
)

// former is what an agent was when it started first, which it is again when it is
// resumed.
type former struct {
	facts      transcript.AgentStart
	activation int
	asks       asks
	messages   int // of its user
	due        int // of those, on events that have come
	count      count
	size       int64  // of its history, as conduct has it
	output     spoke  // once it has ended
	about      string // description in the call that made it, "" where a user may have put another in its place
}

// own is ISO-07 for a chain: no activation of any agent had it before.
func (u *starts) ownChain(a *agent, chain uint64) {
	if u.fails(iso07, !u.chained[chain]) {
		u.report(iso07, a, "a query chain that no activation had before", "one that did")
	}
	u.chained[chain] = true
}

// again is TSK-10 for what is resumed: the same agent, and as every one in the
// background.
func (f *former) again(u *ledger, a *agent) {
	was, now := &f.facts, &a.facts
	f.activation++
	same := now.ID == was.ID && now.Lineage == was.Lineage && now.Type == was.Type && now.Depth == was.Depth && now.Source == was.Source &&
		now.MaxTurns == was.MaxTurns && now.Name == was.Name && now.Activation == f.activation && slices.Equal(now.Tools, was.Tools)
	if u.fails(tsk10, same) {
		u.report(tsk10, a, "the agent that it was, in activation "+decimal(int64(f.activation)), "another one, or activation "+decimal(int64(now.Activation)))
	}
	fresh := now.Context.FilesKnown == 0 && now.Context.FileCache == "empty" && now.Model == was.Model && now.PoolMode == was.PoolMode && now.Structure == was.Structure &&
		now.Context.AvoidPrompts == (was.PoolMode != "bubble" && !a.mate)
	if u.fails(tsk10, fresh) {
		u.report(tsk10, a, "no file known, model "+was.Model+" and prompts avoided but in mode bubble", "otherwise")
	}
	if u.fails(tsk10, now.Async && now.RunMode == a.mode() && now.Context.Thinking == was.Context.Thinking) {
		u.report(tsk10, a, "it runs in the background, in mode "+a.mode()+", and thinks as before", "otherwise")
	}
}
