package llm

import (
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// Retry is a client's rule for trying again (LOOP-06): Base·2ⁿ up to Cap, plus a
// keyed number of jitter steps; retry-after wins over both. All waits are whole
// multiples of the parameters, so that scaled parameters scale them.
type Retry struct {
	Max   int            `yaml:"max"`  // further tries
	Base  vtime.Duration `yaml:"base"` // wait before the first of them
	Cap   vtime.Duration `yaml:"cap"`
	Step  vtime.Duration `yaml:"-"` // unit of jitter
	Steps int64          `yaml:"-"` // at most so many steps for the first wait, doubled with it
}

// DefaultRetry is what the seeds' client does: ten tries, half a second doubled
// up to 32, and up to a quarter more.
func DefaultRetry() Retry {
	return Retry{Max: 10, Base: 500 * vtime.Millisecond, Cap: 32 * vtime.Second, Step: vtime.Millisecond, Steps: 125}
}

// Wait is the pause after failed attempt n of a call, from 0; its jitter is drawn by
// the key, and after is what the server asks for, 0 for nothing.
func (r *Retry) Wait(key rng.Key, n int, after vtime.Duration) vtime.Duration {
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
	return d + r.Step*vtime.Duration(key.Between(0, steps))
}
