package upgrade

import (
	"slices"
	"strings"

	"agentsim/scenarios/document"
)

var limits = &document.Limits{Of: "scenario", Bytes: 1 << 20, Tokens: 200_000, Depth: 48, Keys: 2_000, Empty: "there is nothing to rewrite"}

// File rewrites a scenario; one of version 1 stays as it is. The error is a
// *document.Error: what is no YAML cannot be rewritten.
func File(name, text string) (string, error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	root, bad := limits.Parse(document.NewSource(name, text), text)
	if bad != nil {
		return "", bad
	}
	if root.Kind != document.Map || root.Get("agentsim") != nil {
		return text, nil
	}
	w := newWriter(text, root)
	if !w.block(root) {
		return flow(rewrite(root)) + "\n", nil
	}
	pairs := rewrite(root).Pairs
	w.lead(root.Pairs[0].Pos.Line, 0)
	w.pair(pairs[0], 0)
	w.lines = append(make([]string, 0, len(w.lines)), w.lines...)
	for n := 1; n < root.Pairs[0].Pos.Line; n++ {
		w.lines[n-1] = "-" // written already
	}
	w.mapping(pairs[1:], 0)
	for _, l := range w.lines[w.end(root.Pairs[len(root.Pairs)-1].Pos, true):] {
		w.out.WriteString(l + "\n")
	}
	return w.out.String(), nil
}

// homes are the blocks of keys that were on top, with the names that they have
// there.
var homes = map[string][2]string{
	"why": {"about", "why"}, "look_at": {"about", "look_at"}, "source": {"about", "source"},
	"facts": {"project", "facts"},
	"type":  {"agents", "type"}, "settings": {"agents", "settings"}, "coordinator": {"agents", "coordinator"},
	"tools": {"agents", "tools"}, "scope": {"agents", "scope"},
	"main": {"script", "main"}, "roots": {"script", "roots"}, "scripts": {"script", "answers"},
	"stack": {"lab", "stack"}, "minimal": {"lab", "minimal"}, "interactive": {"lab", "interactive"},
	"gates": {"lab", "gates"}, "gate_flips": {"lab", "gate_flips"}, "permissions": {"lab", "permissions"},
	"injections": {"lab", "injections"}, "classifier": {"lab", "classifier"}, "fan_out": {"lab", "fan_out"},
	"forks": {"lab", "forks"}, "compaction": {"lab", "compaction"}, "faults": {"lab", "faults"},
	"limits": {"lab", "limits"}, "retry": {"lab", "retry"}, "replace_flips": {"lab", "replace_flips"}, "scale": {"lab", "scale"},
}

// setting is what decides on a structure.
type setting struct{ strategy, background string }

func (s setting) structure() string {
	if s.strategy == "subagent" && s.background == "true" {
		return "subagent-background"
	}
	return s.strategy
}

// under is the setting of a mapping over another.
func (s setting) under(n *document.Node) setting {
	for key, v := range map[string]*string{"strategy": &s.strategy, "background": &s.background} { // order: each key has a field of its own
		if x := n.Get(key); x != nil {
			if *v = x.Text; x.Kind == document.Null {
				*v = ""
			}
		}
	}
	return s
}

// upgrader knows the file around what it rewrites.
type upgrader struct {
	root     *document.Node
	variants []string
}

func rewrite(root *document.Node) *document.Node {
	u := &upgrader{root: root}
	if v := root.Get("variants"); v != nil {
		for _, p := range v.Pairs {
			u.variants = append(u.variants, p.Key)
		}
	}
	version := document.Pair{Key: "agentsim", Val: &document.Node{Kind: document.Int, Text: "1"}}
	return &document.Node{Kind: document.Map, Pos: root.Pos, Pairs: append([]document.Pair{version}, u.scenario(root, setting{}, false)...)}
}

// grouped gathers keys in blocks, in the order in which the first of each came.
type grouped struct{ pairs []document.Pair }

func (g *grouped) add(p document.Pair) { g.pairs = append(g.pairs, p) }

// into adds a key to a block.
func (g *grouped) into(block string, p document.Pair) {
	i := slices.IndexFunc(g.pairs, func(x document.Pair) bool { return x.Key == block })
	if i < 0 {
		i = len(g.pairs)
		g.add(document.Pair{Key: block, Val: &document.Node{Kind: document.Map}})
	}
	old := g.pairs[i].Val
	// A block is written anew: what it has already keeps its lines.
	g.pairs[i].Val = &document.Node{Kind: document.Map, Pos: old.Pos, Pairs: append(slices.Clone(old.Pairs), p)}
}

// scenario rewrites what a file or a variant says.
func (u *upgrader) scenario(n *document.Node, base setting, variant bool) []document.Pair {
	var g grouped
	now := base.under(n)
	about := n.Get("look_at") != nil || n.Get("source") != nil
	said := false
	for _, p := range n.Pairs {
		home, moved := homes[p.Key]
		switch {
		case p.Key == "why" && !about:
			p.Key = "about"
			g.add(p)
		case p.Key == "strategy" || p.Key == "background":
			if said || now.strategy == "" && p.Key == "background" {
				continue
			}
			said = true
			g.add(u.structure(p, now))
		case moved:
			p.Key = home[1]
			g.into(home[0], p)
		case p.Key == "project" && hasBlock(&g, "project"): // facts came before it
			for _, x := range p.Val.Pairs {
				g.into("project", x)
			}
		case variant && strings.ContainsAny(p.Key, ".["):
			u.path(&g, p)
		default:
			p.Key, p.Val = u.other(p.Key, p.Val, now)
			g.add(p)
		}
	}
	return g.pairs
}

