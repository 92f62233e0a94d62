package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/baseline"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/agent"
	"agentsim/sim/definition"
	"agentsim/sim/tool"
)

// definitionsName is the generated scenario's name in a baseline. It does not
// depend on where the directory lies, which differs between machines.
const definitionsName = "definitions"

// holdsDefinitions reports whether a directory is one of agent definitions: it
// has .claude/agents, or Markdown files and no scenarios.
func holdsDefinitions(dir string) bool {
	if info, err := os.Stat(filepath.Join(dir, ".claude", "agents")); err == nil && info.IsDir() {
		return true
	}
	md, _ := filepath.Glob(filepath.Join(dir, "*.md")) // the patterns are good
	yaml, _ := filepath.Glob(filepath.Join(dir, "*.y*ml"))
	nested, err := os.Stat(filepath.Join(dir, "agents"))
	return len(yaml) == 0 && (len(md) > 0 || err == nil && nested.IsDir())
}

// addDefinitions makes a scenario of a directory of agent definitions: the main
// agent starts each of them twice, side by side, and each takes two turns.
func (x *selection) addDefinitions(s *ui.Env, dir string, project *loading.Project) error {
	if x.has(definitionsName) {
		return ui.Failf(ui.Usage, "%s: one directory of definitions at a time: a baseline knows them as %s", dir, definitionsName)
	}
	files, problems, err := loading.ReadDefinitions(dir)
	if err != nil {
		return err
	}
	source := definition.Source{From: agent.FromUser, Root: filepath.ToSlash(filepath.Clean(dir)), Files: files}
	if slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(p string) bool { return strings.HasPrefix(p, ".claude/") }) {
		source.From = agent.FromProject
		if err := readAlong(dir, files); err != nil {
			return err
		}
	}
	set, err := sim.Definitions(scenarios.Defaults(), []definition.Source{source})
	if err != nil {
		return err
	}
	x.problems = append(append(x.problems, problems...), set.Problems...)
	var usable []*agent.Definition
	for _, d := range set.Definitions {
		switch {
		case d.BuiltIn():
		case len(d.Refused) > 0:
			x.left = append(x.left, fmt.Sprintf("%s: agent %q is left out: it cannot be started: %s", d.Place, d.Type, strings.Join(d.Refused, "; ")))
		case modelOf(d) != "":
			if _, err := cachemodel.Lookup(modelOf(d)); err != nil {
				x.left = append(x.left, fmt.Sprintf("%s: agent %q is left out: %v", d.Place, d.Type, err))
				continue
			}
			fallthrough
		default:
			usable = append(usable, d)
			x.starts = append(x.starts, d.Type)
		}
	}
	if len(usable) == 0 {
		x.none = dir
		return nil
	}
	text, once, err := definitionsText(usable, source)
	if err != nil {
		return err
	}
	x.left = append(x.left, once...)
	f, err := scenarios.Parse(filepath.ToSlash(filepath.Join(dir, "generated.yaml")), text)
	if err != nil {
		return ui.Failf(ui.Operating, "%s: no scenario can be made of these definitions\n%w", dir, err)
	}
	x.files = append(x.files, f)
	if source.From != agent.FromProject {
		return nil
	}
	x.on[f], err = project.InFrontOf(s, f, dir)
	return err
}

// guardAliases are what definitions may call models.
var guardAliases = map[string]string{"haiku": "claude-haiku-4-5-20251001", "sonnet": guardModel, "opus": "claude-opus-4-5-20251101"}

// modelOf is the id of a definition's own model, "" for its caller's.
func modelOf(d *agent.Definition) string {
	if d.Model == "inherit" {
		return ""
	}
	if id, ok := guardAliases[d.Model]; ok {
		return id
	}
	return d.Model
}

// readAlong adds what definitions of a project refer to.
func readAlong(dir string, files map[string]string) error {
	in, err := hostdir.OpenDir(dir)
	if err != nil {
		return ui.Failf(ui.Operating, "%s: %w", dir, err)
	}
	defer in.Close()
	for _, pattern := range []string{".claude/commands/*.md", ".claude/skills/*/SKILL.md"} {
		found, _ := fs.Glob(in, pattern) // the pattern is good
		for _, name := range found {
			text, err := in.ReadFile(name)
			if err != nil {
				return ui.Failf(ui.Operating, "%s: %w", filepath.Join(dir, name), err)
			}
			files[name] = string(text)
		}
	}
	return nil
}

// tellLeft says what is wrong with definitions and which take no part.
func tellLeft(s *ui.Env, x *selection) error {
	loading.Problems(s, x.problems)
	for _, line := range x.left {
		fmt.Fprintln(s.Stderr, line)
	}
	if x.none != "" {
		return ui.Failf(ui.Operating, "%s: no definition in it can be used", x.none)
	}
	return nil
}

