package loading

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/heads"
	"agentsim/metrics/report"
	"agentsim/sim"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/project"
	"agentsim/sim/transcript"
)

// standing is one line of what stands in front of agents: all parts of a kind from
// one file.
type standing struct {
	layout         *client.Layout
	kind           client.Kind
	from           string
	bytes, tokens  int64
	who            string
	assumed, twice bool // twice is of a run with several clients
}

// ofScenario is where a part is from that the scenario itself gives.
const ofScenario = "the scenario"

// Tell says what of the directory and of the client's own head stands in front of
// whose messages, for each of the layouts that specs have; nothing without either.
func (l *Loaded) Tell(d *report.Document, specs []*sim.Spec) {
	if !Tells(l) || len(specs) == 0 {
		return
	}
	var rows []standing
	var told []*sim.Spec
	for _, spec := range specs {
		if !slices.ContainsFunc(told, func(x *sim.Spec) bool { return sameFront(x, spec) }) {
			told = append(told, spec)
			layout, whose, of := spec.Layout(), "", ""
			if head := headParts(spec); len(head) > 0 {
				whose = head[0].From
			}
			if l.dir != nil {
				whose, of = l.dir.name, " of its files"
			}
			own := l.standing(spec, layout)
			rows = append(rows, own...)
			files, git := int64(0), ""
			for _, r := range own {
				if r.kind == client.Tool || r.kind == client.Prompt {
					continue // the client's, from a request
				}
				switch {
				case r.kind == client.Git:
					git += ", and " + ui.Count(r.tokens) + " of git's status"
				case r.from == ofScenario:
					git += ", and " + ui.Count(r.tokens) + " of the scenario's own"
				default:
					files += r.tokens
				}
			}
			d.Say("%s as %s sends it (known on %s): %s tokens%s in front of the main agent%s", whose, layout.Name, layout.Date, ui.Count(files), of, git)
		}
	}
	for i := range rows {
		rows[i].twice = slices.ContainsFunc(told, func(x *sim.Spec) bool { return x.Layout() != told[0].Layout() })
	}
	d.Table(parts(rows))
	d.Label("head", headLines(specs, l.headed)...)
	d.Label("instead", l.over...)
	var inUse []client.Row
	for _, r := range rows {
		if row := r.layout.Row(r.kind); r.kind != client.Tool && !slices.Contains(inUse, row) { // its tools a request told
			inUse = append(inUse, row)
		}
	}
	found := &project.Found{}
	var uncommitted []string
	if l.dir != nil {
		found, uncommitted = l.of(specs[0].Scenario), l.dir.uncommitted(specs[0].Scenario)
		d.Label("untracked", l.dir.untracked())
	}
	d.Label("not sent", found.Aside...)
	d.Label("assumed", slices.Concat(found.Assumed, l.taken.said, uncommitted)...)
	d.Label("unverified", NotVerified(inUse, found.Parts)...)
	if l.dir != nil && l.dir.from.Home == nil {
		d.Label("left out", "the user's own .claude: --home ~ takes it in")
	}
	d.Say("")
}

// mostUntracked is how many untracked files are named.
const mostUntracked = 5

