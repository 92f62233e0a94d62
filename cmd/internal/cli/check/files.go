package check

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/heads"
	"agentsim/metrics/junit"
	"agentsim/metrics/report"
	"agentsim/metrics/sarif"
	"agentsim/sim/definition"
)

// writeFiles writes what --junit and --sarif ask for.
func (c *check) writeFiles() error {
	return errors.Join(
		ui.WriteReport("--junit", c.o.junit, func(w io.Writer) error { return junit.Write(w, "agentsim check", c.cases()) }),
		ui.WriteReport("--sarif", c.o.sarif, func(w io.Writer) error { return sarif.Write(w, "agentsim", rules, c.findings()) }))
}

// cases are the heads as tests.
func (c *check) cases() (out []junit.Case) {
	if c.base == nil {
		for _, a := range c.Agents {
			out = append(out, junit.Case{Suite: "heads", Name: a.Name, Error: "no baseline", Type: "no-baseline"})
		}
		return out
	}
	for _, g := range c.report.Agents {
		x := junit.Case{Suite: "heads", Name: g.Agent, Type: "head", Detail: strings.Join(append(c.lines(g.Agent), c.again(g.Agent)), "\n")}
		if g.Fails() {
			x.Failure = fmt.Sprintf("%s: %s → %s tokens of the repository's", grown(g), ui.Count(g.Was), ui.Count(g.Is))
		}
		out = append(out, x)
	}
	return out
}

// lines are the changes of an agent's head, a line each.
func (c *check) lines(agent string) (out []string) {
	for _, x := range c.report.Changes {
		if slices.Contains(x.Who, agent) {
			out = append(out, c.line(x, agent))
		}
	}
	return out
}

// line says a change in words, with what it costs an agent, or all that have it.
func (c *check) line(x heads.Change, agent string) string {
	text := fmt.Sprintf("%s: %s, %s", origin(x), part(x.Now), x.What)
	switch x.What {
	case heads.Reordered:
		return text
	case heads.Model, heads.Lifetime, heads.Lost:
		if x.Why != nil {
			text += " (" + told(x.Why) + ")"
		}
	}
	if !x.Priced() {
		text += fmt.Sprintf(": %s tokens", report.Count(x.Tokens).Signed())
	}
	cost := c.report.Cost(&x, agent)
	return text + fmt.Sprintf(", %s a turn, %s a day (%s)", more(cost.Turn), report.Dollars(cost.Day).Signed(), whose(x))
}

// rules are the kinds of findings.
var rules = []sarif.Rule{
	{ID: "head-grew", About: "What the repository puts in front of an agent grew over the threshold"},
	{ID: "head-reordered", About: "What the repository puts in front of an agent is in another order: the prompt cache does not match from there on"},
	{ID: "head-changed", About: "What the repository puts in front of an agent is not the baseline's"},
	{ID: "model-dearer", About: "An agent runs on a model that makes the same head dearer by more than the threshold"},
	{ID: "ttl-dearer", About: "The cache entries of an agent's head live longer, which makes the same head dearer by more than the threshold"},
	{ID: "not-loaded", About: "A file that a client reads could not be read, or what the baseline has of it is not loaded any more"},
	{ID: "loaded-in-part", About: "A file is read, but something of it is not as its author meant it"},
}

// findings are changes of the repository's files, and what could not be read.
func (c *check) findings() (out []sarif.Finding) {
	for _, p := range c.Problems {
		rule, level := "not-loaded", sarif.Error
		switch {
		case p.Warning:
			rule, level = "loaded-in-part", sarif.Warning
		case c.base != nil && c.base.Knows(p):
			level = sarif.Note // as before, which does not fail
		}
		out = append(out, sarif.Finding{Rule: rule, Level: level, Text: told(p), File: p.File, First: p.Line})
	}
	for _, x := range c.report.Changes {
		if x.Theirs || strings.HasPrefix(x.Now.File, "~/") {
			continue
		}
		f := c.finding(x)
		if len(x.Lines) == 0 {
			out = append(out, f)
		}
		for _, l := range x.Lines {
			f.First, f.Last = l.First, l.Last
			out = append(out, f)
		}
	}
	return out
}

// finding is a change, an error where it makes the gate fail.
func (c *check) finding(x heads.Change) sarif.Finding {
	f := sarif.Finding{Rule: "head-changed", Level: sarif.Note, Text: c.line(x, ""), File: x.Now.File, First: x.Now.Line}
	missed := func(g heads.Growth) bool { return g.Missed && slices.Contains(x.Who, g.Agent) }
	dearer := func(g heads.Growth) bool {
		return (x.What == heads.Model && g.Dearer || x.What == heads.Lifetime && g.Longer) && slices.Contains(x.Who, g.Agent)
	}
	switch {
	case x.Why != nil:
		f.Rule, f.Level, f.File, f.First = "not-loaded", sarif.Error, x.Why.File, x.Why.Line
	case x.What == heads.Reordered:
		f.Rule, f.Level = "head-reordered", sarif.Error
	case x.Priced() && slices.ContainsFunc(c.report.Agents, dearer):
		f.Rule, f.Level = x.What+"-dearer", sarif.Error
	case x.Tokens > 0 && slices.ContainsFunc(c.report.Agents, missed):
		f.Rule, f.Level = "head-grew", sarif.Error
	}
	return f
}

func told(p *definition.Problem) string {
	if p.Hint == "" {
		return p.Msg
	}
	return p.Msg + ": " + p.Hint
}

// write writes the baseline.
func (c *check) write(s *ui.Env) error {
	var err error
	if c.o.baseline != "" {
		err = ui.WriteFile("--baseline", c.o.baseline, c.Write)
	} else {
		err = inside(c.files, c.Heads)
	}
	if err != nil {
		return err
	}
	d := &report.Document{}
	main, own := c.Tokens(c.Agents[0])
	d.Say("%s: %s and %s written; %s tokens are in front of main, %s of them yours", c.name, ui.Plural(len(c.Agents), "agent type"),
		ui.Plural(len(c.Parts), "part"), ui.Count(main), ui.Count(own))
	for _, x := range servers(c.report.Changes) {
		d.Label("accepted", c.line(x, ""))
	}
	d.Label("again", c.again(""))
	d.Label("not loaded", texts(c.Problems, false)...)
	d.Label("problem", texts(c.Problems, true)...)
	if c.o.output != "table" {
		d = c.document()
	}
	return errors.Join(s.Print(c.o.output, d), c.writeFiles())
}

// inside writes a baseline into the repository, and its directory.
func inside(files *hostdir.Dir, h *heads.Heads) error {
	var text strings.Builder
	if err := h.Write(&text); err != nil {
		return err
	}
	if err := files.Write(defaultBaseline, []byte(text.String())); err != nil {
		return ui.Unusable("--baseline", defaultBaseline, err)
	}
	return nil
}
