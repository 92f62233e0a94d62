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

// names are what a shell may offer for an argument.
type names = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective)

// scenarioNames offers the library and, beside it, scenario files.
func scenarioNames(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if loading.LooksLikePath(typed) {
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
	return runsWith(path, typed), cobra.ShellCompDirectiveNoFileComp
}

// runsWith are a database's runs whose ids begin as typed; none where it cannot be
// read.
func runsWith(path, typed string) (out []cobra.Completion) {
	db, err := sqlite.Open(path)
	if err != nil {
		return nil
	}
	defer db.Close()
	runs, err := db.Runs()
	if err != nil {
		return nil
	}
	for _, r := range runs {
		if strings.HasPrefix(r.ID, typed) {
			out = append(out, cobra.CompletionWithDesc(ui.Short(r.ID), r.Name+" "+r.Variant))
		}
	}
	return out
}

// comparedNames offers what compare takes: scenarios, behind one and a colon its
// variants, runs of --db, behind a database and a colon its runs, and files.
func comparedNames(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if i := strings.LastIndexByte(typed, ':'); i > 0 {
		head, tail := typed[:i], typed[i+1:]
		if loading.IsScenario(head) {
			return afterColon(head, variantsWith(head, tail)), cobra.ShellCompDirectiveNoFileComp
		}
		return afterColon(head, runsWith(head, tail)), cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	if found, directive := scenarioNames(cmd, args, typed); directive == cobra.ShellCompDirectiveNoFileComp {
		out = found
	}
	runs, _ := runNames(cmd, args, typed)
	return append(out, runs...), cobra.ShellCompDirectiveDefault
}

// callNames offers what diff takes: runs of --db, each with a colon behind it for
// the number of a call, and files.
func callNames(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 1 || strings.Contains(typed, ":") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	runs, _ := runNames(cmd, args, typed)
	if len(runs) == 0 {
		return []cobra.Completion{"json"}, cobra.ShellCompDirectiveFilterFileExt
	}
	for i, r := range runs {
		id, what, _ := strings.Cut(r, "\t")
		runs[i] = cobra.CompletionWithDesc(id+":", what)
	}
	return runs, cobra.ShellCompDirectiveNoSpace
}

// afterColon puts a head and a colon before each of some completions.
func afterColon(head string, list []cobra.Completion) []cobra.Completion {
	for i := range list {
		list[i] = head + ":" + list[i]
	}
	return list
}

// variantsWith are a scenario's variants that begin as typed; none where it cannot
// be read.
func variantsWith(scenario, typed string) (out []cobra.Completion) {
	file, err := loading.Scenario(scenario)
	if err != nil {
		return nil
	}
	return beginning(file.VariantNames(), typed)
}

// beginning are the names that begin as typed, those without a letter left out.
func beginning(names []string, typed string) (out []cobra.Completion) {
	for _, name := range names {
		if name != "" && strings.HasPrefix(name, typed) {
			out = append(out, name)
		}
	}
	return out
}

// oneOf offers words.
func oneOf(words ...string) names {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return beginning(words, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// startsOf offers what something else has to follow: paths without their values,
// policies without their numbers.
func startsOf(words func() []string) names {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return beginning(words(), typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// valued are paths with the sign behind which the value stands.
func valued(paths []string) (out []string) {
	for _, p := range paths {
		out = append(out, p+"=")
	}
	return out
}

// flagValues are what shells offer for the values of flags, wherever a command
// has them.
var flagValues = []struct {
	flag string
	f    names
}{
	{"output", oneOf(ui.Formats...)},
	{"guard", oneOf("prefix")},
	{"record", oneOf("full", "calls", "sampled:", "totals", "none")},
	{"policy", startsOf(func() []string { return []string{"fifo", "random", "pct:", "replay:"} })},
	{"set", startsOf(func() []string { return valued(scenarios.Paths()) })},
	{"reprice", startsOf(func() []string { return valued(reprice.Answerable()) })},
	{"variant", func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return variantsWith(args[0], typed), cobra.ShellCompDirectiveNoFileComp
	}},
}

// completeFlags tells a command what the values of its flags are.
func completeFlags(cmd *cobra.Command) {
	for _, v := range flagValues {
		if f := cmd.Flags().Lookup(v.flag); f == nil || f.Hidden {
			continue
		}
		if err := cmd.RegisterFlagCompletionFunc(v.flag, v.f); err != nil {
			panic(err) // the flag is there, and nobody else completes it
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

// complete tells every command below root what its arguments are: those whose
// usage says SCENARIO or RUN, and those that take several kinds of things. It does
// the same for the values of flags.
func complete(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		complete(cmd)
		completeFlags(cmd)
		if cmd.ValidArgsFunction != nil {
			continue
		}
		_, usage, _ := strings.Cut(cmd.Use, " ")
		many := strings.HasSuffix(strings.TrimSuffix(usage, "]"), "...")
		var f names
		switch {
		case cmd.Name() == "compare":
			cmd.ValidArgsFunction = comparedNames
			continue
		case cmd.Name() == "diff":
			cmd.ValidArgsFunction = callNames
			continue
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
