package cachemodel

import (
	"strconv"

	"agentsim/sim/llm"
)

// fillMarks puts the request's breakpoints, the automatic one included, into a
// and returns what the API refuses about them.
func fillMarks(a *Admission) *llm.APIError {
	req := a.Request
	found := len(req.Breakpoints) // of a batch, each counts
	if found > MaxMarks {
		return tooManyMarks(found)
	}
	for i := range req.Breakpoints {
		b := &req.Breakpoints[i]
		if !cacheable(b.Node) {
			return invalid(where(b.Node) + ".cache_control: this block cannot be marked; mark a block before or after it")
		}
		if i > 0 && req.Breakpoints[i-1].Node.Pos >= b.Node.Pos {
			panic("cachemodel: explicit breakpoints must be in order, one to a block")
		}
		if b.Batch != 0 && i > 0 && req.Breakpoints[i-1].Batch == b.Batch {
			a.n-- // the last marker of a batch stands for all of it
		}
		a.addMark(b.Node, b.TTL)
	}
	if req.Automatic {
		if err := autoMark(a, found); err != nil {
			return err
		}
	}
	for i := 1; i < a.n; i++ {
		if a.marks[i].TTL == llm.TTL1h && a.marks[i-1].TTL == llm.TTL5m {
			return longAfterShort(a.marks[i].Node)
		}
	}
	return nil
}

// autoMark is the breakpoint of a top-level cache_control (CACHE-08, CACHE-09),
// given how many markers the request has.
func autoMark(a *Admission, found int) *llm.APIError {
	n := a.Request.Head
	for n != nil && !cacheable(n) {
		n = n.Parent
	}
	if n == nil {
		return nil
	}
	if a.n > 0 && a.marks[a.n-1].Node.Pos == n.Pos {
		if a.marks[a.n-1].TTL != a.Request.AutoTTL {
			return invalid(where(n) + ".cache_control.ttl: the top-level cache_control asks for another ttl than this block; give both the same")
		}
		return nil
	}
	if found == MaxMarks {
		return tooManyMarks(MaxMarks + 1)
	}
	a.addMark(n, a.Request.AutoTTL)
	return nil
}

func (a *Admission) addMark(n *llm.Node, ttl llm.TTL) {
	a.marks[a.n] = Mark{Node: n, TTL: ttl, life: ttl}
	a.n++
}

// cacheable reports whether a breakpoint may stand at the node (CACHE-10).
func cacheable(n *llm.Node) bool {
	if n.IsBorder() {
		return false
	}
	switch n.Block.Kind {
	case llm.Thinking, llm.EffortChange:
		return false
	case llm.Text, llm.Passing:
		return n.Block.Content.Raw() != ""
	}
	return true
}

// longAfterShort is the API's text for CACHE-25.
func longAfterShort(n *llm.Node) *llm.APIError {
	return invalid(where(n) + ".cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. " +
		"Note that blocks are processed in the following order: `tools`, `system`, `messages`.")
}

// where names a block as the API does: tools.3, system.0, messages.2.content.1.
// It counts back to the level's border.
func where(n *llm.Node) string {
	var message, block int
	for p := n; !p.Parent.IsBorder(); p = p.Parent {
		switch {
		case p.Parent.Role != p.Role:
			message++
		case message == 0:
			block++
		}
	}
	if n.Level == llm.Messages {
		return "messages." + strconv.Itoa(message) + ".content." + strconv.Itoa(block)
	}
	return n.Level.String() + "." + strconv.Itoa(block)
}

// refusesPrewarm is what the API refuses about max_tokens 0 (CACHE-46), as far
// as a request shows it here.
func refusesPrewarm(req *llm.Request) *llm.APIError {
	if req.MaxTokens != 0 {
		return nil
	}
	switch {
	case req.Settings.Thinking != llm.ThinkingDisabled:
		return invalid("max_tokens: 0 cannot be combined with thinking; disable thinking for the request that warms the cache")
	case req.Settings.ForcesTool():
		return invalid("max_tokens: 0 cannot be combined with tool_choice any or tool; use auto for the request that warms the cache")
	}
	return nil
}
