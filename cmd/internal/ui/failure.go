package ui

import (
	"fmt"
	"strings"
	"syscall"
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
