package loading

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/heads"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/definition"
	"agentsim/sim/project"
	"agentsim/sim/workspace"
)

// DefaultModel is the main agent's where settings name none.
const DefaultModel = "claude-sonnet-5-5"

// Repository is what stands in front of a directory's agents as today's client sends
// it, and what is said of that.
type Repository struct {
	*heads.Heads
	Found    *project.Found
	Problems []*definition.Problem
	Models   []string // why models are what they are
	Head     []string // how well the client's own is known
}

// ReadRepository reads a directory as a run on it does; home is the user's, and head a
// file with one request of the client's, "" for none.
func ReadRepository(dir, home, head string, prices *scenarios.Prices, price rundb.Pricing) (*Repository, error) {
	from, done, err := Source(dir, home, hostdir.Limits{})
	if err != nil {
		return nil, err
	}
	defer done()
	d := &directory{name: filepath.ToSlash(filepath.Clean(dir)), from: from, found: map[string]*project.Found{}}
	l := &Loaded{dir: d, flags: &Project{Home: home, Head: head}, named: true}
	r := &Repository{Found: d.read(client.Default, 0)}
	sc := scenarios.Defaults()
	sc.Main, sc.Provider.Model, sc.Provider.Aliases, sc.Provider.Prices = &scenarios.Root{}, r.mainModel(), Aliases(), prices
	sc.Project.Agents.BuiltIns = []string{agent.TypePlan}
	sc.Permissions.Mode = "default" // the client's, in which a definition's holds
	l.into(sc, "")
	r.Found = l.of(sc)
	for _, p := range r.Found.Problems {
		p.File = strings.TrimPrefix(p.File, d.name+"/")
	}
	files, problems := definition.ReadDeep(from.Dir)
	set, err := sim.Definitions(sc, []definition.Source{{From: agent.FromProject, Files: files, Deep: true, Lifetimes: true}})
	if err != nil {
		return nil, err
	}
	r.problems(slices.Concat(problems, set.Problems))
	r.models(set.Definitions)
	if err := l.flags.headInto(l, sc); err != nil {
		return nil, err
	}
	tools(sc)
	spec, err := (&harness.Maker{Project: definedBy(from.Dir, files, set.Definitions)}).Spec(sc, "")
	if err != nil {
		return nil, err
	}
	r.Heads, err = headsOf(spec, r.Found, price)
	if err == nil {
		r.Note(r.Problems)
	}
	r.Head = headLines([]*sim.Spec{spec}, false)
	return r, err
}

// definedBy are the files that definitions are made of, with the skills that they name.
func definedBy(dir fs.FS, files map[string]string, defs []*agent.Definition) *workspace.Snapshot {
	for _, d := range defs {
		for _, name := range d.Skills {
			file := path.Join(".claude/skills", name, "SKILL.md")
			if text, err := fs.ReadFile(dir, file); err == nil {
				files[file] = string(text)
			}
		}
	}
	maps.DeleteFunc(files, func(file, text string) bool {
		_, err := workspace.NewSnapshot(map[string]string{file: text})
		return err != nil // it is no text, which is told
	})
	out, _ := workspace.NewSnapshot(files) // each is a file that one can hold
	return out
}

// mainModel is the model of the main agent.
func (r *Repository) mainModel() string {
	set := r.Found.Settings.Model
	model := cmp.Or(Aliases()[set.Value], set.Value)
	if _, err := cachemodel.Lookup(model); err == nil && model != "" {
		return model
	}
	why := "no settings name one"
	if set.Value != "" {
		why = fmt.Sprintf("that of %s, %s, has no known prices", set.From, set.Value)
	}
	r.Models = append(r.Models, "model "+DefaultModel+": "+why)
	return DefaultModel
}

// problems joins what is wrong with definitions to what is wrong with the rest.
// Settings, which are read for both, are listed once.
func (r *Repository) problems(more []*definition.Problem) {
	r.Problems = slices.Clone(r.Found.Problems)
	for _, p := range more {
		if !slices.ContainsFunc(r.Found.Problems, func(x *definition.Problem) bool { return x.File == p.File }) {
			r.Problems = append(r.Problems, p)
		}
	}
}

