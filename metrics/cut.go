package metrics

import (
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// Cuts is a transcript.Sink that adds up how many bytes of requests were not the
// beginning of the next request of the same agent: what a cache cannot have kept.
type Cuts struct {
	Bytes int64
	last  map[int32]lastRequest // by agent
}

type lastRequest struct {
	call int
	head *llm.Node
}

// Emit takes one event in.
func (c *Cuts) Emit(e *transcript.Event) {
	b, ok := e.Body.(*transcript.Request)
	if !ok || b.Head == nil {
		return
	}
	last, sent := c.last[e.Agent]
	if sent && last.call == b.Call {
		return // another attempt
	}
	if c.last == nil {
		c.last = map[int32]lastRequest{}
	}
	c.last[e.Agent] = lastRequest{b.Call, b.Head}
	if !sent {
		return
	}
	p, kept := llm.Part(last.head, b.Head), int64(0)
	if p.Common != nil {
		kept = p.Common.Bytes + max(0, p.At)
	}
	c.Bytes += last.head.Bytes - kept
}
