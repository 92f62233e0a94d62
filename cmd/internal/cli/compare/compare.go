// Package compare is the command that sets runs, variants or databases against
// each other.
package compare

import (
	"cmp"
	"fmt"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/metrics/sides"

	"github.com/spf13/cobra"
)

// options are the flags of compare.
type options struct {
	db     string
	seeds  int
	output string
}

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "compare variants, recorded runs or databases figure by figure",
		Long: `A and B are each
  SCENARIO           all variants of a scenario, which are run (a name of the library, or a YAML file)
  SCENARIO:VARIANT   one of them
  RUN                a recorded run, by the beginning of its id
  DATABASE:RUN       a run of another database
  DATABASE           all runs of a database

Several runs of one side are set against those of the same scenario and variant of the other, seed by seed where both have
the same seeds. Two single runs are compared exactly. Over several seeds medians are compared, with the 95 % bootstrap
interval of the difference; equal inputs give equal intervals. Where a difference comes from something else than what is
compared (another version of this program, other prices, an edit of the scenario), cause says so.`,
		Example: `  agentsim compare fork-vs-subagent:fork fork-vs-subagent:subagent
  agentsim compare fan-out:held fan-out:at-once --seeds 5`,
		Args: ui.Exactly(2, "two things to compare"),
		RunE: func(_ *cobra.Command, args []string) error { return run(s, o, args) },
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` in which a RUN is looked for")
	f.IntVar(&o.seeds, "seeds", 1, "run scenarios with so many seeds, from their own on")
	ui.OutputFlag(f, &o.output)
	return cmd
}

func run(s *ui.Env, o *options, args []string) error {
	if err := harness.CheckSeeds(o.seeds); err != nil {
		return err
	}
	var both [2]*comparedSide
	for i, arg := range args {
		side, err := readSide(s, o, arg)
		if err != nil {
			return err
		}
		if side.db != nil {
			defer side.db.Close()
		}
		both[i] = side
	}
	c := &comparing{Comparison: sides.Match(both[0].Side, both[1].Side), a: both[0], b: both[1]}
	if len(c.Pairs) == 0 {
		return ui.Failf(ui.Usage, "%s and %s have no scenario and variant in common\n%s has %s\n%s has %s", args[0], args[1], args[0], both[0].Names(), args[1], both[1].Names())
	}
	if err := c.firstEvents(); err != nil {
		return err
	}
	open, unfinished := c.open()
	return cmp.Or(s.Print(o.output, c.document(open)), unfinished)
}

// comparing is one use of the command.
type comparing struct {
	*sides.Comparison
	a, b   *comparedSide
	found  report.Findings // where single runs differ
	events []string        // of one pair, the events themselves
	more   string          // the command that shows more of it
}

// open lists the runs that did not finish. The error is of the first that was run for
// the comparison: a record may hold such runs.
func (c *comparing) open() (out []string, err error) {
	for _, p := range c.Pairs {
		for i, g := range [...]*sides.Group{p.A, p.B} {
			for _, r := range g.Runs {
				if r.Open == "" {
					continue
				}
				out = append(out, fmt.Sprintf("%c  %s, seed %d, run %s: %s", "AB"[i], g.Name(), r.Seed, ui.Short(r.ID), r.Open))
				if err == nil && [...]*comparedSide{c.a, c.b}[i].db == nil {
					err = ui.Failf(ui.Unfinished, "%s with seed %d did not finish: %s; no side is called better than it", g.Name(), r.Seed, r.Open)
				}
			}
		}
	}
	return out, err
}
