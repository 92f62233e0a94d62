package kernel

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// walker takes so many steps, each so long, and notes them.
type walker struct {
	k    *Kernel
	name string
	left int
	each vtime.Duration
	log  *[]string
	at   func(left int)
}

func (w *walker) Step() (vtime.Instant, bool) {
	*w.log = append(*w.log, fmt.Sprintf("%s %d at %d", w.name, w.left, w.k.Now()))
	if w.at != nil {
		w.at(w.left)
	}
	w.left--
	return w.k.Now().Add(w.each), w.left >= 0
}

func TestSteps(t *testing.T) {
	t.Run("SPD-01 steps come at the instants and in the order of sleeps, and no coroutine is resumed for them", stepsAreSleeps)
	t.Run("SPD-01 an abort reaches the process in place of the next step", stepsAborted)
	t.Run("SPD-01 an abort that a step brings on itself comes before it waits", stepsAbortThemselves)
	t.Run("SPD-01 a panic of a step is that of its process, with its stack", stepsPanic)
	t.Run("SPD-01 in a shield steps go on, until its time is up", stepsShielded)
}

func stepsAreSleeps(t *testing.T) {
	run := func(seed uint64, steps bool) (log []string, k *Kernel) {
		k = New(Options{Policy: Random(rng.Root(seed))})
		for i, each := range []vtime.Duration{2, 3, 2} {
			w := &walker{k: k, name: string(rune('a' + i)), left: 40, each: each, log: &log}
			k.Spawn(w.name, func(p *Proc) error {
				if steps {
					return p.Steps(w)
				}
				for {
					until, more := w.Step()
					if !more {
						return nil
					}
					if err := p.SleepUntil(until); err != nil {
						return err
					}
				}
			})
		}
		mustRun(t, k)
		return log, k
	}
	for seed := range uint64(20) {
		log, k := run(seed, true)
		want, slept := run(seed, false)
		if !slices.Equal(log, want) || k.steps != slept.steps || k.Now() != slept.Now() {
			t.Fatalf("seed %d: steps are not sleeps: %d and %d steps, %s and %s\n%s\n%s", seed, k.steps, slept.steps, k.Now(), slept.Now(), log, want)
		}
		if k.switches != 6 || slept.switches < 60 {
			t.Fatalf("%d switches with steps, want one to begin and one to end of each of 3; %d with sleeps", k.switches, slept.switches)
		}
	}
}

func stepsAborted(t *testing.T) {
	k, why := New(Options{}), errors.New("why")
	var log []string
	w := &walker{k: k, name: "w", left: 9, each: 10, log: &log}
	var got error
	p := k.Spawn("w", func(p *Proc) error {
		got = p.Steps(w)
		return p.Shield(5, func() error { return p.Sleep(3) })
	})
	k.Spawn("other", func(q *Proc) error {
		err := q.Sleep(25)
		p.Abort(why)
		return err
	})
	mustRun(t, k)
	if got != why || len(log) != 3 || k.Now() != 28 || p.Err() != nil {
		t.Fatalf("steps ended with %v after %v, the process at %s with %v", got, log, k.Now(), p.Err())
	}
}

func stepsAbortThemselves(t *testing.T) {
	k, why := New(Options{}), errors.New("why")
	var log []string
	var p *Proc
	w := &walker{k: k, name: "w", left: 9, each: 10, log: &log, at: func(left int) {
		if left == 6 {
			p.Abort(why)
		}
	}}
	p = k.Spawn("w", func(p *Proc) error { return p.Steps(w) })
	k.Spawn("other", func(q *Proc) error { return q.Sleep(1000) })
	mustRun(t, k)
	if p.Err() != why || len(log) != 4 {
		t.Fatalf("steps ended with %v after %v", p.Err(), log)
	}
}

func stepsPanic(t *testing.T) {
	k := New(Options{})
	defer k.Close()
	var log []string
	w := &walker{k: k, name: "w", left: 9, each: 10, log: &log, at: func(left int) {
		if left == 6 {
			explode()
		}
	}}
	k.Spawn("faulty", func(p *Proc) error { return p.Steps(w) })
	k.Spawn("other", func(q *Proc) error {
		for {
			if err := q.Sleep(7); err != nil {
				return err
			}
		}
	})
	var e *PanicError
	if err := k.Run(); !errors.As(err, &e) || e.Process != "faulty" || e.Instant != 30 || !strings.Contains(string(e.Stack), "kernel.explode") {
		t.Fatalf("run ended with %v", err)
	}
}

func stepsShielded(t *testing.T) {
	k, why := New(Options{}), errors.New("why")
	var log []string
	w := &walker{k: k, name: "w", left: 9, each: 10, log: &log}
	var got error
	p := k.Spawn("w", func(p *Proc) error {
		return p.Shield(35, func() error {
			got = p.Steps(w)
			return nil
		})
	})
	k.Spawn("other", func(q *Proc) error {
		err := q.Sleep(5)
		p.Abort(why)
		return err
	})
	mustRun(t, k)
	if got != ErrDeadline || len(log) != 4 || k.Now() != 35 {
		t.Fatalf("steps ended with %v after %v at %s", got, log, k.Now())
	}
}
