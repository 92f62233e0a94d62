// Package scenario is the command that lists, shows, checks and begins scenarios.
package scenario

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"

	"github.com/spf13/cobra"
)

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	return ui.NewGroup("scenario", "list, show, validate, new, from, upgrade and schema of scenarios",
		newList(s), newShow(s), newValidate(s), newNew(s), newFrom(s), newUpgrade(s), newSchema(s))
}

func newList(s *ui.Env) *cobra.Command {
	var output, section string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the scenarios of the library",
		Long: `Lists the scenarios of the library. With --section it lists those from which one part of the simulator is learnt, such as
FRK for forks; --section all lists the parts, those without a scenario too.`,
		Example: "  agentsim scenario list\n  agentsim scenario list -o markdown\n  agentsim scenario list --section FRK",
		Args:    ui.Exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if section == "all" {
				return listSections(s, output)
			}
			return listScenarios(s, section, output)
		},
	}
	ui.OutputFlag(cmd.Flags(), &output)
	cmd.Flags().StringVar(&section, "section", "", "only the scenarios of one `part`, such as FRK; all lists the parts")
	return cmd
}

// listScenarios lists the library, or what belongs to one section of it.
func listScenarios(s *ui.Env, section, output string) error {
	d := &report.Document{}
	entries, err := scenarios.Library()
	if err != nil {
		return err
	}
	if section != "" {
		part, err := scenarios.SectionNamed(section)
		if err != nil {
			return ui.Failf(ui.Usage, "%w", err)
		}
		if part.Without != "" {
			d.Say("no scenario shows %s, %s: %s", part.Word, part.About, part.Without)
		}
		entries = slices.DeleteFunc(entries, func(e scenarios.Entry) bool { return !slices.Contains(part.Scenarios, e.Name) })
	}
	type col = report.Column[scenarios.Entry]
	d.Table(report.TableOf("scenarios", entries,
		col{Name: "name", Head: "NAME", Of: func(e scenarios.Entry) report.Value { return report.Text(e.Name) }},
		col{Name: "why", Head: "WHY", Of: func(e scenarios.Entry) report.Value {
			return report.Text(strings.Join(strings.Fields(e.Why), " "))
		}}))
	return s.Print(output, d)
}

func listSections(s *ui.Env, output string) error {
	d := &report.Document{}
	type col = report.Column[scenarios.Section]
	d.Table(report.TableOf("sections", scenarios.Sections(),
		col{Name: "section", Head: "SECTION", Of: func(x scenarios.Section) report.Value { return report.Text(x.Word) }},
		col{Name: "about", Head: "ABOUT", Of: func(x scenarios.Section) report.Value { return report.Text(x.About) }},
		col{Name: "scenarios", Of: func(x scenarios.Section) report.Value { return report.List(x.Scenarios) }},
		col{Name: "without", Of: func(x scenarios.Section) report.Value { return report.Text(x.Without).If(x.Without != "") }},
		col{Head: "SCENARIOS", Of: func(x scenarios.Section) report.Value {
			if x.Without != "" {
				return report.Text("none: " + x.Without)
			}
			return report.List(x.Scenarios)
		}}))
	return s.Print(output, d)
}

func newShow(s *ui.Env) *cobra.Command {
	var variant string
	var sets []string
	var project loading.Project
	cmd := &cobra.Command{
		Use:   "show SCENARIO",
		Short: "print the effective scenario, every default spelled out",
		Long: `Prints one variant of a scenario as it would run: variant and overrides applied, defaults spelled out. The output is
itself a scenario. Without --variant it shows the first one. With --project, comments say which file of the directory stands for
which path of the scenario.`,
		Example: `  agentsim scenario show hello
  agentsim scenario show fork-vs-subagent --project .
  agentsim scenario show fork-vs-subagent --variant fork --set seed=7`,
		Args: ui.Exactly(1, "one scenario"),
		RunE: func(_ *cobra.Command, args []string) error {
			defer project.Close()
			on, err := project.Scenario(s, args[0], sets)
			if err != nil {
				return err
			}
			names := on.VariantNames()
			if variant != "" {
				if names, err = harness.Variants(on.File, []string{variant}); err != nil {
					return err
				}
			}
			sc, err := on.Effective(names[0], sets)
			if err != nil {
				return err
			}
			if project.Dir != "" {
				specs, err := on.Maker(nil).Specs(names[:1])
				if err != nil {
					return err
				}
				showStands(s, project.Dir, specs[0])
			}
			_, err = s.Stdout.Write(sc.Canonical())
			return err
		},
	}
	cmd.Flags().StringVar(&project.Dir, "project", "", "also say which files of this `directory` stand for the scenario's own")
	cmd.Flags().StringVar(&variant, "variant", "", "which `variant` to show")
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override one value, as `path=value`; may be repeated")
	return cmd
}

