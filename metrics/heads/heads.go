package heads

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/sim/client"
	"agentsim/sim/llm"

	"github.com/zeebo/xxh3"
)

// Heads are what stands in front of a repository's agents.
type Heads struct {
	Client    string           `json:"client"` // the layout's name
	Known     string           `json:"known"`  // the day of what is known of it
	Semantics int              `json:"semantics"`
	Counter   string           `json:"counter"`            // of tokens
	Prices    []baseline.Price `json:"prices"`             // of each model that an agent has
	Settings  []string         `json:"settings,omitempty"` // the files of them that were read
	Off       []Off            `json:"off,omitempty"`      // what settings take away
	// Head is a hash of the request that the client's own prompt and tools are from, ""
	// for this program's.
	Head string `json:"head,omitempty"`
	// Unloaded are hashes of what could not be read, and where; nil where nobody noted it.
	Unloaded []string `json:"unloaded"`
	Parts    []*Part  `json:"-"`
	Agents   []*Agent `json:"-"` // the main one first

	front int        // how many of the parts were found; agents' own tools and prompts follow
	who   [][]string // by part, the agents that have it; nil before the first is asked for
	from  given      // what the settings name
	count func(text string) int64
	// Size counts tokens as those of parts are counted.
	Size func(m llm.Measure) int64 `json:"-"`
}

// given is the FILE:LINE of settings, "" of those that are not given.
type given struct{ model, ttl, subTTL string }

// Off is what settings take away from agents, as a rule that denies it, and their
// FILE:LINE.
type Off struct {
	Rule string `json:"rule"`
	From string `json:"from"`
}

// Part is one piece of text that stands in front of agents.
type Part struct {
	Word  string       `json:"word"` // the client's own for it: Memory files
	Kind  client.Kind  `json:"kind"`
	Name  string       `json:"name,omitempty"` // of a tool, a skill, a type of agent
	File  string       `json:"file,omitempty"` // inside the repository, ~/ for the user's; "" is the client's own
	Line  int          `json:"line,omitempty"`
	By    string       `json:"-"` // FILE:LINE that imports it
	Place client.Place `json:"place"`
	Bytes int64        `json:"bytes"`
	// Tokens is counted by itself: the sum over parts is the head's but for rounding.
	Tokens  int64 `json:"tokens"`
	Assumed bool  `json:"assumed,omitempty"`
	Varies  bool  `json:"varies,omitempty"` // from moment to moment, as git's status does
	// Sums are hashes of its lines, eight digits each.
	Sums string `json:"sums,omitempty"`

	text string
}

// Text is what the part says, "" of one of which the size alone is known.
func (p *Part) Text() string { return p.text }

// Own reports whether the repository's files, or the user's, decide what the part is. A
// request that the client sent does not.
func (p *Part) Own() bool {
	return p.File != "" && !p.Varies && p.Kind != kindTool && p.Kind != client.Prompt
}

// measured reports whether a request that the client sent says what the part is.
func (p *Part) measured() bool {
	return p.File != "" && (p.Kind == kindTool || p.Kind == client.Prompt)
}

// key is what makes a part the same one in two heads: of the client's, whatever the file
// with the request is called.
func (p *Part) key() string {
	file := p.File
	if p.measured() {
		file = ""
	}
	return string(p.Kind) + "\x00" + file + "\x00" + p.Name
}

