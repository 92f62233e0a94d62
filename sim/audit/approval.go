package audit

import (
	"encoding/json"
	"strings"

	"agentsim/sim/transcript"
)

// leadWord is what a coordinator has said of a worker's plan, since that was handed in.
type leadWord struct {
	said, approves bool
	mode           string // that the worker is to have
}

// asksLead reports whether a call hands in a plan that a coordinator is asked about, and
// not its user (PLN-04).
func (a *agent) asksLead(tool string) bool {
	return tool == exitTool && a.parent != nil && a.parent.coordinator() && a.former.facts.Type == "worker"
}

// hearsLead takes in a coordinator's answer to a plan, by the call that sends it.
func (a *agent) hearsLead(b *transcript.Mail) {
	if b.Op != "sent" || b.Type != planAnswer || a == nil || !a.asksLead(exitTool) {
		return
	}
	a.lead = leadWord{said: true, mode: b.Mode}
	for i := range a.parent.calls {
		c := &a.parent.calls[i]
		if c.done || c.name != sendTool || c.use == nil || !strings.Contains(c.use.input.Raw(), planAnswer) {
			continue
		}
		var in struct{ Message struct{ Approve bool } }
		a.lead.approves = json.Unmarshal([]byte(c.use.input.Raw()), &in) == nil && in.Message.Approve
	}
}

// byLead is PLN-04 for what becomes of a plan that a coordinator was asked about.
func (u *permissions) byLead(a *agent, b *transcript.Permission) {
	want, why := "deny", "time-out"
	if a.lead.said {
		why = "lead"
	}
	if a.lead.approves {
		want = "allow"
	}
	if got := b.Decision + ", by " + b.Why; u.fails(pln04, got == want+", by "+why) {
		u.report(pln04, a, "the word of its lead on its plan: "+want+", by "+why, got)
	}
	if !a.lead.approves {
		a.lead = leadWord{}
	}
}
