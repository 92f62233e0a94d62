package cli

import (
	"strings"

	"agentsim/metrics/report"
	"agentsim/scenarios"

	"github.com/spf13/cobra"
)

func newScenario(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenario",
		Short: "list, show, check and begin scenarios",
		Args:  cobra.ArbitraryArgs,
		RunE:  group,
	}
	cmd.AddCommand(newScenarioList(s), newScenarioShow(s), newScenarioValidate(s), newScenarioNew(s), newScenarioSchema(s))
	return cmd
}

// listedJSON is a scenario of the library for machines.
type listedJSON struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

func newScenarioList(s *State) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "list",
		Example: "  agentsim scenario list\n  agentsim scenario list -o markdown",
		Short:   "list the scenarios of the library",
		Args:    exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			entries, err := scenarios.Library()
			if err != nil {
				return err
			}
			var list []listedJSON
			t := report.NewTable("NAME", "WHY")
			for _, e := range entries {
				x := listedJSON{e.Name, strings.Join(strings.Fields(e.Why), " ")}
				list = append(list, x)
				t.Row(x.Name, x.Why)
			}
			if output != "table" {
				return s.emit(output, list)
			}
			return t.Write(s.Stdout, s.style())
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", outputHelp)
	return cmd
}

func newScenarioShow(s *State) *cobra.Command {
	var variant string
	var sets []string
	cmd := &cobra.Command{
		Use:   "show SCENARIO",
		Short: "print the effective scenario, every default spelled out",
		Long: `Prints one variant of a scenario as it would run: variant and overrides applied, defaults spelled out. The output is
itself a scenario. Without --variant it shows the first one.`,
		Example: `  agentsim scenario show hello
  agentsim scenario show fork-vs-subagent --variant fork --set seed=7`,
		Args: exactly(1, "one scenario"),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := loadScenario(args[0])
			if err != nil {
				return err
			}
			names := file.VariantNames()
			if variant != "" {
				if names, err = pickVariants(file, []string{variant}); err != nil {
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
	cmd.Flags().StringVar(&variant, "variant", "", "which `variant` to show")
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override one value, as `path=value`; may be repeated")
	return cmd
}

func newScenarioValidate(s *State) *cobra.Command {
	return &cobra.Command{
		Use:     "validate SCENARIO...",
		Example: "  agentsim scenario validate hello",
		Short:   "check scenarios without running them",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return failf(Usage, "%s takes at least one scenario\nusage: %s", cmd.CommandPath(), cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var first error
			for _, name := range args {
				file, err := loadScenario(name)
				if err != nil {
					s.explain(err)
					if first == nil {
						first = &Failure{Code: classify(err)}
					}
					continue
				}
				s.printf("%s: ok, %s, %s\n", name, plural(len(file.VariantNames()), "variant"), plural(len(file.Expect), "expectation"))
			}
			return first
		},
	}
}
