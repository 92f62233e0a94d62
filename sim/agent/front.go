package agent

import (
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/tool"
)

// Front is what the agents of one type have in front of what is said to them first.
type Front struct {
	Definition  *Definition // nil of a root
	Listed      string      // its line in the list of types; "" where that has none
	Model       string
	Tools       []llm.Block // definitions, in the order of the request
	Deferred    []string    // tools that stand there by name alone
	Parts       []string    // names of the context parts that it has
	System      []string    // the prompt, without the environment and the parts
	Environment string      // "" where it has none
	Memory      string      // what its memory adds to the prompt
	Skills      []Skill     // that its definition names
}

// Skill is the text of a skill as agents have it before their first message.
type Skill struct{ File, Text string }

// Fronts are those of a root and its forks, then of each type that a session may start,
// as it begins: what spawning makes of a call that asks for nothing but the type.
func (w *World) Fronts(s RootSpec) (out []Front, err error) {
	if w.coordinator {
		s.Offered = w.cfg.Coordinator.Tools(s.Offered)
	}
	pool := w.pool(nil, false, w.cfg.Mode, w.ofRoot(s.Offered))
	root := Front{Model: s.Model, Tools: pool.Blocks, Deferred: tool.Names(pool.Deferred)}
	root.System, _ = w.rootPrompt(&s, pool)
	if !s.Bare {
		root.Parts, root.Environment = fronting{w}.parts(pool, false, "", ""), w.environment(nil)
	}
	out = append(out, root)
	for _, d := range w.cfg.Definitions {
		f, err := fronting{w}.of(d, s.Model)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// fronting makes fronts.
type fronting struct{ w *World }

// of is that of a definition's agents under a parent on a model.
func (f fronting) of(d *Definition, parent string) (out Front, err error) {
	w := f.w
	silent := func(string, string) {} // a run says it of the agent that lacks it
	pool := w.pool(d, RunsAsync(false, d, &w.gates, w.forks()) || w.coordinator, w.cfg.runMode(w.cfg.Mode, d), w.offers(d, w.coordinator, d.Mode))
	pool, _ = w.bring(pool, d, silent)
	out = Front{Definition: d, Model: w.cfg.model(d.Model, parent), Tools: pool.Blocks, Deferred: tool.Names(pool.Deferred)}
	if w.lists(d) {
		out.Listed = d.listed().Line()
	}
	prompt, err := d.SystemPrompt(&w.gates)
	if err != nil || w.cfg.Stack.Bare() {
		out.System = []string{prompt}
		return out, err
	}
	claude, git := d.omissions(&w.gates)
	out.Environment, out.Memory, out.Parts = w.environment(nil), w.memory(d, nil), f.parts(pool, true, claude, git)
	out.System = []string{w.grown(d, pool, out.Environment, prompt) + d.scratchNote(w)}
	for _, name := range d.Skills {
		if text, ok := w.projectText(skillsDir + name + "/SKILL.md"); ok {
			out.Skills = append(out.Skills, Skill{skillsDir + name + "/SKILL.md", skillBlock(name, text)})
		}
	}
	return out, nil
}

// model is the model of a name that a definition or a call gives, or of neither; ""
// of an alias that stands for none.
func (c *Config) model(name, parent string) string {
	if name == "" {
		name = c.Subagent
	}
	switch name {
	case "", "inherit":
		return parent
	case "sonnet", "opus", "haiku":
		return c.Aliases[name]
	}
	return name
}

// parts are the names of the context parts that agents with a pool have.
func (f fronting) parts(pool *Pool, child bool, claude, git string) (names []string) {
	for _, p := range slices.Concat(f.w.cfg.UserContext, f.w.cfg.SystemContext, f.w.cfg.Opening, f.w.cfg.Attached) {
		if p.stands(pool, child) && p.Name != claude && p.Name != git {
			names = append(names, p.Name)
		}
	}
	return names
}

// stands reports whether agents with a pool have the part.
func (p *Part) stands(pool *Pool, child bool) bool {
	return (!child || !p.RootsOnly) && (p.Needs == "" || pool.Has(p.Needs))
}
