package run

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/sim"
	"agentsim/sim/agent"
)

// recall gives the one run what the memory directory holds. A directory that is
// not there yet holds nothing.
func (o *options) recall(specs []*sim.Spec) error {
	if o.memory == "" {
		return nil
	}
	if len(specs) != 1 {
		return ui.Failf(ui.Usage, "--memory is for one run, and there are %d variants: name one with --variant", len(specs))
	}
	files, err := readMemory(o.memory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ui.Failf(ui.Operating, "--memory %s: %w", o.memory, err)
	}
	if specs[0].Project, err = sim.WithMemory(specs[0].Project, files); err != nil {
		return ui.Failf(ui.Operating, "--memory %s: %w", o.memory, err)
	}
	return nil
}

// readMemory reads the memories of a directory.
func readMemory(dir string) (map[string]string, error) {
	in, err := hostdir.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	files := map[string]string{}
	return files, fs.WalkDir(in, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !agent.IsMemory(p) {
			return err
		}
		text, err := in.ReadFile(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		files[p] = string(text)
		return nil
	})
}

// keep writes what agents remember into the memory directory. A run that did not
// complete leaves it as it was.
func (o *options) keep(done []executed) error {
	if o.memory == "" || len(done) != 1 || done[0].Result.Outcome != sim.Completed || len(done[0].Result.Memory) == 0 {
		return nil
	}
	if err := os.MkdirAll(o.memory, 0o777); err != nil {
		return ui.Failf(ui.Operating, "--memory: %w", err)
	}
	in, err := hostdir.OpenDir(o.memory)
	if err != nil {
		return ui.Failf(ui.Operating, "--memory %s: %w", o.memory, err)
	}
	defer in.Close()
	memory := done[0].Result.Memory
	for _, p := range slices.Sorted(maps.Keys(memory)) {
		if err := in.Write(p, []byte(memory[p])); err != nil {
			return ui.Failf(ui.Operating, "--memory %s: %s: %w", o.memory, p, err)
		}
	}
	return nil
}
