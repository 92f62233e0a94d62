package scenario

import (
	"io"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/scenarios/upgrade"

	"github.com/spf13/cobra"
)

func newUpgrade(s *ui.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade FILE...",
		Short: "rewrite scenarios of before version 1 of the language",
		Long: `Rewrites scenario files in version 1 of the language: what they mean stays, comments too. A file that is of version 1
stays as it is. What the language has no words for any more, such as a variant's name that is a metric's now, is reported as
scenario validate reports it.`,
		Example: `  agentsim scenario upgrade old.yaml
  agentsim run old.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var last error
			for _, path := range args {
				if err := upgradeScenario(s, path); err != nil {
					ui.Explain(s, err)
					last = &ui.Failure{Code: ui.Classify(err)}
				}
			}
			return last
		},
	}
}

func upgradeScenario(s *ui.Env, path string) error {
	src, err := hostdir.Text(path, scenarios.MaxFileBytes)
	if err != nil {
		return ui.Failf(ui.Operating, "%s: cannot read the scenario: %w", path, err)
	}
	text, err := upgrade.File(path, string(src))
	switch {
	case err != nil:
		return ui.Failf(ui.Usage, "%w", err)
	case text == string(src):
		if _, err := loading.Scenario(path); err != nil {
			return ui.Failf(ui.Usage, "%w", err)
		}
		s.Printf("%s: already version %d\n", path, scenarios.Version)
		return nil
	}
	if err := ui.Replace(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
		return ui.Failf(ui.Operating, "%s: cannot write the scenario: %w", path, err)
	}
	s.Printf("%s: rewritten\n", path)
	if _, err := loading.Scenario(path); err != nil {
		return ui.Failf(ui.Usage, "%w", err)
	}
	return nil
}
