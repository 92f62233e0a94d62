package sharedprefix

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
)

// Finding is something of which less is shared than before.
type Finding struct {
	Kind   string   `json:"kind"`   // siblings, definitions, turn
	Agents []string `json:"agents"` // types
	Who    string   `json:"who"`    // the message or the request
	Was    Extent   `json:"before"` // shared
	Is     Extent   `json:"after"`
	At     Place    `json:"at"`
	Texts  []Text   `json:"excerpts"`
	Again  int64    `json:"tokens_again"`      // that each start or turn now writes instead of reads
	Cost   int64    `json:"picodollars_again"` // what that costs; 0 with tokens where the model has no prices
	Model  string   `json:"model"`
}

// Text is what stands at a place, from a little before it.
type Text struct {
	Whose string `json:"whose"`
	Text  string `json:"text"`
}

// Compare says what two runs of one thing share less than they did.
func Compare(before, after *Record, price Pricing) []Finding {
	c := comparison{before, after, price}
	return slices.Concat(c.siblings(), c.definitions(), c.turns())
}

type comparison struct {
	was, is *Record
	price   Pricing
}

// Pricing finds a model with its rates.
type Pricing func(model string) (*cachemodel.Profile, error)

const forkType = "fork"

// siblings compares the children of one type that one message started.
func (c comparison) siblings() (out []Finding) {
	for _, g := range c.is.groups() {
		old := c.was.like(g)
		if len(g) < 2 || old == nil {
			continue
		}
		n0, n1 := c.was.shared(&old[0], &old[1]), c.is.shared(&g[0], &g[1])
		if n1 >= n0 || c.is.behind(g, n1) <= c.was.behind(old, n0) {
			continue
		}
		f := c.loss(&old[0], &g[0], &g[1], n0, n1)
		f.Kind, f.Who, f.Agents = "siblings", g[0].Source, []string{g[0].Type}
		out = append(out, f)
	}
	return out
}

// groups are the openings by message and type: the first, and the one that
// shares least with it.
func (r *Record) groups() (out [][]Opening) {
	for i, o := range r.Openings {
		if o.Count > 0 {
			out = append(out, r.Openings[i:i+1:i+1])
		} else if len(out) > 0 {
			last := len(out) - 1
			out[last] = append(out[last], o)
		}
	}
	return out
}

// like finds the group to compare with: of the same message, else the first one
// of that type.
func (r *Record) like(g []Opening) (found []Opening) {
	for _, o := range r.groups() {
		if len(o) < 2 || o[0].Type != g[0].Type {
			continue
		}
		if o[0].Source == g[0].Source {
			return o
		}
		if found == nil {
			found = o
		}
	}
	return found
}

// behind is how many blocks of a group's first opening stand behind n.
func (r *Record) behind(g []Opening, n int) int { return len(r.path(&g[0])) - n }

// loss describes what a and b of now share less; old is what a was.
func (c comparison) loss(old, a, b *Opening, n0, n1 int) Finding {
	f := Finding{Was: c.was.extent(old, n0), Is: c.is.extent(a, n1), Model: a.Model}
	at, inA, inB := c.is.parting(a, b, n1)
	f.At = at
	path := c.was.path(old)
	if n1 < len(path) {
		f.Texts = append(f.Texts, Text{"before", Excerpt(c.was.text(path[n1]), at.InBlock)})
	}
	f.Texts = append(f.Texts, Text{a.named(b), inA}, Text{b.named(a), inB})
	p, err := cachemodel.Lookup(a.Model)
	var least int64
	if err == nil {
		least = p.Minimum
	}
	f.Again = max(c.was.readable(old, n0, least)-c.is.readable(a, n1, least), 0)
	f.Cost = c.again(a.Model, f.Again, a.Hour)
	return f
}

// named is the opening's type, or its lineage where the other one has the same.
func (o *Opening) named(other *Opening) string {
	if o.Type == other.Type {
		return o.Who
	}
	return o.Type
}

// again is what it costs to write so many tokens instead of reading them.
func (c comparison) again(model string, n int64, hour bool) int64 {
	p, err := c.price(model)
	if err != nil {
		return 0
	}
	rate := p.Rates.Write5m
	if hour {
		rate = p.Rates.Write1h
	}
	return n * int64(rate-p.Rates.Read)
}

// types are the first openings of each type, forks aside, in their order.
func (r *Record) types() (out []*Opening) {
	seen := map[string]bool{forkType: true}
	for i := range r.Openings {
		if o := &r.Openings[i]; !seen[o.Type] {
			seen[o.Type] = true
			out = append(out, o)
		}
	}
	return out
}

