package heads

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics/baseline"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/project"
)

// Input is what heads are made of.
type Input struct {
	Found     *project.Found
	Fronts    []agent.Front // of the main agent, then of each type that the Agent tool starts
	Semantics int
	Subagents string                                          // the model of all sub-agents by the settings, "" where definitions say it
	Price     func(model string) (*cachemodel.Profile, error) // finds a model with its rates
}

// Of makes the heads of a repository's agents: of the main one and its forks, then of
// each definition.
func Of(in Input) *Heads {
	set, main := in.Found.Settings, &in.Fronts[0]
	b := &builder{Input: in, at: map[string]int{}, counter: tokens.Approx(main.Model),
		Heads: &Heads{Client: in.Found.Layout.Name, Known: in.Found.Layout.Date, Semantics: in.Semantics,
			Settings: set.Files, Off: off(in.Found), Head: head(in.Found), from: given{set.Model.From, set.TTL.From, set.SubagentTTL.From}}}
	for i, x := range in.Found.Kind(client.Prompt) {
		x.Name = "block " + strconv.Itoa(i+1)
	}
	b.Counter = b.counter.Name()
	b.Size = b.counter.Tokens
	b.count = func(text string) int64 { return b.size(llm.NewText(llm.Prose, text)) }
	b.found()
	b.Heads.front = len(b.Parts)
	for i := range in.Fronts {
		if d := in.Fronts[i].Definition; d != nil && takes(b.Off, &Part{Kind: client.Types, Name: d.Type}) != "" {
			continue // nothing starts it
		}
		b.Agents = append(b.Agents, b.agent(&in.Fronts[i]))
		if i == 0 {
			fork := *b.Agents[0]
			fork.Name = Fork
			b.Agents = append(b.Agents, &fork)
		}
	}
	return b.Heads
}

