package audit

import "agentsim/sim/vtime"

// escapes are the instants at which a root's user interrupts it, by its script, that
// are still to come, in order.
type escapes []vtime.Instant

// past forgets the instants up to one.
func (x *escapes) past(now vtime.Instant) {
	for len(*x) > 0 && (*x)[0] <= now {
		*x = (*x)[1:]
	}
}

// comes is PRM-05 for an answer or a result: its user has not interrupted the agent
// since it asked.
func (x *escapes) comes(u *ledger, a *agent, asked vtime.Instant) {
	if len(*x) == 0 {
		return
	}
	first := (*x)[0]
	if u.fails(prm05, first >= u.now || first <= asked) {
		u.report(prm05, a, "nothing but an interrupt at "+first.String(), "what was asked for at "+asked.String())
	}
}
