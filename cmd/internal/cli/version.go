package cli

import (
	"agentsim/cmd/internal/ui"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionJSON is what this program is, for machines.
type versionJSON struct {
	Build     string `json:"build"`
	Semantics int64  `json:"semantics"`
	Form      int64  `json:"form"`
	Text      int64  `json:"text"`
}

func newVersion(s *ui.Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "version",
		Example: "  agentsim version\n  agentsim version -o json",
		Short:   "print what this program is",
		Long: `Prints the build, and the versions of what decides whether two programs give equal runs: the semantics of a run, the
canonical form of a request, and the canonical text of events.`,
		Args: ui.Exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if err := ui.CheckOutput(output); err != nil {
				return err
			}
			if output != "table" {
				return s.Emit(output, versionJSON{build(), sim.Semantics, llm.FormVersion, transcript.FormVersion})
			}
			s.Printf("agentsim %s\nsemantics %d · form %d · text %d\n", build(), sim.Semantics, llm.FormVersion, transcript.FormVersion)
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", ui.OutputHelp)
	return cmd
}

// build is the module's version and the commit it was built from, as far as the
// go command has stamped them.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown build)"
	}
	text := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			text += " " + s.Value[:min(12, len(s.Value))]
		}
	}
	return text + " " + info.GoVersion
}
