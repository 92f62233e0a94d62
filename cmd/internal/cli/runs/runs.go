// Package runs is the command that removes runs from a database, and unpacks them.
package runs

import (
	"fmt"
	"slices"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	return ui.NewGroup("runs", "look after the runs of a database", newRemove(s), newPrune(s), newUnpack(s))
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
		RunE: func(_ *cobra.Command, args []string) error {
			ids, err := find(o.db, args)
			if err != nil {
				return err
			}
			return remove(s, o, ids)
		},
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	ui.OutputFlag(f, &o.output)
	return cmd
}

func remove(s *ui.Env, o *options, ids []string) error {
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
	d.Field("packed_bytes", report.Count(done.Packed))
	text := fmt.Sprintf("%s: %s removed, with %s and %s that only they held", o.db, ui.Things(done.Runs, "run"), ui.Things(done.Blocks, "block"), ui.Things(done.Contents, "content"))
	if done.Packed > 0 {
		text += ", and " + ui.Things(done.Packed, "byte") + " of packed rows"
	}
	d.Say("%s", text)
	return s.Print(o.output, d)
}

// prune are the flags of what removes all runs but some.
type prune struct {
	options
	keep   int
	filter string
}

func newPrune(s *ui.Env) *cobra.Command {
	o := &prune{}
	cmd := &cobra.Command{
		Use:   "prune --keep N",
		Short: "remove all runs but those executed last, and what only they held",
		Long: `Removes runs as rm does: all but so many, those executed last. With --filter it is about the runs that agentsim inspect
lists for it, and no other one is removed.`,
		Example: `  agentsim runs prune --keep 1000
  agentsim runs prune --keep 0 --filter fork-vs-subagent`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("keep") || o.keep < 0 {
				return ui.Failf(ui.Usage, "--keep: write how many runs stay, of those executed last; 0 for none")
			}
			return pruned(s, o)
		},
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	f.IntVar(&o.keep, "keep", 0, "how many `runs` stay")
	f.StringVar(&o.filter, "filter", "", "only runs whose id, scenario, variant, policy, seed=N or ending has each of the `words`")
	ui.OutputFlag(f, &o.output)
	return cmd
}

func pruned(s *ui.Env, o *prune) error {
	db, err := rundb.Open(o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	list, _, err := db.List(sqlite.Listing{Words: o.filter, From: o.keep, Most: -1})
	if err != nil {
		return err
	}
	var ids []string
	for _, r := range list {
		if r.Outcome != sqlite.Running { // by its name alone: it may be on its way
			ids = append(ids, r.ID)
		}
	}
	return remove(s, &o.options, ids)
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
