package loading

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/project"
	"agentsim/sim/workspace"

	"github.com/spf13/pflag"
)

// Project is a directory that takes the place of a scenario's own project. Without
// one it leaves scenarios as they are.
type Project struct {
	Dir   string // as given; "" for none
	Named bool   // by the command line: what a file says of its own project does not hold
	home  string
	Own   []string // files of this program's that are no part of it, as given

	Files *workspace.Snapshot
	sets  []string
	file  *scenarios.File
	root  *hostdir.Dir
	user  *hostdir.Dir // nil where the user's directory is not read
	git   *project.Git
	found map[string]*project.Found // by layout and window
	over  []string                  // what stands over what was found
}

// Add adds the flags.
func (p *Project) Add(f *pflag.FlagSet) {
	f.StringVar(&p.Dir, "project", "", "a `directory` in place of the scenario's own project: its files, CLAUDE.md, git status, agents, skills, MCP servers, settings")
	f.StringVar(&p.home, "home", "", "the user's `directory`, whose .claude counts too with --project; not read by default")
}

// Words are the flags as they were given.
func (p *Project) Words() (out []string) {
	if p.Named {
		out = append(out, "--project", p.Dir)
	}
	if p.home != "" {
		out = append(out, "--home", p.home)
	}
	return out
}

// Scenario reads a scenario, and the directory that the flag or the scenario names.
func (p *Project) Scenario(s *ui.Env, name string, sets []string) (*scenarios.File, error) {
	p.sets, p.Named = sets, p.Named || p.Dir != "" && p.Files == nil
	if !p.Named {
		file, err := Scenario(name)
		if err != nil || file.Directory() == "" {
			return file, err
		}
		if p.Dir = file.Directory(); !filepath.IsAbs(p.Dir) {
			p.Dir = filepath.Join(filepath.Dir(name), p.Dir)
		}
	}
	if p.Files == nil {
		if err := p.open(s); err != nil {
			return nil, err
		}
	}
	var err error
	p.file, err = Scenario(name, scenarios.OnDirectory(p.Files.Open().Paths()))
	return p.file, err
}

// open reads the directory.
func (p *Project) open(s *ui.Env) error {
	limits := hostdir.Limits{}
	for _, name := range p.Own {
		if real := hostdir.Real(name); real != "" {
			limits.Own = append(limits.Own, real)
		}
	}
	files, refused, err := hostdir.Read(p.Dir, limits)
	if err != nil {
		return ui.Fail(ui.Operating, err)
	}
	if refused.Total() > 0 {
		fmt.Fprintf(s.Stderr, "%s: %s taken, left out: %s\n", p.Dir, ui.Plural(files.Len(), "file"), refused)
	}
	Problems(s, LeftOut(p.Dir, refused))
	if p.root, err = hostdir.OpenDir(p.Dir); err == nil && p.home != "" {
		p.user, err = hostdir.OpenDir(p.home)
	}
	if err != nil {
		return ui.Failf(ui.Operating, "--home %s: %w", p.home, err)
	}
	g, err := hostdir.ReadGit(p.Dir, limits, refused.Own)
	if err != nil {
		return ui.Failf(ui.Operating, "project directory %s: %w", p.Dir, err)
	}
	if g != nil {
		p.git = &project.Git{Branch: g.Branch, Main: g.Main, Status: g.Status, Commits: g.Commits}
	}
	p.Files, p.found = files, map[string]*project.Found{}
	for _, f := range []*project.Found{p.read(client.Default, 0)} {
		Problems(s, f.Problems)
	}
	return nil
}

// Close closes the directories.
func (p *Project) Close() {
	for _, d := range []*hostdir.Dir{p.root, p.user} {
		if d != nil {
			_ = d.Close() // it was read only
		}
	}
}

// read finds what the directory holds for a layout.
func (p *Project) read(layout string, window int64) *project.Found {
	key := fmt.Sprint(layout, window)
	if p.found[key] == nil {
		from := project.Source{Dir: p.root, Name: filepath.ToSlash(filepath.Clean(p.Dir)), Path: hostdir.Real(p.Dir), HomeName: p.home, Git: p.git}
		if p.user != nil {
			from.Home = p.user
		}
		p.found[key] = project.Read(from, client.Find(layout), window)
	}
	return p.found[key]
}

