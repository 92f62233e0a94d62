package loading

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/project"
	"agentsim/sim/workspace"

	"github.com/spf13/pflag"
)

// Project is where scenarios' projects come from, as flags say.
type Project struct {
	Dir     string   // in place of scenarios' own projects; "" for none
	Home    string   // the user's directory; "" is not read
	Head    string   // a file with the client's own head, in place of scenarios' own; "" for none
	Defined bool     // flags name definitions of agents besides
	Own     []string // files of this program's that are no part of a project, as given

	Profile string // of the binary by name, or a file, in place of scenarios' own; "" for none
	Prices  Prices // in place of scenarios' own

	stdin []byte // the scenario that it was; nil before it is read
	open  map[string]*directory
	heads map[string][]scenarios.FrontPart // by file
	// Steady leaves out what changes with every commit: a gate would be red after each.
	Steady bool
}

// Add adds the flags.
func (p *Project) Add(f *pflag.FlagSet) {
	f.StringVar(&p.Dir, "project", "", "a `directory` in place of the scenario's own project: its files, CLAUDE.md, git status, agents, skills, MCP servers, settings")
	f.StringVar(&p.Home, "home", "", "the user's `directory`, whose .claude counts too where there is a project's; not read by default")
	f.StringVar(&p.Head, "heads", "", "a `file` with one request as your client sent it: its system prompt and tools in place of the simulated client's")
	f.StringVar(&p.Profile, "profile", "", "draw what the scenario does not say itself from this `profile`, of the binary by name or a file that agentsim profile wrote")
	p.Prices.Add(f)
}

// Sets are overrides of a scenario with those that the flags come to before them.
func (p *Project) Sets(sets []string) []string {
	if p.Profile == "" {
		return sets
	}
	return append([]string{"profile=" + p.Profile}, sets...)
}

// Words are the flags as they were given.
func (p *Project) Words() []string {
	return ui.Flags("--project", p.Dir, "--home", p.Home, "--heads", p.Head, "--prices", p.Prices.Name)
}

// Close closes the directories.
func (p *Project) Close() {
	for _, d := range p.open {
		d.close()
	}
}

// Scenario reads a scenario, and the directory and the profile that the flags, the
// overrides or the scenario name.
func (p *Project) Scenario(s *ui.Env, name string, sets []string) (*Loaded, error) {
	if err := p.Prices.Read(); err != nil {
		return nil, err
	}
	l := &Loaded{sets: sets, named: p.Dir != "", flags: p}
	l.foreign = l.named && !LooksLikePath(name)
	opts := []scenarios.Option{scenarios.Setting(sets)}
	if p.Defined {
		opts = append(opts, scenarios.Defining)
	}
	text := func() ([]byte, error) { return readLimited(name) }
	read := func(opts ...scenarios.Option) (*scenarios.File, error) { return Scenario(name, opts...) }
	path := LooksLikePath(name)
	if name == Stdin {
		src, err := p.fromStdin(s)
		if err != nil {
			return nil, err
		}
		name = stdinTitle
		text = func() ([]byte, error) { return src, nil }
		read = func(opts ...scenarios.Option) (*scenarios.File, error) { return parsed(stdinTitle, src, opts...) }
	}
	dir, own := p.Dir, []string{name, p.Head, p.Profile, p.Prices.Name}
	if dir == "" {
		src, err := text()
		said, heads := scenarios.ProjectOf(src)
		if err != nil || said == "" || !path {
			if l.File, err = read(opts...); err == nil {
				err = offer(l.File, sets, p.Profile)
			}
			return l, err
		}
		dir, own = beside(name, said), append(own, beside(name, heads))
	}
	var err error
	if l.dir, err = p.directory(s, dir, own); err != nil {
		return nil, err
	}
	if l.File, err = read(append(opts, scenarios.OnDirectory(l.dir.files.Open().Paths()))...); err == nil {
		err = offer(l.File, sets, p.Profile)
	}
	return l, err
}

// directory is one that was read.
type directory struct {
	name  string // as given
	files *workspace.Snapshot
	from  project.Source
	close func()
	found map[string]*project.Found // by layout and window
}

// directory reads one, once. What this program wrote is no part of it, nor are the
// scenario and other files of its own.
func (p *Project) directory(s *ui.Env, dir string, own []string) (*directory, error) {
	if d := p.open[dir]; d != nil {
		return d, nil
	}
	limits := hostdir.Limits{}
	for _, name := range append(p.Own, own...) {
		if real := hostdir.Real(name); name != "" && real != "" {
			limits.Own = append(limits.Own, real)
		}
	}
	files, refused, err := hostdir.Read(dir, limits)
	if err != nil {
		return nil, ui.Fail(ui.Operating, err)
	}
	if refused.Total() > 0 {
		s.Tell("%s: %s taken, left out: %s", dir, ui.Plural(files.Len(), "file"), refused)
	}
	Problems(s, LeftOut(dir, refused))
	if files.Len() == 0 {
		return nil, ui.Failf(ui.Operating, "%s: it holds no file of text in UTF-8, so agents would have nothing to work on", dir)
	}
	d := &directory{name: filepath.ToSlash(filepath.Clean(dir)), files: files, found: map[string]*project.Found{}}
	if d.from, d.close, err = Source(dir, p.Home, limits); err != nil {
		return nil, err
	}
	Problems(s, d.read(client.Default, 0).Problems)
	if p.open == nil {
		p.open = map[string]*directory{}
	}
	p.open[dir] = d
	return d, nil
}

