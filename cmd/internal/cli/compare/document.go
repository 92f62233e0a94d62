package compare

import (
	"fmt"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/metrics/sides"
	"agentsim/metrics/stat"
)

// document is the comparison, said once.
func (c *comparing) document(open []string) *report.Document {
	d := &report.Document{}
	d.Say("%s\n%s\n", c.side("A", c.A, func(p sides.Pair) *sides.Group { return p.A }), c.side("B", c.B, func(p sides.Pair) *sides.Group { return p.B }))
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
	d.Whole("")
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
