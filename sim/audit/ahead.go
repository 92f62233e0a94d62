package audit

import "agentsim/sim/ahead"

// Lead implements transcript.Leader.
func (u *Auditor) Lead(agent int32) {
	if int(agent) < len(u.lives) {
		ahead.Fetch(u.agents[agent], 8)
		ahead.Fetch(u.lives[agent], 31)
	}
}
