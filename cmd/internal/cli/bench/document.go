package bench

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/baseline"
	"agentsim/metrics/gobench"
	"agentsim/metrics/junit"
	"agentsim/metrics/report"
	"agentsim/metrics/sarif"
	"agentsim/sim"
)

// writeFiles writes what --junit, --sarif and --gobench ask for.
func (b *bench) writeFiles() error {
	return errors.Join(
		ui.WriteReport("--gobench", b.o.gobench, func(w io.Writer) error { return gobench.Write(w, b.now.Semantics, b.now.Runs) }),
		ui.WriteReport("--junit", b.o.junit, func(w io.Writer) error { return junit.Write(w, "agentsim bench", b.cases()) }),
		ui.WriteReport("--sarif", b.o.sarif, func(w io.Writer) error { return sarif.Write(w, "agentsim", rules, b.located()) }))
}

// cases are the variants as tests, the expectations that were missed behind them.
func (b *bench) cases() (out []junit.Case) {
	for i := range b.report.Variants {
		v := &b.report.Variants[i]
		c := junit.Case{Suite: v.Scenario, Name: v.Variant, Detail: strings.Join(append(lines(v, true), b.because(v)...), "\n"), Type: strings.ReplaceAll(v.Verdict.String(), " ", "-")}
		if c.Name == "" {
			c.Name = "(only)"
		}
		switch v.Verdict {
		case baseline.Regression:
			c.Failure = brief(v)
		case baseline.NoBaseline, baseline.NoData:
			c.Error = brief(v)
		case baseline.Changed:
			if b.o.strict {
				c.Failure = brief(v)
			}
		}
		out = append(out, c)
	}
	if b.broken != nil {
		text := b.broken.Error()
		out = append(out, junit.Case{Suite: "invariants", Name: ui.FirstLine(text), Failure: ui.FirstLine(text), Detail: text, Type: "invariant"})
	}
	for _, m := range b.misses() {
		out = append(out, junit.Case{Suite: "expectations", Name: m, Failure: m, Type: "expectation"})
	}
	return out
}

// because is the cause of a variant's differences as a report of its own has it.
func (b *bench) because(v *baseline.Variant) (out []string) {
	if text := b.cause(v); text != "" {
		out = append(out, "cause: "+text)
	}
	if text := b.otherSemantics(); text != "" {
		out = append(out, text)
	}
	return out
}

// brief says in a line what is the matter with a variant.
func brief(v *baseline.Variant) string {
	var parts []string
	for i := range v.Changes {
		if c := &v.Changes[i]; c.Verdict == v.Verdict {
			before, after := report.Sides(c.Before, c.After)
			parts = append(parts, fmt.Sprintf("%s %s → %s", c.Name, before, after))
		}
	}
	if len(parts) == 0 {
		parts = lines(v, false)
	}
	if len(parts) == 0 {
		return v.Verdict.String()
	}
	return strings.Join(parts, ", ")
}

// lines is all there is to say of a variant beside the table, and with full the
// table's rows too.
func lines(v *baseline.Variant, full bool) (out []string) {
	if v.Note != "" {
		out = append(out, v.Note)
	}
	for i := range v.Changes {
		c := &v.Changes[i]
		if full {
			before, after := report.Sides(c.Before, c.After)
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %s %s → %s %s", c.Verdict, c.Name, before, after, report.Difference(c.Before, c.After))))
		}
		for _, t := range c.Missed {
			out = append(out, "threshold missed: "+t.Text)
		}
		for _, t := range c.Unheld {
			out = append(out, "no data for the threshold: "+t.Text+missing(c))
		}
		for _, t := range c.Allowed {
			if c.Verdict == baseline.Changed {
				out = append(out, "within the threshold: "+t.Text)
			}
		}
	}
	out = append(out, v.Shorter...)
	if v.First != nil {
		head := "first difference: " + v.Where
		if len(v.Seeds) > 1 {
			head = fmt.Sprintf("seed %d: %s", v.Seed, head)
		}
		out = append(out, head)
	}
	if v.Unkept {
		out = append(out, fmt.Sprintf("seed %d: its events differ; a baseline keeps the events of the first seed only", v.Seed))
	}
	return out
}

// missing says which side has no data for a threshold.
func missing(c *baseline.Change) string {
	if c.After == nil {
		return ": the run has no " + c.Name
	}
	return ": the baseline has no " + c.Name
}

// maxTold is how many findings are told; forms for machines have all.
const maxTold = 10

func (b *bench) title() string {
	seeds := "seed of each file"
	if b.o.seeds > 1 {
		seeds = ui.Plural(b.o.seeds, "seed")
	}
	return fmt.Sprintf("%s · %s · %s · baseline %s", ui.Plural(len(b.set.files), "scenario"), ui.Plural(len(b.report.Variants), "variant"), seeds, b.o.baseline)
}

// foundColumns are what is told of runs that have nothing to be compared with.
var foundColumns = []string{"cost", "time", "outcome"}

// document is the comparison, said once.
func (b *bench) document() *report.Document {
	d := &report.Document{}
	d.Heading("bench", "%s", b.title())
	d.Summary("agentsim bench: " + b.heading() + "\n\n" + report.MarkdownText(b.title()))
	b.fields(d)
	if b.found != nil {
		d.Table(report.Comparison(b.found, foundColumns))
		d.Say("")
	}
	all, shown := b.figures()
	if d.Table(shown); shown.Len() > 0 {
		d.Say("")
	}
	d.Table(all)
	d.Main("figures")
	b.findings(d)
	b.tellProject(d)
	b.notes(d)
	return d
}

// tellProject says what of a directory stands in front of agents, of several the
// first.
func (b *bench) tellProject(d *report.Document) {
	for _, f := range b.set.files {
		if spec := b.specs[f]; spec != nil && loading.Tells(b.set.on[f]) {
			b.set.on[f].Tell(d, []*sim.Spec{spec})
			return
		}
	}
}

// findings says what there is to say of variants beside figures: of those of which
// it is the same once.
func (b *bench) findings(d *report.Document) {
	var found report.Findings
	for i := range b.report.Variants {
		if v := &b.report.Variants[i]; v.Verdict != baseline.Pass && b.base != nil {
			found.Add(strings.Join(lines(v, false), "\n  "), v.Name(), int(v.Verdict))
		}
	}
	for i, f := range found.All() {
		if i == maxTold {
			d.Say("and %d more; -o json tells all", len(found.All())-maxTold)
			break
		}
		d.Say("%s\n  %s", f.Who(), f.Text)
	}
	if len(found.All()) > 0 {
		d.Say("")
	}
}

// notes are the last lines: what came out, and what to do.
func (b *bench) notes(d *report.Document) {
	d.LabelMarked("missed", report.Bad, b.misses()...)
	d.Label("aside", b.aside...)
	d.Label("cause", b.causes()...)
	d.Label("git", b.set.steadied())
	d.Label("tool", b.otherSemantics())
	if b.base == nil {
		d.Label("baseline", b.o.baseline+": there is none")
	}
	d.Label("verdict", b.counts())
	d.Label("fix", b.remedies()...)
	if b.report.Count(baseline.Pass) < len(b.report.Variants) {
		d.Label("accept", b.updating())
	}
}
