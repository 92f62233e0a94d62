package upgrade

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"agentsim/scenarios/document"
)

var limits = &document.Limits{Of: "scenario", Bytes: 1 << 20, Tokens: 200_000, Depth: 48, Keys: 2_000, Empty: "there is nothing to rewrite"}

// File rewrites a scenario; one of version 1 stays as it is. What is no YAML is a
// *document.Error.
func File(name, text string) (string, error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	src := document.NewSource(name, text)
	root, bad := limits.Parse(src, text)
	if bad != nil {
		return "", bad
	}
	if root.Kind != document.Map || root.Get("agentsim") != nil {
		return text, nil
	}
	tokens := lexer.Tokenize(text)
	if t := inBrackets(tokens); t != nil {
		return "", document.NewError(src.At(t.Position.Line, t.Position.Column), "a comment in brackets would be lost", "put it above what it is about, or behind the brackets")
	}
	file, err := parser.Parse(tokens, parser.ParseComments)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	for _, d := range file.Docs {
		if top, ok := d.Body.(*ast.MappingNode); ok {
			rewrite(top)
		}
	}
	return blankInside.ReplaceAllString(file.String(), "\n$1\n"), nil
}

// inBrackets is the first comment in brackets, which are written on one line; nil
// without one.
func inBrackets(tokens token.Tokens) *token.Token {
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.CommentType:
			if depth > 0 {
				return t
			}
		}
	}
	return nil
}

// blankInside is a blank line in front of what is the first of a block: it is its
// block's.
var blankInside = regexp.MustCompile(`(?m)^((?:about|project|agents|script|lab):)\n\n`)

