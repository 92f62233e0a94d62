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
		for _, a := range c.now.Agents {
			out = append(out, junit.Case{Suite: "heads", Name: a.Name, Error: "no baseline", Type: "no-baseline"})
		}
		return out
	}
	for _, g := range c.report.Agents {
		x := junit.Case{Suite: "heads", Name: g.Agent, Type: "head", Detail: strings.Join(c.lines(g.Agent), "\n")}
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
			out = append(out, c.line(x))
		}
	}
	return out
}

// line says a change in words.
func (c *check) line(x heads.Change) string {
	if x.What == heads.Reordered {
		return fmt.Sprintf("%s: %s, %s: %s tokens from here on are written again once", where(x), part(x.Now), x.What, ui.Count(x.Again))
	}
	cost := x.Agent.Cost(c.now.Prices, x.Tokens, c.o.day)
	return fmt.Sprintf("%s: %s, %s: %s tokens, %s a turn, %s a day (%s)", origin(x), part(x.Now), x.What,
		report.Count(x.Tokens).Signed(), more(cost.Turn), report.Dollars(cost.Day).Signed(), whose(x))
}

// rules are the kinds of findings.
var rules = []sarif.Rule{
	{ID: "head-grew", About: "What the repository puts in front of an agent grew over the threshold"},
	{ID: "head-reordered", About: "What the repository puts in front of an agent is in another order: the prompt cache does not match from there on"},
	{ID: "head-changed", About: "What the repository puts in front of an agent is not the baseline's"},
	{ID: "not-loaded", About: "A file that a client reads could not be read, or not as a whole"},
}

// findings are changes of the repository's files, and what could not be read.
func (c *check) findings() (out []sarif.Finding) {
	for _, p := range c.problems {
		level := sarif.Error
		if p.Warning {
			level = sarif.Warning
		}
		out = append(out, sarif.Finding{Rule: "not-loaded", Level: level, Text: told(p), File: p.File, First: p.Line})
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
	f := sarif.Finding{Rule: "head-changed", Level: sarif.Note, Text: c.line(x), File: x.Now.File, First: x.Now.Line}
	missed := func(g heads.Growth) bool { return g.Missed && slices.Contains(x.Who, g.Agent) }
	switch {
	case x.What == heads.Reordered:
		f.Rule, f.Level = "head-reordered", sarif.Error
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
		err = ui.WriteFile("--baseline", c.o.baseline, c.now.Write)
	} else {
		err = inside(c.files, c.now)
	}
	if err != nil {
		return err
	}
	d := &report.Document{}
	main, own := c.now.Tokens(c.now.Agents[0])
	d.Say("%s: %s and %s written; %s tokens stand in front of main, %s of them yours", c.name, ui.Plural(len(c.now.Agents), "agent type"),
		ui.Plural(len(c.now.Parts), "part"), ui.Count(main), ui.Count(own))
	for _, x := range c.report.Changes {
		d.Label("accepted", c.line(x))
	}
	d.Label("not loaded", texts(c.problems, false)...)
	d.Label("problem", texts(c.problems, true)...)
	return errors.Join(s.Print("table", d), c.writeFiles())
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
