package bridge

import (
	"agentsim/sim/kernel"
	"agentsim/sim/vtime"
)

// When tokens are refreshed.
const (
	RefreshBefore = 5 * vtime.Minute  // the end of the old one
	RefreshAgain  = 60 * vtime.Second // after a failure
	RefreshTries  = 3                 // that fail one after another, and then no more
)

// refresher keeps a session's token fresh. Whatever was scheduled, or is on its way,
// belongs to a generation; each schedule and each cancel begins a new one, and what
// comes of an old one is dropped.
type refresher struct {
	k          *kernel.Kernel
	name       string
	fetch      func(*kernel.Proc) (token string, err error)
	deliver    func(token string)
	tell       func(format string, args ...any)
	lost       func(error) // called once no refresh is tried any more
	generation int
	failures   int
	timer      kernel.Timer
}

// schedule has the token refreshed before it ends, and not sooner than in a while.
func (r *refresher) schedule(token string, soonest vtime.Duration) {
	r.cancel()
	end, err := Ends(token)
	if err != nil {
		r.tell("%s: no refresh: %v", r.name, err)
		return
	}
	r.after(max(soonest, end.Sub(r.k.Now())-RefreshBefore))
}

// cancel has nothing refreshed any more.
func (r *refresher) cancel() {
	r.generation++
	r.timer.Cancel()
}

// after begins a refresh of the present generation.
func (r *refresher) after(d vtime.Duration) {
	r.timer = r.k.At(r.k.Now().Add(d), firing{r, r.generation})
}

// firing is a refresh that is due.
type firing struct {
	*refresher
	of int
}

// Fire starts it.
func (f firing) Fire(vtime.Instant) {
	f.k.Spawn("refresh of "+f.name, func(p *kernel.Proc) error { return f.refresh(p, f.of) })
}

// refresh fetches a token.
func (r *refresher) refresh(p *kernel.Proc, of int) error {
	token, err := r.fetch(p)
	if err == nil {
		_, err = Ends(token)
	}
	switch {
	case of != r.generation:
		r.tell("%s: a token of generation %d dropped", r.name, of)
	case err == nil:
		r.failures = 0
		r.deliver(token)
		r.schedule(token, RefreshAgain) // also if that ends at once
	default:
		r.failures++
		r.tell("%s: refresh failed, %d of %d: %v", r.name, r.failures, RefreshTries, err)
		if r.failures < RefreshTries {
			r.after(RefreshAgain)
		} else if r.lost != nil {
			r.lost(err)
		}
	}
	return nil
}
