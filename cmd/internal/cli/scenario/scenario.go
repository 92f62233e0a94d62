// Package scenario is the command that lists, shows, checks and begins scenarios.
package scenario

import (
	"errors"
	"slices"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"

	"github.com/spf13/cobra"
)

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenario",
		Short: "list, show, check, begin and upgrade scenarios",
		Args:  cobra.ArbitraryArgs,
		RunE:  ui.Group,
	}
	cmd.AddCommand(newScenarioList(s), newScenarioShow(s), newScenarioValidate(s), newScenarioNew(s), newScenarioUpgrade(s), newScenarioSchema(s))
	return cmd
}

// listedJSON is a scenario of the library for machines.
type listedJSON struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

func newScenarioList(s *ui.Env) *cobra.Command {
	var output, section string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the scenarios of the library",
		Long: `Lists the scenarios of the library. With --section it lists those from which one part of the simulator is learnt, such as
FRK for forks; --section all lists the parts, those without a scenario too.`,
		Example: "  agentsim scenario list\n  agentsim scenario list -o markdown\n  agentsim scenario list --section FRK",
		Args:    ui.Exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if err := ui.CheckOutput(output); err != nil {
				return err
			}
			if section == "all" {
				return listSections(s, output)
			}
			return listScenarios(s, section, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", ui.OutputHelp)
	cmd.Flags().StringVar(&section, "section", "", "only the scenarios of one `part`, such as FRK; all lists the parts")
	return cmd
}

// listScenarios lists the library, or what belongs to one section of it.
func listScenarios(s *ui.Env, section, output string) error {
	entries, err := scenarios.Library()
	if err != nil {
		return err
	}
	if section != "" {
		part, err := scenarios.SectionNamed(section)
		if err != nil {
			return ui.Failf(ui.Usage, "%w", err)
		}
		if part.Without != "" && output == "table" {
			s.Printf("no scenario shows %s, %s: %s\n", part.Word, part.About, part.Without)
			return nil
		}
		entries = slices.DeleteFunc(entries, func(e scenarios.Entry) bool { return !slices.Contains(part.Scenarios, e.Name) })
	}
	list := []listedJSON{}
	t := report.NewTable("NAME", "WHY")
	for _, e := range entries {
		x := listedJSON{e.Name, strings.Join(strings.Fields(e.Why), " ")}
		list = append(list, x)
		t.Row(x.Name, x.Why)
	}
	if output != "table" {
		return s.Emit(output, list)
	}
	return t.Write(s.Stdout, s.Style())
}

// sectionJSON is one row of the list of sections.
type sectionJSON struct {
	Section   string   `json:"section"`
	About     string   `json:"about"`
	Scenarios []string `json:"scenarios"`
	Without   string   `json:"without,omitempty"` // why it has none
}

func listSections(s *ui.Env, output string) error {
	var list []sectionJSON
	t := report.NewTable("SECTION", "ABOUT", "SCENARIOS")
	for _, part := range scenarios.Sections() {
		which := strings.Join(part.Scenarios, ", ")
		if part.Without != "" {
			which = "none: " + part.Without
		}
		t.Row(part.Word, part.About, which)
		list = append(list, sectionJSON{part.Word, part.About, append([]string{}, part.Scenarios...), part.Without})
	}
	if output != "table" {
		return s.Emit(output, list)
	}
	return t.Write(s.Stdout, s.Style())
}

func newScenarioShow(s *ui.Env) *cobra.Command {
	var variant string
	var sets []string
	cmd := &cobra.Command{
		Use:   "show SCENARIO",
		Short: "print the effective scenario, every default spelled out",
		Long: `Prints one variant of a scenario as it would run: variant and overrides applied, defaults spelled out. The output is
itself a scenario. Without --variant it shows the first one.`,
		Example: `  agentsim scenario show hello
  agentsim scenario show fork-vs-subagent --variant fork --set seed=7`,
		Args: ui.Exactly(1, "one scenario"),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := loading.Scenario(args[0])
			if err != nil {
				return err
			}
			names := file.VariantNames()
			if variant != "" {
				if names, err = harness.Variants(file, []string{variant}); err != nil {
					return err
				}
			}
			sc, err := file.Effective(names[0], sets)
			if err != nil {
				return err
			}
			_, err = s.Stdout.Write(sc.Canonical())
			return err
		},
	}
	ui.NoOutput(cmd, "it prints a scenario, which is YAML")
	cmd.Flags().StringVar(&variant, "variant", "", "which `variant` to show")
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override one value, as `path=value`; may be repeated")
	return cmd
}

// checkedScenario is a scenario that was checked, for machines.
type checkedScenario struct {
	Scenario     string            `json:"scenario"`
	OK           bool              `json:"ok"`
	Variants     int               `json:"variants"`
	Expectations int               `json:"expectations"`
	Problems     []scenarioProblem `json:"problems"`
	More         int               `json:"more,omitempty"` // problems that are not listed
}

// scenarioProblem is what is wrong at one place; without a place it is about the
// file as a whole.
type scenarioProblem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func newScenarioValidate(s *ui.Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "validate SCENARIO...",
		Example: "  agentsim scenario validate hello\n  agentsim scenario validate hello -o json",
		Short:   "check scenarios without running them",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return ui.Failf(ui.Usage, "%s takes at least one scenario\nusage: %s", cmd.CommandPath(), cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := ui.CheckOutput(output); err != nil {
				return err
			}
			return validateScenarios(s, args, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", ui.OutputHelp)
	return cmd
}

// validateScenarios checks all of them and ends as the first that is wrong does.
// What is wrong is told on stderr in every form.
func validateScenarios(s *ui.Env, names []string, output string) error {
	var first error
	list := []checkedScenario{}
	for _, name := range names {
		x := checkedScenario{Scenario: name, Problems: []scenarioProblem{}}
		file, err := loading.Scenario(name)
		if err != nil {
			ui.Explain(s, err)
			x.Problems, x.More = problemsIn(err)
			if first == nil {
				first = &ui.Failure{Code: ui.Classify(err)}
			}
		} else {
			x.OK, x.Variants, x.Expectations = true, len(file.VariantNames()), len(file.Expect)
			loading.WarnIdle(s, file, file.VariantNames())
		}
		list = append(list, x)
		if x.OK && output == "table" {
			s.Printf("%s: ok, %s, %s\n", name, ui.Plural(x.Variants, "variant"), ui.Plural(x.Expectations, "expectation"))
		}
	}
	if output != "table" {
		if err := s.Emit(output, list); err != nil {
			return err
		}
	}
	return first
}

// problemsIn are the errors of a scenario one by one, and how many there are more.
func problemsIn(err error) (out []scenarioProblem, more int) {
	located := (*scenarios.Errors)(nil)
	if !errors.As(err, &located) {
		return []scenarioProblem{{Message: err.Error()}}, 0
	}
	for _, e := range located.List {
		out = append(out, scenarioProblem{e.File, e.Line, e.Col, e.Msg, e.Hint})
	}
	return out, located.More
}