// started makes sure that every definition of the generated scenario took part.
func (x *selection) started(r *baseline.Run) error {
	if r.Scenario != definitionsName || r.Requests == nil {
		return nil
	}
	for _, typ := range x.starts {
		if !r.Requests.Has(typ) {
			return ui.Failf(ui.Operating, "agent %q could not be started in the generated run: agentsim run --project tells why, with a scenario that starts it", typ)
		}
	}
	return nil
}

// broken are what makes definitions unusable, each once.
func (x *selection) broken() (out []*definition.Problem) {
	for _, p := range x.problems {
		if !p.Warning && !slices.ContainsFunc(out, func(o *definition.Problem) bool { return o.Error() == p.Error() }) {
			out = append(out, p)
		}
	}
	return out
}

// unusable is how many definitions are broken.
func (x *selection) unusable() int {
	files := map[string]bool{}
	for _, p := range x.broken() {
		files[p.File] = true
	}
	return len(files)
}

// brokenErr is how a command ends that had to leave definitions out; what is
// wrong has been told.
func (x *selection) brokenErr() error {
	if x.unusable() == 0 {
		return nil
	}
	return &ui.Failure{Code: ui.Operating}
}

// doc is a mapping of the generated scenario. JSON is YAML.
type doc map[string]any

// definitionsText is the scenario as text, and which definitions take one turn
// only.
func definitionsText(defs []*agent.Definition, source definition.Source) (text []byte, once []string, err error) {
	texts := maps.Clone(source.Files)
	maps.DeleteFunc(texts, func(_, t string) bool { return !utf8.ValidString(t) })
	project := doc{"files": doc{notesFile: "One line.\n"}}
	if source.From == agent.FromProject {
		texts[notesFile] = "One line.\n"
		project["files"] = texts
	} else {
		project["agents"] = doc{"user": texts}
	}
	main := []doc{}
	answers := []doc{}
	for i, d := range defs {
		var starts []doc
		for _, part := range []string{"first", "second"} {
			starts = append(starts, doc{"name": "Agent", "input": doc{"description": part + " of two starts", "prompt": strings.ToUpper(part[:1]) + part[1:] + " part: look and report.", "subagent_type": d.Type}})
		}
		main = append(main, doc{"tools": starts})
		turns := []doc{}
		if use := looking(d); use != nil {
			turns = append(turns, doc{"tools": []doc{use}})
		} else {
			once = append(once, fmt.Sprintf("%s: agent %q takes one turn: it has no tool to take a second one with", d.Place, d.Type))
		}
		turns = append(turns, doc{"text": "Scope: one part. Result: done."})
		answers = append(answers, doc{"agent": fmt.Sprintf("main/%d.*", i+1), "turns": turns})
	}
	for range 2*len(defs) + 1 {
		main = append(main, doc{"text": "Noted."})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err = e.Encode(doc{
		"agentsim": scenarios.Version, "name": definitionsName, "lab": doc{"interactive": true}, "provider": doc{"model": guardModel, "aliases": guardAliases, "latency": doc{"profile": "instant"}},
		"project": project, "script": doc{
			"main":    doc{"user": "Have the work done.", "tools": offeredTools()},
			"answers": append([]doc{{"agent": "main", "turns": main}}, answers...)},
	})
	return b.Bytes(), once, err
}

const (
	notesFile  = "notes.md"
	guardModel = "claude-sonnet-5-5"
)

// offeredTools are all tools that agents can act through, those included that a
// scenario has to name.
func offeredTools() (out []string) {
	for _, t := range tool.Catalogue() {
		if t.Implemented() {
			out = append(out, t.Name)
		}
	}
	return out
}

// looking is a tool use with which a definition's agent takes a turn: one that
// only looks where it has such a tool, else any; nil when it has none. What it
// comes to does not matter: a failed use is a turn too.
func looking(d *agent.Definition) doc {
	var all []*tool.Tool
	for _, t := range tool.Catalogue() {
		if t.Implemented() {
			all = append(all, t)
		}
	}
	pool := tool.Filter(all, tool.Subject{BuiltIn: d.BuiltIn(), Async: d.Background, RunMode: d.Mode}, d.Tools, d.Disallowed)
	for _, u := range []struct {
		name  string
		input doc
	}{{"Read", doc{"file_path": notesFile}}, {"Glob", doc{"pattern": "*.md"}}, {"Grep", doc{"pattern": "line"}}} {
		if pool.Find(u.name) != nil {
			return doc{"name": u.name, "input": u.input}
		}
	}
	if len(pool.Tools) == 0 {
		return nil
	}
	return doc{"name": pool.Tools[0].Name, "input": doc{}}
}
