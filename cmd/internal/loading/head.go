package loading

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/wire"
)

// maxHead bounds the system prompt and tools of a request, which every prompt and the
// record hold: more than any model's window.
const maxHead = 4 << 20

// headInto makes the head of a body part of a variant, so that a replay has it: what
// the scenario says itself stands over it.
func (p *Project) headInto(l *Loaded, sc *scenarios.Scenario) error {
	file := p.Head
	if file == "" && l.File != nil {
		file = beside(l.Path, sc.Project.Heads)
	}
	sc.Project.Heads = ""
	if file == "" || sc.Stack == scenarios.MinimalStack {
		return nil
	}
	head, err := p.head(file)
	if err != nil {
		return err
	}
	l.headed = true
	of := &sc.Project
	of.Client = cmp.Or(of.Client, client.Default)
	own, prompted := of.Parts, p.prompted(l, sc, file)
	for _, x := range head {
		switch {
		case slices.ContainsFunc(own, func(o scenarios.FrontPart) bool { return o.Kind == x.Kind }):
			l.stands("project.parts", "what "+file+" has of kind "+x.Kind)
		case x.Kind != string(client.Prompt) || !prompted:
			of.Parts = append(of.Parts, x)
		}
	}
	return nil
}

// prompted reports whether roots have another system prompt than a request's: a
// coordinator's, or the scenario's own, which gives way to a file that the command
// line names unless it is named there too.
func (p *Project) prompted(l *Loaded, sc *scenarios.Scenario, file string) bool {
	if sc.Coordinates() {
		l.stand("a coordinator has a system prompt of its own, so that of " + file + " is left out")
		return true
	}
	roots := []*scenarios.Root{sc.Main}
	for i := range sc.Roots {
		roots = append(roots, &sc.Roots[i])
	}
	own := false
	for _, root := range roots {
		switch {
		case root == nil || root.System == nil:
		case p.Head != "" && !slices.ContainsFunc(l.sets, func(set string) bool { return strings.Contains(set, ".system") }):
			l.stand("the system prompt of " + file + " takes the place of the scenario's for " + sim.RootLineage(root))
			root.System = nil
		default:
			l.stands("system of "+sim.RootLineage(root), "the system prompt of "+file)
			own = true
		}
	}
	return own
}

// Tells reports whether there is anything for Loaded.Tell to say.
func Tells(l *Loaded) bool { return l != nil && (l.dir != nil || l.headed) }

// headParts are a run's own system prompt and tools.
func headParts(spec *sim.Spec) []scenarios.FrontPart {
	return slices.DeleteFunc(slices.Clone(spec.Scenario.Project.Parts), func(x scenarios.FrontPart) bool {
		return client.Kind(x.Kind) != client.Tool && client.Kind(x.Kind) != client.Prompt
	})
}

// sameFront reports whether two runs have one layout, and one head of a request.
func sameFront(a, b *sim.Spec) bool {
	return a.Layout() == b.Layout() && slices.EqualFunc(headParts(a), headParts(b), func(x, y scenarios.FrontPart) bool {
		return x.From == y.From && x.Name == y.Name && x.Text.Text == y.Text.Text
	})
}

// headLines say how well runs' heads are known, and what the record holds of a request
// that they are from.
func headLines(specs []*sim.Spec, headed bool) (lines []string) {
	for _, spec := range specs {
		for _, line := range spec.Head() {
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	if headed {
		lines = append(lines, "the record holds its system prompt and tools, as it does every prompt, and nothing else of the request")
	}
	return lines
}

// beside is a file's name as it is from here, where a scenario names it.
func beside(scenario, name string) string {
	if name == "" || filepath.IsAbs(name) || !LooksLikePath(scenario) {
		return name
	}
	return filepath.Join(filepath.Dir(scenario), name)
}

// head reads a file's head, once.
func (p *Project) head(name string) ([]scenarios.FrontPart, error) {
	if head, known := p.heads[name]; known {
		return head, nil
	}
	data, err := hostdir.Text(name, wire.MaxBytes)
	if err != nil {
		return nil, ui.Failf(ui.Operating, "%s: cannot read the request whose head it is: %w", name, err)
	}
	body, err := wire.Read(&llm.Builder{}, data, wire.Options{Logged: true})
	if err != nil {
		return nil, ui.Failf(ui.Usage, "%s: %w", name, err)
	}
	head, err := headOf(body, filepath.Base(name))
	if err != nil {
		return nil, ui.Failf(ui.Usage, "%s: %w", name, err)
	}
	if p.heads == nil {
		p.heads = map[string][]scenarios.FrontPart{}
	}
	p.heads[name] = head
	return head, nil
}

// headOf is a body's system prompt and tools as parts, in the order of the request,
// from a file of that name, however the way to it is spelled.
// Deferred tools have no text.
func headOf(body *wire.Body, from string) (out []scenarios.FrontPart, err error) {
	has := map[client.Kind]bool{}
	for n := body.Head; n != nil; n = n.Parent {
		if n.IsBorder() || n.Level == llm.Messages {
			continue
		}
		kind, raw := client.Prompt, n.Block.Content.Raw()
		if n.Level == llm.Tools {
			kind = client.Tool
		} else if n.Block.Kind != llm.Text {
			return nil, fmt.Errorf("its system prompt has a block of type %s; it may only have texts", n.Block.Kind)
		}
		has[kind] = true
		out = append(out, scenarios.FrontPart{Kind: string(kind), Name: n.Block.Name, From: from, Text: scenarios.Content{Text: raw}})
	}
	for _, k := range []client.Kind{client.Tool, client.Prompt} {
		if !has[k] {
			return nil, fmt.Errorf("the request has no %s: take one that your client sent for its main conversation, with tools and system", map[client.Kind]string{client.Tool: "tools", client.Prompt: "system"}[k])
		}
	}
	if n := total(out); n > maxHead {
		return nil, fmt.Errorf("its system prompt and tools have %s bytes; a head has at most %s", ui.Count(n), ui.Count(maxHead))
	}
	slices.Reverse(out)
	for _, name := range body.Deferred {
		out = append(out, scenarios.FrontPart{Kind: string(client.Tool), Name: name, From: from})
	}
	return out, nil
}

func total(parts []scenarios.FrontPart) (n int64) {
	for i := range parts {
		n += int64(len(parts[i].Text.Text))
	}
	return n
}
