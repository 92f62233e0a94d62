// Package lint is the command that says what is wrong with how agents were led.
package lint

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/lint"
	"agentsim/sim/vtime"

	"github.com/spf13/cobra"
)

// options are the flags.
type options struct {
	db      string
	silence string
	fail    []string
	output  string
	sarif   string
	in      string
}

// anyRule is the word for every rule.
const anyRule = "any"

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "lint RUN",
		Short: "say what is wrong with how the agents of a recorded run were led",
		Long: `Reads a recorded run, simulated or imported, and names what is wrong with how its agents were led: prompts that leave
the thinking to the worker, two writers on one file, a verifier that runs nothing, a user who hears nothing. Each finding
has the request it is in. What the record does not hold is not judged, and named. RUN is the beginning of a run's id.

Findings change the exit code only with --fail: of a recorded session most rules go by words, and words can mislead.

Rules:
` + ruleTable(),
		Example: `  agentsim lab lint 9c1e
  agentsim lab lint 9c1e --silence 10m
  agentsim lab lint 9c1e --fail=two-writers,lazy-delegation
  agentsim lab lint 9c1e --sarif lint.sarif`,
		Args: ui.Exactly(1, "one run"),
		RunE: func(_ *cobra.Command, args []string) error {
			return run(s, o, args[0])
		},
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	f.StringVar(&o.silence, "silence", "", "how `long` the user may hear nothing (default: the scenario's coordinator.silence, else 5m)")
	f.StringSliceVar(&o.fail, "fail", nil, "exit with code 3 on findings of these `rules`; alone, or any: of every rule")
	f.Lookup("fail").NoOptDefVal = anyRule
	ui.OutputFlag(f, &o.output)
	f.StringVar(&o.sarif, "sarif", "", "also write SARIF 2.1.0 into this `file`, which code hosts show beside the lines")
	f.StringVar(&o.in, "in", "", "the `file` of the run's scenario, for --sarif: a record does not say where that lies")
	return cmd
}

// ruleTable prints the rules for the help text.
func ruleTable() string {
	var b strings.Builder
	for _, r := range lint.Rules() {
		b.WriteString("  " + r.ID + strings.Repeat(" ", max(1, 27-len(r.ID))) + r.What + "\n")
	}
	return b.String()
}

// check says which flags cannot be used as they are, and gives the limit of
// silence; 0 when none was given.
func (o *options) check() (vtime.Duration, error) {
	known := []string{anyRule}
	for _, r := range lint.Rules() {
		known = append(known, r.ID)
	}
	for _, name := range o.fail {
		if !slices.Contains(known, name) {
			return 0, ui.Failf(ui.Usage, "--fail %s: there is no such rule; write %s", name, strings.Join(known, ", "))
		}
	}
	if o.in != "" && o.sarif == "" {
		return 0, ui.Failf(ui.Usage, "--in %s: it says where the findings of --sarif are, and there is no --sarif", o.in)
	}
	if o.silence == "" {
		return 0, nil
	}
	d, err := vtime.ParseDuration(o.silence)
	if err != nil || d <= 0 {
		return 0, ui.Failf(ui.Usage, "--silence %s: write a duration such as 5m", o.silence)
	}
	return d, nil
}

