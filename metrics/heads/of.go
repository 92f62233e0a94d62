package heads

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics/baseline"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/project"
	"agentsim/sim/tool"
)

// Input is what heads are made of.
type Input struct {
	Found       *project.Found
	Definitions []*agent.Definition // that the Agent tool starts
	Model       string              // of the main agent
	Aliases     map[string]string   // models of definitions that are no ids
	Semantics   int
	Price       func(model string) (*cachemodel.Profile, error) // finds a model with its rates
}

func newBuilder(in Input) *builder {
	set := in.Found.Settings
	b := &builder{Input: in, at: map[string]int{},
		Heads: &Heads{Client: in.Found.Layout.Name, Known: in.Found.Layout.Date, Semantics: in.Semantics,
			Settings: in.Found.Settings.Files, from: given{set.Model.From, set.TTL.From, set.SubagentTTL.From}}}
	b.gates = gate.Default()
	b.counter = tokens.Approx(in.Model)
	b.Counter = b.counter.Name()
	b.count = func(text string) int64 { return b.size(llm.NewText(llm.Prose, text)) }
	b.front()
	b.Heads.front = len(b.Parts)
	return b
}

// Of makes the heads of a repository's agents: of the main one and its forks, then of
// each definition.
func Of(in Input) *Heads {
	b := newBuilder(in)
	b.all = tool.Catalogue()
	b.offered = slices.DeleteFunc(slices.Clone(b.all), func(t *tool.Tool) bool { return t.Internal })
	main := b.agent(nil)
	fork := *main
	fork.Name = Fork
	b.Agents = append(b.Agents, main, &fork)
	for _, d := range in.Definitions {
		b.Agents = append(b.Agents, b.agent(d))
	}
	return b.Heads
}

// Front are the numbers of the parts that the repository puts in front of the main agent,
// in the order of kinds.
func (h *Heads) Front() (out []int) {
	for i, p := range h.Parts[:h.front] {
		if p.Own() || p.Kind != client.Types { // types of the client's are its own
			out = append(out, i)
		}
	}
	return out
}

// serversFile is where a server stands whose tools nobody has saved.
const serversFile = ".mcp.json"

type builder struct {
	Input
	*Heads
	gates   gate.Set
	counter tokens.Counter
	all     []*tool.Tool
	offered []*tool.Tool
	at      map[string]int // of parts, by what makes them the same
}

// add adds a part, or finds the one that is there.
func (b *builder) add(p *Part, text string, bytes int) int {
	key := p.key() + "\x00" + text
	if i, ok := b.at[key]; ok {
		return i
	}
	b.at[key] = len(b.Parts)
	p.text, p.Bytes, p.Tokens = text, int64(len(text)+bytes), b.count(text)
	if bytes > 0 {
		p.Tokens = b.size(llm.NewText(llm.JSON, strings.Repeat("x", bytes)))
	}
	p.Word = cmp.Or(p.Word, words[p.Kind])
	if p.Place == client.System {
		p.Word = words[kindPrompt]
	}
	if p.Own() {
		p.Sums = sums(text)
	}
	b.Parts = append(b.Parts, p)
	return len(b.Parts) - 1
}

func (b *builder) size(c *llm.Payload) int64 {
	block := llm.Block{Kind: llm.Text, Content: c}
	return b.counter.Tokens(block.Measure())
}

// front adds what was found, and the definitions' entries of the list of types.
func (b *builder) front() {
	for _, kind := range client.Kinds {
		row := b.Found.Layout.Row(kind)
		if row.Main == client.Nowhere {
			continue
		}
		if kind == client.Types {
			b.types(row)
			continue
		}
		for _, x := range b.Found.Parts {
			if x.Kind != kind {
				continue
			}
			file, line := Located(x.From)
			p := &Part{Kind: kind, Name: x.Name, File: file, Line: line, By: x.By, Place: row.Main, Varies: kind == client.Git || kind == client.AutoMemory}
			p.Assumed = x.Bytes > 0 || file == serversFile
			b.add(p, x.Text, x.Bytes)
		}
	}
}

