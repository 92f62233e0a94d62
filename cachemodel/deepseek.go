package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// DeepSeek is DeepSeek's disk cache in small: units persist at the end of the
// user input and of the model output of each request, and where two requests
// were seen to part; a hit needs a whole unit (CACHE-70). A unit ends with a
// block. Left out: fixed token intervals, the seconds that building takes, and
// expiry (hours to days).
type DeepSeek struct {
	units map[llm.Hash]bool // prefixes that may be read
	seen  map[llm.Hash]bool // prefixes of requests that have ended
}

var _ Engine = (*DeepSeek)(nil)

// NewDeepSeek makes an empty cache.
func NewDeepSeek() *DeepSeek {
	return &DeepSeek{units: map[llm.Hash]bool{}, seen: map[llm.Hash]bool{}}
}

// Admit reads the longest unit that is a prefix of the request. Markers mean
// nothing here.
func (e *DeepSeek) Admit(now vtime.Instant, req *Request, a *Admission) error {
	a.reset(now, req)
	a.state = admitted
	for n := req.Head; n != nil; n = n.Parent {
		if !n.IsBorder() && e.units[n.Hash] {
			a.Report.ReadTo = n
			a.Usage.Read = req.Counts.At(n)
			break
		}
	}
	a.Usage.Input = a.Prompt - a.Usage.Read
	return nil
}

// Begin changes nothing in the cache.
func (e *DeepSeek) Begin(now vtime.Instant, a *Admission) { a.begin(now) }

// End persists the request's units when its response is complete.
func (e *DeepSeek) End(_ vtime.Instant, a *Admission, how Ending, head *llm.Node, output int64) llm.Usage {
	if how == Completed {
		if n := e.common(a.Request.Head); n != nil {
			e.units[n.Hash] = true
		}
		e.persist(a.Request.Head)
		if head != nil {
			e.persist(head)
		}
	}
	return a.bill(how, output)
}

// common is the longest prefix that an earlier request had too.
func (e *DeepSeek) common(n *llm.Node) *llm.Node {
	for ; n != nil; n = n.Parent {
		if !n.IsBorder() && e.seen[n.Hash] {
			return n
		}
	}
	return nil
}

func (e *DeepSeek) persist(n *llm.Node) {
	if n.IsBorder() {
		return
	}
	e.units[n.Hash] = true
	for ; n != nil && !e.seen[n.Hash]; n = n.Parent {
		if !n.IsBorder() {
			e.seen[n.Hash] = true
		}
	}
}

// Options lists what CACHE-70 and CACHE-71 leave open and this engine leaves
// out.
func (e *DeepSeek) Options() []string {
	return []string{"deepseek_intervals=none", "deepseek_building=instant", "deepseek_expiry=never"}
}