func run(s *ui.Env, o *options, prefix string) error {
	silence, err := o.check()
	if err != nil {
		return err
	}
	db, err := rundb.Open(o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	info, err := rundb.Find(db, prefix)
	if err != nil {
		return err
	}
	run, said, err := read(db, info)
	if err != nil {
		return err
	}
	if silence == 0 {
		silence = said
	}
	if note := rundb.WithoutContent(info); note != "" {
		s.Tell("%s", note)
	}
	found := lint.Check(run, lint.Options{Silence: silence})
	d := &report.Document{}
	if err := rundb.Head(d, db, info); err != nil {
		return err
	}
	judged(d, found)
	// A file that cannot be written loses nothing of what is printed.
	if err := errors.Join(s.Print(o.output, d), o.writeSARIF(found, info.Variant)); err != nil {
		return err
	}
	return o.verdict(found)
}

// verdict is the exit code that the findings amount to.
func (o *options) verdict(found *lint.Report) error {
	if len(o.fail) == 0 {
		return nil
	}
	names := o.fail
	if slices.Contains(names, anyRule) {
		names = nil
	}
	if found.Found(names...) > 0 {
		return ui.Said(ui.Missed)
	}
	return nil
}

// judged says the findings, what was not judged, and a line for each rule.
func judged(d *report.Document, found *lint.Report) {
	for _, alike := range ui.Alike(found.Findings, func(f lint.Finding) string { return f.Rule + f.What }) {
		f := alike[0]
		d.Print(func(st report.Style) string {
			return fmt.Sprintf("%s   %s%s\n  %s\n", st.Bold(f.Rule), placeText(f.Place), withText(f.With), f.What)
		})
		if f.Excerpt != "" {
			d.Say("  | %s", f.Excerpt)
		}
		if len(alike) > 1 {
			d.Say("  and %s, the last at %s%s", ui.Plural(len(alike)-1, "time")+" more", placeText(alike[len(alike)-1].Place), withText(alike[len(alike)-1].With))
		}
	}
	if len(found.Findings) > 0 {
		d.Say("")
	}
	serious := map[string]bool{}
	for _, sum := range found.Sums {
		serious[sum.Rule.ID] = sum.Rule.Serious
	}
	type finding = report.Column[lint.Finding]
	columns := []finding{
		{Name: "rule", Head: "RULE", Of: func(f lint.Finding) report.Value { return report.Text(f.Rule) }},
		{Name: "serious", Of: func(f lint.Finding) report.Value { return report.Bool(serious[f.Rule]) }},
	}
	columns = append(columns, places(func(f lint.Finding) lint.Place { return f.Place })...)
	d.Table(report.TableOf("findings", found.Findings, append(columns,
		finding{Name: "with", Head: "WITH", Of: func(f lint.Finding) report.Value { return report.Text(f.With).OrBlank(f.With != "") }},
		finding{Name: "what", Head: "FINDING", Of: func(f lint.Finding) report.Value { return report.Text(f.What) }},
		finding{Name: "excerpt", Of: func(f lint.Finding) report.Value { return report.Text(f.Excerpt).If(f.Excerpt != "") }})...).Hidden())
	type unjudged = report.Column[lint.Unjudged]
	rule := unjudged{Name: "rule", Of: func(u lint.Unjudged) report.Value { return report.Text(u.Rule) }}
	why := unjudged{Name: "why", Of: func(u lint.Unjudged) report.Value { return report.Text(u.Why) }}
	d.Table(report.TableOf("not_judged", found.Unjudged, append(append([]unjudged{rule}, places(func(u lint.Unjudged) lint.Place { return u.Place })...), why)...).Hidden())
	type col = report.Column[lint.Sum]
	d.Table(report.TableOf("rules", found.Sums,
		col{Name: "rule", Head: "RULE", Of: func(s lint.Sum) report.Value { return report.Text(s.Rule.ID) }},
		col{Name: "what", Of: func(s lint.Sum) report.Value { return report.Text(s.Rule.What) }},
		col{Name: "serious", Of: func(s lint.Sum) report.Value { return report.Bool(s.Rule.Serious) }},
		col{Name: "judged", Head: " JUDGED", Of: func(s lint.Sum) report.Value { return report.Count(s.Judged) }},
		col{Name: "found", Head: " FINDINGS", Of: func(s lint.Sum) report.Value { return report.Count(s.Found) }},
		col{Name: "not_judged", Head: " NOT JUDGED", Of: func(s lint.Sum) report.Value { return report.Count(s.NotJudged) }},
		col{Head: "BECAUSE", Drop: 1, Of: func(s lint.Sum) report.Value { return report.Text(reasons(found, s.Rule.ID)) }}))
}

// places say for machines where something is.
func places[R any](of func(R) lint.Place) []report.Column[R] {
	return []report.Column[R]{
		{Name: "agent", Head: "AGENT", Of: func(r R) report.Value { return report.Text(of(r).Agent) }},
		{Name: "call", Head: " CALL", Of: func(r R) report.Value { return report.Count(of(r).Call).If(of(r).Call > 0) }},
		{Name: "agent_call", Of: func(r R) report.Value { return report.Count(of(r).Own) }},
		{Name: "block", Of: func(r R) report.Value { return report.Count(of(r).Block).If(of(r).Block > 0) }},
		{Name: "at", Head: " AT", Unit: report.Seconds, Of: func(r R) report.Value { return report.At(of(r).At) }},
	}
}

// placeText is where something stands.
func placeText(p lint.Place) string {
	if p.Call == 0 {
		return p.Agent
	}
	text := p.Agent + " call " + strconv.Itoa(p.Own) + " (request " + strconv.FormatInt(p.Call, 10) + ")"
	if p.Block > 0 {
		text += " block " + strconv.Itoa(int(p.Block))
	}
	return text + " at " + report.Time(p.At.Sub(0))
}

func withText(lineage string) string {
	if lineage == "" {
		return ""
	}
	return " → " + lineage
}

// reasons lists why a rule could not judge, each reason once.
func reasons(found *lint.Report, rule string) string {
	var out []string
	for _, u := range found.Unjudged {
		if u.Rule == rule && !slices.Contains(out, u.Why) {
			out = append(out, u.Why)
		}
	}
	return strings.Join(out, "; ")
}
