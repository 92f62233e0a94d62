// Package kernel runs straight-line processes over virtual time, one at a time.
//
// Rules:
//   - A process is a Go function on a coroutine, that of one which has ended where there
//     is such. It gives up control only in a call that takes its *Proc and returns an
//     error: Sleep, SleepUntil, Steps, Join, Signal.Wait, Signal.WaitUntil and
//     Mailbox.Recv. Every other call runs to completion. No goroutine, lock, channel or select is used or allowed.
//   - A part of a process that waits for the clock alone can be a Stepper: its steps
//     are those that sleeps would make, without the coroutine.
//   - What happens next is decided by (instant, phase, sequence). Phase 0 holds
//     callbacks (Kernel.At), phase 1 processes: whatever a provider does at an
//     instant is done before any process sees that instant.
//   - Processes that are ready at one instant form a set in order of arrival; the
//     Policy picks from it. With one process in the set there is no choice and
//     none is recorded.
//   - An abort is a wake-up with an error. It is sticky; clean-up that still has
//     to wait runs inside Proc.Shield. Coroutines are stopped from outside only
//     by Close, after the run.
//   - Everything is bounded by a named limit, and a run that cannot go on says
//     why: LimitError, DeadlockError, PanicError, ErrInterrupted.
//   - pct counts choices, not steps: processes run alone between two choices, so its
//     bound holds with the number of choices. replay is total: where its list cannot be
//     followed, whoever has been ready longest runs.
//
// A Kernel and everything made with it belong to one thread of control;
// Interrupt is the only method that may be called from another one.
package kernel