func find(list []*Opening, kind string) *Opening {
	for _, o := range list {
		if o.Type == kind {
			return o
		}
	}
	return nil
}

// definitions compares what each type shares with the one that it shares most
// with, of the types that both runs have, roots aside.
func (c comparison) definitions() (out []Finding) {
	was, is := c.was.types(), c.is.types()
	told := map[string]bool{}
	for _, a := range is {
		old := find(was, a.Type)
		if old == nil || a.root() {
			continue
		}
		n0, y0 := c.was.nearest(old, was, is)
		n1, y1 := c.is.nearest(a, is, was)
		if n1 >= n0 || c.is.front(a)-n1 <= c.was.front(old)-n0 {
			continue
		}
		b := find(is, y0.Type)
		if y1 != nil && n1 > c.is.shared(a, b) {
			b = y1
		}
		names := []string{a.Type, y0.Type}
		slices.Sort(names)
		if key := strings.Join(names, "\x00"); told[key] {
			continue
		} else {
			told[key] = true
		}
		f := c.loss(old, a, b, n0, n1)
		f.Kind, f.Agents, f.Who = "definitions", names, ""
		out = append(out, f)
	}
	return out
}

// nearest is the type of list, and also of other, that o shares most of its front
// with, and how many blocks.
func (r *Record) nearest(o *Opening, list, other []*Opening) (most int, with *Opening) {
	for _, b := range list {
		if b.Type == o.Type || b.root() || find(other, b.Type) == nil {
			continue
		}
		if n := min(r.shared(o, b), r.front(o)); with == nil || n > most {
			most, with = n, b
		}
	}
	return most, with
}

// turns lists the requests that cut off more of the one before them.
func (c comparison) turns() (out []Finding) {
	for _, t := range c.is.Cuts {
		var lost, paid int64
		for _, o := range c.was.Cuts {
			if o.Who == t.Who {
				lost, paid = o.Lost, o.Again
			}
		}
		if t.Lost <= lost {
			continue
		}
		n := max(t.Again-paid, 0)
		out = append(out, Finding{Kind: "turn", Agents: []string{t.Type}, Who: t.Who, At: t.Place, Model: t.Model,
			Was: Extent{Bytes: t.Place.Byte + t.Lost - lost}, Is: Extent{Blocks: t.Place.Block - 1, Bytes: t.Place.Byte},
			Texts: []Text{{"request before", t.Before}, {"this one", t.After}}, Again: n, Cost: c.again(t.Model, n, t.Hour)})
	}
	return out
}

// Lines say the finding to people. Money prints an amount of picodollars.
func (f *Finding) Lines(money func(int64) string) []string {
	out := []string{f.head()}
	verb := "they part at "
	if f.Kind == "turn" {
		verb = "it parts at "
	}
	out = append(out, "  "+verb+f.At.String())
	width := 0
	for _, t := range f.Texts {
		width = max(width, len(t.Whose))
	}
	for _, t := range f.Texts {
		text := t.Text
		if text == "" {
			text = "(ends there)"
		}
		out = append(out, fmt.Sprintf("    %-*s  %s", width, t.Whose, text))
	}
	return append(out, "  "+f.price(money))
}

func (f *Finding) head() string {
	names := strings.Join(f.Agents, " and ")
	switch f.Kind {
	case "siblings":
		return fmt.Sprintf("lost: the children of type %s that %s starts share %s; before %s", names, f.Who, f.Is, f.Was)
	case "turn":
		return fmt.Sprintf("lost: %s (%s) shares %d bytes with the request before it; before %d", f.Who, names, f.Is.Bytes, f.Was.Bytes)
	}
	return fmt.Sprintf("lost: %s share %s; before %s", names, f.Is, f.Was)
}

func (f *Finding) price(money func(int64) string) string {
	each := "start"
	if f.Kind == "turn" {
		each = "turn"
	}
	if f.Again == 0 {
		return "no " + each + " pays more for it: no mark, or too short a prefix, stood before what is lost"
	}
	return fmt.Sprintf("each such %s writes %d tokens again that a cache could read: %s more (%s)", each, f.Again, money(f.Cost), f.Model)
}

// String is the extent in words.
func (e Extent) String() string {
	if e.Blocks == 1 {
		return fmt.Sprintf("1 block, %d bytes, about %d tokens", e.Bytes, e.Tokens)
	}
	return fmt.Sprintf("%d blocks, %d bytes, about %d tokens", e.Blocks, e.Bytes, e.Tokens)
}
