package importer

import (
	"encoding/json"
	"strconv"

	"agentsim/sim/llm"
)

// iterations takes in the calls that the server made for a message beside its own:
// a compaction on the server reads the conversation and writes a summary, from
// which the message goes on. Each is a request of its own, since the message's
// usage leaves it out.
func (c *claudeCodeReader) iterations(id string, l *ccLine, m *ccMessage, n ccNode, at int64) ccNode {
	var u ccUsage
	if none(m.Usage) || json.Unmarshal(m.Usage, &u) != nil {
		return n // said where the usage is read
	}
	for k, it := range u.Iterations {
		if it.Type != "compaction" {
			if it.Type != "message" && it.Type != "" {
				c.skip("usage of an iteration of type " + quoted(it.Type) + ": not taken")
			}
			continue
		}
		use := llm.Usage{Input: it.Input, Read: it.Read, Output: it.Out, Write5m: it.Write}
		if it.Split != nil {
			use.Write5m, use.Write1h = it.Split.For5m, it.Split.For1h
		}
		if !possible(use) {
			c.skip("usage of an iteration with an impossible figure: not taken")
			continue
		}
		r := c.request(c.plain(id)+":"+strconv.Itoa(k+1), l, m, n, at)
		r.Usage, r.Billed, r.OutputKnown, r.Stop = use, true, true, "compaction"
		r.Last = r.First
		i := int32(len(c.requests))
		c.requests = append(c.requests, r)
		c.threads[n.thread].last = i
		n = ccNode{request: i, thread: n.thread, compact: true, state: n.state, at: n.at}
	}
	return n
}
