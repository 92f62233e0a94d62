package kernel

import (
	"fmt"
	"slices"
)

// Mailbox is a queue of values between processes: first in, first out, for any
// number of senders and receivers. Sending never suspends.
type Mailbox[T any] struct {
	k       *Kernel
	name    string
	waiters waitList
	values  []T
}

// NewMailbox returns an empty mailbox. The name is for people: it stands in the
// report of a deadlock and of a limit.
func NewMailbox[T any](k *Kernel, name string) *Mailbox[T] {
	return &Mailbox[T]{k: k, name: name}
}

// Len is the number of values that wait.
func (m *Mailbox[T]) Len() int { return len(m.values) }

// Send appends v and wakes the receiver that has waited longest. With the limit of
// the queue reached it does neither and returns the *LimitError with which the run
// ends; after Close it returns ErrClosed.
func (m *Mailbox[T]) Send(v T) error {
	if m.k.closed {
		return ErrClosed
	}
	if len(m.values) >= m.k.limits.Queue {
		return m.k.limit(LimitQueue, int64(m.k.limits.Queue), m.describe())
	}
	m.values = append(m.values, v)
	m.wakeOne()
	return nil
}

// Recv takes the oldest value, waiting for one if there is none. The error is that
// of Proc.Sleep; a value is never lost with it.
func (m *Mailbox[T]) Recv(p *Proc) (v T, err error) {
	mustShare(m.k, p, m)
	if err = p.enter(); err != nil {
		return v, err
	}
	for len(m.values) == 0 {
		if err = p.suspend(m, never); err != nil {
			if len(m.values) > 0 { // it was aborted between its wake-up and its turn
				m.wakeOne()
			}
			return v, err
		}
	}
	v, _ = m.TryRecv()
	return v, nil
}

// TryRecv takes the oldest value; ok is false when there is none.
func (m *Mailbox[T]) TryRecv() (v T, ok bool) {
	if len(m.values) == 0 {
		return v, false
	}
	v = m.values[0]
	m.values = slices.Delete(m.values, 0, 1) // few wait at a time
	return v, true
}

func (m *Mailbox[T]) wakeOne() {
	if m.waiters.first != nil {
		m.k.wake(m.waiters.first)
	}
}

func (m *Mailbox[T]) queue() *waitList { return &m.waiters }

func (m *Mailbox[T]) describe() string { return fmt.Sprintf("mailbox %q", m.name) }