// From is the FILE:LINE that the part comes from.
func (p *Part) From() string {
	switch {
	case p.Kind == kindHidden:
		return "the provider"
	case p.File == "":
		return "the client"
	}
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Agent is a type of agent with its head.
type Agent struct {
	Name  string `json:"agent"`
	From  string `json:"from,omitempty"` // FILE:LINE of its definition
	Model string `json:"model"`
	// Parts are in the order of the prefix, by their numbers in Heads.Parts.
	Parts []int  `json:"parts"`
	TTL   string `json:"ttl,omitempty"` // 1h; "" is the default, 5m

	ttlFrom   string            // FILE:LINE, "" for the default
	modelFrom string            // FILE:LINE of settings that say it for all sub-agents, "" for none
	fields    map[string]string // of its definition, where each is
}

// field is where the definition gives the first of some fields, else where it is.
func (a *Agent) field(names ...string) string {
	for _, n := range names {
		if at := a.fields[n]; at != "" {
			return at
		}
	}
	return a.From
}

// Tokens are those of an agent's head, and of them those of the repository's files.
func (h *Heads) Tokens(a *Agent) (all, own int64) {
	for _, i := range a.Parts {
		p := h.Parts[i]
		all += p.Tokens
		if p.Own() {
			own += p.Tokens
		}
	}
	return all, own
}

// Who are the agents that have a part, by name.
func (h *Heads) Who(part int) []string {
	if h.who == nil {
		h.who = make([][]string, len(h.Parts))
		for _, a := range h.Agents {
			for _, i := range a.Parts {
				h.who[i] = append(h.who[i], a.Name)
			}
		}
	}
	return h.who[part]
}

// Day is how much work a day is taken for: its sessions, the turns of the main agent and
// of a sub-agent, and how often a session starts each type of sub-agent, in thousandths.
type Day struct{ Sessions, Turns, SubTurns, Starts int64 }

// Cost is what tokens of an agent's head cost.
type Cost struct{ Turn, Begin, Day cachemodel.Picodollars }

// Plus adds two costs.
func (c Cost) Plus(d Cost) Cost { return Cost{c.Turn + d.Turn, c.Begin + d.Begin, c.Day + d.Day} }

// Less takes a cost from another.
func (c Cost) Less(d Cost) Cost { return Cost{c.Turn - d.Turn, c.Begin - d.Begin, c.Day - d.Day} }

// Cost is what a part costs all agents that have it: a turn of each, the first turns,
// and their day.
func (h *Heads) Cost(part int, d Day) (sum Cost) {
	for _, a := range h.Agents {
		if slices.Contains(a.Parts, part) {
			sum = sum.Plus(a.Cost(h.Prices, h.Parts[part].Tokens, d))
		}
	}
	return sum
}

// Cost prices tokens at the front of an agent: read from the cache in a turn, written
// to it in the first one, which a fork reads as its lead wrote it.
func (a *Agent) Cost(prices []baseline.Price, tokens int64, d Day) (c Cost) {
	write := "write"
	if a.TTL == llm.TTL1h.String() {
		write = "write_1h"
	}
	i := slices.IndexFunc(prices, func(p baseline.Price) bool { return p.Model == a.Model })
	if i < 0 {
		return c
	}
	c.Turn, c.Begin = costs(prices[i], "read", tokens), costs(prices[i], write, tokens)
	turns, starts := d.SubTurns, d.Starts
	switch a.Name {
	case Main:
		turns, starts = d.Turns, 1000
	case Fork:
		c.Begin = c.Turn
	}
	c.Day = cachemodel.Picodollars(d.Sessions*starts) * (c.Begin + cachemodel.Picodollars(turns-1)*c.Turn) / 1000
	return c
}

// costs is what tokens cost at a rate, such as read=$0.10 a million.
func costs(p baseline.Price, rate string, tokens int64) cachemodel.Picodollars {
	for _, word := range p.Rates {
		if text, ok := strings.CutPrefix(word, rate+"="); ok {
			v, _ := metrics.ParseValue(text) // the table's own words; an edited baseline's cost nothing
			return cachemodel.Picodollars(v.Num / 1_000_000 * tokens)
		}
	}
	return 0
}

// sums are the hashes of a text's lines.
func sums(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(&b, "%08x", uint32(xxh3.HashString(line)))
	}
	return b.String()
}

// lines takes hashes apart.
func lines(sums string) (out []string) {
	for s := range slices.Chunk([]byte(sums), sumDigits) {
		out = append(out, string(s))
	}
	return out
}

const sumDigits = 8

// DefaultDay is ten small sessions, each of which starts each type of sub-agent once.
var DefaultDay = Day{Sessions: 10, Turns: 34, SubTurns: 5, Starts: 1000}

// words are the client's for kinds of parts; what opens a conversation it counts
// among its messages.
var words = map[client.Kind]string{
	kindTool: "System tools", kindPrompt: "System prompt", kindHidden: "System prompt", client.Prompt: "System prompt", kindMemory: "System prompt", kindSkill: "Skills", kindInitial: "Messages",
	client.MCPTool: "MCP tools", client.Deferred: "MCP tools (deferred)",
	client.ServerText: "MCP server instructions", client.Types: "Custom agents", client.Memory: "Memory files", client.AutoMemory: "Memory files",
	client.Skills: "Skills", client.Git: "Messages", client.Environment: "Messages",
}

// The kinds of what is the client's or a definition's own.
const (
	kindTool    client.Kind = "tool"
	kindChosen  client.Kind = "tools-chosen" // which of those, by a definition or settings
	kindPrompt  client.Kind = "prompt"
	kindHidden  client.Kind = "hidden"         // what the provider adds
	kindMemory  client.Kind = "agent-memory"   // what memory adds to the prompt
	kindSkill   client.Kind = "skill-text"     // of a skill that is read in full
	kindInitial client.Kind = "initial-prompt" // in front of what is said first
)

// The names of agents that no definition names.
const (
	Main = "main"
	Fork = "fork"
)
