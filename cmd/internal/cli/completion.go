package cli

import (
	"strings"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim/reprice"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// arguments are what shells offer for arguments, by what a command's usage calls
// them.
var arguments = []struct {
	usage string
	f     cobra.CompletionFunc
}{
	{"SCENARIO", scenarioNames},
	{"RUN", runNames},
	{"REQUEST", runNames},
	{"A B", either(scenarioNames, runNames)},
}

// flagValues are what shells offer for the values of flags, wherever a command
// has them.
var flagValues = map[string]cobra.CompletionFunc{
	"output":  words(ui.Formats...),
	"guard":   words("prefix"),
	"record":  words("full", "packed", "calls", "sampled:", "totals", "none"),
	"policy":  words("fifo", "random", "pct:", "replay:"),
	"set":     paths(scenarios.Paths),
	"reprice": paths(reprice.Answerable),
	"variant": variantNames,
}

// scenarioNames offers the library or, where none of it begins as typed, scenario
// files.
func scenarioNames(_ *cobra.Command, _ []string, typed string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	entries, err := scenarios.Library()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name, typed) {
			out = append(out, cobra.CompletionWithDesc(e.Name, strings.Join(strings.Fields(e.Why), " ")))
		}
	}
	if out == nil {
		return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// runNames offers the runs of the database that --db names, newest last as they
// were recorded; none where it cannot be read.
func runNames(cmd *cobra.Command, _ []string, typed string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	path, err := cmd.Flags().GetString("db")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	db, err := sqlite.Open(path)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer db.Close()
	runs, err := db.Runs()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, r := range runs {
		if strings.HasPrefix(r.ID, typed) {
			out = append(out, cobra.CompletionWithDesc(ui.Short(r.ID), r.Name+" "+r.Variant))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// either offers what both do, and files.
func either(a, b cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		one, directive := a(cmd, args, typed)
		if directive != cobra.ShellCompDirectiveNoFileComp {
			one = nil
		}
		other, _ := b(cmd, args, typed)
		return append(one, other...), cobra.ShellCompDirectiveDefault
	}
}

// variantNames offers the variants of the scenario that was typed.
func variantNames(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	file, err := loading.Scenario(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return words(file.VariantNames()...)(cmd, args, typed)
}

// words offers words. Behind those that end in a colon something else has to
// follow.
func words(list ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) (out []cobra.Completion, directive cobra.ShellCompDirective) {
		directive = cobra.ShellCompDirectiveNoFileComp
		for _, w := range list {
			if w == "" || !strings.HasPrefix(w, typed) {
				continue
			}
			if out = append(out, w); strings.HasSuffix(w, ":") || strings.HasSuffix(w, "=") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
		}
		return out, directive
	}
}

// paths offers paths with the sign behind which the value stands.
func paths(list func() []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words(strings.Split(strings.Join(list(), "= ")+"=", " ")...)(cmd, args, typed)
	}
}

// upTo offers nothing behind so many arguments.
func upTo(most int, f cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return f(cmd, args, typed)
	}
}

// complete tells every command below root what its arguments and the values of its
// flags are.
func complete(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		complete(cmd)
		for name, f := range flagValues { // order: each flag has its own
			if flag := cmd.Flags().Lookup(name); flag == nil || flag.Hidden {
				continue
			}
			if err := cmd.RegisterFlagCompletionFunc(name, f); err != nil {
				panic(err) // the flag is there, and nobody else completes it
			}
		}
		_, usage, _ := strings.Cut(cmd.Use, " ")
		for _, a := range arguments {
			switch {
			case !strings.Contains(usage, a.usage):
			case strings.Contains(usage, "..."):
				cmd.ValidArgsFunction = a.f
			default:
				cmd.ValidArgsFunction = upTo(strings.Count(usage, a.usage)*len(strings.Fields(a.usage)), a.f)
			}
		}
	}
}

// completionGroup adds the command that prints a shell's completion, as a group
// like others: a shell that it does not know is an error.
func completionGroup(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Args, cmd.RunE = cobra.ArbitraryArgs, ui.Group
		for _, shell := range cmd.Commands() {
			shell.Example = "  agentsim completion " + shell.Name()
		}
	}
}