// Front are the numbers of the parts that the repository puts in front of agents, in the
// order of kinds.
func (h *Heads) Front() (out []int) {
	for i, p := range h.Parts {
		if h.Who(i) != nil && (p.Kind == client.MCPTool || i < h.front && (p.Own() || p.Kind != client.Types)) { // types of the client's are its own
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(x, y int) int {
		return slices.Index(client.Kinds, h.Parts[x].Kind) - slices.Index(client.Kinds, h.Parts[y].Kind)
	})
	return out
}

// serversFile is where a server stands whose tools nobody has saved.
const serversFile = ".mcp.json"

type builder struct {
	Input
	*Heads
	counter tokens.Counter
	at      map[string]int // of parts, by what makes them the same
}

// add adds a part, or finds the one that is there.
func (b *builder) add(p *Part, text string, bytes int) int {
	key := p.key() + "\x00" + text + strconv.FormatInt(p.Tokens, 10)
	if i, ok := b.at[key]; ok {
		return i
	}
	b.at[key] = len(b.Parts)
	p.text, p.Bytes = text, int64(len(text)+bytes)
	switch {
	case bytes > 0:
		p.Tokens = b.size(llm.NewText(llm.JSON, strings.Repeat("x", bytes)))
	case p.Kind == kindTool || p.Kind == client.MCPTool:
		p.Tokens = b.size(llm.NewJSON(text))
	default:
		p.Tokens += b.count(text)
	}
	p.Word = cmp.Or(p.Word, words[p.Kind])
	if p.Place == client.System {
		p.Word = words[kindPrompt]
	}
	if p.Own() || p.measured() {
		p.Sums = sums(text)
	}
	b.Parts = append(b.Parts, p)
	return len(b.Parts) - 1
}

func (b *builder) size(c *llm.Payload) int64 {
	block := llm.Block{Kind: llm.Text, Content: c}
	return b.counter.Tokens(block.Measure())
}

// found adds what was found, and the definitions' entries of the list of types. Tools of
// servers are added with the agents that have their definitions.
func (b *builder) found() {
	for _, kind := range client.Kinds {
		row := b.Found.Layout.Row(kind)
		if row.Main == client.Nowhere || kind == client.MCPTool {
			continue
		}
		for _, f := range b.Fronts {
			if kind == client.Types && f.Listed != "" {
				file, line := Located(f.Definition.Place)
				b.add(&Part{Kind: kind, Name: f.Definition.Type, File: file, Line: line, Place: row.Main, Assumed: f.Definition.BuiltIn()}, f.Listed, 0)
			}
		}
		for _, x := range b.Found.Kind(kind) {
			b.part(x, row.Main)
		}
	}
}

// part adds one that was found.
func (b *builder) part(x *project.Part, at client.Place) int {
	file, line := Located(x.From)
	return b.add(&Part{Kind: x.Kind, Name: x.Name, File: file, Line: line, By: x.By, Place: at, Assumed: x.Bytes > 0 || file == serversFile,
		Varies: x.Kind == client.Git || x.Kind == client.AutoMemory}, x.Text, x.Bytes)
}

// Located parts FILE:LINE.
func Located(from string) (file string, line int) {
	at := strings.LastIndexByte(from, ':')
	if n, err := strconv.Atoi(from[at+1:]); at >= 0 && err == nil {
		return from[:at], n
	}
	if from == "git" {
		return "", 0
	}
	return from, 0
}

// agent makes the head of the agents of a type.
func (b *builder) agent(f *agent.Front) *Agent {
	a, d := &Agent{Name: Main, Model: f.Model, TTL: lifetime(b.Found.Settings.TTL.Value), ttlFrom: b.from.ttl}, f.Definition
	file, line := "", 0
	if d != nil {
		a.Name, a.From, a.TTL, a.ttlFrom = d.Type, d.Place, lifetime(b.Found.Settings.SubagentTTL.Value), b.from.subTTL
		if d.CacheTTL != nil {
			a.TTL, a.ttlFrom = lifetime(d.CacheTTL.String()), d.Fields["experimental"]
		}
		switch {
		case known(b.Subagents):
			a.Model, a.modelFrom = b.Subagents, b.Found.Settings.SubagentModel.From
		case !known(f.Model):
			a.Model = b.Fronts[0].Model
		}
		file, line = Located(d.Place)
		a.fields = d.Fields
	}
	b.price(a.Model)
	add := func(p *Part, text string) {
		if text != "" || p.Tokens > 0 {
			a.Parts = append(a.Parts, b.add(p, text, 0))
		}
	}
	for i := range f.Tools {
		a.Parts = append(a.Parts, b.tool(&f.Tools[i], d))
	}
	if profile, err := b.Price(a.Model); err == nil && len(f.Tools) > 0 {
		profile, _ = profile.Assume(true)
		add(&Part{Kind: kindHidden, Name: "of the provider, for tools", Place: client.Tools, Tokens: profile.HiddenAuto}, "")
	}
	at, env := b.Found.Layout.Row(client.Environment), &Part{Kind: client.Environment, Assumed: true}
	if env.Place = at.Main; d != nil {
		env.Place, env.Name = at.Sub, "of sub-agents"
	}
	add(env, f.Environment)
	for i, text := range f.System {
		p := &Part{Kind: kindPrompt, Name: a.Name, File: file, Line: line, Place: client.System, Assumed: file == ""}
		if measured := b.Found.Kind(client.Prompt); d == nil && i < len(measured) {
			a.Parts = append(a.Parts, b.part(measured[i], client.System))
			continue
		}
		add(p, text)
	}
	add(b.fielded(d, "memory", kindMemory, client.System), f.Memory)
	for _, s := range f.Skills {
		add(&Part{Kind: kindSkill, Name: path.Base(path.Dir(s.File)), File: s.File, Line: 1, Place: client.Messages}, s.Text)
	}
	if d != nil {
		add(b.fielded(d, "initialPrompt", kindInitial, client.Messages), d.InitialPrompt)
	}
	for _, name := range f.Deferred {
		a.Parts = append(a.Parts, b.deferred(name, d))
	}
	for i, p := range b.Parts[:b.Heads.front] {
		if p.Kind != client.Deferred && slices.Contains(f.Parts, string(p.Kind)) {
			a.Parts = append(a.Parts, i)
		}
	}
	slices.SortStableFunc(a.Parts, func(x, y int) int {
		return cmp.Or(order(b.Parts[x].Place)-order(b.Parts[y].Place), b.rank(x)-b.rank(y))
	})
	return a
}

// rank is where among parts of one place one was found.
func (b *builder) rank(part int) int {
	if p := b.Parts[part]; order(p.Place) >= order(client.Opening) {
		return slices.Index(client.Kinds, p.Kind)
	}
	return 0
}

// fielded is a part that a field of a definition asks for.
func (b *builder) fielded(d *agent.Definition, field string, kind client.Kind, at client.Place) *Part {
	p := &Part{Kind: kind, Place: at}
	if d != nil {
		p.Name = d.Type
		p.File, p.Line = Located(cmp.Or(d.Fields[field], d.Place))
	}
	return p
}

// tool adds the definition of a tool: a server's is from where that was found, else
// from the definition that brings it.
func (b *builder) tool(t *llm.Block, d *agent.Definition) int {
	for _, x := range b.Found.Kind(client.Tool) {
		if x.Name == t.Name && x.Text != "" {
			return b.part(x, client.Tools)
		}
	}
	if server, _ := client.Split(t.Name); server == "" {
		return b.add(&Part{Kind: kindTool, Name: t.Name, Place: client.Tools, Assumed: true}, t.Content.Raw(), 0)
	}
	p := b.fielded(d, "mcpServers", client.MCPTool, client.Tools)
	p.Name, p.Assumed = t.Name, true
	for i := range b.Found.Parts {
		if x := &b.Found.Parts[i]; x.Name == t.Name && (x.Kind == client.MCPTool || x.Kind == client.Deferred) {
			from := cmp.Or(x.Defined, x)
			p.File, p.Line = Located(from.From)
			p.Assumed = from.Bytes > 0 || p.File == serversFile
		}
	}
	return b.add(p, t.Content.Raw(), 0)
}

// deferred adds a tool by its name alone.
func (b *builder) deferred(name string, d *agent.Definition) int {
	at := b.Found.Layout.Row(client.Deferred).Main
	for _, x := range b.Found.Kind(client.Deferred) {
		if x.Name == name {
			return b.part(x, at)
		}
	}
	p := b.fielded(d, "mcpServers", client.Deferred, at)
	p.Name, p.Assumed = name, true
	return b.add(p, name, 0)
}

// lifetime is what settings say of one, "" where it is the default.
func lifetime(text string) string {
	if text == llm.TTL1h.String() {
		return text
	}
	return ""
}

// price notes what a model costs.
func (b *builder) price(model string) {
	h, known := b.Heads, func(p baseline.Price) bool { return p.Model == model }
	if profile, err := b.Price(model); err == nil && !slices.ContainsFunc(h.Prices, known) {
		h.Prices = append(h.Prices, baseline.Price{Model: model, Day: profile.Date, Rates: profile.Words()})
	}
}

func known(model string) bool {
	_, err := cachemodel.Lookup(model)
	return err == nil && model != ""
}

// order is where in a request a place is.
func order(p client.Place) int {
	return slices.Index([]client.Place{client.Tools, client.System, client.Opening, client.UserContext, client.Attachment, client.Messages}, p)
}
