package agent

import (
	"strings"

	"agentsim/sim/team"
	"agentsim/sim/tool"
)

// peers is the mailbox for what other sessions write to a root, nil of others.
func (r *Root) peers() *team.Box {
	if r == nil {
		return nil
	}
	return r.mail
}

// whyBridge is why a message to another session elsewhere is asked about.
const whyBridge = "bridge"

// consent reports whether a call needs the user's explicit consent, whatever rules and
// modes say: a message to a session elsewhere does.
func (u *toolUse) consent() bool {
	if u.tool.CanonicalName() != tool.SendName || !u.by.w.gates.AgentSwarms {
		return false
	}
	in, err := tool.ParseMessageInput(u.block.Content, true)
	return err == nil && strings.HasPrefix(in.To, "bridge:")
}

// acrossSessions writes a text to another session of the run, by the name of its root: on
// this machine over a socket, elsewhere over a bridge, to which the user has consented
// by now (SWM-05).
func acrossSessions(a *Agent, to team.Address, in tool.MessageInput) tool.Result {
	var other *Agent
	for _, x := range a.w.agents {
		if x.parent == nil && x.lineage == to.Name && x != a.session() {
			other = x
		}
	}
	if other == nil || other.ended {
		return failure("Your message was not sent: there is no session " + to.Name + ".")
	}
	if other.root.mail == nil {
		other.root.mail = team.NewBox(other.lineage)
	}
	if err := post(a.w, other, other.root.mail, "", a.lineage, team.PlainText, in.Message); err != nil {
		return failure("Your message was not sent: " + err.Error() + ".")
	}
	return sent("Your message is in the mailbox of session " + to.Name + ".")
}
