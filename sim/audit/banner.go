package audit

import (
	"strings"
)

// banners are those of sub-agents that an agent's terminal shows and that are still
// open, by their types.
type banners []string

// What a banner opens and ends with, around the type.
const (
	bannerOpen  = "  ┌─ Sub-agent ["
	bannerShut  = "  └─ Sub-agent ["
	bannerEnded = "] completed"
)

// shows is MIN-02 for a line of a terminal: what is closed was open.
func (x *banners) shows(u *ledger, a *agent, line string) {
	if strings.HasPrefix(line, bannerOpen) {
		*x = append(*x, between(line, bannerOpen, "]"))
		return
	}
	if !strings.HasPrefix(line, bannerShut) {
		return
	}
	typ := between(line, bannerShut, bannerEnded)
	for i, open := range *x {
		if open == typ {
			*x = append((*x)[:i], (*x)[i+1:]...)
			u.made[min02]++
			return
		}
	}
	if u.fails(min02, false) {
		u.report(min02, a, "no end of a banner of type "+typ+" that is not open", "one")
	}
}

// sent is MIN-02 for a request: whoever worked for the agent has come home.
func (x *banners) sent(u *ledger, a *agent) {
	if len(*x) > 0 && u.fails(min02, false) {
		u.report(min02, a, "the banner of "+(*x)[0]+" closed before it goes on", "it is open")
		*x = nil
	}
}
