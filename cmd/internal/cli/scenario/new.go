package scenario

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/scenarios/upgrade"

	"github.com/spf13/cobra"
)

func newNew(s *ui.Env) *cobra.Command {
	made := false
	cmd := &cobra.Command{
		Use:   "new FILE",
		Short: "write a scenario to begin with, on the files of its directory",
		Long: `Writes a short scenario, named after the file, about files of the directory that it is in: what a review of them costs by
one agent, by sub-agents and by forks, and where the answer turns. A directory without files, and --example, get one on
invented files, annotated. A file that is there already stays as it is.`,
		Example: `  agentsim scenario new mine.yaml
  agentsim run mine.yaml`,
		Args: ui.Exactly(1, "one file"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(_ *cobra.Command, args []string) error { return startScenario(s, args[0], made) },
	}
	cmd.Flags().BoolVar(&made, "example", false, "on invented files")
	return cmd
}

// sizes are the files of a directory that a run would take, and how long each is.
func sizes(dir string) map[string]int64 {
	out := map[string]int64{}
	if files, _, err := hostdir.Read(dir, hostdir.Limits{}); err == nil { // a run tells what is wrong with it
		for _, p := range files.Paths() {
			text, _ := files.Content(p)
			out[p] = int64(len(text))
		}
	}
	return out
}

func startScenario(s *ui.Env, path string, made bool) error {
	ext := filepath.Ext(path)
	if ext != ".yaml" && ext != ".yml" {
		return ui.Failf(ui.Usage, "%s: a scenario's file ends in .yaml; write %s.yaml", path, path)
	}
	of := map[string]int64{}
	if !made {
		of = sizes(filepath.Dir(path))
	}
	name := strings.TrimSuffix(filepath.Base(path), ext)
	text, err := scenarios.Starter(name, of)
	if err != nil {
		return ui.Failf(ui.Usage, "%s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return ui.Failf(ui.Operating, "%s: the file is there already; choose another name", path)
	case err != nil:
		return ui.Failf(ui.Operating, "%s: cannot write the scenario: %w", path, err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return ui.Failf(ui.Operating, "%s: cannot write the scenario: %w", path, errors.Join(err, os.Remove(path)))
	}
	if example, _ := scenarios.Example(name); !made && bytes.Equal(text, example) {
		s.Printf("%s asks about invented files, since %s has none that agents could review; beside some, remove it and write it again\n", path, filepath.ToSlash(filepath.Dir(path)))
	}
	s.Printf("%s is written; try: agentsim run %s\n", path, ui.Quote(path))
	return nil
}

func newSchema(s *ui.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "print the JSON Schema of scenario files, for editors",
		Long: `Prints the JSON Schema (draft 2020-12) of scenario files. Editors complete and check by it; a YAML language server takes it
from a comment in the first line of a scenario: # yaml-language-server: $schema=scenario.schema.json`,
		Example: `  agentsim scenario schema > scenario.schema.json`,
		Args:    ui.Exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			_, err := s.Stdout.Write(scenarios.JSONSchema())
			return err
		},
	}
}

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
