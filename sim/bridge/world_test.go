package bridge

import (
	"slices"
	"strconv"

	"agentsim/sim/kernel"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// Options are a bridge, its control plane and what happens to them.
type Options struct {
	Config
	Network
	Users
	Sessions int             // that users want
	Life     vtime.Duration  // of inner tokens
	Slow     vtime.Duration  // that a refresh takes
	Kill     []vtime.Instant // a running process is killed from outside, the first that runs
	Stop     vtime.Instant   // the bridge is stopped; 0 for when all sessions are over
	Policy   kernel.Policy   // nil is first come, first served
	Key      rng.Key
}

// Outcome is what it came to.
type Outcome struct {
	Sessions []Row
	Log      []string
	Rounds   []vtime.Duration // from questions of processes to their answers, the shortest first
	Nonsense int              // answers of the control plane
	End      vtime.Instant
}

// Row is a session.
type Row struct {
	ID       string
	Status   Status // "" where it is not over
	Attempts int
	Lines    int // of the last attempt that arrived
	Asked    int // questions, each counted once
	Refused  int // lines that its process could do nothing with
	Ended    int // times that the control plane took its end
	Lost     int // words that its token is not refreshed any more
	Tokens   int // that it got beside the first
	Beats    int // heartbeats that arrived
	Last     Activity
}

// Play runs a bridge on virtual time. No process is left when it returns.
func Play(o Options, start Start) (*Outcome, error) {
	k := kernel.New(kernel.Options{Policy: o.Policy, Limits: kernel.Limits{Steps: 50_000_000}})
	defer k.Close()
	var runners []Runner
	defer func() {
		for _, r := range runners {
			r.Kill()
		}
	}()
	out := &Outcome{}
	log := func(text string) { out.Log = append(out.Log, k.Now().String()+" "+text) }
	c := &plane{k: k, key: o.Key.Sub("control plane"), net: o.Network, users: o.Users, outer: o.Token, life: o.Life, slow: o.Slow, news: kernel.NewSignal(k, "events")}
	for i := range o.Sessions {
		c.add("s" + strconv.Itoa(i+1))
	}
	b, err := New(k, o.Config, c, func(id, dir, token string) (Runner, error) {
		r, err := start(id, dir, token)
		if err == nil {
			runners = append(runners, r)
		}
		return r, err
	}, log)
	if err != nil {
		return nil, err
	}
	var ended error
	main := k.Spawn("bridge", func(p *kernel.Proc) error {
		ended = b.Run(p)
		return nil
	})
	for _, at := range o.Kill {
		k.At(at, killing{b})
	}
	k.Spawn("stop", func(p *kernel.Proc) error {
		for !main.Done() && !c.over() && (o.Stop == 0 || p.Now() < o.Stop) {
			if err := p.Sleep(vtime.Second); err != nil {
				return err
			}
		}
		main.Abort(ErrStopped)
		return nil
	})
	if err := k.Run(); err != nil {
		return nil, err
	}
	out.End = k.Now()
	out.tell(c, b)
	return out, ended
}

// killing kills a process from outside (kill -9).
type killing struct{ *Bridge }

// Fire kills the first that runs.
func (x killing) Fire(vtime.Instant) {
	for _, s := range x.live {
		if s.process != nil && !s.process.ended.Fired() {
			x.tell("%s: kill -9", s.work.ID)
			s.process.kill()
			return
		}
	}
}

// tell gathers what became of sessions.
func (out *Outcome) tell(c *plane, b *Bridge) {
	out.Nonsense = c.nonsense
	for _, w := range c.works {
		out.Sessions = append(out.Sessions, w.Row)
	}
	for _, s := range b.all {
		out.Rounds = append(out.Rounds, s.rounds...)
	}
	slices.Sort(out.Rounds)
}
