package user

import (
	"agentsim/sim/kernel"
	"agentsim/sim/transcript"
)

// Trigger is an event that a step of the user waits for (PRM-05).
type Trigger struct {
	Kind  string // of event, by its word in the transcript
	Agent string // lineage of the agent it is of; "" is any
	Tool  string // of tool_call, tool_result and permission: the tool; "" is any
	Nth   int    // which of those that fit, from 1; 0 is the first
}

// watch is a trigger that has not come up yet.
type watch struct {
	Trigger
	seen int
	come *kernel.Signal
}

// watch makes a signal that fires when the event is emitted. Who waits for it
// runs at the same instant, when the policy says.
func (u *Script) watch(t Trigger) *kernel.Signal {
	if u.watches == nil {
		u.root.OnEvent(u.saw)
	}
	w := &watch{Trigger: t, come: kernel.NewSignal(u.root.Kernel(), "event "+t.Kind)}
	u.watches = append(u.watches, w)
	return w.come
}

// saw is told every event; lineage is "" where no agent caused it.
func (u *Script) saw(lineage string, body transcript.Body) {
	for _, x := range u.watches {
		if x.come.Fired() || body.Kind().String() != x.Kind || x.Tool != "" && toolOf(body) != x.Tool || x.Agent != "" && lineage != x.Agent {
			continue
		}
		if x.seen++; x.seen >= x.Nth {
			x.come.Fire()
		}
	}
}

// toolOf is the tool that an event speaks of, "" for none.
func toolOf(body transcript.Body) string {
	switch b := body.(type) {
	case *transcript.ToolCall:
		return b.Name
	case *transcript.ToolResult:
		return b.Name
	case *transcript.Permission:
		return b.Tool
	}
	return ""
}
