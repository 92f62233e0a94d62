// Package runs is the command that removes runs from a database.
package runs

import (
	"slices"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"

	"github.com/spf13/cobra"
)

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	return ui.NewGroup("runs", "look after the runs of a database", newRemove(s))
}

// options are the flags.
type options struct{ db, output string }

func newRemove(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "rm RUN...",
		Short: "remove runs, and what only they held",
		Long: `Removes runs and recorded sessions from the database, with the blocks and contents that no other run has, and
overwrites what they took of the file. All of them are removed, or none. It refuses while another run is being
recorded; one whose process was killed can be removed with them.`,
		Example: `  agentsim runs rm 9c1e`,
		Args:    ui.AtLeastOne("run"),
		RunE:    func(_ *cobra.Command, args []string) error { return remove(s, o, args) },
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	ui.OutputFlag(f, &o.output)
	return cmd
}

func remove(s *ui.Env, o *options, args []string) error {
	ids, err := find(o.db, args)
	if err != nil {
		return err
	}
	db, err := rundb.Create(s, o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	done, err := db.Remove(ids)
	if err != nil {
		return err
	}
	d := &report.Document{}
	d.Field("runs", report.Count(done.Runs))
	d.Field("blocks", report.Count(done.Blocks))
	d.Field("contents", report.Count(done.Contents))
	d.Say("%s: %s removed, with %s and %s that only they held", o.db, ui.Things(done.Runs, "run"), ui.Things(done.Blocks, "block"), ui.Things(done.Contents, "content"))
	return s.Print(o.output, d)
}

// find are the ids of runs, each once.
func find(path string, prefixes []string) (ids []string, err error) {
	db, err := rundb.Open(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	for _, prefix := range prefixes {
		run, err := rundb.FindAny(db, prefix)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, run.ID) {
			ids = append(ids, run.ID)
		}
	}
	return ids, nil
}