// untracked names what git does not know and a run reads, "" for nothing: a saved
// result that does not look like one would be among it.
func (d *directory) untracked() string {
	if d.from.Git == nil {
		return ""
	}
	var names []string
	for _, line := range d.from.Git.Status {
		if name, ok := strings.CutPrefix(line, hostdir.Untracked); ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	more := ""
	if n := len(names) - mostUntracked; n > 0 {
		names, more = names[:mostUntracked], fmt.Sprintf(" and %s more", ui.Count(int64(n)))
	}
	return strings.Join(names, ", ") + more + ": git does not know them, and they count in git's status and as files; add to .gitignore what is no part of the project"
}

func parts(rows []standing) *report.Sheet {
	type col = report.Column[standing]
	name := col{Name: "client", Of: func(r standing) report.Value { return report.Text(r.layout.Name) }}
	if len(rows) > 0 && rows[0].twice {
		name.Head = "CLIENT"
	}
	return report.TableOf("project", rows,
		col{Name: "part", Head: "PART", Of: func(r standing) report.Value { return report.Text(string(r.kind)) }},
		col{Name: "from", Head: "FROM", Of: func(r standing) report.Value { return report.Text(r.from) }},
		col{Name: "bytes", Head: " BYTES", Of: func(r standing) report.Value { return report.Count(r.bytes) }},
		col{Name: "tokens", Head: " TOKENS", Of: func(r standing) report.Value { return report.Tokens(r.tokens) }},
		col{Name: "where", Head: "WHERE", Of: func(r standing) report.Value { return report.Text(string(r.layout.Row(r.kind).Main)) }, Drop: 2},
		col{Name: "who", Head: "WHO HAS IT", Of: func(r standing) report.Value { return report.Text(r.who) }, Drop: 1},
		name,
		col{Name: "assumed", Of: func(r standing) report.Value { return report.Bool(r.assumed) }})
}

// InFront is how much of what a run's prompts came to stands in front of its agents by the
// directory.
type InFront struct {
	Variant              string
	Agents               int
	Calls, Tokens, Whole int64
}

// InFront is that of a run; false without a directory.
func (l *Loaded) InFront(spec *sim.Spec, r *metrics.Run) (f InFront, ok bool) {
	if l == nil || l.dir == nil {
		return f, false
	}
	h, err := headsOf(spec, nil, cachemodel.Lookup)
	if err != nil {
		return f, false // the run itself said so
	}
	has := map[string]int64{}
	for _, a := range h.Agents {
		has[a.Name] = inRequest(h, spec, a.Name)
	}
	f = InFront{Variant: spec.Variant, Agents: len(r.Agents), Whole: r.Total.Usage.Prompt()}
	for i := range r.Agents {
		a := &r.Agents[i]
		tokens, known := has[a.Type]
		switch {
		case a.Parent < 0:
			tokens = has[heads.Main]
		case a.Structure == transcript.Fork:
			tokens = has[heads.Fork]
		case !known:
			tokens = has[agent.TypeGeneralPurpose]
		}
		f.Calls, f.Tokens = f.Calls+a.Tally.Calls, f.Tokens+tokens*a.Tally.Calls
	}
	return f, true
}

// Text says it of a directory in words.
func (f InFront) Text(dir string) string {
	variant := ""
	if f.Variant != "" {
		variant = f.Variant + ": "
	}
	return fmt.Sprintf("%swhat %s puts in front of %s is sent %s times and comes to %s of %s prompt tokens", variant, dir, ui.Plural(f.Agents, "agent"),
		report.Quantity(f.Calls), report.Quantity(f.Tokens), report.Quantity(f.Whole))
}

// inRequest is how many tokens of each request of agents with a name the project's parts
// are, with what the client puts around them.
func inRequest(h *heads.Heads, spec *sim.Spec, name string) (n int64) {
	var sum llm.Measure
	for _, kind := range client.Kinds {
		at, said := spec.Layout().Row(kind).Main, []sim.FrontText(nil)
		for _, i := range h.Front() {
			p := h.Parts[i]
			switch {
			case p.Kind != kind || !slices.Contains(h.Who(i), name):
			case at == client.Tools || kind == client.Types || p.Text() == "":
				n += p.Tokens
			case p.From() == literalMemory:
				said = append(said, sim.FrontText{Text: p.Text()})
			default:
				said = append(said, sim.FrontText{From: p.From(), Text: p.Text()})
			}
		}
		sum = sum.Plus(sim.FrontMeasure(at, kind, said))
	}
	return n + h.Size(sum)
}

// literalMemory is where a scenario's own CLAUDE.md comes from.
const literalMemory = "project.claude_md"

// headsOf are those of a run's agents, by what was found: nil is what its project has.
func headsOf(spec *sim.Spec, found *project.Found, price rundb.Pricing) (*heads.Heads, error) {
	own, sc := *spec, *spec.Scenario
	own.Scenario = &sc
	of := &sc.Project
	all := found == nil
	if all {
		found = &project.Found{Layout: spec.Layout()}
	}
	add := func(kind client.Kind, name, from, text string, bytes int) *project.Part {
		found.Parts = append(found.Parts, project.Part{Kind: kind, Name: name, From: from, Text: text, Bytes: bytes})
		return &found.Parts[len(found.Parts)-1]
	}
	if all && of.ClaudeMd != nil {
		add(client.Memory, "", literalMemory, of.ClaudeMd.Text, 0)
	}
	if all && of.GitStatus != nil {
		add(client.Git, "", "project.git_status", of.GitStatus.Text, 0)
	}
	for i := range of.Parts {
		x := &of.Parts[i]
		if kind := client.Kind(x.Kind); all || kind == client.Tool || kind == client.Prompt {
			p := add(kind, x.Name, x.From, x.Text.Text, x.Text.Bytes)
			if kind == client.Deferred {
				p.Defined = &project.Part{Kind: kind, Name: x.Name, From: x.From, Text: x.Definition.Text, Bytes: x.Definition.Bytes}
			}
		}
	}
	if !slices.Contains(of.Agents.BuiltIns, agent.TypePlan) {
		of.Agents.BuiltIns = append(slices.Clone(of.Agents.BuiltIns), agent.TypePlan) // check names it too
	}
	fronts, err := own.Fronts()
	if err != nil {
		return nil, err
	}
	in := heads.Input{Found: found, Fronts: fronts, Semantics: sim.Semantics, Price: price}
	if found.Settings.SubagentModel.Value != "" {
		in.Subagents = sc.Provider.ModelID(sc.Provider.SubagentModel)
	}
	return heads.Of(in), nil
}

// standing lists what stands in front of a run's agents, a line for each kind and
// file.
func (l *Loaded) standing(spec *sim.Spec, layout *client.Layout) (rows []standing) {
	h, err := headsOf(spec, nil, cachemodel.Lookup)
	if err != nil {
		return nil // the run itself fails
	}
	var has [][]string // by row
	for _, i := range h.Front() {
		p := h.Parts[i]
		r := standing{layout: layout, kind: p.Kind, from: p.From(), bytes: p.Bytes, tokens: p.Tokens, assumed: p.Assumed}
		switch {
		case p.Kind == client.Types && l.dir == nil:
			continue // nobody asked what the scenario's own project has
		case p.Kind == client.Skills:
			r.from = Listed(r.from)
		case p.Kind == client.Git:
			r.from = string(client.Git)
		case p.File == "":
			r.from = ofScenario
		}
		if at := slices.IndexFunc(rows, func(x standing) bool { return x.kind == r.kind && x.from == r.from }); at >= 0 {
			rows[at].bytes, rows[at].tokens, has[at] = rows[at].bytes+r.bytes, rows[at].tokens+r.tokens, Together(has[at], h.Who(i))
			continue
		}
		rows, has = append(rows, r), append(has, h.Who(i))
	}
	for i := range rows {
		switch rows[i].kind {
		case client.Tool:
			rows[i].who = "all, by what each may use"
		case client.Prompt:
			rows[i].who = "main, fork"
		default:
			rows[i].who = Who(h, has[i])
		}
	}
	return rows
}

// Together are the agents that have parts taken as one: by name where all parts have
// the same.
func Together(a, b []string) []string {
	if slices.Equal(a, b) {
		return a
	}
	return []string{a[0], "others by their tools"}
}

// Who names agents, of those that have heads, in few words.
func Who(h *heads.Heads, names []string) string {
	var without []string
	for _, a := range h.Agents {
		if !slices.Contains(names, a.Name) {
			without = append(without, a.Name)
		}
	}
	switch {
	case len(without) == 0:
		return "all"
	case len(without) < len(names):
		return "all but " + report.Some(without)
	}
	return report.Some(names)
}

// Listed is the directory of skills that a skill is in.
func Listed(from string) string {
	for _, dir := range []string{".claude/skills", ".claude/commands"} {
		if before, _, ok := strings.Cut(from, dir); ok {
			return before + dir
		}
	}
	return from
}

// NotVerified lists what the sources of layouts do not settle about the rows that are
// in use, each thing once with the kinds that it is about; imports are none of it where
// no part is imported.
func NotVerified(rows []client.Row, parts []project.Part) []string {
	var found report.Findings
	imports := slices.ContainsFunc(parts, func(p project.Part) bool { return p.By != "" })
	for _, row := range rows {
		for text := range strings.SplitSeq(row.NotVerified, "; ") {
			if text != client.ImportsBehind || imports {
				found.Add(text, string(row.Kind), 0)
			}
		}
	}
	return found.Lines(len(client.Kinds))
}
