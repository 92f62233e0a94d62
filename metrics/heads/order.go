package heads

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"agentsim/sim/client"
)

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
			c.Changes = append(c.Changes, Change{What: Reordered, Now: p, Was: cmp.Or(c.was[p.key()], p),
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

// again notes where a head stops being the baseline's, and what stands there from then
// on. What varies does not count, and another model finds nothing.
func (c *comparison) again(was, is *Agent, g *Growth) {
	steady := func(h *Heads, a *Agent) []int {
		return slices.DeleteFunc(slices.Clone(a.Parts), func(i int) bool { return h.Parts[i].Varies })
	}
	before := steady(c.base, was)
	for at, i := range steady(c.now, is) {
		p := c.now.Parts[i]
		if was.Model == is.Model && at < len(before) && p.same(c.base.Parts[before[at]]) {
			continue
		}
		switch {
		case was.Model != is.Model:
		case at == len(before):
			g.From = p.From()
		default:
			g.Again = c.common(c.base.Parts[before[at]], p, g)
		}
		for _, j := range is.Parts[slices.Index(is.Parts, i):] {
			g.Again += c.now.Parts[j].Tokens
		}
		return
	}
}

// same reports whether a part is the same bytes of a request as another. Its name counts
// where its text is not known, and where it stands in front of it.
func (p *Part) same(was *Part) bool {
	if p.Kind != was.Kind || p.Place != was.Place || p.Bytes != was.Bytes || !p.reads(was) {
		return false
	}
	switch p.Kind {
	case client.Memory, client.AutoMemory, client.ServerText:
		return p.key() == was.key()
	}
	return p.Name == was.Name || p.Sums != "" && was.Sums != "" && p.Sums != sums("")
}

// reads reports whether a part says what another does, as far as that is known.
func (p *Part) reads(was *Part) bool {
	if p.Sums == "" || was.Sums == "" {
		return p.Bytes == was.Bytes
	}
	return p.Sums == was.Sums
}

// common is less the tokens of the lines with which a part begins as it did; one that
// is gone is where the difference is.
func (c *comparison) common(was, p *Part, g *Growth) int64 {
	if g.From = p.From(); c.is[was.key()] == nil {
		g.From = was.From()
	}
	if p.key() != was.key() || !p.Own() {
		return 0
	}
	front, _ := edges(lines(was.Sums), lines(p.Sums))
	text := strings.SplitAfter(p.text, "\n")
	if front = min(front, len(text)-1); front == 0 {
		return 0
	}
	g.From = fmt.Sprintf("%s:%d", p.File, places(p, c.text(p.File))[front])
	return c.now.count(strings.Join(text[front:], "")) - p.Tokens
}
