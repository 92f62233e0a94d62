package heads

import (
	"cmp"
	"slices"
	"strings"

	"agentsim/metrics"
	"agentsim/sim/client"
)

// What became of a part.
const (
	Grew      = "grew"
	Shrank    = "shrank"
	Changed   = "changed" // and has as many tokens as before
	Added     = "added"
	Removed   = "removed"
	Moved     = "moved"     // to another file or another place of the request
	Reordered = "reordered" // the same parts or lines in another order
)

// Change is one part that is not what it was.
type Change struct {
	What   string
	Now    *Part // the baseline's where it is gone
	Was    *Part // nil where it is new
	Agent  *Agent
	Tokens int64    // more, or fewer, than before
	Again  int64    // from where a reordering begins to the head's end
	Lines  []Span   // of the file: what is new, or stands elsewhere
	Who    []string // the agents that have it
	Theirs bool     // the tool's change: another layout of the client, another version of this program
}

// Span is some lines of a file, from 1.
type Span struct{ First, Last int }

// Growth is what became of an agent's head.
type Growth struct {
	Agent             string
	Was, Is           int64 // tokens of what the repository's files put there
	Reordered, Missed bool  // Missed is grown over the threshold
	New, Gone         bool  // of an agent that one side does not have
}

// Fails reports whether the gate fails for the head.
func (g Growth) Fails() bool { return g.Missed || g.Reordered }

// Report is a comparison.
type Report struct {
	Changes []Change
	Agents  []Growth
	Prices  []string // of models that both have, such as claude-sonnet-5-5 read $0.20 → $0.10
	Tool    []string // what of the tool is not the baseline's
}

// Fails reports whether the gate fails.
func (r *Report) Fails() bool { return slices.ContainsFunc(r.Agents, Growth.Fails) }

// Compare compares heads with a baseline. limit is the share by which a head may
// grow; text reads a file, and is asked for those that changed alone.
func Compare(base, now *Heads, limit metrics.Value, text func(file string) string) *Report {
	c := &comparison{base: base, now: now, text: text, was: map[string]*Part{}, is: map[string]*Part{}, Report: &Report{}}
	for _, p := range base.Parts {
		c.was[p.key()] = p
	}
	for _, p := range now.Parts {
		c.is[p.key()] = p
	}
	c.changes()
	c.moves()
	for _, a := range now.Agents {
		c.head(a, limit)
	}
	for _, a := range base.Agents {
		if now.agent(a.Name) == nil {
			_, own := base.Tokens(a)
			c.Agents = append(c.Agents, Growth{Agent: a.Name, Was: own, Gone: true})
		}
	}
	c.tool()
	return c.Report
}

type comparison struct {
	*Report
	base, now *Heads
	text      func(string) string
	was, is   map[string]*Part
}

