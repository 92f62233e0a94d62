package cli

import (
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// names are what a shell may offer for an argument.
type names = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective)

// scenarioNames offers the library and, beside it, scenario files.
func scenarioNames(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if looksLikePath(typed) {
		return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	entries, err := scenarios.Library()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var out []cobra.Completion
	for _, e := range entries {
		if strings.HasPrefix(e.Name, typed) {
			out = append(out, cobra.CompletionWithDesc(e.Name, strings.Join(strings.Fields(e.Why), " ")))
		}
	}
	if len(out) == 0 {
		return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// firstOnly offers names for the first argument and nothing for those behind.
func firstOnly(f names) names {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return f(cmd, args, typed)
	}
}

// runNames offers the runs of the database that --db names, newest last as they
// were recorded.
func runNames(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
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
	var out []cobra.Completion
	for _, r := range runs {
		if strings.HasPrefix(r.ID, typed) {
			out = append(out, cobra.CompletionWithDesc(short(r.ID), r.Name+" "+r.Variant))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// complete tells every command below root what its arguments are: those whose
// usage says SCENARIO or RUN.
func complete(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		complete(cmd)
		if cmd.ValidArgsFunction != nil {
			continue
		}
		_, usage, _ := strings.Cut(cmd.Use, " ")
		many := strings.HasSuffix(strings.TrimSuffix(usage, "]"), "...")
		var f names
		switch {
		case strings.Contains(usage, "SCENARIO"):
			f = scenarioNames
		case strings.Contains(usage, "RUN"):
			f = runNames
		default:
			continue
		}
		if !many && strings.Count(usage, "RUN") < 2 {
			f = firstOnly(f)
		}
		cmd.ValidArgsFunction = f
	}
}
