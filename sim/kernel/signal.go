package kernel

import (
	"fmt"

	"agentsim/sim/vtime"
)

// Signal is a happening that processes can wait for. It happens once and stays.
type Signal struct {
	k       *Kernel
	name    string
	waiters waitList
	fired   bool
}

// NewSignal returns a signal that has not fired. The name is for people: it
// stands in the report of a deadlock.
func NewSignal(k *Kernel, name string) *Signal {
	s := &Signal{}
	s.Init(k, name)
	return s
}

// Init makes s a signal that has not fired, so that it can be part of a larger
// value and be used again. It panics while a process waits for s.
func (s *Signal) Init(k *Kernel, name string) {
	if s.waiters.first != nil {
		panic("kernel: signal " + s.name + " was set up again while a process waits for it")
	}
	*s = Signal{k: k, name: name}
}

// Fire wakes all who wait, in the order in which they came. Firing again does
// nothing.
func (s *Signal) Fire() {
	s.fired = true
	s.waiters.wakeAll()
}

// Fired says whether the signal has fired.
func (s *Signal) Fired() bool { return s.fired }

// Wait waits until s has fired. The error is that of Proc.Sleep.
func (s *Signal) Wait(p *Proc) error {
	_, err := s.WaitUntil(p, never)
	return err
}

// WaitUntil waits until s has fired or t has come and says which: fired is the
// state of s when p runs again, so a signal fired at t itself may count or not, as
// the policy has it. The error is that of Proc.Sleep.
func (s *Signal) WaitUntil(p *Proc, t vtime.Instant) (fired bool, err error) {
	mustShare(s.k, p, s)
	if err := p.enter(); err != nil {
		return s.fired, err
	}
	if s.fired || t <= p.k.now {
		return s.fired, nil
	}
	err = p.suspend(s, t)
	return s.fired, err
}

func (s *Signal) queue() *waitList { return &s.waiters }

func (s *Signal) describe() string { return fmt.Sprintf("signal %q", s.name) }

// mustShare panics when a process waits for something of another world.
func mustShare(k *Kernel, p *Proc, w waitable) {
	if p.k != k {
		panic("kernel: process " + p.name + " waits for " + w.describe() + " of another kernel")
	}
}
