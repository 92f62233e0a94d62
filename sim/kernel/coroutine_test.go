package kernel

import (
	"runtime"
	"testing"
)

func TestCoroutines(t *testing.T) {
	t.Run("KRN-01 a process that begins after another has ended takes its coroutine, and none is left after a run", coroutinesAreTaken)
}

func coroutinesAreTaken(t *testing.T) {
	before, most := runtime.NumGoroutine(), 0
	k := New(Options{})
	k.Spawn("parent", func(p *Proc) error {
		for range 100 {
			a, b := k.Spawn("a", sleeper), k.Spawn("b", sleeper)
			if err := p.Join(a, b); err != nil {
				return err
			}
			most = max(most, runtime.NumGoroutine()-before)
		}
		return nil
	})
	mustRun(t, k)
	if most > 3 {
		t.Errorf("%d coroutines for three processes at a time", most)
	}
	if left := runtime.NumGoroutine() - before; left > 0 {
		t.Errorf("%d coroutines left", left)
	}
}

func sleeper(p *Proc) error { return p.Sleep(1) }
