package loading

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim"
)

// Scenario reads a scenario by path or by its name in the library. A name
// is a library's unless it looks like a path. Of a directory that a file names the
// paths are known; what cannot be read of it is for those to tell who read it.
func Scenario(name string, opts ...scenarios.Option) (*scenarios.File, error) {
	if !LooksLikePath(name) {
		f, err := scenarios.Open(name, opts...)
		var located *scenarios.Errors
		if err != nil && !errors.As(err, &located) {
			if _, missing := os.Lstat(name); missing == nil {
				return nil, unnamed(name)
			}
			return nil, ui.Failf(ui.Usage, "%w\na scenario is a name of the library (agentsim scenario list) or the path of a YAML file; bench takes directories of them too", err)
		}
		return f, err
	}
	src, err := readLimited(name)
	if err != nil {
		return nil, err
	}
	return parsed(name, src, opts...)
}

// parsed reads the text of a scenario.
func parsed(name string, src []byte, opts ...scenarios.Option) (_ *scenarios.File, err error) {
	if profileText.Match(src) {
		err = ui.Failf(ui.Usage, "%s is a profile, from which a scenario draws: name a scenario, such as agentsim run fork-vs-subagent --profile %s", name, ui.Quote(name))
	}
	if err != nil {
		return nil, err
	}
	if dir, _ := scenarios.ProjectOf(src); dir != "" && len(opts) == 0 {
		if files, _, err := hostdir.Read(beside(name, dir), hostdir.Limits{}); err == nil {
			opts = append(opts, scenarios.OnDirectory(files.Paths()))
		}
	}
	return scenarios.Parse(name, src, append([]scenarios.Option{scenarios.Beside(readBeside(filepath.Dir(name)))}, opts...)...)
}

// Spec is the run of one variant of a scenario, the first where none is named.
func Spec(s *ui.Env, name, variant string, sets []string) (*sim.Spec, error) {
	f, err := Scenario(name)
	if err != nil {
		return nil, err
	}
	var wanted []string
	if variant != "" {
		wanted = []string{variant}
	}
	names, err := harness.Variants(f, wanted)
	if err != nil {
		return nil, err
	}
	specs, err := (&harness.Maker{File: f, Sets: sets}).Specs(names[:1])
	if err != nil {
		return nil, err
	}
	return specs[0], CheckSets(s, f, names[:1], sets)
}

// readBeside reads files of a directory and below it. A scenario's own limit tells
// what is too large.
func readBeside(dir string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		d, err := hostdir.OpenDir(dir)
		if err != nil {
			return nil, err
		}
		defer d.Close()
		return d.Read(name, scenarios.MaxBesideBytes)
	}
}

