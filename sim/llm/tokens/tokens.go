// Package tokens counts tokens: from content by class, or from a recording.
//
// Rules:
//   - A count is an integer function of a cumulative measure that never
//     decreases, so the tokens of a span are the difference of two counts and
//     what is read plus what is written is the prompt, whatever was rounded.
//   - Counts belong to a model. Nothing is stored on shared content.
//   - Every counter has a name, which reports print, and an error with its source.
//   - Hidden tool tokens stand at the tools border; what a forced tool costs
//     more, at the messages border (CACHE-45). The tail behind the last block
//     (CACHE-38) is no part of a prefix and is not counted here.
package tokens

import "agentsim/sim/llm"

// Counter counts the tokens of content. Tokens never decreases when a measure
// grows; Err is how far Tokens may be off, in tokens.
type Counter interface {
	Name() string
	Tokens(m llm.Measure) int64
	Err(m llm.Measure) int64
}

// Hidden is what a provider adds to a prompt that defines tools, in tokens:
// Auto with tool_choice auto or none, Forced in all with any or a named tool.
// Both come from the model's cache profile.
type Hidden struct{ Auto, Forced int64 }

// Options are what a request's counts depend on beside its content. Counter nil
// means Approx of the model.
type Options struct {
	Counter Counter
	Hidden  Hidden
	Forced  bool // tool_choice makes the model call a tool
}

// Counts are a model's counts of prefixes; they are an llm.Counts.
type Counts struct {
	counter Counter
	auto    int64 // from the tools border on
	forced  int64 // from the messages border on, beside auto

	known [8]counted // lately asked for, by their hash: a call asks for its own several times, and all for those in front
}

type counted struct {
	node  *llm.Node
	count int64
}

// For is the counts of a request to model with the given options. One value
// serves every request with equal options. Forced below Auto counts as Auto.
func For(model string, o Options) *Counts {
	c := &Counts{counter: o.Counter, auto: o.Hidden.Auto}
	if c.counter == nil {
		c.counter = Approx(model)
	}
	if o.Forced {
		c.forced = max(o.Hidden.Forced-o.Hidden.Auto, 0)
	}
	return c
}

// Name is the counter's name, for reports.
func (c *Counts) Name() string { return c.counter.Name() }

// At is the number of tokens of the prefix that ends with n, hidden ones
// included.
func (c *Counts) At(n *llm.Node) int64 {
	known := &c.known[n.Hash.Lo%uint64(len(c.known))]
	if n == known.node {
		return known.count
	}
	t := c.counter.Tokens(n.Cum)
	if n.HasTools && n.Level == llm.Messages {
		t += c.forced
	}
	if n.HasTools {
		t += c.auto
	}
	*known = counted{n, t}
	return t
}

// Err is how far At may be off; hidden tokens are exact.
func (c *Counts) Err(n *llm.Node) int64 { return c.counter.Err(n.Cum) }
