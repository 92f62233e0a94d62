package ui

import (
	"errors"
	"fmt"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// Classify finds an error's code. What no class claims comes from cobra, which
// complains about usage only, or from sim, about a scenario that cannot be built.
func Classify(err error) Code {
	var (
		failure  *Failure
		bug      *sim.BugError
		digest   *sqlite.DigestError
		scenario *scenarios.Errors
		database *sqlite.Error
		run      *sqlite.RunError
		law      *sim.LawError
	)
	switch {
	case err == nil:
		return Pass
	case errors.As(err, &bug), errors.As(err, &digest):
		return Bug
	case errors.As(err, &law):
		return Broken
	case errors.As(err, &failure):
		return failure.Code
	case errors.As(err, &scenario):
		return Usage
	case errors.As(err, &database), errors.As(err, &run):
		return Operating
	}
	return Usage
}

// Explain prints an error the way a person reads it.
func Explain(s *Env, err error) {
	var f *Failure
	if err == nil || errors.As(err, &f) && f.Err == nil {
		return
	}
	fmt.Fprintln(s.Stderr, strings.TrimSuffix(err.Error(), "\n"))
}

// FirstLine is the first line of a text.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// AtLeastOne demands an argument and names it when there is none.
func AtLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Failf(Usage, "%s takes %s\nusage: %s", cmd.CommandPath(), what, cmd.UseLine())
		}
		return nil
	}
}
