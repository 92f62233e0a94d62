package loading

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/rundb"
	"agentsim/metrics/heads"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/definition"
	"agentsim/sim/project"
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
}

// ReadRepository reads a directory; home is the user's, "" for none.
func ReadRepository(dir, home string, price rundb.Pricing) (*Repository, error) {
	from, done, err := Source(dir, home, hostdir.Limits{})
	if err != nil {
		return nil, err
	}
	defer done()
	r := &Repository{Found: project.Read(from, client.Find(client.Default), 0)}
	model := r.mainModel()
	if profile, err := cachemodel.Lookup(model); err == nil && profile.Window > 0 {
		r.Found = project.Read(from, r.Found.Layout, profile.Window)
	}
	for _, p := range r.Found.Problems {
		p.File = strings.TrimPrefix(p.File, filepath.ToSlash(filepath.Clean(dir))+"/")
	}
	files, problems := definition.ReadDeep(from.Dir)
	sc := scenarios.Defaults()
	sc.Project.Agents.BuiltIns, sc.Provider.Aliases = []string{agent.TypePlan}, Aliases()
	set, err := sim.Definitions(sc, []definition.Source{{From: agent.FromProject, Files: files, Deep: true, Lifetimes: true}})
	if err != nil {
		return nil, err
	}
	r.problems(slices.Concat(problems, set.Problems))
	r.models(set.Definitions, model)
	r.Heads = heads.Of(heads.Input{Found: r.Found, Definitions: set.Definitions, Model: model, Aliases: Aliases(), Semantics: sim.Semantics, Price: price})
	return r, nil
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

// models says which models aliases are taken for, and which agents have one of which
// nobody knows what it costs.
func (r *Repository) models(defs []*agent.Definition, main string) {
	named, used := Aliases(), map[string]bool{r.Found.Settings.Model.Value: true}
	for _, d := range defs {
		used[d.Model] = true
		if d.Model == "" || d.Model == "inherit" || named[d.Model] != "" {
			continue
		}
		if _, err := cachemodel.Lookup(d.Model); err != nil {
			file, line := heads.Located(d.Place)
			r.Problems = append(r.Problems, &definition.Problem{File: file, Line: line, Col: 1, Warning: true,
				Msg: fmt.Sprintf("agent %q is counted on %s, the main agent's model: %s", d.Type, main, err)})
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