// LooksLikePath reports whether a name is meant as a path, or as standard input.
func LooksLikePath(name string) bool {
	return name == Stdin || strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// IsScenario reports whether a name is one of the library's scenarios or a scenario's file.
func IsScenario(name string) bool {
	return slices.Contains(scenarios.Names(), name) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// unnamed says what is here by a name that the library does not have.
func unnamed(name string) error {
	if _, err := readLimited(name); err != nil {
		return err
	}
	return ui.Failf(ui.Usage, "%s is a file here and no name of the library: write %s to read it as a scenario", name, ui.Quote("./"+name))
}

// Stdin is the name of a scenario that standard input is, and what messages call it.
const (
	Stdin      = "-"
	stdinTitle = "stdin"
)

// fromStdin reads the scenario that standard input is, once.
func (p *Project) fromStdin(s *ui.Env) ([]byte, error) {
	if p.stdin == nil {
		text, err := io.ReadAll(io.LimitReader(s.Stdin, maxScenarioBytes+1))
		switch {
		case err != nil:
			return nil, ui.Failf(ui.Operating, "cannot read the scenario from standard input: %w", err)
		case len(text) > maxScenarioBytes:
			return nil, ui.Failf(ui.Operating, "standard input has more than %d MB: it is no scenario", maxScenarioBytes>>20)
		}
		p.stdin = append([]byte{}, bytes.TrimPrefix(text, []byte("\uFEFF"))...)
	}
	return p.stdin, nil
}

// SettingsFile is the name of a file with flags that are given each time.
const SettingsFile = "agentsim.yaml"

// misplaced says what to write where a directory or a recorded session is named in a
// scenario's place.
func misplaced(name string) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return ui.Failf(ui.Usage, "%s is a directory: name a scenario file in it, or run all of them by agentsim bench %s", name, ui.Quote(name))
	case err == nil && (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.gz")):
		return ui.Failf(ui.Usage, "%s is no scenario: agentsim import %s reads the recorded sessions in it", name, ui.Quote(name))
	}
	return nil
}

// profileText is how a profile begins, behind its comments.
var profileText = regexp.MustCompile(`\A(?:#[^\n]*\n|\s*\n)*profile: \d+\s`)

// maxScenarioBytes bounds a scenario file.
const maxScenarioBytes = 16 << 20

// readLimited reads a whole file, but no monster.
func readLimited(name string) ([]byte, error) {
	if err := misplaced(name); err != nil {
		return nil, err
	}
	src, err := hostdir.Text(name, maxScenarioBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, missing := os.Lstat(name); missing == nil {
			return nil, ui.Failf(ui.Operating, "%s: cannot read the scenario: it is a link that leads nowhere", name)
		}
		return nil, ui.Failf(ui.Operating, "%s: there is no such file; agentsim scenario list names those of the library", name)
	case err != nil:
		return nil, ui.Failf(ui.Operating, "%s: cannot read the scenario: %w", name, err)
	}
	return src, nil
}

// NamesOf are the names of variants.
func NamesOf(specs []*sim.Spec) (names []string) {
	for _, spec := range specs {
		names = append(names, spec.Variant)
	}
	return names
}

// WarnIdle warns of what a file, or one of these variants, sets and nothing reads, with
// overrides or without.
func WarnIdle(s *ui.Env, file *scenarios.File, names, sets []string) {
	for _, x := range file.Idle(sets, names...) {
		mine := func(name string) bool { return name == x.Variant || strings.HasPrefix(name, x.Variant+"[") }
		if x.Variant == "" || slices.ContainsFunc(names, mine) {
			s.Tell("%s", x)
		}
	}
}

// Ended is how the runs of a harness ended: with an error, by an interrupt, of which lost
// says what it leaves, or with a mistake in what a file says of agents.
func Ended(s *ui.Env, h *harness.Harness, err error, lost string) error {
	switch {
	case err != nil:
		return err
	case h.Stop.Has():
		return ui.Failf(ui.Interrupted, "interrupted; %s", lost)
	}
	return WarnUnstruck(s, h)
}

// Variants reads a scenario that is not run over a grid, with the names of those of its
// variants that are wanted, nil for all.
func (p *Project) Variants(s *ui.Env, name string, sets, wanted []string) (*Loaded, []string, error) {
	on, err := p.Scenario(s, name, sets)
	if err == nil {
		NoteSweep(s, on.File, name)
		err = on.Over(nil, sets)
	}
	if err != nil {
		return nil, nil, err
	}
	names, err := harness.Variants(on.File, wanted)
	if err != nil {
		return nil, nil, err
	}
	return on, names, CheckSets(s, on.File, names, sets)
}

// NoteSweep says that a command does not run the sweep of a file, which has a name.
func NoteSweep(s *ui.Env, f *scenarios.File, name string) {
	if len(f.Sweep) > 0 {
		s.Tell("%s: its sweep is not run here; agentsim sweep %s runs it", name, ui.Quote(name))
	}
}

// WarnUnstruck warns of what the files of these runs say for agents and tools that
// there were not; a fault of a file as it is written is a mistake in it.
func WarnUnstruck(s *ui.Env, h *harness.Harness) error {
	h.Progress.Finish()
	told, err := h.Unstruck()
	for _, x := range told {
		s.Tell("%s", x)
	}
	return err
}

// CheckSets refuses overrides that none of these variants reads, and warns of what
// is given twice.
func CheckSets(s *ui.Env, file *scenarios.File, names, sets []string) error {
	twice, err := file.CheckSets(names, sets)
	for _, line := range twice {
		s.Tell("%s", line)
	}
	return err
}
