package definition

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/tool"
)

// Outcome is what became of a definition.
type Outcome string

// The outcomes.
const (
	Loaded     Outcome = "loaded"
	Shadowing  Outcome = "shadows the built-in" // of policy alone
	Overridden Outcome = "overridden"           // by a later source
	Shadowed   Outcome = "shadowed"             // a built-in, by policy
	Refused    Outcome = "refused"              // bears a built-in's name
)

// Row is one definition and what became of it.
type Row struct {
	*agent.Definition
	Outcome Outcome
	By      string // the place of the definition that overrides or shadows it
}

// Set is what the sources of a run define.
type Set struct {
	// Definitions are those in force: the listed built-ins in their order, then
	// the others by name.
	Definitions []*agent.Definition
	// Rows are all definitions that could be read, in the order in which they
	// applied; built-ins only where policy shadows them.
	Rows     []Row
	Problems []*Problem // in the order of sources and files
}

// order is the order in which sources apply.
var order = []agent.Source{agent.FromPlugin, agent.FromUser, agent.FromProject, agent.FromFlag, agent.FromPolicy}

// Load reads the sources, whose order among themselves counts only within one
// kind, and lays them over the listed built-ins. The names of all built-ins of
// these gates are reserved, listed or not (DEF-09). tools are names of tools
// beside those of the catalogue.
func Load(sources []Source, listed []*agent.Definition, gates *gate.Set, tools ...string) *Set {
	l := &loader{set: &Set{}, tools: toolNames(), reserved: map[string]bool{}, winners: map[string]int{}}
	for _, name := range tools {
		l.tools[name] = true
	}
	for _, d := range agent.EveryBuiltIn(gates) {
		l.reserved[d.Type] = true
	}
	for _, from := range order {
		for i := range sources {
			if sources[i].From == from {
				l.source(&sources[i])
			}
		}
	}
	l.merge(listed)
	return l.set
}

// toolNames are all names and aliases of tools, and whether anything serves them.
func toolNames() map[string]bool {
	out := map[string]bool{}
	for _, t := range tool.Catalogue() {
		out[t.Name] = t.Implemented()
		for _, a := range t.Aliases {
			out[a] = t.Implemented()
		}
	}
	return out
}

type loader struct {
	set      *Set
	tools    map[string]bool
	reserved map[string]bool
	winners  map[string]int // name → index of its row in force
}

// source reads one source: settings first, so that a file of its own wins.
func (l *loader) source(s *Source) {
	markdown, settings := s.layout()
	for _, p := range settings {
		l.jsonFile(s, s.named(p), s.Files[p], "agents")
	}
	if s.JSON != "" {
		l.jsonFile(s, s.named("--agents-json"), s.JSON, "")
	}
	for _, p := range markdown {
		l.markdown(s, p)
	}
	if nested := s.nested(); s.From == agent.FromProject && len(nested) > 0 {
		l.set.Problems = append(l.set.Problems, &Problem{File: s.named(nested[0]), Line: 1, Col: 1, Warning: true,
			Msg:  "definitions stand directly in .claude/agents: " + strconv.Itoa(len(nested)) + " below it not read, this the first",
			Hint: "move it up"})
	}
}

// Parse reads one Markdown definition. It returns nil for a broken one, and all
// that is wrong with it either way.
func Parse(from agent.Source, name, content string) (*agent.Definition, []*Problem) {
	l := &loader{tools: toolNames()}
	t, content, ok := plainText(name, content)
	if !ok {
		return nil, t.found()
	}
	r := l.parse(from, name, t, content)
	if t.broken {
		return nil, t.found()
	}
	return r.def, t.found()
}

func (l *loader) parse(from agent.Source, name string, t *text, content string) *reader {
	r := l.reader(t, from)
	front, body, ok := split(t, content)
	if !ok {
		return r
	}
	n := frontmatter(t, front)
	if n == nil {
		return r
	}
	r.read(n, "")
	if n.Get("name") == nil || n.Get("name").Kind == document.Null {
		r.def.Type = strings.TrimSuffix(path.Base(name), ".md")
		t.warn(place(1, 1), "name: "+r.def.Type, "there is no name: the file's is taken, %q", r.def.Type)
	}
	r.nameable(r.nameAt())
	r.described(place(1, 1))
	if body = strings.Trim(body, "\n"); strings.TrimSpace(body) == "" {
		t.warn(place(len(t.src.Lines), 1), "write it below the frontmatter", "the prompt is empty")
	}
	r.done(body+"\n", n.Pos)
	return r
}

func (l *loader) reader(t *text, from agent.Source) *reader {
	return &reader{text: t, def: &agent.Definition{Source: from}, tools: l.tools, where: map[string]document.Pos{}}
}

// described demands a description: without one no caller knows when to use it.
func (r *reader) described(at document.Pos) {
	if r.def.Description == "" && !r.broken {
		r.fail(at, "description: when to use the agent", "there is no description")
	}
}

// done fills what follows from the fields.
func (r *reader) done(prompt string, at document.Pos) {
	d := r.def
	d.Prompt = func(*gate.Set) string { return prompt }
	d.Place, d.Fields = r.text.src.Name+":"+strconv.Itoa(at.Line), map[string]string{}
	for key, p := range r.where { // order: each has an entry of its own
		d.Fields[key] = r.text.src.Name + ":" + strconv.Itoa(p.Line)
	}
	if d.Memory != "" {
		d.Tools = remembering(d.Tools)
	}
	if d.Isolation == "remote" {
		p := r.where["isolation"]
		d.Remote = r.text.src.Name + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col) + ": isolation remote is known, but there are no remote environments: write worktree"
	}
}

