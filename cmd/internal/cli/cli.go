package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"agentsim/cmd/internal/cli/bench"
	"agentsim/cmd/internal/cli/check"
	"agentsim/cmd/internal/cli/compare"
	"agentsim/cmd/internal/cli/crossover"
	"agentsim/cmd/internal/cli/importing"
	"agentsim/cmd/internal/cli/inspect"
	"agentsim/cmd/internal/cli/overview"
	"agentsim/cmd/internal/cli/replay"
	reportpage "agentsim/cmd/internal/cli/report"
	"agentsim/cmd/internal/cli/run"
	"agentsim/cmd/internal/cli/scenario"
	"agentsim/cmd/internal/cli/sweep"
	"agentsim/cmd/internal/cli/whatif"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios/document"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// gcPercent trades memory for speed: a run's history only grows, so collecting
// it often finds little. GOGC in the environment wins.
const gcPercent = 400

// Main runs the process's command line and exits.
func Main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	s := &ui.Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
		Terminal: isTerminal(os.Stdout), ErrTerminal: isTerminal(os.Stderr),
		Width: terminalWidth(os.Getenv("COLUMNS"), os.Stdout, os.Stderr), Now: time.Now}
	s.Interrupt = harness.Signals(s, func(sig os.Signal) { os.Exit(int(bySignal(sig))) })
	os.Exit(int(Run(s)))
}

// bySignal is the code of a process that a signal ended.
func bySignal(sig os.Signal) ui.Code {
	if n, ok := sig.(syscall.Signal); ok {
		return 128 + ui.Code(n)
	}
	return ui.Interrupted
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
func Run(s *ui.Env) (code ui.Code) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(s.Stderr, "bug: %v\nrepeat with: %s\n\n%s", p, s.CommandLine(), debug.Stack())
			code = ui.Bug
		}
	}()
	printed, told := report.NewPrinter(s.Stdout, s.Style()), report.NewPrinter(s.Stderr, report.Style{})
	defer told.Close()
	s.Stdout, s.Stderr, s.Screen = printed, told, s.Stderr
	root := newRoot(s)
	root.SetArgs(s.Args)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		err := settings(s, cmd, args)
		if s.Quiet {
			s.Stderr, s.Screen, s.ErrTerminal = io.Discard, io.Discard, false
		}
		printed.Colour(s.Style().Color)
		return err
	}
	err := root.Execute()
	code = ui.Classify(err)
	if failed := printed.Close(); failed != nil && code != ui.Bug {
		err, code = ui.Failf(ui.Operating, "cannot write the output: %w", failed), ui.Operating
	}
	s.Stderr = told
	ui.Explain(s, err)
	if code == ui.Interrupted && s.Heard != nil && s.Heard.Signal() != nil {
		code = bySignal(s.Heard.Signal())
	}
	return code
}

func newRoot(s *ui.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "agentsim",
		Short: "simulate multi-agent LLM systems and what they cost",
		Long: `agentsim runs scenarios of multi-agent LLM systems on virtual time: the agents' loop, their tools and the
prompt cache are simulated, the model is a mock, and every run can be repeated byte for byte.

agentsim lab lists the commands that few need, among them estimate, profile, project, runs, serve, version and
worker, which work without lab too. agentsim completion prints a shell's completion.

Exit codes:
` + ui.CodeTable(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return overview.Print(s)
			}
			return ui.Group(cmd, args)
		},
	}
	root.SetIn(s.Stdin)
	root.SetOut(s.Stdout)
	root.SetErr(s.Stderr)
	root.SetFlagErrorFunc(badFlag)
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
	}
	under(root, "run", run.New(s), sweep.New(s), crossover.New(s))
	under(root, "look", inspect.New(s), compare.New(s), reportpage.New(s), replay.New(s))
	under(root, "gate", check.New(s), bench.New(s))
	under(root, "recordings", importing.New(s), whatif.New(s))
	under(root, "more", scenario.New(s), newLab(s))
	for _, c := range seldom(s) {
		c.Hidden = true // lab lists it
		root.AddCommand(c)
	}
	root.SetHelpCommandGroupID("more")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Version = ui.Build()
	root.PersistentFlags().BoolVarP(&s.Quiet, "quiet", "q", false, "print the answer and errors alone: no progress, no warnings")
	ui.ChoiceFlag(root.PersistentFlags(), &s.Color, "color", "", "colours", "auto", "always", "never")
	wrapHelp(s, root)
	completionGroup(root)
	complete(root)
	return root
}

// badFlag says in our words what is wrong with a flag's value. The only values
// that the library itself refuses are numbers; what we refuse is told already.
func badFlag(cmd *cobra.Command, err error) error {
	if ours := (*ui.Failure)(nil); errors.As(err, &ours) {
		return ours
	}
	var none *pflag.NotExistError
	if errors.As(err, &none) {
		if none.GetSpecifiedName() == "lifetime" {
			return ui.Failf(ui.Usage, "%w: write --ttl", err)
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := document.Nearest(none.GetSpecifiedName(), names); near != "" {
			return ui.Failf(ui.Usage, "%w: did you mean --%s?", err, near)
		}
		return ui.Failf(ui.Usage, "%w: see %s --help", err, cmd.CommandPath())
	}
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	kind := "whole number"
	if strings.HasPrefix(bad.GetFlag().Value.Type(), "uint") {
		kind = "whole number from 0 on"
	}
	if bad.GetFlag().Value.Type() == "duration" {
		kind = "duration, such as 10m or 90s"
	}
	return ui.Failf(ui.Usage, "--%s %s: write a %s", bad.GetFlag().Name, bad.GetValue(), kind)
}
