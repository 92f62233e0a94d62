package agent

import (
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/tool"
)

// posted is what makes a notice a message of another agent.
type posted struct {
	from int32 // who sent it
	n    int   // its number among the messages to this receiver, from 1
}

// sendMessage runs the SendMessage tool (TSK-08). An agent may write to those that
// it started in the background, which are tasks of its own: to one that runs the
// message is queued, and heard behind the results of its next tools or when it
// idles; one that has ended is resumed by it. One that was stopped and still winds
// up is resumed as soon as it has ended. Whom it waits for it cannot write to.
func sendMessage(a *Agent, use *llm.Block) tool.Result {
	in, err := tool.ParseMessageInput(use.Content, structures(a.w))
	if err != nil {
		return failure(err.Error())
	}
	if in.Structured != nil && a.coordinates() && workersPlan(a.w) {
		return answerWorker(a, in)
	}
	if a.w.gates.AgentSwarms {
		if r, ok := postal(a, in, use); ok {
			return r
		}
	}
	t := addressee(a, in.To)
	if t == nil {
		return failure("There is no agent " + in.To + " that you started in the background. " + reachable(a))
	}
	c := a.w.agents[t.Agent]
	if c.ended && !c.past.resumable() {
		return failure("Agent " + in.To + " has ended and cannot be resumed: its transcript is gone.")
	}
	n := newMessage(c, a, in.Message)
	if l := linkOf(c); l != nil {
		return l.mail(a, n, use.ID, in.To)
	}
	switch {
	case c.ended:
		c.past.chain.pending = append(c.past.chain.pending, n)
		was := t.Status()
		resume(c, use.ID)
		return sent("Agent " + in.To + " had ended (" + string(was) + "). It is resumed with your message; a notification reports its end.")
	case t.Status().Final():
		c.pendingResume = use.ID
	}
	c.inbox.expect()
	if err := c.inbox.box.Send(n); err != nil {
		a.w.fail(err)
	}
	if c.pendingResume != (llm.ToolUseID{}) {
		return sent("Agent " + in.To + " is being stopped. It is resumed with your message once it has ended; a notification reports its end.")
	}
	return sent("Your message to agent " + in.To + " is queued. It hears it at its next turn, if it comes to one.")
}

// addressee is the agent's task of that id or name, nil for none. Of several that
// bear one name the newest that runs is meant, else the newest (SUB-23).
func addressee(a *Agent, to string) *task.Task {
	if t := taskOf(a.w, to); t != nil {
		if !t.Type.HasInbox() || t.Owner != a.ref {
			return nil
		}
		return t
	}
	var named *task.Task
	for _, t := range a.w.tasks.All() {
		if t.Name != to || t.Owner != a.ref || !a.w.namesLead() {
			continue
		}
		if named == nil || !t.Status().Final() || named.Status().Final() {
			named = t
		}
	}
	return named
}

func sent(text string) tool.Result { return tool.Result{Content: llm.NewText(llm.Prose, text)} }

// newMessage makes a message for an agent and records that it was sent.
func newMessage(a, from *Agent, text string) *notice {
	if a.past == nil {
		a.past = &past{}
	}
	a.past.messages++
	text = task.Defuse(text) // no message passes for a notification
	n := &notice{at: a.w.cfg.Kernel.Now(), msg: &posted{from: from.ref, n: a.past.messages}, blocks: []llm.Block{textBlock(text)}}
	n.record(a, "sent", "")
	return n
}

// reachable says whom the agent can write to.
func reachable(a *Agent) string {
	var ids []string
	for _, t := range a.w.tasks.All() {
		if c := t.Agent; t.Type.HasInbox() && t.Owner == a.ref && (!a.w.agents[c].ended || a.w.agents[c].past.resumable()) {
			id := t.ID
			if t.Name != "" && a.w.namesLead() {
				id = t.Name + " (" + id + ")"
			}
			ids = append(ids, id)
		}
	}
	if ids == nil {
		return "You can write to none yet."
	}
	return "You can write to: " + strings.Join(ids, ", ") + "."
}
