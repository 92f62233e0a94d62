package cli

import (
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
			d.Say("agentsim %s\nsemantics %d · form %d · digest %d", ui.Build(), sim.Semantics, llm.FormVersion, transcript.FormVersion)
			d.Field("build", report.Text(ui.Build()))
			d.Field("semantics", report.Count(sim.Semantics))
			d.Field("form", report.Count(llm.FormVersion))
			d.Field("digest", report.Count(transcript.FormVersion))
			return s.Print(output, d)
		},
	}
	ui.OutputFlag(cmd.Flags(), &output)
	return cmd
}
