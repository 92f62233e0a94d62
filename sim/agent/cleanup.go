package agent

import "agentsim/sim/mcp"

// held is what an agent holds that does not go with its life: the commands that it
// left running, and the MCP servers that it opened. Conversation, context, file cache,
// list of steps, hooks and the answer to a prompt are in the life itself (ISO-10). A
// task's output outlives it as one text until it is evicted (TSK-09), since its output file can be read until then
// (SUB-13); the transcript of one that can be resumed stays until its owner has
// ended, and a synchronous child's result as long as the run.
type held struct {
	shells  []*shellTask
	servers []*mcp.Connection
}

// cleanUp releases it. Every end of every agent comes through here, however it came
// about; nothing in here waits or fails. The agent's life ends right behind it.
func (h *held) cleanUp(a *Agent) {
	for _, s := range h.shells {
		if !s.task.Status().Final() {
			s.stop()
		}
	}
	for _, c := range h.servers {
		c.Close()
		a.w.recordServer(a.ref, c, mcp.Closed)
	}
}
