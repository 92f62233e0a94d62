package importer

import (
	"path"

	"agentsim/sim/recording"
)

// session is what was read, in order.
func (c *claudeCodeReader) session(file string) *recording.Session {
	c.file, c.number = file, 0
	c.link()
	s := &c.out
	s.Format, s.Client = "claude-code", "claude-code"
	if s.ID == "" {
		s.ID = c.plain(path.Base(file))
	}
	for i := range c.threads {
		t := &c.threads[i]
		if t.Kind == recording.SubAgent && (t.forked || t.Type == "fork") {
			t.Kind = recording.Fork
		}
		if t.inline && t.cut {
			t.Partial = true
			c.skips.add("last request of a sub-agent, which progress lines leave out", file, 0)
		}
		s.Threads = append(s.Threads, t.Thread)
	}
	begun := make([]bool, len(c.threads))
	for i := range c.requests {
		r := &c.requests[i].Request
		if t := &s.Threads[r.Thread]; !begun[r.Thread] && r.Pred < 0 && t.Kind == recording.Fork && t.SpawnedBy >= 0 {
			r.Pred = t.SpawnedBy // a fork goes on from what spawned it
		}
		begun[r.Thread] = true
		s.Requests = append(s.Requests, *r)
	}
	if len(s.Requests) == 0 {
		c.skip("session without a request")
	}
	finish(s, c.skips, file)
	return s
}

// link finds which tool use spawned each sub-agent: by the agent's id where a
// result or a line of progress names it, else by the words that it was given.
func (c *claudeCodeReader) link() {
	unnamed := map[uint64][]int32{}
	for i := range c.spawns {
		s := &c.spawns[i]
		if s.agent == "" {
			unnamed[s.prompt] = append(unnamed[s.prompt], int32(i))
			continue
		}
		if t, ok := c.agents[s.agent]; ok {
			c.spawned(t, int32(i))
		} else {
			c.skip(AgentMissing)
		}
	}
	for i := range c.threads {
		t := &c.threads[i]
		if waiting := unnamed[t.prompt]; t.spawn < 0 && t.prompt != 0 && len(waiting) > 0 && c.spawned(int32(i), waiting[0]) {
			unnamed[t.prompt] = waiting[1:]
		}
	}
}

// spawned says that tool use i spawned thread t. It is false for a thread that
// was spawned before, the client's own compaction and the main thread.
func (c *claudeCodeReader) spawned(t, i int32) bool {
	th, s := &c.threads[t], &c.spawns[i]
	by := &c.requests[s.use.request]
	if th.spawn >= 0 || th.Kind != recording.SubAgent || by.Thread == t {
		return false
	}
	th.spawn = i
	use := &by.Tools[s.use.tool]
	th.Type, th.Async, th.Parent, th.SpawnedBy, th.ToolUse = s.kind, s.async, by.Thread, s.use.request, use.ID
	use.Spawned = t
	return true
}
