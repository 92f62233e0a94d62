package heads

import (
	"cmp"
	"slices"
	"strings"

	"agentsim/metrics"
	"agentsim/scenarios/document"
	"agentsim/sim/client"
)

// What became of a part.
const (
	Grew      = "grew"
	Shrank    = "shrank"
	Changed   = "changed" // and has as many tokens as before
	Added     = "added"
	Removed   = "removed"
	Moved     = "moved"      // to another file or another place of the request
	Reordered = "reordered"  // the same parts or lines in another order
	Model     = "model"      // the same head on another model
	Lifetime  = "ttl"        // the same head in cache entries that live longer or shorter
	Lost      = "not loaded" // removed, or never there, since something is wrong with what it is loaded from
)

// Change is one part that is not what it was.
type Change struct {
	What   string
	Now    *Part           // the baseline's where it is gone
	Was    *Part           // nil where it is new
	Tokens int64           // more, or fewer, than before
	Lines  []Span          // of the file: what is new, or stands elsewhere, or where something was taken out
	Who    []string        // the agents that have it
	Theirs bool            // the tool's change: another layout of the client, another version of this program
	Given  bool            // theirs, and of what the client put into another request
	Why    *document.Error // of what is not loaded any more
}

// Span is some lines of a file, from 1.
type Span struct{ First, Last int }

// Growth is what became of an agent's head.
type Growth struct {
	Agent             string
	Was, Is           int64 // tokens of what the repository's files put there
	Reordered, Missed bool  // Missed is grown over the threshold
	Assumed           bool  // it is so by sizes that are assumed
	Dearer            bool  // another model makes the head's day dearer by more than the threshold
	Longer            bool  // another lifetime of its cache entries does
	New, Gone         bool  // of an agent that one side does not have
	Lost              bool  // a part of it is not loaded any more
	Unread            bool  // text that is new is not loaded
	// Again are the tokens from the first line on, at From, that is not the baseline's:
	// no request finds them in the cache. All of a head on another model are from "" on.
	Again int64
	From  string
}

// Fails reports whether the gate fails for the head.
func (g Growth) Fails() bool {
	return g.Missed || g.Reordered || g.Dearer || g.Longer || g.Lost || g.Unread
}

// Report is a comparison.
type Report struct {
	Changes []Change
	Agents  []Growth
	Prices  []string // of models that both have, such as claude-sonnet-5-5 read $0.20 → $0.10
	Tool    []string // what of the tool is not the baseline's
	Request string   // whose system prompt and tools took whose place, "" for the same

	base, now *Heads
	day       Day
}

// Fails reports whether the gate fails.
func (r *Report) Fails() bool { return slices.ContainsFunc(r.Agents, Growth.Fails) }

// Cost is what a change comes to for those that have it, or for the one that is named.
func (r *Report) Cost(x *Change, name string) (sum Cost) {
	for _, who := range x.Who {
		was, is := r.base.agent(who), r.now.agent(who)
		switch {
		case name != "" && who != name:
		case x.What == Model:
			sum = sum.Plus(r.otherwise(was, is.Model, was.TTL)).Less(r.otherwise(was, was.Model, was.TTL))
		case x.What == Lifetime:
			sum = sum.Plus(r.otherwise(was, is.Model, is.TTL)).Less(r.otherwise(was, is.Model, was.TTL))
		default:
			sum = sum.Plus(cmp.Or(is, was).Cost(r.prices(), x.Tokens, r.day))
		}
	}
	return sum
}

