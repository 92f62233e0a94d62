package agent

import (
	"strconv"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Hidden says which requests the client of a root sends on its own, behind answers:
// nobody sees what comes back (BTW-03).
type Hidden struct {
	Title      bool           // behind the first answer that ends a turn: a title for the conversation
	Suggestion int64          // per cent of the answers that end a turn: what the user may say next
	Away       vtime.Duration // so long after such an answer, unless the user spoke: a summary; 0 is never
}

// hiddenAsks is what each kind asks for, by its name.
var hiddenAsks = map[string]string{
	"title":      "Write a title for this conversation, in five words at most.",
	"suggestion": "Suggest what the user may want to say next, in one line. Say nothing where you are not sure.",
	"away":       "The user has been away. Sum up in two sentences where the conversation stands.",
	"hidden":     "A request of the client's own, of which the recording holds nothing.",
}

// hiddenSource is the query source of hidden requests.
const hiddenSource = "hidden"

// askHidden makes what sends a request of the client's own that goes on from the
// agent's conversation as it stands. It is marked in front of what it asks, so it
// reads what the conversation left, renews it, and leaves the last answer to be read
// as well. What it is billed for is that of an agent of its own.
func (a *Agent) askHidden(kind string) func(p *kernel.Proc) error {
	name := llm.HiddenSuffix
	if kind != hiddenSource {
		name += "-" + kind
	}
	h := a.w.newAgent(a.lineage+"/"+strconv.Itoa(a.client.calls)+name, a, &Definition{Type: kind, Source: FromBuiltIn})
	h.maxTurns = 1
	plan := *a.plan
	plan.Until, plan.Fourth = a.conv.Head, false
	h.plan = &plan
	h.equip(newContext(a.ctxNow(), Options{ID: h.id(), Chain: h.key.Sub("chain").Uint64(), Source: hiddenSource, Pool: a.ctx.Pool,
		Exact: true}), a.front)
	h.compaction.fullAt = 0
	h.conv.Border, h.conv.Last, h.conv.Head, h.conv.open = a.conv.Border, a.conv.Last, a.conv.Head, a.conv.open
	h.client.set(a.client.req.Settings)
	h.client.expects = a.client.expects
	h.client.req.Expect = &h.client.expects
	h.introduce(transcript.AgentStart{Context: transcript.ContextFacts{FileCache: "cloned"}})
	h.say(textMessage(hiddenAsks[kind]))
	h.client.req.MaxTokens = a.w.cfg.MaxTokens
	return func(p *kernel.Proc) error {
		err := h.client.send(p)
		if err == nil {
			h.hear()
		}
		return h.finish(p, err)
	}
}

// hide sends what the client sends on its own behind the answer that ended a root's
// turn.
func (r *Root) hide() {
	if r == nil || r.agent.record != nil || r.agent.w.cfg.Stack.Bare() || r.agent.client.calls == 0 {
		return
	}
	a, h := r.agent, &r.agent.w.cfg.Hidden
	if h.Title && !r.titled {
		r.titled = true
		a.w.cfg.Kernel.Spawn(a.lineage+" title", a.askHidden("title"))
	}
	if h.Suggestion > 0 && a.key.Sub("suggestion").At(uint64(a.client.calls)).Between(1, 100) <= h.Suggestion {
		a.w.cfg.Kernel.Spawn(a.lineage+" suggestion", a.askHidden("suggestion"))
	}
	if h.Away > 0 {
		r.leave()
	}
}

// leave sends a summary once the user has been away for so long. A root that goes on
// or ends before has none.
func (r *Root) leave() {
	a, calls := r.agent, r.agent.client.calls
	r.away = a.w.cfg.Kernel.Spawn(a.lineage+" away", func(p *kernel.Proc) error {
		if err := p.Sleep(a.w.cfg.Hidden.Away); err != nil || a.ended || a.client.calls != calls {
			return nil
		}
		return a.askHidden("away")(p)
	})
}

// returns ends the wait for a user who is away.
func (r *Root) returns() {
	if r != nil && r.away != nil && !r.away.Done() {
		r.away.Abort(ErrUserInterrupt)
		r.away = nil
	}
}
