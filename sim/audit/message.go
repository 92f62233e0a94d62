package audit

import (
	"encoding/json"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// sendTool is the tool by which agents write to each other.
const sendTool = "SendMessage"

// message is TSK-08 on the record: whoever started the receiver sent the message
// by a call of its own, and each is delivered once, in order, or dropped.
func (u *notices) message(ref int32, b *transcript.Message) {
	a, t := u.agent(ref), u.tasks.taskOf(b.TaskID)
	if a == nil {
		return
	}
	if b.Op == "sent" {
		t.sent++
		if a.life != nil && a.link == nil {
			a.posted = append(a.posted, u.now)
		}
		from := u.agent(b.From)
		if u.fails(tsk08, from != nil && from == t.owner && from.life != nil && b.N == t.sent) {
			u.report(tsk08, a, "message "+decimal(int64(t.sent))+" of whoever started it", "message "+decimal(int64(b.N))+" of agent "+decimal(int64(b.From)))
			return
		}
		l := &letter{task: b.TaskID, bytes: b.Bytes, message: true, n: b.N}
		l.text, l.known = from.writing(b.TaskID, t.name)
		if u.fails(sub23, l.known || from.edited) {
			u.report(sub23, a, "a message to whom the call names", "one to "+b.TaskID+", named "+orNone(t.name))
		}
		t.unheard = append(t.unheard, l)
		return
	}
	if u.fails(tsk08, len(t.unheard) > 0 && t.unheard[0].n == b.N) {
		u.report(tsk08, a, "the messages in the order of sending, each once", "message "+decimal(int64(b.N))+" "+b.Op)
		return
	}
	l := t.unheard[0]
	t.unheard = t.unheard[1:]
	if a.life != nil && len(a.posted) > 0 {
		a.posted = a.posted[1:]
	}
	if b.Op == "delivered" && a.life != nil {
		a.mail = append(a.mail, *l)
	}
	u.tasks.settled(b.TaskID, t)
}

// writing is the text of the message to a task that an agent sends now, under its
// id or its name, by the call that has no result yet; false where a user has put
// another in its place.
func (a *agent) writing(task, name string) (string, bool) {
	if a.edited {
		return "", false
	}
	for i := range a.calls {
		if c := &a.calls[i]; c.done || c.name != sendTool {
			continue
		}
		for j := range a.uses {
			var in struct{ To, Message string }
			if a.uses[j].id == a.calls[i].id && json.Unmarshal([]byte(a.uses[j].input.Raw()), &in) == nil && (in.To == task || in.To == "a"+task[1:] || in.To == name) {
				return defuser.Replace(in.Message), true
			}
		}
	}
	return "", false
}

// heardMessage is TSK-08 in the bytes: a message that was delivered stands in the
// next request as it was sent, and does not come again. It reports whether the
// text is one.
func (u *notices) heardMessage(a *agent, n *llm.Node, raw string) bool {
	id := n.Block.Content.Identity()
	for i, m := range a.mail {
		if !m.message || m.known && m.text != raw {
			continue
		}
		u.made[tsk08]++
		a.mail = append(a.mail[:i], a.mail[i+1:]...)
		if a.told == nil {
			a.told = map[llm.Hash]bool{}
		}
		a.told[id] = true
		return true
	}
	if a.told[id] && u.fails(tsk08, false) {
		u.report(tsk08, a, "each message once", "one that came before: "+short(raw))
		return true
	}
	return false
}

// missing reports letters that were delivered and do not stand in the request.
func (u *notices) missing(a *agent) {
	for _, m := range a.mail {
		if m.message {
			u.report(tsk08, a, "message "+decimal(int64(m.n))+", which was delivered, as it was sent", "none in the request")
			continue
		}
		u.report(tsk05, a, "the notification of "+m.task+", which was delivered", "none in the request")
	}
	a.mail = nil
}
