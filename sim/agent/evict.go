package agent

import (
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// DefaultEvictAfter is how long what a background agent said stays in memory once
// it has ended, unless a scenario says otherwise: our own assumption.
const DefaultEvictAfter = 30 * vtime.Minute

// Nothing is what a user looks at who closes what is on the screen.
const Nothing = "none"

// evictions are the outputs that are to go, the next first. One timer serves them
// all; it keeps no run alive.
type evictions struct {
	next  []eviction
	armed bool
	shown *Agent // whose output is on the user's screen, nil for none
}

// eviction is one activation's output and when it goes.
type eviction struct {
	of         *Agent
	activation int
	at         vtime.Instant
}

// evictor is the world as the kernel's timer sees it.
type evictor World

// Fire lets go of what is due.
func (e *evictor) Fire(now instant) {
	w := (*World)(e)
	q := &w.evictions
	q.armed = false
	for len(q.next) > 0 && q.next[0].at <= now {
		x := q.next[0]
		q.next = q.next[1:]
		if x.of.ended && x.of.task.Activation() == x.activation && x.of != q.shown {
			w.evict(x.of)
		}
	}
	w.armEviction()
}

// evictLater sees to it that the output of a task's agent that ends now is let go
// in time (TSK-09).
func (w *World) evictLater(a *Agent) {
	if w.cfg.EvictAfter <= 0 {
		return
	}
	w.evictions.next = append(w.evictions.next, eviction{a, a.task.Activation(), w.cfg.Kernel.Now().Add(w.cfg.EvictAfter)})
	w.armEviction()
}

func (w *World) armEviction() {
	q := &w.evictions
	if q.armed || len(q.next) == 0 {
		return
	}
	q.armed = true
	w.cfg.Kernel.At(q.next[0].at, (*evictor)(w))
}

// evict lets go of an output: of the text, and of the file where a tool had one
// made of it. The record keeps what it was made of.
func (w *World) evict(a *Agent) {
	if a.past.evicted {
		return
	}
	w.rec.emit(a.ref, &transcript.Output{TaskID: a.task.ID, Op: "evicted", Activation: a.task.Activation(), Bytes: len(a.past.output)})
	a.past.output, a.past.evicted = "", true
	filesOf(w, a.task).Remove(a.task.OutputFile, a.ref)
}

// show puts the output of a background agent on the user's screen, where it is
// retained, or closes what stands there. What is overdue goes as it is closed.
func (w *World) show(by *Agent, lineage string) {
	q := &w.evictions
	if old := q.shown; old != nil {
		q.shown = nil
		old.mate.turnPane("hide")
		w.rec.emit(old.ref, &transcript.Output{TaskID: old.task.ID, Op: "hidden", Activation: old.task.Activation()})
		if old.ended && w.cfg.EvictAfter > 0 && w.cfg.Kernel.Now() >= old.endedAt.Add(w.cfg.EvictAfter) {
			w.evict(old)
		}
	}
	if lineage == Nothing {
		return
	}
	for _, a := range w.agents {
		if a.lineage == lineage && a.task != nil {
			q.shown = a
			a.mate.turnPane("show")
			w.rec.emit(a.ref, &transcript.Output{TaskID: a.task.ID, Op: "shown", Activation: a.task.Activation(), Messages: viewed(a)})
			return
		}
	}
	w.rec.emit(by.ref, &transcript.Finding{Rule: "nothing-to-show", Detail: "there is no agent " + lineage + " in the background"})
}

// refresh brings output files up to date before a tool looks at one. A file whose
// task's output was evicted cannot be: for Read that is the result.
func (w *World) refresh(name string, use *llm.Block) *tool.Result {
	if w.tasks.Len() == 0 || !strings.Contains(use.Content.Raw(), outputDir) {
		return nil
	}
	for _, t := range w.tasks.All() {
		if !strings.Contains(use.Content.Raw(), t.OutputFile) {
			continue
		}
		if s := w.shells[t.ID]; s != nil {
			w.write(t, s.output(), t.Owner)
			continue
		}
		a := w.agents[t.Agent]
		if a.ended && a.past.evicted {
			if name == "Read" {
				gone := failure("The output of task " + t.ID + " is no longer there: it was let go " + w.cfg.EvictAfter.String() + " after its end. The notification of its end held its result.")
				return &gone
			}
			continue
		}
		w.write(t, outputAtHome(a), a.ref)
	}
	return nil
}

// write puts a task's output into its file.
func (w *World) write(t *task.Task, text string, by int32) {
	if _, err := filesOf(w, t).Write(t.OutputFile, text, by); err != nil {
		w.fail(err)
	}
}