// Into makes what was found part of a variant, so that a replay has it: what the
// scenario says itself stands over it.
func (p *Project) Into(sc *scenarios.Scenario, variant string) {
	sc.Project.Directory = ""
	if p.Files == nil {
		return
	}
	of := &sc.Project
	if p.Named {
		if !p.says(variant, "project.claude_md") {
			of.ClaudeMd = nil
		}
		if !p.says(variant, "project.git_status") {
			of.GitStatus = nil
		}
		of.Parts = nil
	}
	if of.Client == "" && sc.Stack != scenarios.MinimalStack {
		of.Client = client.Default
	}
	found := p.of(sc)
	p.settings(sc, variant, &found.Settings)
	own := of.Parts
	for _, x := range found.Parts {
		kind := string(x.Kind)
		switch {
		case x.Kind == client.Memory && of.ClaudeMd != nil:
			p.stands("project.claude_md", "the directory's CLAUDE.md")
		case x.Kind == client.Git && of.GitStatus != nil:
			p.stands("project.git_status", "the directory's git status")
		case slices.ContainsFunc(own, func(o scenarios.FrontPart) bool { return o.Kind == kind }):
			p.stands("project.parts", "what the directory has of kind "+kind)
		default:
			text := scenarios.Content{Text: x.Text}
			if x.Bytes > 0 {
				text = scenarios.Content{Bytes: x.Bytes, Class: "json"}
			}
			of.Parts = append(of.Parts, scenarios.FrontPart{Kind: kind, Name: x.Name, From: x.From, Text: text})
		}
	}
}

// of is what the directory holds for a variant.
func (p *Project) of(sc *scenarios.Scenario) *project.Found {
	window := int64(0)
	if profile, err := cachemodel.Lookup(sc.Provider.ModelID(sc.Provider.Model)); err == nil {
		window = profile.Window
	}
	return p.read(cmp.Or(sc.Project.Client, client.Seeds), window)
}

// says reports whether the user says something at a path: in the file too, unless it
// tells of a project that the command line's takes the place of.
func (p *Project) says(variant, path string) bool {
	if p.Named && strings.HasPrefix(path, "project.") {
		return slices.ContainsFunc(p.sets, func(set string) bool { return strings.HasPrefix(set, path+"=") || strings.HasPrefix(set, path+".") })
	}
	return p.file.Gives(variant, p.sets, path)
}

// settings lays the directory's settings below the scenario's.
func (p *Project) settings(sc *scenarios.Scenario, variant string, s *project.Settings) {
	rules := &sc.Permissions
	for _, l := range [...]struct {
		key  string
		to   *[]string
		from []project.Setting
	}{{"deny", &rules.Deny, s.Deny}, {"ask", &rules.Ask, s.Ask}, {"allow", &rules.Allow, s.Allow}} {
		for _, r := range l.from {
			if !slices.Contains(*l.to, r.Value) {
				*l.to = append(slices.Clone(*l.to), r.Value)
			}
		}
	}
	p.setting(variant, "provider.model", s.Model, func(v string) bool {
		_, err := cachemodel.Lookup(sc.Provider.ModelID(v))
		if err == nil {
			sc.Provider.Model = v
		}
		return err == nil
	})
	p.setting(variant, "provider.ttl", s.TTL, ttl(&sc.Provider.TTL))
	p.setting(variant, "provider.subagent_ttl", s.SubagentTTL, ttl(&sc.Provider.SubagentTTL))
}

func ttl(to *llm.TTL) func(string) bool {
	return func(v string) bool {
		for _, t := range []llm.TTL{llm.TTL5m, llm.TTL1h} {
			if v == t.String() {
				*to = t
				return true
			}
		}
		return false
	}
}

// setting lets one setting hold where the scenario says nothing.
func (p *Project) setting(variant, path string, s project.Setting, set func(string) bool) {
	switch {
	case s.Value == "":
	case p.says(variant, path):
		p.stands(path, s.Value+" of "+s.From)
	case !set(s.Value):
		p.stand(fmt.Sprintf("%s of %s is not known here, so %s is as the scenario has it", s.Value, s.From, path))
	default:
		p.stand(fmt.Sprintf("%s %s comes from %s", path, s.Value, s.From))
	}
}

func (p *Project) stands(path, over string) {
	p.stand("the scenario's " + path + " takes the place of " + over)
}

func (p *Project) stand(line string) {
	if !slices.Contains(p.over, line) {
		p.over = append(p.over, line)
	}
}

// ErrNoDirectory tells of a scenario that takes a directory where none is read.
var ErrNoDirectory = errors.New("it takes a directory for its project: agentsim run, bench and sweep read one")