// read finds what the directory holds for a layout.
func (d *directory) read(layout string, window int64) *project.Found {
	key := fmt.Sprint(layout, window)
	if d.found[key] == nil {
		d.found[key] = project.Read(d.from, client.Find(layout), window)
	}
	return d.found[key]
}

// Loaded is a scenario with the directory that is its project, where it has one.
type Loaded struct {
	*scenarios.File
	dir     *directory // nil for the scenario's own project
	flags   *Project
	named   bool // by the command line: what the file says of its own project does not hold
	foreign bool // a scenario of the library, on another project than its own
	sets    []string
	over    []string // what stands over what was found

	taken aliasing // of models that the directory asks for

	headed   bool // a head of a request is part of some variant
	steadied bool // what git says was left out
}

// Steadied says what a gate leaves out of prompts, "" where that is nothing.
func Steadied(l *Loaded) string {
	if l == nil || !l.steadied {
		return ""
	}
	return "branch, status and last commits are in no prompt here, since each commit changes them; project.git_status takes their place"
}

// Directory is the directory that is the project, "" for the scenario's own.
func (l *Loaded) Directory() string {
	if l.dir == nil {
		return ""
	}
	return l.dir.name
}

// Foreign says whose claims the scenario's expectations are, where they need not hold:
// those of the library are about its own projects. It is "" where they bind.
func Foreign(l *Loaded) string {
	if l == nil || !l.foreign {
		return ""
	}
	return "made for the scenario's own project, not for " + l.dir.name
}

// Over gives the scenario other axes for its sweep, and overrides.
func (l *Loaded) Over(axes []scenarios.Axis, sets []string) (err error) {
	l.sets = sets
	l.File, err = l.File.Over(axes, sets)
	return err
}

// Maker makes the specs of the scenario's variants; more goes into each.
func (l *Loaded) Maker(more func(*scenarios.Scenario)) *harness.Maker {
	m := &harness.Maker{File: l.File, Sets: l.sets, Elsewhere: l.named, Adapt: func(sc *scenarios.Scenario, variant string) error {
		l.into(sc, variant)
		if l.flags.Prices.Prices != nil {
			sc.Provider.Prices = l.flags.Prices.Prices
		}
		if more != nil {
			more(sc)
		}
		if l.dir != nil {
			l.taken.definitions(sc, l.dir.files)
		}
		if err := l.flags.headInto(l, sc); err != nil {
			return err
		}
		if l.dir != nil {
			tools(sc)
		}
		return nil
	}}
	if l.dir != nil {
		m.Project = l.dir.files
	}
	return m
}

// into makes what was found part of a variant, so that a replay has it: what the
// scenario says itself stands over it.
func (l *Loaded) into(sc *scenarios.Scenario, variant string) {
	if l.dir == nil {
		return
	}
	sc.Project.Directory = ""
	of := &sc.Project
	if l.named {
		if !l.says(variant, "project.claude_md") {
			of.ClaudeMd = nil
		}
		if !l.says(variant, "project.git_status") {
			of.GitStatus = nil
		}
		of.Parts = nil
	}
	if of.GitStatus == nil && !l.says(variant, "project.repository") {
		of.Repository = l.dir.repository()
	}
	if of.Client == "" && sc.Stack != scenarios.MinimalStack {
		of.Client = client.Default
	}
	found := l.of(sc)
	l.settings(sc, variant, &found.Settings)
	own := of.Parts
	for _, x := range found.Parts {
		kind := string(x.Kind)
		switch {
		case x.Kind == client.Memory && of.ClaudeMd != nil:
			l.stands("project.claude_md", "the directory's CLAUDE.md")
		case x.Kind == client.Git && of.GitStatus != nil:
			l.stands("project.git_status", "the directory's git status")
		case x.Kind == client.Git && l.flags.Steady:
			l.steadied = true
		case slices.ContainsFunc(own, func(o scenarios.FrontPart) bool { return o.Kind == kind }):
			l.stands("project.parts", "what the directory has of kind "+kind)
		default:
			part := scenarios.FrontPart{Kind: kind, Name: x.Name, From: x.From, Text: contentOf(&x)}
			if x.Defined != nil {
				part.Definition = contentOf(x.Defined)
			}
			of.Parts = append(of.Parts, part)
		}
	}
}

