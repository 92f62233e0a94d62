package compare

import (
	"errors"
	"fmt"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/baseline"
	"agentsim/metrics/report"
	"agentsim/metrics/sharedprefix"
	"agentsim/metrics/sides"
	"agentsim/metrics/stat"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/wire"
)

// document is the comparison, said once.
func (c *comparing) document(open []string) *report.Document {
	d := &report.Document{}
	d.Say("%s", c.side("A", c.A, func(p sides.Pair) *sides.Group { return p.A }))
	d.Say("%s", c.side("B", c.B, func(p sides.Pair) *sides.Group { return p.B }))
	d.Say("")
	d.Field("a", report.Text(c.A.Name))
	d.Field("b", report.Text(c.B.Name))
	all, shown := c.Figures()
	if d.Table(shown); shown.Len() > 0 {
		d.Say("")
	}
	d.Table(all)
	d.Main("figures")
	d.Label("compared", c.how())
	for _, l := range []struct {
		label, name  string
		lines, exact []string
	}{
		{"unfinished", "unfinished", open, open}, {"only in A", "only_a", []string{strings.Join(c.OnlyA, ", ")}, c.OnlyA},
		{"only in B", "only_b", []string{strings.Join(c.OnlyB, ", ")}, c.OnlyB}, {"cause", "causes", c.causes(), c.causes()}, {"events", "events", c.where(), c.events},
	} {
		d.Label(l.label, l.lines...)
		d.Field(l.name, report.List(l.exact))
	}
	return d
}

// side describes one side in a line.
func (c *comparing) side(letter string, x *sides.Side, of func(sides.Pair) *sides.Group) string {
	runs := 0
	for _, p := range c.Pairs {
		runs += len(of(p).Runs)
	}
	text := ui.Plural(len(c.Pairs), "variant") + ", " + ui.Plural(runs, "run")
	if len(c.Pairs) == 1 {
		g := of(c.Pairs[0])
		text = strings.TrimSpace(g.Scenario+" "+g.Variant) + ", " + ui.Plural(runs, "seed")
		if runs == 1 {
			text = strings.TrimSpace(g.Scenario+" "+g.Variant) + fmt.Sprintf(", seed %d, run %s", g.Runs[0].Seed, ui.Short(g.Runs[0].ID))
		}
	}
	return letter + "  " + x.Name + ": " + text
}

// how says how the figures were compared.
func (c *comparing) how() string {
	exact, sampled, differ := 0, 0, 0
	for i := range c.Pairs {
		for _, f := range c.Pairs[i].Figures() {
			if f.Exact {
				exact++
			} else {
				sampled++
			}
			if f.Differs() {
				differ++
			}
		}
	}
	var parts []string
	if exact > 0 {
		parts = append(parts, ui.Plural(exact, "figure")+" exactly, one run on each side")
	}
	if sampled > 0 {
		parts = append(parts, fmt.Sprintf("%s by medians, 95 %% intervals from %s resamples", ui.Plural(sampled, "figure"), ui.Count(stat.Resamples)))
	}
	return strings.Join(parts, "; ") + fmt.Sprintf("; %d differ", differ)
}

// firstEvents finds where single runs of both sides differ, where what each did is
// kept.
func (c *comparing) firstEvents() error {
	for i := range c.Pairs {
		p := &c.Pairs[i]
		if len(p.A.Runs) != 1 || len(p.B.Runs) != 1 {
			continue
		}
		where, exact, err := c.parting(&p.A.Runs[0], &p.B.Runs[0])
		if err != nil {
			return err
		}
		if c.found.Add(where, p.A.Name(), 0); len(c.Pairs) == 1 {
			c.events = exact
		}
	}
	return nil
}

// where says it to people; of two runs of one database it adds how to see more.
func (c *comparing) where() []string {
	lines := c.found.Lines(len(c.Pairs))
	if c.more != "" && len(c.Pairs) == 1 {
		lines = append(lines, c.more)
	}
	return lines
}

