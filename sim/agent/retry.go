package agent

import (
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

type instant = vtime.Instant

// Retry is the client's rule for trying again (LOOP-06): Base·2ⁿ up to Cap,
// plus a keyed number of jitter steps; retry-after wins over both. All waits
// are whole multiples of the parameters, so that scaled parameters scale them.
type Retry struct {
	Max   int            // further tries
	Base  vtime.Duration // wait before the first of them
	Cap   vtime.Duration
	Step  vtime.Duration // unit of jitter
	Steps int64          // at most so many steps for the first wait, doubled with it
}

// DefaultRetry is what the seeds' client does: ten tries, half a second doubled
// up to 32, and up to a quarter more.
func DefaultRetry() Retry {
	return Retry{Max: 10, Base: 500 * vtime.Millisecond, Cap: 32 * vtime.Second, Step: vtime.Millisecond, Steps: 125}
}

// wait is the pause after failed attempt n of a call.
func (r Retry) wait(a *Agent, n int, after vtime.Duration) vtime.Duration {
	if after > 0 {
		return after
	}
	d, steps := r.Base, r.Steps
	for i := 0; i < n && d < r.Cap; i++ {
		d, steps = 2*d, 2*steps
	}
	d = min(d, r.Cap)
	if steps == 0 {
		return d
	}
	key := a.key.Sub("retry").At(uint64(a.calls)).At(uint64(n))
	return d + r.Step*vtime.Duration(key.Between(0, steps))
}

// retry records a failed attempt and waits, or returns the error when the
// client gives up.
func (a *Agent) retry(p *kernel.Proc, api *llm.APIError, attempt int) error {
	rule := &a.w.cfg.Retry
	gives := !api.Retryable() || attempt >= rule.Max
	ev := transcript.APIError{Call: a.calls, Attempt: attempt, Err: api, GivesUp: gives, Model: a.req.Model}
	if !gives {
		ev.RetryIn = rule.wait(a, attempt, api.RetryAfter)
	}
	a.w.rec.emit(a.ref, &ev)
	a.consume(api.Usage)
	if api.Began > 0 {
		a.expect(api.Started)
	}
	if gives {
		a.calls++
		return api
	}
	return p.Sleep(ev.RetryIn)
}
