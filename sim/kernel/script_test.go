package kernel

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// The test language. A program is a list of lines, each one call of the kernel;
// the world runs programs as processes and notes each call when it returns. Text
// stories are written in it and random programs are generated in it.
//
//	sleep D | until D           wait for, until
//	wait S [D]                  wait for a signal, at most for D
//	recv M | tryrecv M | send M TEXT
//	fire S | abort P WHY | spawn P | join P…
//	at D NAME say TEXT | fire S | abort P WHY | send M TEXT | panic    a callback
//	cancel NAME
//	say TEXT | panic TEXT | fail TEXT
//	shield D … end | loop N … end
//	defer LINE                  LINE runs when the process unwinds
//	try LINE                    an error of LINE does not end the program

// line is one parsed line; block holds what stands between it and its end.
type line struct {
	words []string
	block []line
}

// note is one line of a trace.
type note struct {
	at        vtime.Instant
	who, text string
}

func (n note) String() string { return fmt.Sprintf("%s %s: %s", n.at, n.who, n.text) }

// world is a kernel with named things in it.
type world struct {
	k        *Kernel
	scale    vtime.Duration
	programs map[string][]line
	procs    map[string]*Proc
	signals  map[string]*Signal
	boxes    map[string]*Mailbox[string]
	timers   map[string]Timer
	trace    []note
}

func newWorld(o Options) *world {
	return &world{
		k: New(o), scale: 1, programs: map[string][]line{}, procs: map[string]*Proc{},
		signals: map[string]*Signal{}, boxes: map[string]*Mailbox[string]{}, timers: map[string]Timer{},
	}
}

func newWorldNamed(policy string, seed uint64, l Limits) *world {
	p, err := PolicyNamed(policy, rng.Root(seed))
	if err != nil {
		panic(err)
	}
	return newWorld(Options{Policy: p, Limits: l})
}

func (w *world) define(name, text string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	w.programs[name], _ = parse(lines)
}

func parse(lines []string) (out []line, rest []string) {
	for len(lines) > 0 {
		words := strings.Fields(lines[0])
		lines = lines[1:]
		if len(words) == 0 {
			continue
		}
		if words[0] == "end" {
			break
		}
		l := line{words: words}
		if words[0] == "shield" || words[0] == "loop" {
			l.block, lines = parse(lines)
		}
		out = append(out, l)
	}
	return out, lines
}

func (w *world) spawn(name string) *Proc {
	program := w.programs[name]
	p := w.k.Spawn(name, func(p *Proc) error {
		err := w.play(p, program)
		w.note(p.Name(), "ended", err)
		return err
	})
	w.procs[name] = p
	return p
}

func (w *world) note(who, text string, err error) {
	if err != nil {
		text += " ! " + err.Error()
	}
	w.trace = append(w.trace, note{w.k.Now(), who, text})
}

func (w *world) play(p *Proc, lines []line) error {
	for _, l := range lines {
		try := l.words[0] == "try"
		if try {
			l.words = l.words[1:]
		}
		switch l.words[0] {
		case "defer":
			words := l.words[1:]
			defer w.call(p, line{words: words})
			continue
		case "loop":
			n, _ := strconv.Atoi(l.words[1])
			for range n {
				if err := w.play(p, l.block); err != nil {
					return err
				}
			}
			continue
		}
		if err := w.call(p, l); err != nil && !try {
			return err
		}
	}
	return nil
}

// call does one line and notes it.
func (w *world) call(p *Proc, l line) error {
	text, err := w.suspending(p, l)
	if text == "" {
		text = w.plain(p.Name(), l.words)
	}
	w.note(p.Name(), text, err)
	return err
}

// suspending does a line that may suspend; other lines give no text.
func (w *world) suspending(p *Proc, l line) (string, error) {
	switch a := l.words; a[0] {
	case "sleep":
		return "sleep", p.Sleep(w.span(a[1]))
	case "until":
		return "until", p.SleepUntil(vtime.Instant(0).Add(w.span(a[1])))
	case "wait":
		if len(a) == 2 {
			return "wait " + a[1], w.signal(a[1]).Wait(p)
		}
		fired, err := w.signal(a[1]).WaitUntil(p, p.Now().Add(w.span(a[2])))
		return fmt.Sprintf("wait %s fired=%v", a[1], fired), err
	case "recv":
		v, err := w.box(a[1]).Recv(p)
		return "recv " + a[1] + " = " + v, err
	case "join":
		var qs []*Proc
		for _, name := range a[1:] {
			if q := w.procs[name]; q != nil {
				qs = append(qs, q)
			}
		}
		return "join", p.Join(qs...)
	case "shield":
		return "shield", p.Shield(w.span(a[1]), func() error { return w.play(p, l.block) })
	case "fail":
		return "fail", errors.New(strings.Join(a[1:], " "))
	}
	return "", nil
}

// plain does a line that runs to completion and returns the text to note.
func (w *world) plain(who string, a []string) string {
	switch a[0] {
	case "say":
		return strings.Join(a[1:], " ")
	case "panic":
		panic(strings.Join(a[1:], " "))
	case "fire":
		w.signal(a[1]).Fire()
		return "fire " + a[1]
	case "send":
		if err := w.box(a[1]).Send(a[2]); err != nil {
			return "send " + a[1] + " ! " + err.Error()
		}
		return "send " + a[1]
	case "tryrecv":
		v, ok := w.box(a[1]).TryRecv()
		return fmt.Sprintf("tryrecv %s = %s %v", a[1], v, ok)
	case "abort":
		q := w.procs[a[1]]
		return fmt.Sprintf("abort %s %v", a[1], q != nil && q.Abort(errors.New(a[2])))
	case "spawn":
		q := w.spawn(a[1])
		if q.Err() != nil {
			return "spawn " + a[1] + " ! " + q.Err().Error()
		}
		return "spawn " + a[1]
	case "at":
		w.timers[a[2]] = w.k.At(w.k.Now().Add(w.span(a[1])), &callback{w, a[2], a[3:]})
		return "at " + a[2]
	case "cancel":
		return fmt.Sprintf("cancel %s %v", a[1], w.timers[a[1]].Cancel())
	}
	panic(who + ": no such line: " + strings.Join(a, " "))
}

type callback struct {
	w     *world
	name  string
	words []string
}

func (c *callback) Fire(vtime.Instant) {
	c.w.note("@"+c.name, c.w.plain(c.name, c.words), nil)
}

func (w *world) span(s string) vtime.Duration {
	d, err := vtime.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d * w.scale
}

func (w *world) signal(name string) *Signal {
	if w.signals[name] == nil {
		w.signals[name] = NewSignal(w.k, name)
	}
	return w.signals[name]
}

func (w *world) box(name string) *Mailbox[string] {
	if w.boxes[name] == nil {
		w.boxes[name] = NewMailbox[string](w.k, name)
	}
	return w.boxes[name]
}

// take returns the trace since the last take, one note a line.
func (w *world) take() string {
	var b strings.Builder
	for _, n := range w.trace {
		fmt.Fprintln(&b, n)
	}
	w.trace = nil
	return b.String()
}