// types adds an entry for each type: those of the client are its own.
func (b *builder) types(row client.Row) {
	for _, d := range b.Definitions {
		file, line := Located(d.Place)
		p := &Part{Kind: client.Types, Name: d.Type, File: file, Line: line, Place: row.Main, Assumed: d.BuiltIn()}
		b.add(p, tool.TypeList([]tool.AgentType{{Name: d.Type, WhenFor: d.Description}}), 0)
	}
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

// agent makes the head of a definition's agents, nil for the main one.
func (b *builder) agent(d *agent.Definition) *Agent {
	a := &Agent{Name: Main, Model: b.Model, TTL: lifetime(b.Found.Settings.TTL.Value), ttlFrom: b.from.ttl}
	pool := &tool.Pool{Tools: b.offered}
	prompt, file, line := agent.MainPrompt(&b.gates), "", 0
	if d != nil {
		a.Name, a.From, a.TTL, a.ttlFrom = d.Type, d.Place, lifetime(b.Found.Settings.SubagentTTL.Value), b.from.subTTL
		if d.CacheTTL != nil {
			a.TTL, a.ttlFrom = lifetime(d.CacheTTL.String()), d.Place
		}
		if model := cmp.Or(b.Aliases[d.Model], d.Model); known(model) {
			a.Model = model
		}
		pool = filter(tool.WithNamed(b.offered, b.all, d.Tools), d)
		prompt, _ = d.SystemPrompt(&b.gates) // none is of a fork
		file, line = Located(d.Place)
	}
	b.price(a.Model)
	for _, t := range pool.Tools {
		a.Parts = append(a.Parts, b.add(&Part{Kind: kindTool, Name: t.Name, Place: client.Tools, Assumed: true}, definition(t), 0))
	}
	a.Parts = append(a.Parts, b.add(&Part{Kind: kindPrompt, Name: a.Name, File: file, Line: line, Place: client.System, Assumed: file == ""}, prompt, 0))
	for i, p := range b.Parts {
		if b.has(p, d, pool) {
			a.Parts = append(a.Parts, i)
		}
	}
	slices.SortStableFunc(a.Parts, func(x, y int) int { return order(b.Parts[x].Place) - order(b.Parts[y].Place) })
	return a
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

// filter is what a definition's agents have of some tools.
func filter(tools []*tool.Tool, d *agent.Definition) *tool.Pool {
	return tool.Filter(tools, tool.Subject{BuiltIn: d.BuiltIn()}, d.Tools, d.Disallowed)
}

// has reports whether the requests of a definition's agents hold what was found.
func (b *builder) has(p *Part, d *agent.Definition, pool *tool.Pool) bool {
	row := b.Found.Layout.Row(p.Kind)
	switch {
	case p.Kind == kindTool, p.Kind == kindPrompt, row.Needs != "" && pool.Find(row.Needs) == nil:
		return false
	case d == nil:
		return true
	case row.Sub == client.Nowhere:
		return false
	case p.Kind == client.MCPTool, p.Kind == client.Deferred:
		return len(filter([]*tool.Tool{{Name: p.Name, MCP: true}}, d).Tools) > 0
	}
	return !(d.OmitClaude && p.Kind == client.Memory || d.OmitGit && p.Kind == client.Git)
}

// definition is a tool as it stands in a request.
func definition(t *tool.Tool) string {
	if t.Name != tool.AgentName {
		return tool.Definition(t)
	}
	shaped := *t
	shaped.Description, shaped.Schema = tool.AgentSchema(tool.AgentOptions{Background: true, Attached: true})
	return tool.Definition(&shaped)
}

// order is where in a request a place is.
func order(p client.Place) int {
	return slices.Index([]client.Place{client.Tools, client.System, client.Opening, client.UserContext, client.Attachment}, p)
}
