package ui

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"agentsim/metrics/page"
	"agentsim/metrics/report"

	"github.com/spf13/cobra"
)

// State is all that a command may use of the process it runs in.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Terminal       bool             // Stdout is one
	Color          string           // what --color says: auto, always or never
	Quiet          bool             // Stderr is for errors alone
	ErrTerminal    bool             // Stderr is one
	Width          int              // columns of the terminal, 0 for unknown
	Interrupt      <-chan os.Signal // a signal that ends what goes on; nil for none
	Now            func() time.Time // wall time, for the record's own rows

	Screen io.Writer // Stderr as it is, for the progress bar alone

	Waiting atomic.Bool // somebody takes the next signal and comes to an end by itself
	Heard   Waiter      // who waited last

	Seen func(*report.Document) // is shown what a command answers, beside being printed; nil for none

	Patience int // milliseconds that a database may be locked; 0 for what it waits anyway
}

var whoAsks = regexp.MustCompile(`(--nats[ =]'?|://)\S*@`)

// CommandLine is the command as typed, for messages, without what an URL says of who asks.
func (s *Env) CommandLine() string {
	return "agentsim " + whoAsks.ReplaceAllString(QuoteAll(s.Args), "${1}…@")
}

// Style is how output may look here.
func (s *Env) Style() report.Style {
	st := report.Style{Color: s.colored()}
	if s.Terminal {
		st.Width = s.Width
	}
	return st
}

// colored reports whether colour is wanted: what --color says, else not with
// NO_COLOR or on a dumb terminal, else what CLICOLOR_FORCE says, else whether there
// is a terminal.
func (s *Env) colored() bool {
	switch {
	case s.Color == "always" || s.Color == "never":
		return s.Color == "always"
	case s.Getenv("NO_COLOR") != "", s.Getenv("TERM") == "dumb":
		return false
	case s.Getenv("CLICOLOR_FORCE") != "" && s.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return s.Terminal
}

// Printf prints to standard output.
func (s *Env) Printf(format string, args ...any) { fmt.Fprintf(s.Stdout, format, args...) }

// Tell prints a line to standard error, on a terminal broken to its width.
func (s *Env) Tell(format string, args ...any) {
	st := report.Style{}
	if s.ErrTerminal {
		st.Width = s.Width
	}
	fmt.Fprintln(s.Stderr, strings.Join(st.Lines(fmt.Sprintf(format, args...), 2), "\n  "))
}

// Waiter takes a signal and brings what goes on to its end.
type Waiter interface {
	// Signal is the one that came; nil for none.
	Signal() os.Signal
}

// QuoteAll joins words so that a shell reads them back.
func QuoteAll(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = Quote(w)
	}
	return strings.Join(out, " ")
}

// Flags are flags, each followed by its value, as words of a command line, but for
// those without a value.
func Flags(pairs ...string) (words []string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			words = append(words, pairs[i], pairs[i+1])
		}
	}
	return words
}

// Quote is a word as a shell takes it.
func Quote(w string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@+%"
	if w != "" && strings.Trim(w, plain) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// NewGroup makes a command that only holds others.
func NewGroup(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Args: cobra.ArbitraryArgs, RunE: Group}
	cmd.AddCommand(commands...)
	return cmd
}

// Group is what a command does that only holds others: alone it prints its help, and a
// word that is none of them is an error.
func Group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	hint := ""
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %q?", near[0])
	}
	return Failf(Usage, "unknown command %q for %q%s\nsee: %s --help", args[0], cmd.CommandPath(), hint, cmd.CommandPath())
}

// Exactly demands n arguments and names them when they are not there.
func Exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return Failf(Usage, "%s takes %s, not %s\nusage: %s", cmd.CommandPath(), what, Plural(len(args), "argument"), cmd.UseLine())
		}
		return nil
	}
}

// Plural names a number of things.
func Plural(n int, what string) string { return Things(int64(n), what) }

// mostSeeds is how many seeds a heading names.
const mostSeeds = 5

// Seeds names the different ones of runs, such as seed 42 or seeds 7, 8, 9; many by their
// number, the least and the largest.
func Seeds(of []uint64) string {
	of = slices.Compact(slices.Sorted(slices.Values(of)))
	words := make([]string, 0, mostSeeds)
	for _, n := range of[:min(len(of), mostSeeds)] {
		words = append(words, strconv.FormatUint(n, 10))
	}
	switch n := len(of); {
	case n == 1:
		return "seed " + words[0]
	case n > mostSeeds:
		return fmt.Sprintf("%d seeds from %d to %d", n, of[0], of[n-1])
	}
	return "seeds " + strings.Join(words, ", ")
}

// Short is as much of a run's id as people need.
func Short(id string) string { return id[:min(8, len(id))] }

// Alike gathers what has one cause, so that it can be told in one line: the largest
// groups come first, others as they are met.
func Alike[T any](list []T, cause func(T) string) (groups [][]T) {
	at := map[string]int{}
	for _, x := range list {
		i, met := at[cause(x)]
		if !met {
			i, groups = len(groups), append(groups, nil)
			at[cause(x)] = i
		}
		groups[i] = append(groups[i], x)
	}
	slices.SortStableFunc(groups, func(a, b []T) int { return len(b) - len(a) })
	return groups
}

// Count prints a number with separators, as 61,402.
func Count(n int64) string { return report.Count(n).String() }

// Things names a number of things.
func Things(n int64, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "y"):
		what = strings.TrimSuffix(what, "y") + "ies"
	default:
		what += "s"
	}
	return Count(n) + " " + what
}

// Print prints what a command answers in one of Formats.
func (s *Env) Print(form string, d *report.Document) error {
	write := func() error { return d.Write(s.Stdout, form, s.Style()) }
	if form == "html" {
		write = func() error { return page.Write(s.Stdout, s.CommandLine(), d) }
	}
	if s.Seen != nil {
		s.Seen(d)
	}
	if err := write(); err != nil {
		return Failf(Operating, "cannot write the result: %w", err)
	}
	return nil
}

// maxExcerpt is how many characters of a block are shown.
const maxExcerpt = 60

// Excerpt is the beginning of a text on one line.
func Excerpt(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > maxExcerpt {
		return string(line[:maxExcerpt-1]) + "…"
	}
	return string(line)
}