// repository is what the directory is in, as a scenario says it: "" where something was
// committed. What was not committed counts as if it were.
func (d *directory) repository() string {
	switch g := d.from.Git; {
	case g == nil:
		return scenarios.NoRepository
	case len(g.Commits) == 0:
		return scenarios.Uncommitted
	}
	return ""
}

// uncommitted says that what is not committed counts as committed in a run, nothing where
// there is no such thing.
func (d *directory) uncommitted(sc *scenarios.Scenario) []string {
	if r := sc.Project.Repository; d.from.Git == nil || len(d.from.Git.Status) == 0 || r == scenarios.NoRepository || r == scenarios.Uncommitted {
		return nil
	}
	return []string{"the project's files as they are count as committed: git in agents' shells and worktrees shows nothing of the status that stands in prompts"}
}

// tools gives roots of a scenario on a directory whose tools nothing names those that
// their client has: sub-agents whose definitions list none have them too.
func tools(sc *scenarios.Scenario) {
	part := func(k client.Kind) bool {
		return slices.ContainsFunc(sc.Project.Parts, func(x scenarios.FrontPart) bool { return client.Kind(x.Kind) == k })
	}
	layout := client.Find(sc.Project.Client)
	if layout == nil || sc.Coordinates() || part(client.Tool) {
		return
	}
	names := layout.Tools
	if part(client.Skills) {
		names = append(slices.Clone(names), layout.Row(client.Skills).Needs)
	}
	set := func(root *scenarios.Root) {
		if root != nil && root.Tools == nil {
			root.Tools = &names
		}
	}
	set(sc.Main)
	for i := range sc.Roots {
		set(&sc.Roots[i])
	}
}

// contentOf is what a part says, or its assumed size.
func contentOf(x *project.Part) scenarios.Content {
	if x.Bytes > 0 {
		return scenarios.Content{Bytes: x.Bytes, Class: "prose"}
	}
	return scenarios.Content{Text: x.Text}
}

// of is what the directory holds for a variant.
func (l *Loaded) of(sc *scenarios.Scenario) *project.Found {
	window := int64(0)
	if profile, err := cachemodel.Lookup(sc.Provider.ModelID(sc.Provider.Model)); err == nil {
		window = profile.Window
	}
	return l.dir.read(cmp.Or(sc.Project.Client, client.Seeds), window)
}

// says reports whether the user says something at a path: in the file too, unless it
// tells of a project that the command line's takes the place of.
func (l *Loaded) says(variant, path string) bool {
	if l.named && strings.HasPrefix(path, "project.") {
		return slices.ContainsFunc(l.sets, func(set string) bool { return strings.HasPrefix(set, path+"=") || strings.HasPrefix(set, path+".") })
	}
	return l.File != nil && l.Gives(variant, l.sets, path)
}

// settings lays the directory's settings below the scenario's.
func (l *Loaded) settings(sc *scenarios.Scenario, variant string, s *project.Settings) {
	rules := &sc.Permissions
	for _, list := range [...]struct {
		key  string
		to   *[]string
		from []project.Setting
	}{{"deny", &rules.Deny, s.Deny}, {"ask", &rules.Ask, s.Ask}, {"allow", &rules.Allow, s.Allow}} {
		for _, r := range list.from {
			if !slices.Contains(*list.to, r.Value) {
				*list.to = append(slices.Clone(*list.to), r.Value)
			}
		}
	}
	l.setting(variant, "provider.model", s.Model, func(v string) bool {
		l.taken.resolve(&sc.Provider, v)
		_, err := cachemodel.Lookup(sc.Provider.ModelID(v))
		if err == nil {
			sc.Provider.Model = v
		}
		return err == nil
	})
	l.setting(variant, "provider.subagent_model", s.SubagentModel, func(v string) bool {
		l.taken.resolve(&sc.Provider, v)
		_, err := cachemodel.Lookup(sc.Provider.ModelID(v))
		if err == nil {
			sc.Provider.SubagentModel = v
		}
		return err == nil
	})
	l.setting(variant, "provider.ttl", s.TTL, ttl(&sc.Provider.TTL))
	l.setting(variant, "provider.subagent_ttl", s.SubagentTTL, ttl(&sc.Provider.SubagentTTL))
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
func (l *Loaded) setting(variant, path string, s project.Setting, set func(string) bool) {
	switch {
	case s.Value == "":
	case l.says(variant, path):
		l.stands(path, s.Value+" of "+s.From)
	case !set(s.Value):
		l.stand(fmt.Sprintf("%s of %s is not known here, so %s is as the scenario has it", s.Value, s.From, path))
	default:
		l.stand(fmt.Sprintf("%s %s comes from %s", path, s.Value, s.From))
	}
}

func (l *Loaded) stands(path, over string) {
	l.stand("the scenario's " + path + " takes the place of " + over)
}

func (l *Loaded) stand(line string) {
	if !slices.Contains(l.over, line) {
		l.over = append(l.over, line)
	}
}
