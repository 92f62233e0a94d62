package cli

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// counter shows on a terminal how many of many things are done, how fast, and
// how long the rest will take. It stays away from what is not a terminal, and
// from works of less than a second.
type counter struct {
	s     *State
	what  string
	total int
	done  int
	since time.Time
	bar   *progressbar.ProgressBar
}

func (s *State) newCounter(what string, total int) *counter {
	return &counter{s: s, what: what, total: total, since: s.Now()}
}

// add says that so many more are done.
func (c *counter) add(n int) {
	c.done += n
	if !c.s.ErrTerminal {
		return
	}
	if c.bar == nil {
		if c.s.Now().Sub(c.since) < showAfter {
			return
		}
		c.bar = progressbar.NewOptions(c.total, progressbar.OptionSetWriter(c.s.Stderr), progressbar.OptionSetDescription(c.what),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("runs"),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	}
	// A terminal that cannot be written to is no reason to stop.
	_ = c.bar.Set(c.done)
}

// finish takes the bar away.
func (c *counter) finish() {
	if c.bar != nil {
		_ = c.bar.Finish()
	}
}
