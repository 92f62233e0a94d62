package cli

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows on a terminal how far a long work has come. It stays away from
// what is not a terminal, and from works of less than a second.
type progress struct {
	s     *State
	since time.Time
	bar   *progressbar.ProgressBar
}

// showAfter is how long a work has taken before its progress is shown.
const showAfter = time.Second

func (s *State) newProgress() *progress { return &progress{s: s, since: s.Now()} }

// tell says that done of total bytes are read.
func (p *progress) tell(done, total int64) {
	if !p.s.ErrTerminal {
		return
	}
	if p.bar == nil {
		if p.s.Now().Sub(p.since) < showAfter {
			return
		}
		p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(p.s.Stderr), progressbar.OptionSetDescription("reading"),
			progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	}
	// A terminal that cannot be written to is no reason to stop.
	_ = p.bar.Set64(done)
}

// finish takes the bar away.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