// parting is where two runs part, in words and by their events.
func (c *comparing) parting(a, b *sides.Run) (where string, exact []string, err error) {
	if a.Digest == b.Digest {
		where = "the same in both, digest " + a.Digest
		return where, []string{where}, nil
	}
	was, err := c.a.kept(a)
	is, bad := c.b.kept(b)
	if err = errors.Join(err, bad); err != nil || was == nil || is == nil {
		return "", nil, err
	}
	d, err := transcript.Compare(was.Stored(), is.Stored())
	switch {
	case err != nil:
		return "", nil, err
	case d == nil:
		where = "the same in both but the first, which names the run"
		return where, []string{where}, nil
	}
	if j, k, ok := baseline.Prompts(was, is, d); ok {
		if err := errors.Join(c.a.outline(a, was, j+1), c.b.outline(b, is, k+1)); err != nil {
			return "", nil, err
		}
		if c.a.db != nil && c.b.db != nil && c.a.db.Path() == c.b.db.Path() {
			c.more = ui.QuoteAll([]string{"agentsim", "lab", "diff", fmt.Sprintf("%s:%d", ui.Short(a.ID), j+1), fmt.Sprintf("%s:%d", ui.Short(b.ID), k+1), "--db", c.a.db.Path()})
		}
	}
	where = "first difference: " + baseline.Where(was, is, d)
	d.Index++ // the one left out
	return where, []string{fmt.Sprintf("first difference at event %d, field %s", d.Index, d.Field), "A  " + d.Want, "B  " + d.Got}, nil
}

// kept is what tells where a run differs: nil where it is not kept. A run's first
// event is left out: it says which run it is, so two variants always differ there.
func (x *comparedSide) kept(r *sides.Run) (*baseline.Run, error) {
	if x.db == nil || !x.full[r.ID] {
		return x.ran[r.ID], nil
	}
	out := &baseline.Run{}
	for line, err := range x.db.Events(r.ID) {
		if err != nil {
			return nil, err
		}
		out.Lines = append(out.Lines, baseline.Cut(line))
	}
	out.Lines = out.Lines[min(1, len(out.Lines)):]
	return out, nil
}

// outline finds out what stood in the n-th request that has a prompt, from 1, where
// that is recorded.
func (x *comparedSide) outline(r *sides.Run, into *baseline.Run, n int) error {
	if x.db == nil {
		return nil
	}
	call, err := x.db.Call(r.ID, int64(n))
	if err != nil {
		return err
	}
	body, err := x.db.RequestBytes(r.ID, call.Seq)
	if err != nil {
		return err
	}
	request, err := wire.Read(&llm.Builder{}, body, wire.Options{})
	if err != nil {
		return err
	}
	into.Outline = sharedprefix.OutlineOf(request.Head, call.Model, n)
	return nil
}

// causeOf says in one sentence why a pair differs where that is not what was
// compared: other semantics, other prices, an edit of one scenario.
func causeOf(p *sides.Pair) string {
	switch c := p.Cause(); {
	case c.Tool:
		text := fmt.Sprintf("the tool's: A is of semantics %d, B of %d", p.A.Semantics, p.B.Semantics)
		if changed := sim.ChangedSince(min(p.A.Semantics, p.B.Semantics)); changed != "" {
			text += "; " + changed
		}
		if c.Edited {
			text += "; scenario or project are others too"
		}
		return text
	case c.Edited:
		return "your change: B has another scenario or project than A has"
	case c.Prices:
		return "the prices': the same events were billed otherwise"
	}
	return ""
}

// causes are those of all pairs, each once.
func (c *comparing) causes() []string {
	var found report.Findings
	for i := range c.Pairs {
		found.Add(causeOf(&c.Pairs[i]), c.Pairs[i].A.Name(), 0)
	}
	return found.Lines(len(c.Pairs))
}
