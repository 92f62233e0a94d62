package agent

import (
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Remote says what remote environments are like. The zero value is that there are none.
type Remote struct {
	Offered   bool // calls and definitions may ask for one
	Latency   vtime.Duration
	Loss      int64                   // per cent of the frames that cost the connection, below 100
	Reconnect vtime.Duration          // from a loss until there is a connection again
	Scope     func(own string) string // the provider's scope of a workspace; nil is the workspace
}

// link joins a remote agent to the one that started it. A frame is sent again with each
// new connection until its arrival was acknowledged; who receives takes each once, in
// the order of sending.
type link struct {
	of    *Agent
	key   rng.Key
	down  bool
	ways  [2]way
	begun kernel.Signal // fires when the prompt is there
	home  string        // what the agent has said, as far as it has come home
}

// way is one direction of a link.
type way struct {
	word    string
	sent    int
	arrived int
	open    []*frame // not acknowledged, in order
	flying  []*frame // on their way, in order
}

// The directions.
const (
	outward = iota
	homeward
)

// frame is what passes a link: a prompt, a message, an answer or a result.
type frame struct {
	n, attempts, bytes int
	what               string
	arrive             func(instant)
}

func newLink(a *Agent) *link {
	l := &link{of: a, key: a.key.Sub("link")}
	l.ways[outward].word, l.ways[homeward].word = "out", "home"
	l.begun.Init(a.w.cfg.Kernel, "prompt of "+a.lineage)
	return l
}

// send puts something on its way. arrive is called once, when it is there.
func (l *link) send(dir int, what string, bytes int, arrive func(instant)) {
	w := &l.ways[dir]
	w.sent++
	f := &frame{n: w.sent, what: what, bytes: bytes, arrive: arrive}
	w.open = append(w.open, f)
	if !l.down {
		l.transmit(w, f)
	}
}

// deliver is send for what no run ends without: it goes on until it is there.
func (l *link) deliver(dir int, what string, bytes int, arrive func(instant)) {
	name := what + " of " + l.of.lineage
	var came kernel.Signal
	came.Init(l.of.w.cfg.Kernel, name)
	l.send(dir, what, bytes, func(now instant) {
		arrive(now)
		came.Fire()
	})
	l.of.w.cfg.Kernel.Spawn(name, came.Wait)
}

// transmit sends a frame that is not acknowledged. Of those that cost the connection
// every second one is lost, and of the others the acknowledgement.
func (l *link) transmit(w *way, f *frame) {
	f.attempts++
	l.tell("sent", w, f)
	r := &l.of.w.cfg.Remote
	key := l.key.Sub(w.word).At(uint64(f.n)).At(uint64(f.attempts))
	breaks := key.Sub("loss").Between(0, 99) < r.Loss
	if breaks {
		l.down = true
		l.after(r.Reconnect, (*reconnection)(l))
		if key.Sub("acknowledgement").Between(0, 1) == 0 {
			l.tell("lost", w, f)
			return
		}
	} else {
		w.open = w.open[1:] // it is the oldest: the others were acknowledged
	}
	w.flying = append(w.flying, f)
	l.after(r.Latency, &arrival{l, w})
}

// streams sends an answer home while its agent works on: its output file there holds what
// has arrived. A nil link sends nothing.
func (l *link) streams(m *llm.Msg) {
	if l == nil {
		return
	}
	said := textOf(m) + "\n"
	l.send(homeward, "answer", bytesOf(m.Blocks), func(instant) { l.home += said })
}

func (l *link) after(d vtime.Duration, f kernel.Firer) {
	k := l.of.w.cfg.Kernel
	k.At(k.Now().Add(d), f)
}

// tell records what becomes of a frame.
func (l *link) tell(op string, w *way, f *frame) {
	l.of.w.rec.emit(l.of.ref, &transcript.Link{Op: op, Way: w.word, N: f.n, What: f.what, Attempt: f.attempts, Bytes: f.bytes})
}

// reconnection is a link whose connection comes back.
type reconnection link

// Fire sends again what was not acknowledged, until the connection is lost again.
func (c *reconnection) Fire(instant) {
	l := (*link)(c)
	l.down = false
	for i := range l.ways {
		w := &l.ways[i]
		for len(w.open) > 0 && !l.down {
			l.transmit(w, w.open[0])
		}
	}
}

// arrival is the next frame of a direction that is at the other end.
type arrival struct {
	l *link
	w *way
}

// Fire takes a frame in, unless it was taken before.
func (x *arrival) Fire(now instant) {
	w := x.w
	f := w.flying[0]
	w.flying = w.flying[1:]
	if f.n <= w.arrived {
		x.l.tell("discarded", w, f)
		return
	}
	w.arrived = f.n
	x.l.tell("arrived", w, f)
	f.arrive(now)
}
