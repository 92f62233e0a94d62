package cli

import (
	"runtime/debug"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"

	"github.com/spf13/cobra"
)

func newVersion(s *ui.Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "version",
		Example: "  agentsim version\n  agentsim version -o json",
		Short:   "print what this program is",
		Long: `Prints the build, and the versions of what decides whether two programs give equal runs: the semantics of a run, the
canonical form of a request, and the form of events that digests are over.`,
		Args: ui.Exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			d := &report.Document{}
			d.Say("agentsim %s\nsemantics %d · form %d · digest %d", build(), sim.Semantics, llm.FormVersion, transcript.FormVersion)
			d.Field("build", report.Text(build()))
			d.Field("semantics", report.Count(sim.Semantics))
			d.Field("form", report.Count(llm.FormVersion))
			d.Field("digest", report.Count(transcript.FormVersion))
			return s.Print(output, d)
		},
	}
	ui.OutputFlag(cmd.Flags(), &output)
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
