package runs

import (
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

func newUnpack(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "unpack RUN...",
		Short: "lay out the rows of runs that were recorded with --record packed",
		Long: `Lays out the single rows of packed runs (events, calls, blocks, what was said) in their tables, as --record full leaves
them, for programs that read the file themselves. agentsim reads a packed run as it is. A run that is not packed stays as
it is; one that has not ended is refused.`,
		Example: `  agentsim runs unpack 9c1e`,
		Args:    ui.AtLeastOne("run"),
		RunE: func(_ *cobra.Command, args []string) error {
			ids, err := find(o.db, args)
			if err != nil {
				return err
			}
			return unpack(s, o, ids)
		},
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	ui.OutputFlag(f, &o.output)
	return cmd
}

func unpack(s *ui.Env, o *options, ids []string) error {
	db, err := rundb.Create(s, o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	n := 0
	for _, id := range ids {
		done, err := sqlite.Unpack(db, id)
		if err != nil {
			return err
		}
		if done {
			n++
		}
	}
	d := &report.Document{}
	d.Field("unpacked", report.Count(n))
	d.Field("not_packed", report.Count(len(ids)-n))
	text := o.db + ": " + ui.Plural(n, "run") + " unpacked"
	if n < len(ids) {
		text += ", the others were not packed"
	}
	d.Say("%s", text)
	return s.Print(o.output, d)
}