// showStands says as comments which files of a project stand for which paths of a run's
// scenario.
func showStands(s *ui.Env, dir string, spec *sim.Spec) {
	stands := spec.Stands()
	if stands == nil {
		return
	}
	s.Printf("# %s of the scenario: a file of %s in place of each\n", ui.Plural(len(stands), "path"), dir)
	for _, p := range slices.Sorted(maps.Keys(stands)) {
		v, _ := spec.Project.Stat(stands[p])
		s.Printf("# %s is %s, %s bytes\n", p, stands[p], ui.Count(int64(v.Bytes)))
	}
}

// checked is a scenario that was checked.
type checked struct {
	name     string
	file     *scenarios.File // nil where it is wrong
	problems []*scenarios.Error
	more     int // problems that are not listed
}

func newValidate(s *ui.Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "validate SCENARIO...",
		Example: "  agentsim scenario validate hello\n  agentsim scenario validate hello -o json",
		Short:   "check scenarios without running them",
		Args:    ui.AtLeastOne("at least one scenario"),
		RunE: func(_ *cobra.Command, args []string) error {
			return validateScenarios(s, args, output)
		},
	}
	ui.OutputFlag(cmd.Flags(), &output)
	return cmd
}

// validateScenarios checks all of them and ends as the first that is wrong does.
// What is wrong is told on stderr in every form.
func validateScenarios(s *ui.Env, names []string, output string) error {
	var first error
	d := &report.Document{}
	var list []checked
	for _, name := range names {
		x := checked{name: name}
		file, err := loading.Scenario(name)
		if err != nil {
			ui.Explain(s, err)
			x.problems, x.more = problemsIn(err)
			if first == nil {
				first = &ui.Failure{Code: ui.Classify(err)}
			}
		} else {
			x.file = file
			loading.WarnIdle(s, file, file.VariantNames(), nil)
			if err := warnDefinitions(s, file); err != nil {
				return err
			}
			d.Say("%s: ok, %s, %s", name, ui.Plural(x.variants(), "variant"), ui.Plural(x.expectations(), "expectation"))
		}
		list = append(list, x)
	}
	type col = report.Column[checked]
	d.Table(report.TableOf("scenarios", list,
		col{Name: "scenario", Head: "SCENARIO", Of: func(x checked) report.Value { return report.Text(x.name) }},
		col{Name: "ok", Head: "OK", Of: func(x checked) report.Value { return report.Bool(x.file != nil) }},
		col{Name: "variants", Head: " VARIANTS", Of: func(x checked) report.Value { return report.Count(x.variants()) }},
		col{Name: "expectations", Head: " EXPECTATIONS", Of: func(x checked) report.Value { return report.Count(x.expectations()) }},
		col{Name: "problems", Of: func(x checked) report.Value { return report.Objects(problemTable(x.problems)) }},
		col{Name: "more", Of: func(x checked) report.Value { return report.Count(x.more).If(x.more > 0) }}).Hidden())
	return cmp.Or(s.Print(output, d), first)
}

// warnDefinitions prints what a run of the file's variants says of its definitions.
func warnDefinitions(s *ui.Env, file *scenarios.File) error {
	var specs []*sim.Spec
	for _, name := range file.VariantNames() {
		sc, err := file.Effective(name, nil)
		if err != nil {
			return err
		}
		if spec, err := sim.NewSpec(sc, name); err == nil { // else a run reads it from this machine
			specs = append(specs, spec)
		}
	}
	return loading.WarnDefinitions(s, specs, "", nil, nil)
}

func (x checked) variants() int {
	if x.file == nil {
		return 0
	}
	return len(x.file.VariantNames())
}

func (x checked) expectations() int {
	if x.file == nil {
		return 0
	}
	return len(x.file.Expect)
}

// problemTable is what is wrong with a scenario; without a place it is about the
// file as a whole.
func problemTable(problems []*scenarios.Error) *report.Sheet {
	type col = report.Column[*scenarios.Error]
	return report.TableOf("problems", problems,
		col{Name: "file", Of: func(e *scenarios.Error) report.Value { return report.Text(e.File).If(e.File != "") }},
		col{Name: "line", Of: func(e *scenarios.Error) report.Value { return report.Count(e.Line).If(e.Line > 0) }},
		col{Name: "column", Of: func(e *scenarios.Error) report.Value { return report.Count(e.Col).If(e.Col > 0) }},
		col{Name: "message", Of: func(e *scenarios.Error) report.Value { return report.Text(e.Msg) }},
		col{Name: "hint", Of: func(e *scenarios.Error) report.Value { return report.Text(e.Hint).If(e.Hint != "") }})
}

// problemsIn are the errors of a scenario one by one, and how many there are more.
func problemsIn(err error) (list []*scenarios.Error, more int) {
	located := (*scenarios.Errors)(nil)
	if !errors.As(err, &located) {
		return []*scenarios.Error{{Msg: err.Error()}}, 0
	}
	return located.List, located.More
}