// Compare compares heads with a baseline. limit is the share by which a head may
// grow; problems are what is wrong with the files they were read from; text reads a
// file, and is asked for those that changed, or have a problem, alone.
func Compare(base, now *Heads, day Day, limit metrics.Value, problems []*document.Error, text func(file string) string) *Report {
	c := &comparison{text: text, was: map[string]*Part{}, is: map[string]*Part{}, Report: &Report{base: base, now: now, day: day}}
	for i, p := range base.Parts {
		if base.Who(i) != nil {
			c.was[p.key()] = p
		}
	}
	for i, p := range now.Parts {
		if now.Who(i) != nil { // else settings take it from all
			c.is[p.key()] = p
		}
	}
	c.changes()
	c.moves()
	c.models()
	c.lifetimes()
	c.losses(problems)
	c.unread(problems)
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
	c.Changes = slices.DeleteFunc(slices.Clone(c.Changes), func(x Change) bool { // a reordering alone, or a tool that is told with others
		return x.What == Changed && x.Lines == nil && c.reorders(x.Now) || c.told(x)
	})
	for _, a := range base.Agents {
		if now.agent(a.Name) == nil {
			_, own := base.Tokens(a)
			lost, _ := c.lost(a.Name)
			c.Agents = append(c.Agents, Growth{Agent: a.Name, Was: own, Gone: true, Lost: lost})
		}
	}
	c.attribute()
	c.tool()
	return c.Report
}

type comparison struct {
	*Report
	text    func(string) string
	was, is map[string]*Part
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
		x := Change{Now: p, Was: c.was[p.key()], Who: c.now.Who(i)}
		if p.Varies || x.Who == nil {
			continue
		}
		switch was := x.Was; {
		case was == nil:
			x.What, x.Tokens = Added, p.Tokens
		case !p.reads(was):
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
			c.Changes = append(c.Changes, Change{What: Removed, Now: p, Was: p, Tokens: -p.Tokens, Who: who, Theirs: c.theirs(p)})
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
	x.What = grown(x.Tokens)
	if !x.Now.Own() || x.Now.Sums == "" || x.Was.Sums == "" {
		return
	}
	was, is := lines(x.Was.Sums), lines(x.Now.Sums)
	at := fresh(was, is)
	if at == nil && x.What == Shrank {
		at = gone(was, is)
	}
	x.Lines = spans(at, places(x.Now, c.text(x.Now.File)))
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
	more := c.own(c.now, a, true) - c.own(c.base, was, true)
	if rest := more - changed; rest != 0 {
		c.given(was, a, rest)
	}
	tools, of := c.tools(was, a)
	g.Missed = over(more+tools, g.Was+of, limit)
	g.Lost, g.Unread = c.lost(a.Name)
	g.Assumed = g.Missed && !over(c.own(c.now, a, false)-c.own(c.base, was, false)+tools, g.Was+of, limit)
	g.Reordered = c.reordered(was, a)
	for i := range c.Changes {
		x := &c.Changes[i]
		if x.Theirs || !x.Priced() || !slices.Contains(x.Who, a.Name) {
			continue
		}
		dearer := over(int64(c.Cost(x, a.Name).Day), int64(c.otherwise(was, was.Model, was.TTL).Day), limit)
		g.Dearer, g.Longer = g.Dearer || dearer && x.What == Model, g.Longer || dearer && x.What == Lifetime
	}
	c.again(was, a, &g)
	c.Agents = append(c.Agents, g)
}

// over reports whether something grew by more than a share of what it was.
func over(more, was int64, limit metrics.Value) bool {
	return more > 0 && float64(more)*float64(limit.Den) > float64(was)*float64(limit.Num)
}

// own are the tokens of what the repository's files put in front of an agent, with or
// without what is assumed. What is as it was counts as it does now.
func (c *comparison) own(h *Heads, a *Agent, assumed bool) (n int64) {
	for _, i := range a.Parts {
		p := h.Parts[i]
		if !p.Own() || c.theirs(p) || p.Assumed && !assumed {
			continue
		}
		if now := c.is[p.key()]; now != nil && now.Sums == p.Sums {
			p = now
		}
		n += p.Tokens
	}
	return n
}

// grown is the word for so many tokens more.
func grown(tokens int64) string {
	switch {
	case tokens > 0:
		return Grew
	case tokens < 0:
		return Shrank
	}
	return Changed
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

// weight orders changes: reorderings and other models, then what adds most.
func weight(x Change) int64 {
	switch x.What {
	case Reordered:
		return 1 << 40
	case Model, Lifetime, Lost:
		return 1 << 39
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
