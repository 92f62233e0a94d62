package cli

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"agentsim/sim"
	"agentsim/sim/agent"
)

// recall gives the one run what the memory directory holds. A directory that is
// not there yet holds nothing.
func (o *runOptions) recall(specs []*sim.Spec) error {
	if o.memory == "" {
		return nil
	}
	if len(specs) != 1 {
		return failf(Usage, "--memory is for one run, and there are %d variants: name one with --variant", len(specs))
	}
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(o.memory), ".", func(p string, d fs.DirEntry, err error) error {
		if p == "." && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || !agent.IsMemory(p) {
			return err
		}
		text, err := os.ReadFile(filepath.Join(o.memory, filepath.FromSlash(p)))
		files[p] = string(text)
		return err
	})
	if err != nil {
		return failf(Operating, "--memory %s: %w", o.memory, err)
	}
	if specs[0].Project, err = sim.WithMemory(specs[0].Project, files); err != nil {
		return failf(Operating, "--memory %s: %w", o.memory, err)
	}
	return nil
}

// keep writes what agents remember into the memory directory. A run that did not
// complete leaves it as it was.
func (o *runOptions) keep(done []executed) error {
	if o.memory == "" || len(done) != 1 || done[0].result.Outcome != sim.Completed {
		return nil
	}
	memory := done[0].result.Memory
	for _, p := range slices.Sorted(maps.Keys(memory)) {
		name := filepath.Join(o.memory, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return failf(Operating, "--memory: %w", err)
		}
		err := writeFile("--memory", name, func(w io.Writer) error {
			_, err := io.WriteString(w, memory[p])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
