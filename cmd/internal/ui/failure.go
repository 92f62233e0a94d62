package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// Code is a process's exit code.
type Code int

// The exit codes (CLI-02). Scripts rely on them.
const (
	Pass       Code = 0
	Operating  Code = 1
	Usage      Code = 2
	Missed     Code = 3
	Differs    Code = 4
	Unfinished Code = 5
	Broken     Code = 6
	NoBaseline Code = 7
	Bug        Code = 70
	// A signal that ends a program adds its number to 128, as shells say it.
	HungUp      Code = 128 + Code(syscall.SIGHUP)
	Interrupted Code = 128 + Code(syscall.SIGINT)
	Terminated  Code = 128 + Code(syscall.SIGTERM)
)

// Codes says what each code means, in the order in which they are told.
var Codes = []struct {
	Code Code
	What string
}{
	{Pass, "pass"},
	{Operating, "a file, directory or database could not be used"},
	{Usage, "wrong usage, or something wrong in a scenario or --set"},
	{Missed, "an expectation or a threshold was missed, or a figure became worse than its baseline"},
	{Differs, "a replay differs from its record"},
	{Unfinished, "the simulation did not finish: a limit, a deadlock or a root that failed"},
	{Broken, "an invariant was broken"},
	{NoBaseline, "there is no baseline to compare with"},
	{Bug, "a bug in agentsim; the message says how to repeat it"},
	{HungUp, "ended by SIGHUP"},
	{Interrupted, "ended by SIGINT (Ctrl-C); what was recorded until then is whole"},
	{Terminated, "ended by SIGTERM, likewise"},
}

// CodeTable prints the codes for the help text.
func CodeTable() string {
	var b strings.Builder
	for _, c := range Codes {
		fmt.Fprintf(&b, "  %3d  %s\n", c.Code, c.What)
	}
	return b.String()
}

// Failure is an error that knows its exit code. Err may be nil where everything
// has been said already.
type Failure struct {
	Code Code
	Err  error
}

// Error is the error's text.
func (f *Failure) Error() string {
	if f.Err == nil {
		return fmt.Sprintf("exit code %d", f.Code)
	}
	return f.Err.Error()
}

// Unwrap gives the error.
func (f *Failure) Unwrap() error { return f.Err }

// Failf makes a failure of a class.
func Failf(code Code, format string, args ...any) error {
	return &Failure{code, fmt.Errorf(format, args...)}
}

// Said is a failure about which everything has been said.
func Said(code Code) error { return &Failure{Code: code} }

// Fail is an error with the code that the process ends with.
func Fail(code Code, err error) error { return &Failure{Code: code, Err: err} }

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

// Unusable is the error of a file that a flag names: the file as given, and what
// to do.
func Unusable(flag, name string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	what := "name another file"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, none := os.Stat(filepath.Dir(name)); none != nil {
			what = "make its directory first, or name another file"
		}
	case errors.Is(err, fs.ErrPermission):
		what = "change the permissions of the file or its directory, or name another file"
	}
	return Failf(Operating, "%s %s: %w: %s", flag, name, err, what)
}
