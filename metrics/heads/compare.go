package heads

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

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
	changed := map[string]int64{} // the tokens of each agent's changes
	for _, x := range c.Changes {
		for _, name := range x.Who {
			if !x.Theirs {
				changed[name] += x.Tokens
			}
		}
	}
	for _, a := range now.Agents {
		c.head(a, changed[a.Name], limit)
	}
	c.Changes = slices.DeleteFunc(c.Changes, func(x Change) bool { // a reordering alone
		return x.What == Changed && x.Lines == nil && c.reorders(x.Now)
	})
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
	x.Lines = spans(fresh(lines(x.Was.Sums), lines(x.Now.Sums)), places(x.Now, c.text(x.Now.File)))
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

// head judges one agent's head; changed are the tokens of its changes.
func (c *comparison) head(a *Agent, changed int64, limit metrics.Value) {
	_, own := c.now.Tokens(a)
	g := Growth{Agent: a.Name, Is: own}
	was := c.base.agent(a.Name)
	if was == nil {
		g.New = true
		c.Agents = append(c.Agents, g)
		return
	}
	_, g.Was = c.base.Tokens(was)
	more := c.own(c.now, a) - c.own(c.base, was)
	if rest := more - changed; rest != 0 {
		c.given(a, rest)
	}
	g.Missed = more > 0 && more*limit.Den > g.Was*limit.Num
	g.Reordered = c.reordered(was, a)
	c.Agents = append(c.Agents, g)
}

// own are the tokens of what the repository's files put in front of an agent. What is
// as it was counts as it does now.
func (c *comparison) own(h *Heads, a *Agent) (n int64) {
	for _, i := range a.Parts {
		p := h.Parts[i]
		if !p.Own() || c.theirs(p) {
			continue
		}
		if now := c.is[p.key()]; now != nil && now.Sums == p.Sums {
			p = now
		}
		n += p.Tokens
	}
	return n
}

// given notes that an agent has more, or less, of what is there for others too: its
// definition says so.
func (c *comparison) given(a *Agent, tokens int64) {
	what := Grew
	if tokens < 0 {
		what = Shrank
	}
	file, line := located(a.From)
	p := &Part{Word: "Given to", Name: a.Name, File: file, Line: line}
	c.Changes = append(c.Changes, Change{What: what, Now: p, Was: p, Agent: a, Tokens: tokens, Who: []string{a.Name}})
}

// line is one of a head, where it is now.
type line struct {
	sum  string
	part *Part
	at   int // of the part's lines
}

// lines are those that the repository's files put in front of an agent, in the order
// of the prefix. A part without text is one line; lines without a word are left out
// where they are known.
func (c *comparison) lines(h *Heads, a *Agent) (out []line, hashes []string) {
	for _, i := range a.Parts {
		p := h.Parts[i]
		if !p.Own() || c.theirs(p) {
			continue
		}
		text := strings.Split(p.text, "\n")
		for at, sum := range lines(p.Sums) {
			switch {
			case p.Sums == sums(""):
				sum = p.key()
			case p.text != "" && !strings.ContainsFunc(text[at], wordy):
				continue
			}
			out, hashes = append(out, line{sum, p, at}), append(hashes, sum)
		}
	}
	return out, hashes
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// reordered notes the lines of a head that stand in another order than they did.
func (c *comparison) reordered(was, is *Agent) bool {
	_, before := c.lines(c.base, was)
	list, now := c.lines(c.now, is)
	moved := turned(before, now)
	found := len(moved) > 0
	for len(moved) > 0 {
		p := list[moved[0]].part
		n := slices.IndexFunc(moved, func(i int) bool { return list[i].part != p })
		if n < 0 {
			n = len(moved)
		}
		if !c.reorders(p) {
			var at []int
			for _, i := range moved[:n] {
				at = append(at, list[i].at)
			}
			c.Changes = append(c.Changes, Change{What: Reordered, Now: p, Was: cmp.Or(c.was[p.key()], p), Agent: is, Again: c.behind(is, p),
				Lines: spans(at, places(p, c.text(p.File))), Who: c.now.Who(slices.Index(c.now.Parts, p))})
		}
		moved = moved[n:]
	}
	return found
}

// reorders reports whether a reordering of a part is noted.
func (c *comparison) reorders(p *Part) bool {
	return slices.ContainsFunc(c.Changes, func(x Change) bool { return x.What == Reordered && x.Now == p })
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
