package importer

import "strconv"

// iterations takes in the calls that the server made for a message beside its own:
// a compaction on the server reads the conversation and writes a summary, from
// which the message goes on. Each is a request of its own, since the message's
// usage leaves it out.
func (c *claudeCodeReader) iterations(id string, l *ccLine, n ccNode, at int64) ccNode {
	if l.Message.Usage == nil {
		return n
	}
	for k, it := range l.Message.Usage.Iterations {
		if it.Type != "compaction" {
			if it.Type != "message" && it.Type != "" {
				c.skip("usage of an iteration of type " + quoted(it.Type) + ": not taken")
			}
			continue
		}
		use := it.usage()
		if !possible(use) {
			c.skip("usage of an iteration with an impossible figure: not taken")
			continue
		}
		r := c.request(c.plain(id)+":"+strconv.Itoa(k+1), l, n, at)
		r.Usage, r.Billed, r.OutputKnown, r.Stop = use, true, true, "compaction"
		r.Last = r.First
		i := int32(len(c.requests))
		c.requests = append(c.requests, r)
		c.threads[n.thread].last = i
		n = ccNode{request: i, thread: n.thread, compact: true, state: n.state, at: n.at}
	}
	return n
}
