package kernel

import (
	"iter"
	"runtime"
	"testing"

	"agentsim/sim/vtime"
)

// BenchmarkBare is the floor: coroutines and a heap of the same shape with
// nothing else, each sleeper switched to in turn.
func BenchmarkBare(b *testing.B) {
	const sleepers = 64
	var h timers
	nexts := make([]func() (struct{}, bool), sleepers)
	for i := range nexts {
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			for yield(struct{}{}) {
			}
		})
		defer stop()
		nexts[i] = next
		h.push(vtime.Instant(i), phaseProcess, &bareSleeper{next})
	}
	b.ReportAllocs()
	for b.Loop() {
		at := h.first().at
		s := h.pop().(*bareSleeper)
		s.next()
		h.push(at+sleepers, phaseProcess, s)
	}
}

type bareSleeper struct{ next func() (struct{}, bool) }

func (*bareSleeper) Fire(vtime.Instant) {}

// bench runs body b.N times in one process beside the others.
func bench(b *testing.B, k *Kernel, step func(p *Proc)) {
	p := k.Spawn("bench", func(p *Proc) error {
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			step(p)
		}
		b.StopTimer()
		k.Interrupt()
		return nil
	})
	if err := k.Run(); err != ErrInterrupted && err != nil || !p.Done() {
		b.Fatal(err)
	}
	k.Close()
}

func unlimited() Options { return Options{Limits: Limits{Steps: 1 << 60, Time: 1 << 62}} }

// BenchmarkSleepSwitch is one sleep of one of 64 sleepers in turn, policy included.
func BenchmarkSleepSwitch(b *testing.B) {
	k := New(unlimited())
	left := b.N
	b.ReportAllocs()
	for i := range 64 {
		k.Spawn("sleeper", func(p *Proc) error {
			err := p.Sleep(vtime.Duration(i))
			for ; left > 0 && err == nil; left-- {
				err = p.Sleep(64)
			}
			return err
		})
	}
	if err := k.Run(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSleepSelfNext is a sleep of the only process.
func BenchmarkSleepSelfNext(b *testing.B) {
	bench(b, New(unlimited()), func(p *Proc) { p.Sleep(1) })
}

// BenchmarkPingPong is a value there and back between two processes.
func BenchmarkPingPong(b *testing.B) {
	k := New(unlimited())
	ping, pong := NewMailbox[int](k, "ping"), NewMailbox[int](k, "pong")
	k.Spawn("echo", func(p *Proc) error {
		for {
			v, err := ping.Recv(p)
			if err != nil {
				return err
			}
			pong.Send(v)
		}
	})
	bench(b, k, func(p *Proc) {
		ping.Send(1)
		pong.Recv(p)
	})
}

// BenchmarkCall has the shape of one model call: two callbacks, one wait.
func BenchmarkCall(b *testing.B) {
	k := New(unlimited())
	c := &twoStage{k: k}
	bench(b, k, func(p *Proc) {
		c.s.Init(k, "call")
		k.At(p.Now().Add(5), c)
		c.s.Wait(p)
	})
}

type twoStage struct {
	k     *Kernel
	s     Signal
	begun bool
}

func (c *twoStage) Fire(now vtime.Instant) {
	if c.begun = !c.begun; c.begun {
		c.k.At(now+5, c)
		return
	}
	c.s.Fire()
}

// BenchmarkSpawnJoin is the whole life of a process that does nothing.
func BenchmarkSpawnJoin(b *testing.B) {
	k := New(unlimited())
	body := func(*Proc) error { return nil }
	bench(b, k, func(p *Proc) { p.Join(k.Spawn("child", body)) })
}

// BenchmarkAlive100k reports the memory of 100,000 processes that wait at once.
func BenchmarkAlive100k(b *testing.B) {
	const procs = 100_000
	for b.Loop() {
		before := inUse()
		k := New(Options{})
		for range procs {
			k.Spawn("sleeper", func(p *Proc) error { return p.Sleep(vtime.Second) })
		}
		k.At(1, fireFunc(func(vtime.Instant) {
			b.ReportMetric(float64(inUse()-before)/procs, "B/process")
			k.Interrupt()
		}))
		if err := k.Run(); err != ErrInterrupted {
			b.Fatal(err)
		}
		k.Close()
	}
}

// inUse is heap and stacks in bytes after a collection.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
