package audit

import (
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// aborts is the section on who hears whose abort.
type aborts struct {
	*ledger
	tasks        *tasking
	coordinators *coordinators
	gates        *gates
	killing      killing
	presses      []press         // when users ask for the background, by their scripts, in order
	watches      []*watched      // what users do on events
	kills        []vtime.Instant // when users kill all agents, by their scripts, in order
}

// startAbort is ISO-03 for what an agent starts with: who is waited for hears
// its parent's abort, who is not does not.
func (u *aborts) startAbort(a *agent) {
	want := "linked"
	if a.background {
		want = "unlinked"
	}
	u.same(iso03, a, "abort", want, a.facts.Context.Abort)
}

// listener notes who hears whom.
func (u *aborts) listener(a *agent, b *transcript.Listener) {
	on := u.agent(b.On)
	if on == nil {
		return
	}
	if b.Op == "add" {
		if u.fails(iso03, on == a.parent && a.listens == nil && !a.background) {
			u.report(iso03, a, "to listen to nobody but the parent that waits for it", "it listens to "+on.lineage)
		}
		a.listens = on
		if on.life != nil {
			on.hearers = append(on.hearers, a)
		}
		return
	}
	if u.fails(iso03, a.listens == on) {
		u.report(iso03, a, "to stop listening where it listens", "it stops listening to "+on.lineage)
	}
	u.unlisten(a)
}

func (u *aborts) unlisten(a *agent) {
	if on := a.listens; on != nil && on.life != nil {
		for i, h := range on.hearers {
			if h == a {
				on.hearers = append(on.hearers[:i], on.hearers[i+1:]...)
				break
			}
		}
	}
	a.listens = nil
}

// abort is ISO-03 for one that fired: somebody had the right to.
func (u *aborts) abort(ref int32, b *transcript.Abort) {
	a := u.agent(b.Target)
	if a == nil {
		return
	}
	if u.fails(iso03, ref == b.Target && a.life != nil) {
		u.report(iso03, a, "an abort of an agent that runs, on its own record", "one on the record of another, or after its end")
		return
	}
	a.aborted, a.cut, a.cutting = true, true, true
	a.escapes.past(u.now)
	a.conduct.aborted(a, b.Why)
	a.count.attempt = 0
	want, ok := "", true
	switch b.Why {
	case "parent":
		want, ok = "no abort of the parent's: it does not listen to one that was aborted", a.listens != nil && a.listens.life != nil && a.listens.aborted
	case "user-interrupt":
		want, ok = "no interrupt: the user interrupts roots", a.parent == nil
	case "task-stop", "kill-agents":
		t := u.tasks.known[a.taskID()]
		want, ok = "no "+b.Why+": its task was not killed", t != nil && t.status == transcript.TaskKilled
		if b.Why == "task-stop" {
			u.coordinators.named(a)
		} else {
			u.killed()
		}
	}
	if u.fails(iso03, ok) {
		u.report(iso03, a, want, "abort "+b.Why)
	}
}

// heard checks that an abort has reached everyone who listens; it is made when
// the agent goes on or ends.
func (u *aborts) heard(a *agent) {
	if !a.aborted {
		return
	}
	for _, h := range a.hearers {
		if h.life != nil && u.fails(iso03, h.aborted) {
			u.report(iso03, h, "the abort of "+a.lineage+", to which it listens", "none")
		}
	}
	a.aborted = false
}

// endAbort checks that who has ended listens to nobody.
func (u *aborts) endAbort(a *agent) {
	u.heard(a)
	if a.parent == nil {
		return
	}
	if u.fails(iso03, a.listens == nil) {
		u.report(iso03, a, "no listener once it has ended", "one on "+a.listens.lineage)
	}
	u.unlisten(a)
}
