package kernel

import "fmt"

// Mailbox is a queue of values between processes: first in, first out, for any
// number of senders and receivers. Sending never suspends.
type Mailbox[T any] struct {
	k       *Kernel
	name    string
	waiters waitList
	ring    []T // its length is 0 or a power of two
	head    int
	n       int
}

// NewMailbox returns an empty mailbox. The name is for people: it stands in the
// report of a deadlock and of a limit.
func NewMailbox[T any](k *Kernel, name string) *Mailbox[T] {
	return &Mailbox[T]{k: k, name: name}
}

// Len is the number of values that wait.
func (m *Mailbox[T]) Len() int { return m.n }

// Send appends v and wakes the receiver that has waited longest. With the limit of
// the queue reached it does neither and returns the *LimitError with which the run
// ends; after Close it returns ErrClosed.
func (m *Mailbox[T]) Send(v T) error {
	if m.k.closed {
		return ErrClosed
	}
	if m.n >= m.k.limits.Queue {
		return m.k.limit(LimitQueue, int64(m.k.limits.Queue), m.describe())
	}
	if m.n == len(m.ring) {
		m.grow()
	}
	m.ring[(m.head+m.n)&(len(m.ring)-1)] = v
	m.n++
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
	for m.n == 0 {
		if err = p.suspend(m, never); err != nil {
			m.passOn()
			return v, err
		}
	}
	v, _ = m.TryRecv()
	return v, nil
}

// TryRecv takes the oldest value; ok is false when there is none.
func (m *Mailbox[T]) TryRecv() (v T, ok bool) {
	if m.n == 0 {
		return v, false
	}
	var zero T
	v, m.ring[m.head] = m.ring[m.head], zero
	m.head = (m.head + 1) & (len(m.ring) - 1)
	m.n--
	return v, true
}

// passOn wakes another receiver for a value whose receiver was aborted between
// its wake-up and its turn.
func (m *Mailbox[T]) passOn() {
	if m.n > 0 {
		m.wakeOne()
	}
}

func (m *Mailbox[T]) wakeOne() {
	if m.waiters.first != nil {
		m.k.wake(m.waiters.first)
	}
}

func (m *Mailbox[T]) grow() {
	bigger := make([]T, max(4, 2*len(m.ring)))
	n := copy(bigger, m.ring[m.head:])
	copy(bigger[n:], m.ring[:m.head])
	m.ring, m.head = bigger, 0
}

func (m *Mailbox[T]) queue() *waitList { return &m.waiters }

func (m *Mailbox[T]) describe() string { return fmt.Sprintf("mailbox %q", m.name) }
