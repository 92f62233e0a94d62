// Package validate is the command that compares the cache model with recorded bills.
package validate

import (
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/recording/judge"

	"github.com/spf13/cobra"
)

// options are the flags of validate.
type options struct {
	output string
	brief  bool
	told   bool
}

// NewValidate makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "validate PATH…",
		Short: "compare the prompt-cache model with recorded bills",
		Long: `Reads recorded sessions (files or directories, every format that import reads), classes each request by what it read
against what its predecessor left to be read, plays the sessions through the cache model and prints how far its
predictions are off, beside the naive baseline: everything within the TTL, else nothing.

Errors over all requests come first, in tokens and in what the prompts cost, added up and signed, beside what predictors
without a cache get. What a share of reads is lost without a cause is no rule: its rate is found on one half of the
sessions, by a hash of their id, and added to the other's bill as a row of its own.

It fails with exit code 3 when, in some repository, fewer than 99 % of the tool-loop steps of one model within the
lifetime were predicted exactly, the total of the predicted reads is off by more than 1 %, fewer than 80 % of the requests
that decide between predictors were foretold to be kept or gone, or nothing could be judged.
Sessions that name no repository belong to the argument they were found under: give an argument for each account.

--told plays each session's scenario (agentsim scenario from) instead, everything told and with parts of it left to the
cache model; exit code 3 when fewer than 95 % of the sessions that were told everything are within 2 % of their bill.`,
		Example: `  agentsim lab validate ~/.claude/projects
  agentsim lab validate testdata/validation/sample.jsonl.gz
  agentsim lab validate -o json requests.jsonl.gz`,
		Args: ui.AtLeastOne("the files or directories of recorded sessions"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return validate(s, o, args)
		},
	}
	ui.OutputFlag(cmd.Flags(), &o.output)
	cmd.Flags().BoolVar(&o.brief, "brief", false, "print the first table and the notes only")
	cmd.Flags().BoolVar(&o.told, "told", false, "play each session through the whole simulator, as agentsim scenario from tells it, against its recorded bill")
	return cmd
}

func validate(s *ui.Env, o *options, paths []string) error {
	var sessions []*recording.Session
	read, err := loading.Recordings(s, paths, importer.Options{}, func(x *recording.Session) error {
		if x.Origin == "" {
			x.Origin = loading.RootOf(x, paths)
		}
		sessions = append(sessions, x)
		return nil
	})
	if err != nil {
		return err
	}
	if len(sessions) == 0 {
		return loading.NoSession(paths)
	}
	if o.told {
		return validateTold(s, o, sessions)
	}
	loading.OnlyNames(read.Skipped)
	v := &validation{sessions: sessions, skipped: read.Skipped}
	if v.report, err = judge.Judge(sessions); err != nil {
		return err
	}
	v.observed = judge.Observe(sessions)
	err = s.Print(o.output, v.printed(o.brief))
	if err == nil && !v.met() {
		return ui.Said(ui.Missed)
	}
	return err
}

// validateTold plays the sessions' scenarios.
func validateTold(s *ui.Env, o *options, sessions []*recording.Session) error {
	v, err := playTold(s, sessions)
	if err == nil {
		err = s.Print(o.output, v.printed(o.brief))
	}
	if err == nil && !v.met() {
		return ui.Said(ui.Missed)
	}
	return err
}

// validation is what validate has found.
type validation struct {
	sessions []*recording.Session
	skipped  []recording.Skip
	report   *judge.Report
	observed judge.BestEffort
}

// Targets of IMP-06, in per cent.
const (
	stepsTarget = 99 // of the steps are predicted exactly
	totalTarget = 1  // of the tokens read the total may be off
)

// met reports whether something was judged and every repository meets the
// targets.
func (v *validation) met() bool {
	if len(v.report.Repos) == 0 {
		return false
	}
	for i := range v.report.Repos {
		r := &v.report.Repos[i]
		if !stepsMet(r) || !totalMet(r) || !r.All.Tells(judge.ByModel) {
			return false
		}
	}
	return true
}

func stepsMet(r *judge.Repo) bool {
	n, exact, _ := r.Steps()
	return exact*100 >= n*stepsTarget
}

func totalMet(r *judge.Repo) bool {
	c := r.Followers()
	return max(c.Off.Signed, -c.Off.Signed)*100 <= c.Read*totalTarget
}

// better reports whether the model is off by less than the naive baseline, or by
// nothing.
func better(r *judge.Repo) bool {
	c := r.Followers()
	return c.Off.Abs < c.Naive.Abs || c.Off.Abs == 0
}