// remembering is an allow list with the tools that a memory is kept with.
func remembering(tools []string) []string {
	if tools == nil || slices.Contains(tools, "*") {
		return tools
	}
	for _, t := range []string{"Read", "Edit", "Write"} {
		if !slices.Contains(tools, t) {
			tools = append(tools, t)
		}
	}
	return tools
}

// markdown reads one file of a source.
func (l *loader) markdown(s *Source, p string) {
	t, content, ok := plainText(s.named(p), s.Files[p])
	if ok {
		r := l.parse(s.From, p, t, content)
		if !t.broken {
			r.def.Plugin = s.Plugin
			l.take(r, r.nameAt())
		}
	}
	l.set.Problems = append(l.set.Problems, t.found()...)
}

// nameAt is the place of the name, or of the file where it names itself.
func (r *reader) nameAt() document.Pos {
	if p, ok := r.where["name"]; ok {
		return p
	}
	return place(1, 1)
}

// lifetimes are the keys of settings that set lifetimes of the cache, with what sets
// them here.
var lifetimes = map[string]string{"promptCacheTtl": "provider.ttl", "subagentPromptCacheTtl": "provider.subagent_ttl"}

// jsonFile reads the agents of a JSON text: under a key, or the text itself
// where key is "".
func (l *loader) jsonFile(s *Source, name, content, key string) {
	t, content, ok := plainText(name, content)
	defer func() { l.set.Problems = append(l.set.Problems, t.found()...) }()
	if !ok {
		return
	}
	n, bad := parseJSON(content)
	if bad != nil {
		t.fail(place(bad.Line, bad.Col), bad.Hint, "%s", bad.Msg)
		return
	}
	if key != "" {
		if n.Kind != document.Map {
			t.fail(n.Pos, "", "settings are an object, not %s", n.Kind)
			return
		}
		for _, p := range n.Pairs {
			if write := lifetimes[p.Key]; write != "" && !s.Lifetimes {
				t.warn(p.Pos, "write "+write+" in the scenario", "%s has no effect here", p.Key)
			}
		}
		if n = n.Get(key); n == nil {
			return
		}
	}
	if n.Kind != document.Map {
		t.fail(n.Pos, `{"name": {"description": "…", "prompt": "…"}}`, "agents are an object of names, not %s", n.Kind)
		return
	}
	for _, p := range n.Pairs {
		l.jsonAgent(s, t, p)
	}
}

// jsonAgent reads one entry of a mapping of agents. What is wrong with it leaves
// its neighbours alone.
func (l *loader) jsonAgent(s *Source, t *text, p document.Pair) {
	r := l.reader(&text{src: t.src}, s.From)
	defer func() { t.problems = append(t.problems, r.text.found()...) }()
	r.where["name"] = p.Pos
	if p.Val.Kind != document.Map {
		r.fail(p.Val.Pos, `{"description": "…", "prompt": "…"}`, "agent %q is an object, not %s", p.Key, p.Val.Kind)
		return
	}
	prompt := ""
	if v := p.Val.Get("prompt"); v != nil {
		prompt = r.str(v, "prompt")
	} else {
		r.warn(p.Pos, `"prompt": "…"`, "the prompt of agent %q is empty", p.Key)
	}
	r.read(p.Val, "prompt")
	if own := r.def.Type; own != "" && own != p.Key {
		r.warn(p.Val.Get("name").Pos, "leave it out", "agent %q calls itself %q: its key is its name", p.Key, own)
	}
	r.def.Type, r.def.Plugin = p.Key, s.Plugin
	r.described(p.Pos)
	r.done(prompt+"\n", p.Pos)
	if !r.broken {
		l.take(r, p.Pos)
	}
}

// take lays a definition over those before it.
func (l *loader) take(r *reader, at document.Pos) {
	d := r.def
	row := Row{Definition: d, Outcome: Loaded}
	if l.reserved[d.Type] && d.Source != agent.FromPolicy {
		r.fail(at, "give it another name", "%q is the name of a built-in agent, which only policy may shadow", d.Type)
		row.Outcome = Refused
		l.set.Rows = append(l.set.Rows, row)
		return
	}
	if i, ok := l.winners[d.Type]; ok {
		before := &l.set.Rows[i]
		before.Outcome, before.By = Overridden, d.Place
		if before.Source == d.Source && before.Plugin == d.Plugin {
			r.warn(at, "give one of them another name", "agent %q is defined twice: this one replaces that of %s", d.Type, before.Place)
		}
	}
	if l.reserved[d.Type] {
		row.Outcome = Shadowing
	}
	l.winners[d.Type] = len(l.set.Rows)
	l.set.Rows = append(l.set.Rows, row)
}

// merge makes the list in force.
func (l *loader) merge(listed []*agent.Definition) {
	s := l.set
	var others []*agent.Definition
	for _, b := range listed {
		i, shadowed := l.winners[b.Type]
		if !shadowed {
			s.Definitions = append(s.Definitions, b)
			continue
		}
		s.Definitions = append(s.Definitions, s.Rows[i].Definition)
		s.Rows = append(s.Rows, Row{Definition: b, Outcome: Shadowed, By: s.Rows[i].Place})
	}
	for name, i := range l.winners { // order: sorted below
		if !slices.ContainsFunc(s.Definitions, func(d *agent.Definition) bool { return d.Type == name }) {
			others = append(others, s.Rows[i].Definition)
		}
	}
	slices.SortFunc(others, func(a, b *agent.Definition) int { return strings.Compare(a.Type, b.Type) })
	s.Definitions = append(s.Definitions, others...)
}

// Errors are the problems that left something out.
func (s *Set) Errors() (out []*Problem) {
	for _, p := range s.Problems {
		if !p.Warning {
			out = append(out, p)
		}
	}
	return out
}
