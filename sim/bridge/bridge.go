package bridge

import (
	"errors"
	"fmt"
	"slices"

	"agentsim/sim/gate"
	"agentsim/sim/kernel"
	"agentsim/sim/vtime"
	"agentsim/sim/worktree"
)

// Mode is how a bridge runs sessions.
type Mode string

// The modes.
const (
	Single   Mode = "single-session" // one, and it ends with it
	Worktree Mode = "worktree"       // many, each in a worktree of its own
	SameDir  Mode = "same-dir"       // many in one directory
)

// Modes are all of them, the default first.
var Modes = []string{string(Single), string(Worktree), string(SameDir)}

// Defaults.
const (
	DefaultSlots   = 32
	DefaultTimeOut = 24 * vtime.Hour
	Grace          = 10 * vtime.Second // from TERM to KILL
	PollEvery      = 5 * vtime.Second
	BeatEvery      = 30 * vtime.Second
	StopWithin     = vtime.Minute // of a bridge that is stopped
)

// ErrStopped stops a bridge: Proc.Abort with it.
var ErrStopped = errors.New("stopped")

// Config is what a bridge is told.
type Config struct {
	Mode      Mode
	Gates     gate.Set
	Slots     int            // sessions at one time; 0 is DefaultSlots
	TimeOut   vtime.Duration // of a session; 0 is DefaultTimeOut
	Token     string         // the outer one
	Directory string

	Repository worktree.Repository // of Directory; what mode worktree makes sessions' worktrees in
}

// check completes the configuration.
func (c *Config) check() error {
	if c.Slots == 0 {
		c.Slots = DefaultSlots
	}
	if c.TimeOut == 0 {
		c.TimeOut = DefaultTimeOut
	}
	switch {
	case c.Mode == Single:
		c.Slots = 1
	case c.Mode != Worktree && c.Mode != SameDir:
		return fmt.Errorf("unknown mode %q", c.Mode)
	case !c.Gates.BridgeMultiSession:
		return fmt.Errorf("mode %s runs several sessions, which gate %s has to allow", c.Mode, gate.BridgeMultiSession)
	case c.Mode == Worktree && c.Repository == nil:
		return fmt.Errorf("mode %s needs a repository", c.Mode)
	}
	return nil
}

// Bridge runs the sessions that a control plane asks for.
type Bridge struct {
	k       *kernel.Kernel
	cfg     Config
	control Control
	start   Start
	log     func(text string)
	works   map[string]bool               // all that was taken
	trees   map[string]*worktree.Worktree // that were made, by session
	live    []*session
	all     []*session
	procs   []*kernel.Proc
	freed   *kernel.Signal // fired when a slot is
}

// New is a bridge; log is told what it does.
func New(k *kernel.Kernel, cfg Config, control Control, start Start, log func(string)) (*Bridge, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Bridge{k: k, cfg: cfg, control: control, start: start, log: log, works: map[string]bool{}, trees: map[string]*worktree.Worktree{}}, nil
}

func (b *Bridge) tell(format string, args ...any) { b.log(fmt.Sprintf(format, args...)) }

// Run registers the environment and runs sessions until p is aborted or, in mode
// single-session, until one has ended. The error is a refusal of the control plane.
func (b *Bridge) Run(p *kernel.Proc) error {
	out, err := b.insist(p, Call{Verb: Register})
	if err == nil {
		b.tell("registered as %s", out.Environment)
		err = b.loop(p)
	}
	_ = p.Shield(StopWithin, func() error { return b.stop(p, err) })
	var refused *Refusal
	if errors.As(err, &refused) {
		return err
	}
	return nil
}

// loop takes work while there is room for it.
func (b *Bridge) loop(p *kernel.Proc) error {
	for {
		if len(b.live) >= b.cfg.Slots {
			b.freed = kernel.NewSignal(b.k, "a slot")
			b.tell("full: %d of %d", len(b.live), b.cfg.Slots)
			if err := b.freed.Wait(p); err != nil {
				return err
			}
		}
		if b.cfg.Mode == Single && len(b.works) > 0 {
			return p.Join(b.procs...)
		}
		out, err := b.insist(p, Call{Verb: Poll})
		if err != nil {
			return err
		}
		switch w := out.Work; {
		case w != nil && !b.works[w.ID]:
			b.works[w.ID] = true
			b.spawn(w)
			continue
		case w != nil:
			b.tell("%s: known", w.ID)
		}
		if err := p.Sleep(PollEvery); err != nil {
			return err
		}
	}
}

// spawn starts a session.
func (b *Bridge) spawn(w *Work) {
	s := &session{b: b, work: *w, outstanding: map[string]vtime.Instant{}, decided: map[string]*Line{}}
	b.live, b.all = append(b.live, s), append(b.all, s)
	b.procs = append(b.procs, b.k.Spawn("session "+w.ID, s.run))
}

// free gives a session's slot to the next one.
func (b *Bridge) free(s *session) {
	b.live = slices.DeleteFunc(slices.Clone(b.live), func(x *session) bool { return x == s })
	if b.freed != nil {
		b.freed.Fire()
	}
}

// stop ends all sessions and waits until the control plane knows of it; what it does not
// hear in time is given up.
func (b *Bridge) stop(p *kernel.Proc, why error) error {
	for _, s := range b.live {
		s.stop(Stopped)
	}
	if p.Join(b.procs...) != nil {
		b.tell("the control plane was not told of every end within %s", StopWithin)
	}
	for _, q := range b.procs {
		q.Abort(ErrStopped)
	}
	b.tell("ended: %v", why)
	return nil
}