func hasBlock(g *grouped, key string) bool {
	return slices.ContainsFunc(g.pairs, func(p document.Pair) bool { return p.Key == key })
}

// structure is the word for a strategy.
func (u *upgrader) structure(p document.Pair, now setting) document.Pair {
	word := now.structure()
	if p.Key == "strategy" && p.Val.Text == word || p.Val.Kind == document.Null {
		p.Key = "structure"
		return p
	}
	return document.Pair{Key: "structure", Pos: p.Pos, Val: &document.Node{Kind: document.String, Text: word, Pos: p.Val.Pos}}
}

// path moves a path of a variant under set.
func (u *upgrader) path(g *grouped, p document.Pair) {
	p.Key = Path(p.Key)
	g.into("set", p)
}

// other rewrites the keys that stay on top.
func (u *upgrader) other(key string, n *document.Node, now setting) (string, *document.Node) {
	switch key {
	case "seeds":
		return "seed", n
	case "work":
		return key, items(n)
	case "matrix", "sweep":
		return key, axes(n)
	case "expect":
		return key, u.expectations(n)
	case "variants":
		if n.Kind != document.Map {
			return key, n
		}
		out := &document.Node{Kind: document.Map, Pos: n.Pos}
		for _, p := range n.Pairs {
			if p.Val.Kind == document.Map {
				p.Val = &document.Node{Kind: document.Map, Pos: p.Val.Pos, Pairs: u.scenario(p.Val, setting{}.under(u.root), true)}
			}
			out.Pairs = append(out.Pairs, p)
		}
		return key, out
	}
	return key, n
}

// axes writes a list of {path, values} as a mapping.
func axes(n *document.Node) *document.Node {
	if n.Kind != document.List {
		return n
	}
	out := &document.Node{Kind: document.Map}
	for _, it := range n.Items {
		path, values := it.Get("path"), it.Get("values")
		if path == nil || values == nil {
			return n
		}
		at := it.Pos
		at.Col = max(at.Col-2, 1) // of the dash, so that the value ends where the entry does
		fresh := *values
		out.Pairs = append(out.Pairs, document.Pair{Key: Path(path.Text), Pos: at, Val: &fresh})
	}
	return out
}

// items rewrites the items of the work.
func items(n *document.Node) *document.Node {
	if n.Kind != document.List {
		return n
	}
	out := &document.Node{Kind: document.List, Pos: n.Pos}
	changed := false
	for _, it := range n.Items {
		x := item(it)
		changed = changed || x != it
		out.Items = append(out.Items, x)
	}
	if !changed {
		return n
	}
	return out
}

// item writes what an item needs as what it knows and reads, and what it read as
// where that is found.
func item(n *document.Node) *document.Node {
	needs, reads := n.Get("needs"), n.Get("reads")
	if n.Kind != document.Map || needs == nil && reads == nil {
		return n
	}
	knows, files := split(needs)
	if kind := n.Get("kind"); len(reads.Elements()) > 0 && kind != nil && kind.Text == "research" {
		knows = append(knows, &document.Node{Kind: document.String, Text: "summaries"})
	}
	out := &document.Node{Kind: document.Map, Pos: n.Pos}
	list := func(key string, from document.Pair, items []*document.Node) {
		if len(items) > 0 {
			out.Pairs = append(out.Pairs, document.Pair{Key: key, Pos: from.Pos, Val: &document.Node{Kind: document.List, Items: items, Pos: from.Val.Pos}})
		}
	}
	for _, p := range n.Pairs {
		switch p.Key {
		case "needs":
			if len(files) == 0 && len(knows) == len(p.Val.Items) && !slices.ContainsFunc(p.Val.Items, func(x *document.Node) bool { return strings.Contains(x.Text, ":") }) {
				out.Pairs = append(out.Pairs, document.Pair{Key: "knows", Pos: p.Pos, Val: p.Val})
				continue
			}
			list("knows", p, knows)
			if len(knows) > 0 {
				p = document.Pair{Val: &document.Node{}}
			}
			list("reads", p, files)
		case "reads":
			out.Pairs = append(out.Pairs, document.Pair{Key: "found_in", Pos: p.Pos, Val: p.Val})
			if needs == nil {
				list("knows", document.Pair{Val: &document.Node{}}, knows)
			}
		default:
			out.Pairs = append(out.Pairs, p)
		}
	}
	return out
}

// split parts what an item needs in what it knows and the files that it reads.
func split(needs *document.Node) (knows, files []*document.Node) {
	for _, x := range needs.Elements() {
		switch path, file := strings.CutPrefix(x.Text, "file:"); {
		case file:
			files = append(files, &document.Node{Kind: document.String, Text: path})
		default:
			knows = append(knows, &document.Node{Kind: document.String, Text: strings.Replace(x.Text, "gist:", "summary:", 1)})
		}
	}
	return knows, files
}
