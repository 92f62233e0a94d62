package loading

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/agent"
	"agentsim/sim/definition"

	"github.com/spf13/pflag"
)

// Definitions are the places that agent definitions come from beside the
// project.
type Definitions struct {
	user    string
	managed string
	plugins []string
	json    string
}

// Add adds the flags.
func (d *Definitions) Add(f *pflag.FlagSet) {
	f.StringVar(&d.user, "agents", "", "a user's `directory` of agent definitions: .claude/agents, agents, or the files themselves")
	f.StringVar(&d.managed, "managed-dir", "", "the `directory` of policy: .claude/agents and managed-settings.json")
	f.StringArrayVar(&d.plugins, "plugin-dir", nil, "the `directory` of a plugin with agents; may be repeated")
	f.StringVar(&d.json, "agents-json", "", "agent definitions as a `JSON` object of names")
}

// Words are the flags as they were given.
func (d *Definitions) Words() []string {
	out := ui.Flags("--agents", d.user, "--managed-dir", d.managed, "--agents-json", d.json)
	for _, p := range d.plugins {
		out = append(out, ui.Flags("--plugin-dir", p)...)
	}
	return out
}

// Sources reads the directories that flags name. Paths in messages begin with
// the directory as it was given.
func (d *Definitions) Sources() (out []definition.Source, problems []*definition.Problem, err error) {
	take := func(dir string, s definition.Source) {
		if dir == "" || err != nil {
			return
		}
		var bad []*definition.Problem
		s.Root = dir
		s.Files, bad, err = ReadDefinitions(dir)
		out, problems = append(out, s), append(problems, bad...)
	}
	for _, dir := range d.plugins {
		take(dir, definition.Source{From: agent.FromPlugin, Plugin: pluginName(dir)})
	}
	take(d.user, definition.Source{From: agent.FromUser})
	take(d.managed, definition.Source{From: agent.FromPolicy})
	if d.json != "" {
		var names map[string]json.RawMessage
		if bad := json.Unmarshal([]byte(d.json), &names); bad != nil {
			err = cmp.Or(err, ui.Failf(ui.Usage, "--agents-json: it is no object of names (%w); such as {\"reviewer\": {\"description\": \"reviews\", \"prompt\": \"Review.\"}}", bad))
		}
		out = append(out, definition.Source{From: agent.FromFlag, JSON: d.json})
	}
	return out, problems, err
}

// pluginName is a plugin's directory without what leads to it.
func pluginName(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return filepath.Base(dir)
	}
	return filepath.Base(abs)
}

// ReadDefinitions reads what a directory holds of definitions.
func ReadDefinitions(dir string) (map[string]string, []*definition.Problem, error) {
	if err := CheckDirectory(dir); err != nil {
		return nil, nil, err
	}
	in, err := hostdir.OpenDir(dir)
	if err != nil {
		return nil, nil, ui.Failf(ui.Operating, "%s: %w", dir, err)
	}
	defer in.Close()
	files, problems := definition.Read(in)
	for _, p := range problems {
		p.File = filepath.ToSlash(filepath.Join(dir, p.File))
	}
	return files, problems, nil
}

// CheckDirectory makes sure that there is such a directory.
func CheckDirectory(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ui.Failf(ui.Operating, "%s: there is no such directory", dir)
	case err != nil:
		return ui.Failf(ui.Operating, "%s: %w", dir, err)
	case !info.IsDir():
		return ui.Failf(ui.Operating, "%s is a file: give the directory that holds it", dir)
	}
	return nil
}

// LeftOut are the definitions of a project that were not read.
func LeftOut(dir string, refused hostdir.Refused) (out []*definition.Problem) {
	for _, l := range refused.Agents {
		out = append(out, &definition.Problem{File: filepath.ToSlash(filepath.Join(dir, l.Path)), Line: 1, Col: 1, Msg: "left out: " + l.Why})
	}
	return out
}

// Into makes the sources part of a scenario, so that a replay has them. Files
// that are no text stay out; they have been told.
func Into(sc *scenarios.Scenario, sources []definition.Source) {
	a := &sc.Project.Agents
	for _, s := range sources {
		files := maps.Clone(s.Files)
		maps.DeleteFunc(files, func(_, text string) bool { return !utf8.ValidString(text) })
		switch s.From {
		case agent.FromPlugin:
			a.Plugins = maps.Clone(a.Plugins)
			if a.Plugins == nil {
				a.Plugins = map[string]scenarios.PluginFiles{}
			}
			a.Plugins[s.Plugin] = scenarios.PluginFiles{Files: files}
		case agent.FromUser:
			a.User = files
		case agent.FromPolicy:
			a.Policy = files
		case agent.FromFlag:
			a.JSON = s.JSON
		}
	}
}

// WarnDefinitions prints what is wrong with the definitions of runs, each thing
// once, under the names of this machine's files.
func WarnDefinitions(s *ui.Env, specs []*sim.Spec, project string, given []definition.Source, problems []*definition.Problem) error {
	for _, spec := range specs {
		sources := sim.DefinitionSources(spec.Scenario, spec.Project)
		for i := range sources {
			if sources[i].From == agent.FromProject && project != "" {
				sources[i].Root, sources[i].Lifetimes = project, true
			}
			for _, g := range given {
				if g.From == sources[i].From && g.Plugin == sources[i].Plugin {
					sources[i] = g
				}
			}
		}
		set, err := sim.Definitions(spec.Scenario, sources)
		if err != nil {
			return err
		}
		problems = append(problems, set.Problems...)
	}
	Problems(s, problems)
	return nil
}

// Problems says what is wrong with definitions.
func Problems(s *ui.Env, problems []*definition.Problem) {
	var told []string
	for _, p := range problems {
		if text := p.Error(); !slices.Contains(told, text) {
			told = append(told, text)
			ui.Explain(s, p)
		}
	}
}

// ProblemTable is what is wrong, for machines.
func ProblemTable(problems []*definition.Problem) *report.Sheet {
	type col = report.Column[*definition.Problem]
	return report.TableOf("problems", problems,
		col{Name: "file", Of: func(p *definition.Problem) report.Value { return report.Text(p.File) }},
		col{Name: "line", Of: func(p *definition.Problem) report.Value { return report.Count(p.Line) }},
		col{Name: "column", Of: func(p *definition.Problem) report.Value { return report.Count(p.Col) }},
		col{Name: "level", Of: func(p *definition.Problem) report.Value {
			if p.Warning {
				return report.Text("warning")
			}
			return report.Text("error")
		}},
		col{Name: "message", Of: func(p *definition.Problem) report.Value { return report.Text(p.Msg) }},
		col{Name: "hint", Of: func(p *definition.Problem) report.Value { return report.Text(p.Hint).If(p.Hint != "") }})
}
