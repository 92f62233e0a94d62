package audit

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/transcript"
)

// handing is the section on the classifier of hand-offs.
type handing struct {
	*ledger
	gates  *gates
	handed map[string][]*hand // by task: judged, and not yet read of
}

// classifierGate is the name under which the classifier is switched.
const classifierGate = "TRANSCRIPT_CLASSIFIER"

// hand is what is known of how an activation comes home. It outlives the agent
// until its result has arrived.
type hand struct {
	of      *agent
	id      string
	taints  []string
	gate    bool      // as the activation ended
	at      *llm.Node // end of its conversation as far as it was seen
	rebased bool      // which does not go on from there
	judged  int
	verdict string // what is to stand in front
}

// startHand takes an agent in. A fork has its parent's history, and what stands
// in it.
func (u *handing) startHand(a *agent, b *transcript.AgentStart) {
	if u.opt.Handoffs == nil {
		return
	}
	a.hand = &hand{of: a, id: b.ID.String()}
	if a.fork && a.parent != nil && a.parent.hand != nil {
		a.hand.taints = slices.Clone(a.parent.hand.taints)
	}
}

// resumeHand lets a further activation be judged.
func (u *handing) resumeHand(a *agent, b *transcript.AgentStart) {
	if u.opt.Handoffs != nil && a.hand != nil {
		a.hand = &hand{of: a, id: b.ID.String(), taints: a.hand.taints}
	}
}

// tainted looks for injections in a block of an agent's conversation.
func (u *handing) tainted(a *agent, n *llm.Node) {
	if n.Block == nil {
		return
	}
	u.opt.Handoffs.Marks.Scan(n.Block.Content.Raw(), func(m mark.Mark) {
		if m.Verb == mark.Inject && !slices.Contains(a.hand.taints, m.Args[0]) {
			a.hand.taints = append(a.hand.taints, m.Args[0])
		}
	})
}

// endHand notes how an agent ended, and whom its result goes to.
func (u *handing) endHand(a *agent) {
	h := a.hand
	if h == nil {
		return
	}
	h.gate, h.at, h.rebased = u.gates.on[classifierGate], a.seen, a.rebased != ""
	if p := a.parent; p != nil && p.life != nil && !a.background {
		if p.coming == nil {
			p.coming = map[llm.ToolUseID]*hand{}
		}
		p.coming[a.facts.ToolUse] = h
	}
}

// handoff is TSK-06 for a judgement: it is of a child that has ended and of its
// whole conversation, and says what the script says.
func (u *handing) handoff(ref int32, b *transcript.Handoff) {
	a := u.agent(ref)
	if u.opt.Handoffs == nil {
		return
	}
	if u.fails(tsk06, a != nil && a.hand != nil && a.parent != nil && a.life == nil && a.hand.gate) {
		u.report(tsk06, a, "no judgement but of a child that has ended, with the gate on", string(b.Verdict))
		return
	}
	h := a.hand
	if h.judged++; u.fails(tsk06, h.judged == 1) {
		u.report(tsk06, a, "one judgement of an activation", "another one")
		return
	}
	u.wholeOf(a, b.Head)
	taint, verdict := u.opt.Handoffs.verdict(h.taints)
	h.verdict = verdict
	u.same(tsk06, a, "verdict", verdict+" "+taint, string(b.Verdict)+" "+b.Taint)
	if a.background {
		u.handed[h.id] = append(u.handed[h.id], h)
	}
}

// wholeOf checks that a conversation that was judged goes on from what was seen
// of it, and looks at what no request has held.
func (u *handing) wholeOf(a *agent, head *llm.Node) {
	h, n := a.hand, head
	for ; n != nil && !n.IsBorder() && (h.rebased || h.at == nil || n.Pos > h.at.Pos); n = n.Parent {
		u.tainted(a, n)
	}
	if u.fails(tsk06, h.rebased || h.at == nil || n != nil && n.Hash == h.at.Hash) {
		u.report(tsk06, a, "a judgement of its whole conversation", "one of another, or of less")
	}
}

// verdict is that of the first rule about one of the taints.
func (h *Handoffs) verdict(taints []string) (taint, verdict string) {
	for _, r := range h.Rules {
		if slices.Contains(taints, r.Taint) {
			return r.Taint, string(r.Verdict)
		}
	}
	return "", "clean"
}

// sentHome is TSK-06 for a task's notification: the judgement came before it.
func (u *handing) sentHome(a *agent, t *taskState) {
	if a == nil || a.hand == nil || !agentTask(t.kind) || !a.hand.gate || a.life != nil {
		return
	}
	if u.fails(tsk06, a.hand.judged == 1) {
		u.report(tsk06, a, "one judgement before its notification", decimal(int64(a.hand.judged)))
	}
}

// nextHanded takes the oldest activation of a task that was judged and not heard
// of, nil if there is none.
func (u *handing) nextHanded(id string) *hand {
	list := u.handed[id]
	if len(list) == 0 {
		return nil
	}
	if u.handed[id] = list[1:]; len(list) == 1 {
		delete(u.handed, id)
	}
	return list[0]
}

// notified is TSK-06 in the bytes of a notification.
func (u *handing) notified(id, raw string) {
	if h := u.nextHanded(id); h != nil {
		_, result, _ := strings.Cut(raw, "\n<result>")
		u.same(tsk06, h.of, "in front of its result a verdict of", h.verdict, fronted(result, "&lt;", "&gt;"))
	}
}

// cameHome is TSK-06 in the bytes of a result that a parent waited for. A preview
// in its place shows nothing of the child's.
func (u *handing) cameHome(p *agent, b *llm.Block, replaced bool) {
	h := p.coming[b.ID]
	if h == nil {
		return
	}
	delete(p.coming, b.ID)
	if !h.gate {
		return
	}
	if u.fails(tsk06, h.judged == 1) {
		u.report(tsk06, h.of, "one judgement before its result", decimal(int64(h.judged)))
		return
	}
	if replaced {
		return
	}
	raw := b.Content.Raw()
	if strings.HasPrefix(raw, `{"status":"completed"`) {
		_, raw, _ = strings.Cut(raw, `"content":[{"type":"text","text":"`)
	}
	u.same(tsk06, h.of, "in front of its result a verdict of", h.verdict, fronted(raw, "<", ">"))
}

// fronted is the verdict that stands in front of a result.
func fronted(raw, open, shut string) string {
	switch {
	case strings.HasPrefix(raw, open+"handoff-warning"+shut):
		return "flagged"
	case strings.HasPrefix(raw, open+"handoff-unclassified"+shut):
		return "error"
	}
	return "clean"
}
