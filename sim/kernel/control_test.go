package kernel

import (
	"errors"
	"testing"

	"agentsim/sim/vtime"
)

func TestControl(t *testing.T) {
	t.Run("KRN-06 Stop ends the run after the present step with its first reason", func(t *testing.T) {
		k := New(Options{})
		p := k.Spawn("p", func(p *Proc) error {
			k.Stop(errStop)
			k.Stop(errors.New("later"))
			return p.Sleep(5)
		})
		defer k.Close()
		if err := k.Run(); err != errStop || k.Now() != 0 || p.Done() {
			t.Fatalf("run ended at %s with %v, process done %v; want the stop at 0 before the sleep ends", k.Now(), err, p.Done())
		}
	})
	t.Run("KRN-06 a run without a limit of its own may last 366 days and not an instant more", func(t *testing.T) {
		for days, over := range map[vtime.Duration]bool{366 * 24 * vtime.Hour: false, 366*24*vtime.Hour + 1: true} {
			k := New(Options{})
			k.Spawn("p", func(p *Proc) error { return p.Sleep(days) })
			var limit *LimitError
			if err := k.Run(); errors.As(err, &limit) != over {
				t.Errorf("%s: %v", days, err)
			}
			k.Close()
		}
	})
	t.Run("CON-18 a process that resumes waits again, and can be aborted again", func(t *testing.T) {
		k := New(Options{})
		again := errors.New("again")
		p := k.Spawn("p", func(p *Proc) error {
			if err := p.Sleep(vtime.Hour); err != errStop {
				t.Errorf("first sleep returned %v, want the abort", err)
			}
			p.Resume()
			if err := p.Sleep(5); err != nil || p.Aborted() != nil {
				t.Errorf("sleep after Resume returned %v with abort %v, want neither", err, p.Aborted())
			}
			return p.Sleep(vtime.Hour)
		})
		k.At(3, fireFunc(func(vtime.Instant) { p.Abort(errStop) }))
		k.At(9, fireFunc(func(vtime.Instant) { p.Abort(again) }))
		mustRun(t, k)
		if p.Err() != again || k.Now() != 9 {
			t.Fatalf("process ended at %s with %v, want the second abort at 9ns", k.Now(), p.Err())
		}
	})
}
