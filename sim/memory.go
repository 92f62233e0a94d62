package sim

import (
	"agentsim/sim/agent"
	"agentsim/sim/workspace"
)

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
