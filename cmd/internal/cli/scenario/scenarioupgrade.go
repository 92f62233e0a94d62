package scenario

import (
	"errors"
	"os"
	"path/filepath"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/scenarios/upgrade"

	"github.com/spf13/cobra"
)

func newScenarioUpgrade(s *ui.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade FILE...",
		Short: "rewrite scenarios of before version 1 of the language",
		Long: `Rewrites scenario files in version 1 of the language: what they mean stays, comments too. A file that is of version 1
stays as it is.`,
		Example: `  agentsim scenario upgrade old.yaml
  agentsim run old.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, path := range args {
				if err := upgradeScenario(s, path); err != nil {
					return err
				}
			}
			return nil
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
		s.Printf("%s: already version %d\n", path, scenarios.Version)
		return nil
	}
	if err := replaceFile(path, text); err != nil {
		return ui.Failf(ui.Operating, "%s: cannot write the scenario: %w", path, err)
	}
	s.Printf("%s: rewritten\n", path)
	return nil
}

// replaceFile writes a file whole or not at all.
func replaceFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".upgrade-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