// models says which models aliases are taken for.
func (r *Repository) models(defs []*agent.Definition) {
	set := r.Found.Settings.SubagentModel
	named, used := Aliases(), map[string]bool{r.Found.Settings.Model.Value: true, set.Value: true}
	if _, err := cachemodel.Lookup(cmp.Or(named[set.Value], set.Value)); set.Value != "" {
		text := "is the model of all sub-agents, whatever their definitions say"
		if err != nil {
			text = "has no known prices, so that it is left out"
		}
		r.Models = append(r.Models, fmt.Sprintf("%s of %s %s", set.Value, set.From, text))
	}
	for _, d := range defs {
		used[d.Model] = true
		if _, err := cachemodel.Lookup(cmp.Or(named[d.Model], d.Model)); err != nil && d.Model != "" && d.Model != "inherit" {
			r.Models = append(r.Models, "agent "+d.Type+" is counted on the main agent's model: "+d.Model+" has no known prices")
		}
	}
	var said []string
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if used[name] {
			said = append(said, name+" is "+named[name])
		}
	}
	r.Models = append(r.Models, "aliases of models: "+strings.Join(said, ", "))
}

// aliasing gives aliases of models that a project asks for, and that stand for none,
// the models that check takes them for.
type aliasing struct{ said []string }

// definitions does so for the definitions of a project.
func (a *aliasing) definitions(sc *scenarios.Scenario, project *workspace.Snapshot) {
	if set, err := sim.Definitions(sc, sim.DefinitionSources(sc, project)); err == nil { // the run says what is wrong
		for _, d := range set.Definitions {
			if !d.BuiltIn() {
				a.resolve(&sc.Provider, d.Model)
			}
		}
	}
}

// resolve takes an alias for the newest model of that name.
func (a *aliasing) resolve(p *scenarios.Provider, name string) {
	model := Aliases()[name]
	if model == "" || p.Aliases[name] != "" {
		return
	}
	to := map[string]string{name: model}
	maps.Copy(to, p.Aliases)
	p.Aliases = to
	line := fmt.Sprintf("alias %s is %s, the newest of that name: provider: {aliases: {%s: MODEL}} says another", name, to[name], name)
	if !slices.Contains(a.said, line) {
		a.said = append(a.said, line)
	}
}

// Aliases are the models that a directory's aliases stand for where nothing says
// another: the newest of each name.
func Aliases() map[string]string {
	out := map[string]string{}
	for _, name := range scenarios.Aliases {
		out[name] = scenarios.Newest(name)
	}
	return out
}

// Source opens what a client reads of a directory: the directory, those that it lies in
// up to its repository's root, what git says, and the user's directory, "" for none.
// done closes it all.
func Source(dir, home string, limits hostdir.Limits) (from project.Source, done func(), err error) {
	var opened []*hostdir.Dir
	done = func() {
		for _, d := range opened {
			_ = d.Close() // it was read only
		}
	}
	open := func(name, called string) *hostdir.Dir {
		if err != nil {
			return nil
		}
		d, failed := hostdir.OpenDir(name)
		if failed != nil {
			err = ui.Failf(ui.Operating, "%s %s: %w", called, name, failed)
			return nil
		}
		opened = append(opened, d)
		return d
	}
	from = project.Source{Dir: open(dir, "project directory"), Name: filepath.ToSlash(filepath.Clean(dir)), Path: hostdir.Real(dir), HomeName: home}
	if home != "" {
		from.Home = open(home, "--home")
	}
	g, failed := hostdir.ReadGit(dir, limits)
	if err == nil && failed != nil {
		err = ui.Failf(ui.Operating, "project directory %s: %w", dir, failed)
	}
	if g != nil {
		from.Git = &project.Git{Branch: g.Branch, Main: g.Main, Status: g.Status, Commits: g.Commits}
		from.Nested = g.Nested
		for n := g.Depth; n > 0; n-- {
			from.Above = append(from.Above, open(filepath.Join(from.Path, strings.Repeat("../", n)), "directory"))
		}
	}
	if err != nil {
		done()
	}
	return from, done, err
}
