package agent

// Resource is something that an agent holds and that must not outlive it
// (ISO-10).
type Resource uint8

// The resources. Connections to MCP servers join the list with what opens them.
// A task's output is no resource: its conversation goes with the agent's life,
// but what it said stays as one text until it is evicted (TSK-09), since its
// output file can be read until then (SUB-13), also after the notification is
// delivered. The transcript of one that can be resumed stays until its owner has
// ended. A synchronous child's result stays as long as the run.
const (
	FileCache          Resource = iota // what it has read
	SessionHooks                       // of its definition, in the session
	Todos                              // its list, in the session's state
	BackgroundShells                   // commands that it left running
	PermissionCallback                 // by which the answer to a prompt finds it
	TraceAgent                         // its place in the trace of the run
	NumResources
)

// holdings count what is held, by resource. They are an account, not the thing:
// memory is let go with the agent's life, shells are stopped by the clean-up.
type holdings [NumResources]int32

// held is what one agent holds.
type held struct {
	holds  holdings
	all    *holdings // of all agents of the world
	shells []*shellTask
}

// add notes that the agent holds a resource, or one more of it.
func (h *held) add(r Resource) {
	h.holds[r]++
	h.all[r]++
}

// begin notes what every agent holds from its start on, and its hooks.
func (h *held) begin(hooks bool) {
	for _, r := range [...]Resource{FileCache, PermissionCallback, TraceAgent} {
		h.add(r)
	}
	if hooks {
		h.add(SessionHooks)
	}
}

// cleanUp releases everything that the agent holds. Every end of every agent
// comes through here, however it came about; nothing in here waits or fails.
// Conversation, context and file cache go with the agent's life, right behind it.
func (h *held) cleanUp() {
	for _, s := range h.shells {
		if !s.task.Status().Final() {
			s.stop()
		}
	}
	h.shells = nil
	for r := range h.holds {
		h.all[r] -= h.holds[r]
		h.holds[r] = 0
	}
}
