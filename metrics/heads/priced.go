package heads

import (
	"cmp"
	"slices"

	"agentsim/metrics/baseline"
	"agentsim/sim/llm"
)

// Priced reports whether the change is of what the same head costs.
func (x *Change) Priced() bool { return x.What == Model || x.What == Lifetime }

// prices are those of all models: one that is gone has its own.
func (r *Report) prices() []baseline.Price { return slices.Concat(r.now.Prices, r.base.Prices) }

// otherwise is what the baseline's head of an agent costs on a model, with a lifetime.
func (r *Report) otherwise(was *Agent, model, ttl string) Cost {
	head, _ := r.base.Tokens(was)
	x := Agent{Name: was.Name, Model: model, TTL: ttl}
	return x.Cost(r.prices(), head, r.day)
}

// models lists the agents that run on another model than they did. Those that changed
// with the main agent did so by the settings.
func (c *comparison) models() {
	main, was := c.now.Agents[0], c.base.agent(Main)
	for _, a := range c.now.Agents {
		before := c.base.agent(a.Name)
		if before == nil || before.Model == a.Model {
			continue
		}
		from := cmp.Or(a.modelFrom, a.field("model"))
		if was != nil && before.Model == was.Model && a.Model == main.Model {
			from = cmp.Or(c.now.from.model, c.settings())
		}
		p := &Part{Word: "Model", Name: before.Model + " → " + a.Model}
		p.File, p.Line = Located(from)
		c.setting(Model, p, a.Name)
	}
}

// lifetimes lists the agents whose cache entries live longer or shorter than they did.
func (c *comparison) lifetimes() {
	for _, a := range c.now.Agents {
		before := c.base.agent(a.Name)
		if before == nil || before.TTL == a.TTL {
			continue
		}
		shortest := llm.TTL5m.String()
		p := &Part{Word: "TTL", Name: cmp.Or(before.TTL, shortest) + " → " + cmp.Or(a.TTL, shortest)}
		p.File, p.Line = Located(cmp.Or(a.ttlFrom, c.settings()))
		c.setting(Lifetime, p, a.Name)
	}
}

// setting notes for an agent what files other than texts decide, those that share it
// together.
func (c *comparison) setting(what string, p *Part, name string) *Change {
	i := slices.IndexFunc(c.Changes, func(x Change) bool { return x.What == what && x.Now.key() == p.key() })
	if i < 0 {
		i = len(c.Changes)
		c.Changes = append(c.Changes, Change{What: what, Now: p, Was: p, Theirs: !p.Own()})
	}
	c.Changes[i].Who = append(c.Changes[i].Who, name)
	return &c.Changes[i]
}

// settings is the file of what settings name no more: one that is read no more, else the
// nearest; "" where neither side has any.
func (c *comparison) settings() string {
	for _, file := range c.base.Settings {
		if !slices.Contains(c.now.Settings, file) {
			return file
		}
	}
	return append(slices.Concat(c.base.Settings, c.now.Settings), "")[0]
}

// The files of a repository's settings.
const (
	settingsFile  = ".claude/settings.json"
	localSettings = ".claude/settings.local.json"
)
