package cli

import (
	"errors"

	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
)

// classify finds an error's code. What no class claims comes from cobra, which
// complains about usage only, or from sim, about a scenario that cannot be built.
func classify(err error) ui.Code {
	var (
		failure  *ui.Failure
		bug      *sim.BugError
		digest   *sqlite.DigestError
		scenario *scenarios.Errors
		database *sqlite.Error
		run      *sqlite.RunError
		law      *sim.LawError
	)
	switch {
	case err == nil:
		return ui.Pass
	case errors.As(err, &bug), errors.As(err, &digest):
		return ui.Bug
	case errors.As(err, &law):
		return ui.Broken
	case errors.As(err, &failure):
		return failure.Code
	case errors.As(err, &scenario):
		return ui.Usage
	case errors.As(err, &database), errors.As(err, &run):
		return ui.Operating
	}
	return ui.Usage
}
