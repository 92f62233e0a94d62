package scenarios

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/mockllm/fault"
	"agentsim/mockllm/latency"
	"agentsim/scenarios/document"
	"agentsim/sim/gate"
	"agentsim/sim/recording/profile"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// checker looks at one effective scenario. Each check is on its own, so that
// independent mistakes are told together.
type checker struct {
	*document.Decoder
	s     *Scenario
	files *projectFiles
	file  *File
}

func (f *File) check(s *Scenario, d *document.Decoder) {
	c := &checker{Decoder: d, s: s, files: filesOf(s), file: f}
	c.Errs.Merge(&d.Unknown)
	c.stack()
	c.gates()
	c.provider()
	c.latency()
	c.settings("settings", &s.Settings, s.Settings)
	c.heads()
	if n := c.s.Hidden.Suggestion; n < 0 || n > 100 {
		c.bad("hidden.suggestion", "such as 50", "hidden.suggestion is a percentage, not %d", n)
	}
	c.project()
	worktrees(c)
	c.model()
	c.facts()
	c.work()
	c.tests()
	c.workTools()
	c.scope()
	c.structure()
	c.coordinator()
	planning(c)
	c.roots()
	c.scripts()
	c.recorded()
	c.permissions()
	c.injections()
	c.scale()
	population(c)
	c.faults()
	c.limits()
	c.compaction()
}

// bad reports what is wrong with the value at a path.
func (c *checker) bad(path, hint, format string, args ...any) {
	c.Errs.Add(c.Where(path), hint, format, args...)
}

// badKey reports what is wrong with a section as such.
func (c *checker) badKey(path, hint, format string, args ...any) {
	c.Errs.Add(c.WhereKey(path), hint, format, args...)
}

// oneOf reports a value that is not one of a list. The empty string is left to
// the default.
func (c *checker) oneOf(path, what, v string, list ...string) {
	if v != "" && !slices.Contains(list, v) {
		c.bad(path, document.DidYouMeanOr(v, list), "unknown %s %q", what, v)
	}
}

func (c *checker) gates() {
	for _, name := range slices.Sorted(maps.Keys(c.s.Gates)) {
		path := "gates." + name
		if gate.Find(name) == nil {
			c.badKey(path, document.DidYouMeanOr(name, gate.Names()), "unknown gate %q", name)
			continue
		}
		c.gateValue(path, name, c.s.Gates[name])
	}
	for i, g := range c.s.GateFlips {
		path := "gate_flips[" + itoa(i) + "]"
		if gate.Find(g.Gate) == nil {
			c.bad(path+".gate", document.DidYouMeanOr(g.Gate, gate.Names()), "unknown gate %q", g.Gate)
			continue
		}
		if g.Gate == gate.StrictPlugins {
			c.bad(path+".gate", "set it under gates", "gate %s does not flip: it is read as a run begins", g.Gate)
		}
		c.gateValue(path+".value", g.Gate, g.Value)
		if g.At <= 0 {
			c.bad(path+".at", "write when, such as at: 30s; what holds from the start stands under gates", "gate %s flips as the run begins", g.Gate)
		}
	}
}

func (c *checker) gateValue(path, name, v string) {
	g := gate.Find(name)
	switch {
	case !slices.Contains(g.Values(), v):
		c.bad(path, "", "gate %s is %s, not %q", name, strings.Join(g.Values(), " or "), v)
	case !g.Built && v != g.Default:
		c.bad(path, "leave it at "+g.Default, "gate %s (%s) is one that no run reads", name, g.What)
	}
}

func (c *checker) provider() {
	p := &c.s.Provider
	c.marks("provider.breakpoints", &p.Breakpoints)
	c.place()
	c.noise()
	if p.Model == "" {
		c.bad("provider", "provider: {model: claude-sonnet-5-5}", "the scenario names no model")
	}
	if !c.prices() {
		return // a model may be priced by what is wrong
	}
	c.modelName("provider.model", p.Model)
	c.modelName("provider.subagent_model", p.SubagentModel)
	for _, a := range slices.Sorted(maps.Keys(p.Aliases)) {
		c.modelID("provider.aliases."+a, p.Aliases[a])
	}
}

// Aliases are the names an agent may call a model by; a scenario says which
// model each stands for.
var Aliases = []string{"haiku", "opus", "sonnet"}

// NearAlias asks whether a word that a definition gives for a model was meant to be one
// of those, "" where none is near.
func NearAlias(word string) string {
	return document.DidYouMean(word, append([]string{"inherit"}, Aliases...))
}

func (c *checker) modelName(path, name string) {
	if name == "" {
		return
	}
	if _, ok := c.s.Provider.Aliases[name]; ok {
		return
	}
	if slices.Contains(Aliases, name) {
		c.bad(path, "add it to provider.aliases: {"+name+": "+Newest(name)+"}, since a file's bill is of a dated model", "alias %q stands for no model", name)
		return
	}
	c.modelID(path, name)
}