func (h *Heads) agent(name string) *Agent {
	i := slices.IndexFunc(h.Agents, func(a *Agent) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return h.Agents[i]
}

// changes lists the parts that are new, gone, or not what they were.
func (c *comparison) changes() {
	for i, p := range c.now.Parts {
		if p.Varies {
			continue
		}
		x := Change{Now: p, Was: c.was[p.key()], Who: c.now.Who(i)}
		x.Agent = c.now.agent(x.Who[0])
		switch was := x.Was; {
		case was == nil:
			x.What, x.Tokens = Added, p.Tokens
		case was.Sums != p.Sums || p.Sums == "" && was.Bytes != p.Bytes:
			c.edited(&x)
		case was.Place != p.Place:
			x.What = Moved
		default:
			continue
		}
		x.Theirs = c.theirs(p)
		c.Changes = append(c.Changes, x)
	}
	for i, p := range c.base.Parts {
		if c.is[p.key()] == nil && !p.Varies {
			who := c.base.Who(i)
			if who == nil {
				continue // an edited baseline
			}
			c.Changes = append(c.Changes, Change{What: Removed, Now: p, Was: p, Tokens: -p.Tokens, Who: who, Agent: c.base.agent(who[0]), Theirs: c.theirs(p)})
		}
	}
}

// theirs reports whether a change of a part is the tool's.
func (c *comparison) theirs(p *Part) bool {
	if !p.Own() {
		return true
	}
	was, is := client.Find(c.base.Client), client.Find(c.now.Client)
	return was != nil && was != is && was.Row(p.Kind).Main != is.Row(p.Kind).Main
}

// edited says what became of a text.
func (c *comparison) edited(x *Change) {
	x.Tokens = x.Now.Tokens - x.Was.Tokens
	switch {
	case x.Tokens > 0:
		x.What = Grew
	case x.Tokens < 0:
		x.What = Shrank
	default:
		x.What = Changed
	}
	if x.Now.Sums == "" || x.Was.Sums == "" {
		return
	}
	was, is := lines(x.Was.Sums), lines(x.Now.Sums)
	at := places(x.Now, c.text(x.Now.File))
	x.Lines = spans(fresh(was, is), at)
	if turned := turned(was, is); turned != nil {
		c.Changes = append(c.Changes, Change{What: Reordered, Now: x.Now, Was: x.Was, Agent: x.Agent, Again: c.behind(x.Agent, x.Now), Lines: spans(turned, at), Who: x.Who})
		if x.Tokens == 0 && len(x.Lines) == 0 {
			x.What = ""
		}
	}
}

// behind are the tokens of a head from a part on.
func (c *comparison) behind(a *Agent, p *Part) (n int64) {
	from := false
	for _, i := range a.Parts {
		if from = from || c.now.Parts[i] == p; from {
			n += c.now.Parts[i].Tokens
		}
	}
	return n
}

// moves finds the parts that are gone and stand elsewhere with the same text.
func (c *comparison) moves() {
	for i := range c.Changes {
		x := &c.Changes[i]
		if x.What != Added || x.Now.Sums == "" {
			continue
		}
		from := slices.IndexFunc(c.Changes, func(o Change) bool { return o.What == Removed && o.Now.Sums == x.Now.Sums })
		if from >= 0 {
			x.What, x.Was, x.Tokens = Moved, c.Changes[from].Now, 0
			c.Changes[from].What = ""
		}
	}
	c.Changes = slices.DeleteFunc(c.Changes, func(x Change) bool { return x.What == "" })
}

// head judges one agent's head.
func (c *comparison) head(a *Agent, limit metrics.Value) {
	_, own := c.now.Tokens(a)
	g := Growth{Agent: a.Name, Is: own}
	was := c.base.agent(a.Name)
	if was == nil {
		g.New = true
		c.Agents = append(c.Agents, g)
		return
	}
	_, g.Was = c.base.Tokens(was)
	more := int64(0)
	for _, x := range c.Changes {
		if x.Theirs || !slices.Contains(x.Who, a.Name) {
			continue
		}
		more += x.Tokens
		g.Reordered = g.Reordered || x.What == Reordered
	}
	g.Missed = more > 0 && more*limit.Den > g.Was*limit.Num
	g.Reordered = c.reordered(was, a) || g.Reordered
	c.Agents = append(c.Agents, g)
}

// reordered notes parts of a head that stand in another order than they did.
func (c *comparison) reordered(was, is *Agent) bool {
	keys := func(h *Heads, a *Agent, other map[string]*Part) (out []string) {
		for _, i := range a.Parts {
			if p := h.Parts[i]; p.Own() && other[p.key()] != nil && !c.theirs(p) {
				out = append(out, p.key())
			}
		}
		return out
	}
	turned := turned(keys(c.base, was, c.is), keys(c.now, is, c.was))
	if turned == nil {
		return false
	}
	now := keys(c.now, is, c.was)
	for _, i := range turned {
		p := c.is[now[i]]
		known := func(x Change) bool { return x.What == Reordered && x.Now == p && x.Lines == nil }
		if !slices.ContainsFunc(c.Changes, known) {
			part := slices.Index(c.now.Parts, p)
			c.Changes = append(c.Changes, Change{What: Reordered, Now: p, Was: p, Agent: is, Again: c.behind(is, p), Who: c.now.Who(part)})
		}
	}
	return true
}

// tool says what of the tool, and of prices, is not the baseline's.
func (c *comparison) tool() {
	for _, p := range c.base.Prices {
		if text := p.OtherThan(c.now.Prices); text != "" {
			c.Prices = append(c.Prices, text)
		}
	}
	for _, x := range []struct{ what, was, is string }{
		{"client", c.base.Client + " as known on " + c.base.Known, c.now.Client + " as known on " + c.now.Known}, {"tokens counted by", c.base.Counter, c.now.Counter},
	} {
		if x.was != x.is {
			c.Tool = append(c.Tool, x.what+" "+x.was+" → "+x.is)
		}
	}
	slices.SortStableFunc(c.Changes, func(x, y Change) int { return cmp.Compare(weight(y), weight(x)) })
}

// weight orders changes: reorderings, then what adds most.
func weight(x Change) int64 {
	if x.What == Reordered {
		return 1 << 40
	}
	return max(x.Tokens, -x.Tokens)
}

// places are the lines of the file that a part's lines are: comments and what stands
// in front of the text are no part of it.
func places(p *Part, file string) (out []int) {
	raw := strings.Split(strings.ReplaceAll(file, "\r\n", "\n"), "\n")
	at := max(p.Line, 1) - 1
	for line := range strings.SplitSeq(p.text, "\n") {
		if at < len(raw) {
			if i := slices.Index(raw[at:], line); i >= 0 {
				at += i
			}
		}
		out = append(out, at+1)
		if at < len(raw) && raw[at] == line {
			at++
		}
	}
	return out
}
