package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"agentsim/metrics/report"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// State is all that a command may use of the process it runs in.
type State struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            func(string) string
	Terminal       bool             // Stdout is one
	ErrTerminal    bool             // Stderr is one
	Width          int              // columns of the terminal, 0 for unknown
	Interrupt      <-chan os.Signal // a signal that ends what goes on; nil for none
	Now            func() time.Time // wall time, for the record's own rows

	screen io.Writer // Stderr as it is, for the progress bar alone

	waiting atomic.Bool // somebody takes the next signal and comes to an end by itself
	heard   *interrupts // who waited last

	patience int // milliseconds that a database may be locked; 0 for what it waits anyway
}

// gcPercent trades memory for speed: a run's history only grows, so collecting
// it often finds little. GOGC in the environment wins.
const gcPercent = 400

// Main runs the process's command line and exits.
func Main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	s := &State{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Getenv,
		Terminal: isTerminal(os.Stdout), ErrTerminal: isTerminal(os.Stderr),
		Width: terminalWidth(os.Getenv("COLUMNS"), os.Stdout, os.Stderr), Now: time.Now}
	s.Interrupt = s.signals()
	os.Exit(int(Run(s)))
}

// signals passes on those that ask the process to end. Where nobody waits for
// one, or for a second one, it ends at once: the database stays whole either way.
func (s *State) signals() <-chan os.Signal {
	out, in := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(in, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(in, syscall.SIGHUP)
	}
	go func() {
		for sig := range in {
			if !s.waiting.Load() {
				os.Exit(int(bySignal(sig)))
			}
			out <- sig
		}
	}()
	return out
}

// bySignal is the code of a process that a signal ended.
func bySignal(sig os.Signal) Code {
	if n, ok := sig.(syscall.Signal); ok {
		return 128 + Code(n)
	}
	return Interrupted
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// terminalWidth is how many columns the terminal has: what COLUMNS says, else
// what the first of the files that is a terminal says, else 0.
func terminalWidth(columns string, files ...*os.File) int {
	if n, err := strconv.Atoi(columns); err == nil && n > 0 {
		return n
	}
	for _, f := range files {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// Run runs a command line. It never panics: a panic is a bug, told with the line
// that repeats it.
func Run(s *State) (code Code) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(s.Stderr, "bug: %v\nrepeat with: %s\n\n%s", p, s.commandLine(), debug.Stack())
			code = Bug
		}
	}()
	printed, told := report.NewPrinter(s.Stdout, s.style()), report.NewPrinter(s.Stderr, report.Style{})
	defer told.Close()
	out := &sticky{to: printed}
	s.Stdout, s.Stderr, s.screen = out, told, s.Stderr
	root := newRoot(s)
	root.SetArgs(s.Args)
	err := root.Execute()
	code = classify(err)
	if left := printed.Close(); out.err == nil {
		out.err = left
	}
	if out.err != nil && code != Bug {
		err, code = failf(Operating, "cannot write the output: %w", out.err), Operating
	}
	s.explain(err)
	if code == Interrupted && s.heard != nil && s.heard.has() {
		code = bySignal(s.heard.signal())
	}
	return code
}

// sticky is output that remembers its first failure: most of what prints does
// not look.
type sticky struct {
	to  io.Writer
	err error
}

// Write writes, until it fails.
func (c *sticky) Write(p []byte) (n int, err error) {
	if c.err == nil {
		n, c.err = c.to.Write(p)
	}
	return n, c.err
}

// explain prints an error the way a person reads it.
func (s *State) explain(err error) {
	var f *Failure
	if err == nil || errors.As(err, &f) && f.Err == nil {
		return
	}
	fmt.Fprintln(s.Stderr, strings.TrimSuffix(err.Error(), "\n"))
}

// commandLine is the command as typed, for messages.
func (s *State) commandLine() string { return "agentsim " + quoteAll(s.Args) }

// style is how output may look here.
func (s *State) style() report.Style {
	if !s.Terminal {
		return report.Style{}
	}
	return report.Style{Color: s.Env("NO_COLOR") == "" && s.Env("TERM") != "dumb", Width: s.Width}
}

func (s *State) printf(format string, args ...any) { fmt.Fprintf(s.Stdout, format, args...) }

// quoteAll joins words so that a shell reads them back.
func quoteAll(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quote(w)
	}
	return strings.Join(out, " ")
}

func quote(w string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@+%"
	if w != "" && strings.Trim(w, plain) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

func newRoot(s *State) *cobra.Command {
	root := &cobra.Command{
		Use:   "agentsim",
		Short: "simulate multi-agent LLM systems and what they cost",
		Long: `agentsim runs scenarios of multi-agent LLM systems on virtual time: the agents' loop, their tools and the
prompt cache are simulated, the model is a mock, and every run can be repeated byte for byte.

Exit codes:
` + codeTable(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          group,
	}
	root.SetIn(s.Stdin)
	root.SetOut(s.Stdout)
	root.SetErr(s.Stderr)
	root.SetFlagErrorFunc(badFlag)
	root.AddCommand(newRun(s), newReplay(s), newInspect(s), newLint(s), newCache(s), newImport(s), newScenario(s), newAgents(s), newCrossover(s), newDiff(s), newValidate(s), newWhatif(s), newBench(s), newSweep(s), newCompare(s), newDB(s), newVersion(s))
	completionGroup(root)
	complete(root)
	return root
}

// invalid is how the library of flags tells a value that a flag cannot take.
var invalid = regexp.MustCompile(`^invalid argument "(.*)" for "(?:-\w, )?(--[\w-]+)" flag: `)

// badFlag says in our words what is wrong with a flag's value. The only values
// that the library itself refuses are numbers; what we refuse is told already.
func badFlag(cmd *cobra.Command, err error) error {
	if ours := (*Failure)(nil); errors.As(err, &ours) {
		return ours
	}
	found := invalid.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	kind := "whole number"
	if f := cmd.Flags().Lookup(strings.TrimPrefix(found[2], "--")); f != nil && strings.HasPrefix(f.Value.Type(), "uint") {
		kind = "whole number from 0 on"
	}
	return failf(Usage, "%s %s: write a %s", found[2], found[1], kind)
}

// group is a command that only holds others: alone it prints its help, and a
// word that is none of them is an error.
func group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	hint := ""
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %q?", near[0])
	}
	return failf(Usage, "unknown command %q for %q%s\nsee: %s --help", args[0], cmd.CommandPath(), hint, cmd.CommandPath())
}

// exactly demands n arguments and names them when they are not there.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return failf(Usage, "%s takes %s, not %s\nusage: %s", cmd.CommandPath(), what, plural(len(args), "argument"), cmd.UseLine())
		}
		return nil
	}
}
