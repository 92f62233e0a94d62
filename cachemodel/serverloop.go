package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Passer is an Engine that knows what the passes of a server tool's loop read
// and write.
type Passer interface {
	// Pass is one more pass of the model within a request whose response has
	// begun: server tools have answered, and the prompt now ends with result, the
	// last of their results in a row. It returns the bill of the pass, which End
	// counts as well.
	Pass(now vtime.Instant, a *Admission, result *llm.Node) llm.Usage
}

var _ Passer = (*Anthropic)(nil)

// Pass implements Passer. If the request has a marker, the API adds a breakpoint
// on each of the results, of five minutes whatever the request asks for
// (CACHE-27). They do not count towards the four.
func (e *Anthropic) Pass(now vtime.Instant, a *Admission, result *llm.Node) llm.Usage {
	if a.state != begun {
		panic("cachemodel: a pass of a request whose response has not begun, or has ended")
	}
	e.touched.loop = true
	req := a.Request
	tokens := req.Counts.At(result)
	u := llm.Usage{Input: tokens + req.Profile.Tail}
	if a.n > 0 && tokens >= req.Profile.Minimum {
		e.store.sweep(now)
		n, p := e.lookUpPass(a, result)
		if p != nil {
			u.Read = req.Counts.At(n)
			e.store.touch(p, now)
		}
		u.Input, u.Write5m = req.Profile.Tail, tokens-u.Read
		e.writePass(now, a, n, result)
	}
	a.Usage = a.Usage.Plus(u)
	return u
}

// lookUpPass finds the longest readable prefix: from the result back, and then
// from the request's own breakpoints.
func (e *Anthropic) lookUpPass(a *Admission, result *llm.Node) (*llm.Node, *place) {
	below := result.Pos + 1
	if n, p := e.lookUpFrom(result, &below); p != nil {
		return n, p
	}
	for i := a.n - 1; i >= 0; i-- {
		if m := &a.marks[i]; m.Long {
			if n, p := e.lookUpFrom(m.Node, &below); p != nil {
				return n, p
			}
		}
	}
	return nil, nil
}

// writePass makes the entries of the results in a row behind what was read.
func (e *Anthropic) writePass(now vtime.Instant, a *Admission, read, result *llm.Node) {
	for n := result; !n.IsBorder() && n.Block.Kind == llm.ServerToolResult; n = n.Parent {
		tokens := a.Request.Counts.At(n)
		if read != nil && n.Pos <= read.Pos || tokens < a.Request.Profile.Minimum {
			return
		}
		p := e.store.place(n)
		if !p.live() {
			p.tokens, p.written, p.readable = tokens, now, now
		}
		e.store.put(p, llm.TTL5m, now)
		e.store.touch(p, now)
	}
}
