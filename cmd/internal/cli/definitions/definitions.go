// Package definitions is the command that lists the agent definitions of a project
// and what is wrong with them.
package definitions

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/agent"
	"agentsim/sim/definition"
	"agentsim/sim/gate"

	"github.com/spf13/cobra"
)

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	var d loading.Definitions
	var output string
	cmd := &cobra.Command{
		Use:   "agents [DIR]",
		Short: "list the agent definitions of a project and what is wrong with them",
		Long: `Lists the types of agents that a run on DIR (the present directory) would have: the built-in ones, those of
DIR/.claude/agents and of its settings, and those of a user, plugins, policy and a flag. Of two with one name the later
source wins: plugin, user, project, flag, policy. What is wrong is reported with its place; a broken file keeps no other from
loading, but the exit code says that there is one.`,
		Example: `  agentsim lab agents
  agentsim lab agents ~/src/shop --agents ~/.claude
  agentsim lab agents -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return agents(s, append(args, ".")[0], &d, output)
		},
	}
	d.Add(cmd.Flags())
	ui.OutputFlag(cmd.Flags(), &output)
	return cmd
}

// agentRow is one definition in the list.
type agentRow struct {
	*agent.Definition
	from, state, by, place string
	refused                []string
}

func agents(s *ui.Env, dir string, d *loading.Definitions, output string) error {
	if err := loading.CheckDirectory(dir); err != nil {
		return err
	}
	files, refused, err := hostdir.Read(dir, hostdir.Limits{Under: ".claude/"})
	if err != nil {
		return ui.Fail(ui.Operating, err)
	}
	problems := loading.LeftOut(dir, refused)
	given, bad, err := d.Sources()
	if err != nil {
		return err
	}
	sc := scenarios.Defaults()
	sc.Provider.Aliases = loading.Aliases()
	project := definition.Project(files)
	project.Root, project.Lifetimes, project.Deep = filepath.ToSlash(filepath.Clean(dir)), true, true
	set, err := sim.Definitions(sc, append(given, project))
	if err != nil {
		return err
	}
	problems = append(append(problems, bad...), set.Problems...)
	doc := &report.Document{}
	doc.Table(report.TableOf("agents", agentRows(set), agentColumns()...))
	doc.Table(loading.ProblemTable(problems))
	err = s.Print(output, doc)
	if output != "json" {
		loading.Problems(s, problems)
	}
	if err == nil && slices.ContainsFunc(problems, func(p *definition.Problem) bool { return !p.Warning }) {
		return ui.Said(ui.Operating)
	}
	return err
}

// agentRows are the built-in definitions, then those that were read by name.
func agentRows(set *definition.Set) []agentRow {
	gates := gate.Default()
	out := []agentRow{}
	for _, b := range agent.EveryBuiltIn(&gates) {
		state, by := "listed if asked for", ""
		if !agent.Nameable(b.Type, &gates) {
			state = "not to be named"
		}
		for _, l := range set.Definitions {
			if l.Type == b.Type {
				state = "listed"
			}
		}
		for _, r := range set.Rows {
			if r.Type == b.Type && r.Outcome == definition.Shadowing {
				state, by = string(definition.Shadowed), r.Place
			}
		}
		out = append(out, agentRow{Definition: b, from: "built-in", state: state, by: by})
	}
	var own []agentRow
	for _, r := range set.Rows {
		if r.BuiltIn() {
			continue
		}
		refused := r.Unserved("", false)
		if _, err := cachemodel.Lookup(cmp.Or(loading.Aliases()[r.Model], r.Model)); err != nil && r.Model != "" && r.Model != "inherit" {
			refused = append(slices.Clone(refused), err.Error())
		}
		own = append(own, agentRow{r.Definition, sourceWord(r.Definition), string(r.Outcome), r.By, r.Place, refused})
	}
	slices.SortStableFunc(own, func(a, b agentRow) int { return strings.Compare(a.Type, b.Type) })
	return append(out, own...)
}

// sourceWord is a source as people say it.
func sourceWord(d *agent.Definition) string {
	word := strings.TrimSuffix(string(d.Source), "Settings")
	if d.Plugin != "" {
		word += " " + d.Plugin
	}
	return word
}

// agentColumns are what is said of each definition.
func agentColumns() []report.Column[agentRow] {
	type col = report.Column[agentRow]
	return []col{
		{Name: "name", Head: "NAME", Of: func(r agentRow) report.Value { return report.Text(r.Type) }},
		{Name: "from", Head: "FROM", Drop: 1, Of: func(r agentRow) report.Value { return report.Text(r.from) }},
		{Name: "state", Of: func(r agentRow) report.Value { return report.Text(r.state) }},
		{Name: "by", Of: func(r agentRow) report.Value { return report.Text(r.by).If(r.by != "") }},
		{Name: "model", Head: "MODEL", Drop: 2, Of: func(r agentRow) report.Value { return report.Text(cmp.Or(r.Model, "default")) }},
		{Name: "tools", Of: func(r agentRow) report.Value { return report.List(r.Tools).If(len(r.Tools) > 0) }},
		{Name: "disallowed_tools", Of: func(r agentRow) report.Value { return report.List(r.Disallowed).If(len(r.Disallowed) > 0) }},
		{Head: "TOOLS", Drop: 3, Of: func(r agentRow) report.Value { return report.Text(toolsWord(r.Tools, r.Disallowed)) }},
		{Head: "STATE", Of: func(r agentRow) report.Value { return report.Text(stateWord(r)) }},
		{Name: "place", Head: "PLACE", Of: func(r agentRow) report.Value { return report.Text(r.place).OrBlank(r.place != "") }},
		{Name: "description", Of: func(r agentRow) report.Value { return report.Text(r.Description) }},
		{Name: "refused", Of: func(r agentRow) report.Value { return report.List(r.refused).If(len(r.refused) > 0) }},
	}
}

// stateWord is what becomes of a definition.
func stateWord(r agentRow) string {
	state := r.state
	if r.by != "" {
		state += " by " + r.by
	}
	if len(r.refused) > 0 {
		state += ", cannot be started yet"
	}
	return state
}

// toolsWord says in few words what a definition's agents may use.
func toolsWord(tools, denied []string) string {
	words := "all"
	switch {
	case tools != nil && len(tools) == 0:
		words = "none"
	case len(tools) > 0 && !slices.Contains(tools, "*"):
		words = strings.Join(tools, ", ")
	}
	if len(denied) > 0 {
		words += " but " + strings.Join(denied, ", ")
	}
	return words
}
