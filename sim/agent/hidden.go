package agent

import (
	"strconv"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// Hidden is a kind of request that the client sends on its own, behind an answer:
// nobody sees what comes back (BTW-03).
type Hidden string

// The kinds of hidden requests.
const (
	HiddenTitle      Hidden = "title"
	HiddenSuggestion Hidden = "suggestion"
	HiddenAway       Hidden = "away"
	HiddenRecorded   Hidden = "hidden" // a recording shows that there was one, not of what kind
)

// hiddenAsks is what each kind asks for.
var hiddenAsks = map[Hidden]string{
	HiddenTitle:      "Write a title for this conversation, in five words at most.",
	HiddenSuggestion: "Suggest what the user may want to say next, in one line. Say nothing where you are not sure.",
	HiddenAway:       "The user has been away. Sum up in two sentences where the conversation stands.",
	HiddenRecorded:   "A request of the client's own, of which the recording holds nothing.",
}

// hiddenSource is the query source of hidden requests.
const hiddenSource = "hidden"

// askHidden sends a request of the client's own that goes on from the agent's
// conversation as it stands. It is marked in front of what it asks, so it reads what
// the conversation left, renews it, and leaves the last answer to be read as well.
// What it is billed for is that of an agent of its own.
func (a *Agent) askHidden(p *kernel.Proc, kind Hidden) error {
	h := a.w.newAgent(a.lineage+"/"+strconv.Itoa(a.client.calls)+llm.HiddenSuffix, a, &Definition{Type: string(kind), Source: FromBuiltIn})
	h.mode, h.maxTurns = a.mode, 1
	plan := *a.plan
	plan.Aside, plan.Fourth = true, false
	h.plan = &plan
	h.equip(a.front, newContext(a.ctxNow(), Options{ID: h.id(), Chain: h.key.Sub("chain").Uint64(), Source: hiddenSource, Pool: a.ctx.Pool,
		RunMode: string(a.mode), Linked: true, Exact: true}))
	h.compaction.fullAt = 0
	h.conv.Border, h.conv.Last, h.conv.Head, h.conv.open = a.conv.Border, a.conv.Last, a.conv.Head, a.conv.open
	h.client.expects = a.client.expects
	h.client.req.Expect = &h.client.expects
	h.introduce(transcript.AgentStart{Context: transcript.ContextFacts{FileCache: "cloned"}})
	h.say(textMessage(hiddenAsks[kind]))
	h.client.req.MaxTokens = a.w.cfg.MaxTokens
	err := h.client.send(p)
	if err == nil {
		h.hear()
	}
	return h.finish(p, err)
}
