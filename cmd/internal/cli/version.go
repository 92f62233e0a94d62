package cli

import (
	"runtime/debug"

	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"

	"github.com/spf13/cobra"
)

func newVersion(s *State) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Example: "  agentsim version",
		Short:   "print what this program is",
		Long: `Prints the build, and the versions of what decides whether two programs give equal runs: the semantics of a run, the
canonical form of a request, and the canonical text of events.`,
		Args: exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			s.printf("agentsim %s\nsemantics %d · form %d · text %d\n", build(), sim.Semantics, llm.FormVersion, transcript.FormVersion)
			return nil
		},
	}
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