// modelID refuses a model that is unknown, may change its meaning, or lacks a
// figure without which no bill would be right.
func (c *checker) modelID(path, id string) {
	p, err := cachemodel.Lookup(id)
	if err == nil {
		err = p.CheckPinned(id)
	}
	prov := &c.s.Provider
	listed, unpriced := p, false
	if err == nil && isDate(prov.PricedOn()) {
		var l *Listing
		if l, err = prov.Listed(id); err == nil {
			listed = l.Profile
		}
	}
	if err == nil {
		err = listed.Require(false)
		unpriced = err != nil
	}
	if err == nil && !(prov.Batch && prov.Speed == "fast") { // which is told where it stands
		_, err = listed.Under(prov.Tariff())
	}
	if err == nil {
		return
	}
	msg, hint := splitHint(err.Error())
	if unpriced {
		hint = "give your own price under provider.prices, or take one of the " + hint
	}
	if near := document.Nearest(id, cachemodel.Models()); p == nil && near != "" {
		hint = "did you mean " + document.Quoted(pinned(near)) + "?"
		for _, alias := range Aliases {
			if newest := Newest(alias); strings.HasPrefix(id, "claude-"+alias+"-") && newest != pinned(near) {
				hint += " the newest of its name is " + newest
			}
		}
	}
	c.bad(path, hint, "%s", msg)
}

// Newest is the first model of the table, which begins with the newest of each
// name, that an alias can stand for.
func Newest(alias string) string {
	for _, id := range cachemodel.Models() {
		if strings.HasPrefix(id, "claude-"+alias+"-") {
			return pinned(id)
		}
	}
	return "MODEL"
}

func pinned(id string) string {
	p, err := cachemodel.Lookup(id)
	if err != nil {
		return id
	}
	return p.Pinned()
}

// splitHint parts another package's error in what is wrong and what to do.
func splitHint(msg string) (what, hint string) {
	for _, sep := range []string{": write ", ": name ", "; define ", "; usable ", "; leave ", ": give ", ": raise ", ": add ", ": change ", ": did you mean "} {
		if i := strings.Index(msg, sep); i > 0 {
			hint, _, _ = strings.Cut(msg[i+2:], "; ")
			return msg[:i], hint
		}
	}
	return msg, ""
}

// latency checks the named profile and what the scenario says over it.
func (c *checker) latency() {
	l := &c.s.Provider.Latency
	if _, err := latency.Named(l.Profile); err != nil {
		var names []string
		for _, p := range latency.All() {
			names = append(names, p.Name)
		}
		c.bad("provider.latency.profile", document.DidYouMeanOr(l.Profile, names), "unknown latency profile %q", l.Profile)
		return
	}
	if _, err := l.Whole(); err != nil {
		msg, hint := splitHint(err.Error())
		c.bad("provider.latency", hint, "%s", msg)
	}
}

// Whole is the named profile with the figures given over it, which takes what is not
// given from the profile. A name that does not exist and figures that cannot be are an
// error.
func (l *Latency) Whole() (latency.Latency, error) {
	p, err := latency.Named(l.Profile)
	if err != nil {
		return latency.Latency{}, err
	}
	full := p.Latency
	for _, f := range []struct {
		given **vtime.Duration
		v     *vtime.Duration
	}{{&l.Prefill, &full.Prefill}, {&l.Read, &full.Read}, {&l.Decode, &full.Decode}} {
		if *f.given == nil {
			*f.given = ptr(*f.v)
		}
		*f.v = **f.given
	}
	for _, f := range []struct {
		given **rng.Span
		v     *vtime.Duration
		drawn **rng.Span
	}{{&l.Queue, &full.Queue, &full.Queued}, {&l.Jitter, &full.Jitter, &full.Jittered}} {
		if *f.given == nil {
			*f.given = literal(*f.v)
		}
		if *f.v = vtime.Duration((*f.given).Hi); !(*f.given).Literal() {
			*f.drawn = *f.given
		}
	}
	return full, full.Check()
}

const maxMarks = 4 // breakpoints of one request (CACHE-06)

func (c *checker) marks(path string, p *Plan) {
	last := -1
	for i, m := range p.Explicit {
		at := path + ".explicit[" + itoa(i) + "]"
		if m.FromCall <= last {
			c.bad(at, "the first says from_call: 0", "from_call does not rise")
		}
		last = m.FromCall
		if len(m.At) > maxMarks {
			c.bad(at+".at", "", "%d breakpoints; a request takes at most %d", len(m.At), maxMarks)
		}
		for j, n := range m.At {
			if n == 0 {
				c.bad(at+".at["+itoa(j)+"]", "-1 is the last block", "blocks count from 1")
			}
		}
	}
}

var toolChoices = []string{"auto", "none", "any"}

