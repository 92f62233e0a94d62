package sim

import (
	"fmt"
	"reflect"

	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/memo"
	"agentsim/sim/rng"
	"agentsim/sim/workspace"
)

// project makes the snapshot of a scenario's own files, and counts what it draws
// for them.
func project(sc *scenarios.Scenario, draws *int64) (*workspace.Snapshot, error) {
	if dir := sc.Project.Directory; dir != "" {
		return nil, &ScenarioError{"project.directory", fmt.Errorf("the project is the directory %s, which agentsim run, sweep and bench read: it is not read here", dir)}
	}
	if name := sc.Project.Heads; name != "" {
		return nil, &ScenarioError{"project.heads", fmt.Errorf("the head comes from %s, which agentsim run, sweep and bench read: it is not read here", name)}
	}
	if name := sc.Project.Files.Embedded; name != "" {
		return embedded.Get(name, embeddedProject)
	}
	files := map[string]string{}
	filler := script.NewFiller(tokens.Approx(sc.Provider.ModelID(sc.Provider.Model)))
	for path, c := range sc.Project.Files.Literal { // order: each file is drawn by its own path
		text := ""
		for _, p := range filler.Content(&c, rng.Counted(sc.Seed, draws).Sub("file").Sub(path)) {
			text += p.Raw()
		}
		files[path] = text
	}
	s, err := workspace.NewSnapshot(files)
	if err != nil {
		return nil, fmt.Errorf("project.files: %w", err)
	}
	return s, nil
}

// sameFiles reports whether two scenarios make the same files of their own.
func sameFiles(a, b *scenarios.Scenario) bool {
	own := func(sc *scenarios.Scenario) bool { return sc.Project.Directory == "" && sc.Project.Heads == "" }
	return own(a) && own(b) && a.Seed == b.Seed && a.Provider.ModelID(a.Provider.Model) == b.Provider.ModelID(b.Provider.Model) &&
		reflect.DeepEqual(a.Project.Files, b.Project.Files)
}

// embedded are the projects of the library, which runs of this process share.
var embedded memo.Map[string, *workspace.Snapshot]

func embeddedProject(name string) (*workspace.Snapshot, error) {
	files, err := scenarios.EmbeddedProject(name)
	if err != nil {
		return nil, err
	}
	return workspace.NewSnapshot(files)
}

// WithMemory is a project whose agents remember what an earlier run left (see
// Result.Memory): these files take the place of its own. Being files of the
// project they count for the run's id, and its record has them.
func WithMemory(project *workspace.Snapshot, memory map[string]string) (*workspace.Snapshot, error) {
	files := map[string]string{}
	for _, p := range project.Paths() {
		files[p], _ = project.Content(p)
	}
	for p, text := range memory { // order: a map is filled
		files[p] = text
	}
	return workspace.NewSnapshot(files)
}

// memory are the files in which agents remember, as they stand.
func (r *run) memory() map[string]string {
	out := map[string]string{}
	for _, p := range r.fs.Paths() {
		if agent.IsMemory(p) {
			out[p], _ = r.fs.Content(p)
		}
	}
	return out
}
