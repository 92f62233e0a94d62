package audit

import (
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// sections are the headings of a coordinator's system prompt.
var sections = [...]string{"# 1. Your Role", "# 2. Your Tools", "# 3. Workers", "# 4. Task Workflow", "# 5. Writing Worker Prompts", "# 6. Example Session"}

// headings is CRD-02 in the bytes: the lines of a coordinator's system prompt that
// are headings are the six, in order.
func (u *coordinators) headings(a *agent, front *llm.Node) {
	if u.opt.OwnPrompts {
		return
	}
	var texts []string
	for n := front; n != nil; n = n.Parent {
		if !n.IsBorder() && n.Level == llm.System {
			texts = append(texts, n.Block.Content.Raw())
		}
	}
	slices.Reverse(texts)
	var found []string
	for line := range strings.SplitSeq(strings.Join(texts, "\n"), "\n") {
		if slices.Contains(sections[:], line) {
			found = append(found, line)
		}
	}
	u.same(crd02, a, "headings", strings.Join(sections[:], ", "), strings.Join(found, ", "))
}

// begun is when the latest worker of an answer started, and by which of its calls.
type begun struct {
	answer *llm.Node
	call   int
	at     vtime.Instant
}

// atOnce is CRD-06 for neighbouring calls of an answer: their workers start at one
// instant, unless somebody was asked in between.
func (u *coordinators) atOnce(a, p *agent) {
	call := slices.IndexFunc(p.uses, func(x use) bool { return x.id == a.facts.ToolUse })
	was := p.begun
	p.begun = begun{p.seen, call, u.now}
	if call < 0 || p.asked || was.answer != p.seen || was.at == 0 && was.answer == nil {
		return
	}
	for i := was.call; i < call; i++ {
		if !isAgentTool(p.uses[i].name) {
			return
		}
	}
	if u.fails(crd06, was.at == u.now) {
		u.report(crd06, a, "a start at "+was.at.String()+", as the worker of the call before", u.now.String())
	}
}

// named is CRD-11 for who was stopped by TaskStop: a call that is under way names
// its task, by its own id or the agent's.
func (u *coordinators) named(a *agent) {
	id := a.taskID()
	for _, p := range u.agents {
		if p == nil || p.life == nil {
			continue
		}
		for i := range p.calls {
			c := &p.calls[i]
			if c.done || c.name != "TaskStop" {
				continue
			}
			var in struct {
				ID string `json:"task_id"`
			}
			x := c.use
			if p.edited || x != nil && json.Unmarshal([]byte(x.input.Raw()), &in) == nil && (in.ID == id || in.ID == "a"+id[1:]) {
				u.made[crd11]++
				return
			}
		}
	}
	if u.fails(crd11, false) {
		u.report(crd11, a, "no stop: no call of TaskStop names "+id, "one")
	}
}

// used is the tool use of the last answer with an id, nil if there is none.
func (a *agent) used(id llm.ToolUseID) *use {
	for i := range a.uses {
		if a.uses[i].id == id {
			return &a.uses[i]
		}
	}
	return nil
}

// stoppedCall is CRD-11 for a message to a worker that was stopped: it is resumed.
func (u *coordinators) stoppedCall(a *agent, c *call, x *use, b *llm.Block) {
	if a.edited || c == nil {
		return
	}
	var raw map[string]json.RawMessage
	to := field(x.input, "to")
	if json.Unmarshal([]byte(x.input.Raw()), &raw) != nil || len(raw) != 2 || to == "" || strings.TrimSpace(field(x.input, "message")) == "" {
		return // what it says is no text, or has a field that there is none of
	}
	if u.bears(a, to, c.began) && u.fails(sub23, !b.IsError || cameBefore(b.Content.Raw())) {
		u.report(sub23, a, "a message to "+to+", which it has started under that name", short(b.Content.Raw()))
	}
	t := u.tasks.known[to]
	if t == nil || !agentTask(t.kind) || t.owner != a || t.status != transcript.TaskKilled {
		return
	}
	if u.fails(crd11, !b.IsError || cameBefore(b.Content.Raw())) {
		u.report(crd11, a, "a resume of "+to+", which was stopped", short(b.Content.Raw()))
	}
}

// bears reports whether an agent that this one has started in the background before an
// event has a name.
func (u *coordinators) bears(a *agent, name string, before uint64) bool {
	for _, t := range u.tasks.known { // order: any
		if t.owner == a && answers(t.kind) && t.name == name && t.registered < before {
			return true
		}
	}
	return false
}
