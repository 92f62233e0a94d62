package loading

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/metrics/report"
	"agentsim/sim"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
)

// standing is one line of what stands in front of agents: all parts of a kind from
// one file.
type standing struct {
	kind, from, where, who string
	bytes, tokens          int64
	assumed                bool
}

// Tell says what of the directory stands in front of whose messages, for each of the
// layouts that specs have; nothing without a directory.
func (p *Project) Tell(d *report.Document, specs []*sim.Spec) {
	if p.Files == nil {
		return
	}
	var told []string
	for _, spec := range specs {
		layout := spec.Layout()
		if slices.Contains(told, layout.Name) {
			continue
		}
		told = append(told, layout.Name)
		p.tell(d, spec, layout)
	}
	d.Label("instead", p.over...)
	d.Say("")
}

func (p *Project) tell(d *report.Document, spec *sim.Spec, layout *client.Layout) {
	rows := p.standing(spec, layout)
	total := int64(0)
	for _, r := range rows {
		total += r.tokens
	}
	type col = report.Column[standing]
	d.Say("%s as %s of %s sends it: %s tokens in front of the main agent", p.Dir, layout.Name, layout.Date, report.Quantity(total))
	d.Table(report.TableOf("project", rows,
		col{Name: "client", Of: func(standing) report.Value { return report.Text(layout.Name) }},
		col{Name: "part", Head: "PART", Of: func(r standing) report.Value { return report.Text(r.kind) }},
		col{Name: "from", Head: "FROM", Of: func(r standing) report.Value { return report.Text(r.from) }},
		col{Name: "bytes", Head: " BYTES", Of: func(r standing) report.Value { return report.Count(r.bytes) }},
		col{Name: "tokens", Head: " TOKENS", Of: func(r standing) report.Value { return report.Tokens(r.tokens) }},
		col{Name: "where", Head: "WHERE", Of: func(r standing) report.Value { return report.Text(r.where) }, Drop: 2},
		col{Name: "who", Head: "WHO HAS IT", Of: func(r standing) report.Value { return report.Text(r.who) }, Drop: 1},
		col{Name: "assumed", Of: func(r standing) report.Value { return report.Bool(r.assumed) }}))
	found := p.of(spec.Scenario)
	d.Label("beside", found.Aside...)
	d.Label("assumed", found.Assumed...)
	d.Label("unverified", notVerified(rows, layout)...)
	if p.user == nil {
		d.Label("home", "the user's own .claude is not read: --home ~ reads it")
	}
}

// standing lists what stands in front of a run's agents, a line for each kind and
// file.
func (p *Project) standing(spec *sim.Spec, layout *client.Layout) (rows []standing) {
	of := &spec.Scenario.Project
	counter := tokens.Approx(spec.Scenario.Provider.ModelID(spec.Scenario.Provider.Model))
	add := func(kind client.Kind, from string, text string, bytes int) {
		row := layout.Row(kind)
		if row.Main == client.Nowhere {
			return
		}
		r := standing{kind: string(kind), from: from, where: string(row.Main), who: who(row), bytes: int64(len(text) + bytes), assumed: bytes > 0}
		b := llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)}
		if bytes > 0 {
			b.Content = llm.NewText(llm.JSON, strings.Repeat("x", bytes))
		}
		r.tokens = counter.Tokens(b.Measure())
		if i := slices.IndexFunc(rows, func(x standing) bool { return x.kind == r.kind && file(x.from) == file(from) }); i >= 0 {
			rows[i].bytes, rows[i].tokens = rows[i].bytes+r.bytes, rows[i].tokens+r.tokens
			return
		}
		rows = append(rows, r)
	}
	for _, kind := range client.Kinds {
		switch {
		case kind == client.Memory && of.ClaudeMd != nil:
			add(kind, "project.claude_md", of.ClaudeMd.Text, 0)
		case kind == client.Git && of.GitStatus != nil:
			add(kind, "project.git_status", of.GitStatus.Text, 0)
		}
		for i := range of.Parts {
			if x := &of.Parts[i]; client.Kind(x.Kind) == kind {
				add(kind, x.From, x.Text.Text, x.Text.Bytes)
			}
		}
	}
	return rows
}

// file is a place without its line.
func file(from string) string {
	if i := strings.LastIndexByte(from, ':'); i > 0 {
		return from[:i]
	}
	return from
}

// who says whose requests hold a part.
func who(r client.Row) string {
	switch {
	case r.Sub == client.Nowhere:
		return "main, forks"
	case r.Lean == client.Nowhere:
		return "all but Explore, Plan"
	}
	return "all"
}

// notVerified lists what the sources of a layout do not settle about these rows, each
// thing once.
func notVerified(rows []standing, layout *client.Layout) (out []string) {
	for _, r := range rows {
		row := layout.Row(client.Kind(r.kind))
		if text := row.NotVerified; text != "" {
			line := fmt.Sprintf("%s: %s", r.kind, text)
			if !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}