// settings checks what is given at a path, and what comes of it: whole is those
// settings over the ones they leave as they are.
func (c *checker) settings(path string, s *SettingsSpec, whole SettingsSpec) {
	if !strings.HasPrefix(s.ToolChoice, "tool:") {
		c.oneOf(path+".tool_choice", "tool choice", s.ToolChoice, toolChoices...)
	}
	if s.ToolChoice == "none" && c.s.hasWork() {
		c.bad(path+".tool_choice", "leave it out, or give every root a script", "tool_choice none with work: the mock model uses tools whatever it says")
	}
	if s.ThinkingBudget > 0 && whole.Thinking != "enabled" {
		c.bad(path+".thinking_budget", "thinking: enabled", "a thinking budget without thinking enabled")
	}
	if s.Thinking == "enabled" && whole.ThinkingBudget == 0 {
		c.bad(path+".thinking", "thinking_budget: 4_000, or thinking: adaptive", "thinking enabled needs a budget")
	}
}

// heads refuses heads of one type twice, and those of no type.
func (c *checker) heads() {
	seen := map[string]bool{}
	for i, h := range c.s.Heads {
		at := "heads[" + itoa(i) + "]"
		switch {
		case h.Type == "":
			c.bad(at, "type: main, sub-agent or a type of agents such as Explore", "a head is of no type")
		case seen[h.Type]:
			c.bad(at+".type", "keep one of them", "type %q has two heads", h.Type)
		case !c.s.Profile.GivesHeads() && knowsTypes(c.file, c.s) && !slices.Contains(headTypes(c.s), h.Type):
			c.bad(at+".type", document.DidYouMeanOr(h.Type, headTypes(c.s)), "no agent is of type %q", h.Type)
		case h.Shared > 0 && h.Prompt.Set && h.Prompt.Hi < h.Shared:
			c.bad(at+".prompt", "the prompt holds what is shared", "first prompts of %s have at most %d tokens, and share %d", h.Type, h.Prompt.Hi, h.Shared)
		}
		seen[h.Type] = true
	}
}

// headTypes are what a head can be of: roots, all others, and types of agents.
func headTypes(s *Scenario) []string {
	types := slices.Concat([]string{profile.Main, profile.SubAgent, "fork"}, agentTypes, moreTypes, s.RootNames())
	slices.Sort(types)
	return slices.Compact(types)
}

func (c *checker) model() {
	m := &c.s.Model
	c.within("model.reads_per_turn", m.ReadsPerTurn, 1)
	c.within("model.spawns_per_turn", m.SpawnsPerTurn, 1)
	for _, x := range [...]struct {
		key string
		of  document.Size
	}{{"main", m.AtOnce.Main}, {"sub_agent", m.AtOnce.SubAgent}, {"spawns", m.AtOnce.Spawns}} {
		if x.of.Set {
			c.within("model.at_once."+x.key, int(x.of.Lo), 1)
			c.within("model.at_once."+x.key, int(x.of.Hi), 1)
		}
	}
	if n := m.Wander.Near; n < 0 || n > 100 {
		c.bad("model.wander.near", "such as 25", "model.wander.near is a percentage, not %d", n)
	}
}

// within refuses a number below the least, or above maxPerTurn.
func (c *checker) within(path string, n, least int) {
	if n < least || n > maxPerTurn {
		c.bad(path, "", "%s is from %d to %d", path, least, maxPerTurn)
	}
}

const maxPerTurn = 1000 // reads or spawns in one response

func (c *checker) faults() {
	for i, line := range c.s.Faults {
		var bad *fault.Error
		p := c.Where("faults[" + itoa(i) + "]")
		r, err := fault.Parse(line)
		if errors.As(err, &bad) {
			msg, hint := splitHint(bad.Why)
			c.Errs.Add(p.Right(bad.Column-1), hint, "bad fault: %s", msg)
		} else if !c.canExist(r.Agent) {
			c.Errs.Add(p.On(r.Agent), c.agentNames(r.Agent), "fault for an agent that cannot exist: %q", r.Agent)
		}
	}
}

func (c *checker) limits() {
	l := &c.s.Limits
	for _, x := range []struct {
		path string
		v    int64
	}{
		{"steps", l.Steps}, {"time", int64(l.Time)}, {"processes", int64(l.Processes)}, {"agents", int64(l.Agents)}, {"depth", int64(l.Depth)},
		{"turns", int64(l.Turns)}, {"tokens", l.Tokens}, {"queue", int64(l.Queue)}, {"bytes", l.Bytes},
	} {
		if x.v == 0 {
			c.bad("limits."+x.path, "leave it out for the default", "limits.%s is 0: nothing could run", x.path)
		}
	}
	if l.Processes > maxProcesses {
		c.bad("limits.processes", "", "limits.processes is at most %d", maxProcesses)
	}
	if r := c.s.Retry; r.Base > r.Cap {
		c.bad("retry.base", "", "retry.base is longer than retry.cap")
	}
}

const maxProcesses = 10_000_000 // agents and helpers alive in one run
