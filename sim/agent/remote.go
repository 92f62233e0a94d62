package agent

import (
	"slices"
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/workspace"
)

// remotely is the isolation by which an agent works in an environment of its own, to
// which nothing leads but a link.
const remotely = "remote"

// Why an agent cannot be remote.
const (
	errRemoteFork wireError = "A fork cannot work in a remote environment: what it inherits is here. Name a subagent_type."
	errRemoteMate wireError = "A teammate, and who works for one, cannot work in a remote environment: leave isolation out."
)

// isolation is what a call asks for, else the definition.
func (b *spawning) isolation() string {
	if b.in.Isolation != "" || b.fork {
		return b.in.Isolation
	}
	return b.def.Isolation
}

// remote reports whether the child works in a remote environment of its own.
func (b *spawning) remote() bool { return b.isolation() == remotely }

// sendAway has a remote child run in the background, whatever its call says.
func (b *spawning) sendAway() error {
	switch {
	case !b.remote():
		return nil
	case b.fork:
		return errRemoteFork
	case b.recruits || confined(b.by):
		return errRemoteMate
	}
	b.async = true
	return nil
}

// elsewhere is an environment with a copy of what stands in this one.
func (p *place) elsewhere() *place {
	fs := p.fs.Copy()
	return &place{fs: fs, repo: p.repo.Copy(fs), remote: true}
}

// isRemote reports whether it is an environment elsewhere.
func (p *place) isRemote() bool { return p != nil && p.remote }

// workspace is the provider's scope of the child's requests: of a remote one its own.
func (b *spawning) workspace() string {
	w, of := b.by.w, b.by.front.prefix.Scope.Workspace
	if !b.remote() {
		return of
	}
	own := "remote " + b.lineage
	if s := w.cfg.Remote.Scope; s != nil {
		return s(own)
	}
	return own
}

// connected gives a remote child its link, by which its prompt comes.
func (b *spawning) connected() {
	if !b.remote() {
		return
	}
	l := newLink(b.child)
	b.child.past = &past{link: l}
	l.send(outward, "prompt", len(b.in.Prompt), func(instant) { l.begun.Fire() })
}

// linkOf is the link by which the agent is reached, nil for one that is not remote.
func linkOf(a *Agent) *link {
	if a.past == nil {
		return nil
	}
	return a.past.link
}

// Linked reports whether the agent works in a remote environment of its own.
func Linked(a *Agent) bool { return linkOf(a) != nil }

// arrives waits for the prompt of a remote agent.
func arrives(p *kernel.Proc, a *Agent) error {
	l := linkOf(a)
	if l == nil {
		return nil
	}
	return l.begun.Wait(p)
}

// mail sends a message to a remote agent. Who sends it does not end before it is there:
// it may have the agent resumed.
func (l *link) mail(by *Agent, n *notice, call llm.ToolUseID, to string) tool.Result {
	by.inbox.expect()
	l.deliver(outward, "message", bytesOf(n.blocks), func(instant) {
		l.hears(n, call)
		if !by.ended {
			if err := by.inbox.box.Send(&notice{poke: true}); err != nil {
				by.w.fail(err)
			}
		} else if by.past.resumable() {
			by.past.chain.waiting--
		}
	})
	return sent("Your message to agent " + to + " is on its way: it works remotely. It hears it at its next turn, and is resumed with it if it has ended by then; a notification reports its end.")
}

// hears takes in a message that has come to the agent's environment.
func (l *link) hears(n *notice, call llm.ToolUseID) {
	c := l.of
	switch {
	case c.ended && !c.past.resumable():
		n.record(c, "dropped", "")
		c.parent.finding("nobody-to-tell", c.parent.lineage+": its message reached "+c.task.ID+" when that had ended, and nobody was left to resume it")
		return
	case c.ended:
		c.past.chain.pending = append(c.past.chain.pending, n)
		if !c.parent.ended {
			resume(c, call)
		}
		return
	case c.task.Status().Final():
		c.pendingResume = call
	}
	c.inbox.expect()
	if err := c.inbox.box.Send(n); err != nil {
		c.w.fail(err)
	}
}

// changed lists what was written in a remote environment, "" for nothing.
func (p *place) changed() string {
	if !p.isRemote() {
		return ""
	}
	var paths []string
	for _, w := range p.fs.Log() {
		if !workspace.Below([]string{tasksDir}, w.Path) {
			paths = append(paths, w.Path)
		}
	}
	slices.Sort(paths)
	return strings.Join(slices.Compact(paths), ", ")
}

// outputAtHome is what the output file of a task's agent holds: of a remote one what has
// come home.
func outputAtHome(a *Agent) string {
	if l := linkOf(a); l != nil {
		return l.home
	}
	return a.outputSoFar()
}

// filesOf are the files in which a task's output stands: those of its owner's environment.
func filesOf(w *World, t *task.Task) *workspace.FS {
	if o := w.agents[t.Owner]; !o.ended && o.place != nil && o.place.remote {
		return o.place.fs
	}
	return w.cfg.FS
}
