package ui

import (
	"cmp"
	"sync"
	"time"

	"agentsim/sim/transcript"

	"github.com/schollz/progressbar/v3"
)

// Progress shows on a terminal how much of a long work is done, how fast, and how
// long the rest will take. It stays away from what is not a terminal or a dumb
// one, and from works of less than a second. Several goroutines may tell it what
// they have done.
type Progress struct {
	s     *Env
	what  string
	unit  string // what is counted, "" for bytes
	since time.Time

	mu          sync.Mutex
	done, total int64
	bar         *progressbar.ProgressBar // nil where nothing may be shown
	shown       bool
}

const (
	// showAfter is how long a work has taken before its progress is shown.
	showAfter = time.Second
	// barWidth is how many columns the bar itself has; around it stand what is done,
	// how much, and the time.
	barWidth, aroundBar, leastBar = 30, 60, 5
)

// NewProgress begins to watch a work: what is done, "running", and in what it is
// counted, "runs", or "" for bytes. finish must be called before anything is
// printed.
func NewProgress(s *Env, what, unit string, total int) *Progress {
	p := &Progress{s: s, what: what, unit: unit, total: max(1, int64(total)), since: s.Now()}
	if s.ErrTerminal && s.Getenv("TERM") != "dumb" {
		p.bar = progressbar.NewOptions64(p.total, p.options()...)
		p.bar.StartWithoutRender() // the rate is that of the whole work
	}
	return p
}

// Tell says that so much of all is done.
func (p *Progress) Tell(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
	p.show()
}

// Add says that so many more are done.
func (p *Progress) Add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += int64(n)
	p.show()
}

// Pulse is a sink for a run that is part of the work: a single run may take long
// too, and then the bar shows that time goes by. There is none where nothing
// would be shown.
func (p *Progress) Pulse() []transcript.Sink {
	if p.bar == nil {
		return nil
	}
	return []transcript.Sink{&pulse{p: p}}
}

// pulse shows the progress every so many events of a run.
type pulse struct {
	p      *Progress
	events int
}

// PulseEvery is how many events lie between two looks at the clock.
const PulseEvery = 1024

// Emit counts an event.
func (x *pulse) Emit(*transcript.Event) {
	if x.events++; x.events%PulseEvery == 0 {
		x.p.Add(0)
	}
}

// show draws what is done.
func (p *Progress) show() {
	if p.bar == nil || !p.shown && p.s.Now().Sub(p.since) < showAfter {
		return
	}
	p.shown = true
	if p.bar.GetMax64() != p.total {
		p.bar.ChangeMax64(p.total)
	}
	// A terminal that cannot be written to is no reason to stop.
	_ = p.bar.Set64(p.done)
}

func (p *Progress) options() []progressbar.Option {
	width := barWidth
	if p.s.Width > 0 {
		width = max(leastBar, min(barWidth, p.s.Width-aroundBar))
	}
	out := []progressbar.Option{progressbar.OptionSetWriter(cmp.Or(p.s.Screen, p.s.Stderr)), progressbar.OptionSetDescription(p.what),
		progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionSetWidth(width),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true)}
	if p.unit == "" {
		return append(out, progressbar.OptionShowBytes(true))
	}
	return append(out, progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(p.unit))
}

// Finish takes the bar away.
func (p *Progress) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		_ = p.bar.Finish()
	}
}