// homes are where keys are that were on top.
var homes = map[string]string{
	"why": "about.why", "look_at": "about.look_at", "source": "about.source", "facts": "project.facts",
	"type": "agents.type", "settings": "agents.settings", "coordinator": "agents.coordinator", "tools": "agents.tools", "scope": "agents.scope",
	"main": "script.main", "roots": "script.roots", "scripts": "script.answers",
	"stack": "lab.stack", "minimal": "lab.minimal", "interactive": "lab.interactive", "gates": "lab.gates", "gate_flips": "lab.gate_flips",
	"permissions": "lab.permissions", "injections": "lab.injections", "classifier": "lab.classifier", "fan_out": "lab.fan_out",
	"forks": "lab.forks", "compaction": "lab.compaction", "faults": "lab.faults", "limits": "lab.limits", "retry": "lab.retry",
	"replace_flips": "lab.replace_flips", "scale": "lab.scale",
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
func (s setting) under(m *ast.MappingNode) setting {
	if p := get(m, "strategy"); p != nil {
		s.strategy = text(p.Value)
	}
	if p := get(m, "background"); p != nil {
		s.background = text(p.Value)
	}
	return s
}

// upgrader knows the file around what it rewrites.
type upgrader struct {
	base     setting
	variants []string
}

func rewrite(top *ast.MappingNode) {
	u := &upgrader{base: setting{}.under(top)}
	for _, p := range inside(get(top, "variants")) {
		u.variants = append(u.variants, name(p))
	}
	first := top.Values[0]
	version := pair("agentsim", word("1"), column(first))
	version.Comment, first.Comment = first.Comment, nil
	u.scenario(top, setting{}, false)
	top.Values = slices.Insert(top.Values, 0, version)
}

// scenario rewrites what a file or a variant says. Keys are gathered in blocks, in the
// order in which the first of each came.
func (u *upgrader) scenario(m *ast.MappingNode, base setting, variant bool) {
	now := base.under(m)
	about := get(m, "look_at") != nil || get(m, "source") != nil
	said := false
	old := m.Values
	m.Values = nil
	for _, p := range old {
		key := name(p)
		home, moved := homes[key]
		switch {
		case key == "why" && !about:
			rename(p, "about")
		case key == "strategy" || key == "background":
			if said || now.strategy == "" && key == "background" {
				continue
			}
			said = true
			structure(p, now.structure())
		case moved:
			block, as, _ := strings.Cut(home, ".")
			rename(p, as)
			into(m, block, p)
			continue
		case key == "project" && get(m, "project") != nil: // facts came before it
			for _, x := range inside(p) {
				into(m, "project", x)
			}
			continue
		case variant && strings.ContainsAny(key, ".["):
			rename(p, Path(key))
			into(m, "set", p)
			continue
		case key == "variants":
			for _, v := range inside(p) {
				if over, ok := v.Value.(*ast.MappingNode); ok {
					u.scenario(over, u.base, true)
				}
			}
		default:
			u.other(p)
		}
		m.Values = append(m.Values, p)
	}
}

// structure makes the word for a strategy of a key and its value.
func structure(p *ast.MappingValueNode, now string) {
	if was := text(p.Value); was != "" && was != now || name(p) == "background" && was != "" {
		p.Value = instead(p.Value, now)
	}
	rename(p, "structure")
}

// other rewrites the keys that stay on top.
func (u *upgrader) other(p *ast.MappingValueNode) {
	list, _ := p.Value.(*ast.SequenceNode)
	switch name(p) {
	case "seeds":
		rename(p, "seed")
		if list != nil && len(list.Values) > 0 { // no other was ever run
			p.Value = list.Values[0]
		}
	case "work":
		for _, it := range elements(p) {
			if m, ok := it.(*ast.MappingNode); ok {
				item(m)
			}
		}
	case "matrix", "sweep":
		if m := axes(list); m != nil {
			p.Value = m
		}
	case "expect":
		u.expectations(list)
	}
}

// axes writes a list of {path, values} as a mapping; nil for anything else.
func axes(list *ast.SequenceNode) *ast.MappingNode {
	if list == nil {
		return nil
	}
	out := ast.Mapping(list.Start, list.IsFlowStyle)
	for i, it := range list.Values {
		m, _ := it.(*ast.MappingNode)
		path, p := get(m, "path"), get(m, "values")
		if path == nil || p == nil {
			return nil
		}
		all := &ast.CommentGroupNode{BaseNode: &ast.BaseNode{}}
		for _, c := range []*ast.CommentGroupNode{above(list, i), path.Value.GetComment(), p.Comment} {
			if c != nil {
				all.Comments = append(all.Comments, c.Comments...)
			}
		}
		if len(all.Comments) > 0 {
			p.Comment = all
		}
		rename(p, Path(text(path.Value)))
		place(p, list.Start.Position.Column)
		out.Values = append(out.Values, p)
	}
	return out
}

// item writes what an item needs as what it knows and reads, and what it read as
// where that is found.
func item(m *ast.MappingNode) {
	needs, reads := get(m, "needs"), get(m, "reads")
	research := len(elements(reads)) > 0 && get(m, "kind") != nil && text(get(m, "kind").Value) == "research"
	old := m.Values
	m.Values = nil
	for _, p := range old {
		m.Values = append(m.Values, p)
		switch p {
		case needs:
			if files := needed(p); len(files.Values) > 0 {
				if len(elements(p)) == 0 {
					m.Values = m.Values[:len(m.Values)-1]
				}
				m.Values = append(m.Values, pair("reads", files, column(p)))
			}
		case reads:
			rename(p, "found_in")
			if research && needs == nil {
				list := ast.Sequence(p.Start, true)
				m.Values = append(m.Values, pair("knows", list, column(p)))
				list.Values = append(list.Values, word("summaries"))
			}
		}
	}
	if research && needs != nil {
		if list, ok := needs.Value.(*ast.SequenceNode); ok {
			list.Values = append(list.Values, word("summaries"))
		}
	}
}

// needed leaves in what an item needs what it knows, and returns the files.
func needed(p *ast.MappingValueNode) *ast.SequenceNode {
	rename(p, "knows")
	list, ok := p.Value.(*ast.SequenceNode)
	if !ok {
		return &ast.SequenceNode{}
	}
	var files []ast.Node
	for i, n := range list.Values {
		if path, file := strings.CutPrefix(text(n), "file:"); file {
			list.Values[i] = instead(n, path)
			files = append(files, list.Values[i])
		} else if s, ok := n.(*ast.StringNode); ok {
			s.Value = strings.Replace(s.Value, "gist:", "summary:", 1)
		}
	}
	isFile := func(n ast.Node) bool { return slices.Contains(files, n) }
	p.Value = part(list, func(n ast.Node) bool { return !isFile(n) })
	return part(list, isFile)
}
