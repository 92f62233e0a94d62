package heads

import (
	"cmp"
	"slices"
	"strings"

	"agentsim/sim/client"
	"agentsim/sim/tool"
)

// tools notes which of the client's tools an agent has now and had not, or the other way
// round, since its definition, or settings, say so: how many tokens more they are, of how
// many. What another version of the client has, or has no more, is none of that, nor are
// those by which agents use skills and servers that are there.
func (c *comparison) tools(was, a *Agent) (more, of int64) {
	had, has := c.base.tools(was), c.now.tools(a)
	same := c.base.offers(c.now) && c.base.Unloaded != nil // else it counted other tools
	at := a.field("tools", "allowed-tools", "disallowedTools", "memory", "permissionMode", "background")
	without := func(list []*Part, p, other *Part) bool {
		if named(list, p.Name) {
			return false
		}
		if a.From != "" && named(c.base.tools(c.base.Agents[0]), p.Name) == named(c.now.tools(c.now.Agents[0]), p.Name) {
			return same || other != nil
		}
		from := c.switched(p) // since the main agent's changed as well
		if !same && from == "" || p.Name == tool.SkillName || p.Name == tool.SearchName {
			return false
		}
		at = cmp.Or(from, c.settings())
		return true
	}
	var words []string
	for _, p := range has {
		if without(had, p, c.was[p.key()]) {
			words, more = append(words, "+"+p.Name), more+p.Tokens
		}
	}
	for _, p := range had {
		of += p.Tokens
		if now := c.is[p.key()]; without(has, p, now) {
			words, more = append(words, "-"+p.Name), more-cmp.Or(now, p).Tokens
		}
	}
	if words == nil {
		return 0, 0
	}
	p := &Part{Word: "System tools", Name: strings.Join(words, " "), Kind: kindChosen}
	p.File, p.Line = Located(at)
	c.setting(grown(more), p, a.Name).Tokens = more
	return more, of
}

// told reports whether a tool that came or went is among those that agents were given.
func (c *comparison) told(x Change) bool {
	return x.Now.Kind == kindTool && !slices.ContainsFunc(x.Who, func(name string) bool {
		return !slices.ContainsFunc(c.Changes, func(o Change) bool {
			return o.Now.Kind == kindChosen && slices.Contains(o.Who, name) && slices.ContainsFunc(strings.Fields(o.Now.Name), func(w string) bool { return w[1:] == x.Now.Name })
		})
	})
}

// named reports whether a part of that name is among some.
func named(list []*Part, name string) bool {
	return slices.ContainsFunc(list, func(p *Part) bool { return p.Name == name })
}

// tools are the client's tools in front of an agent.
func (h *Heads) tools(a *Agent) (out []*Part) {
	for _, i := range a.Parts {
		if p := h.Parts[i]; p.Kind == kindTool {
			out = append(out, p)
		}
	}
	return out
}

// given notes that an agent has more, or less, of what is there for others too: its
// definition says so, in a field that is for parts of that kind.
func (c *comparison) given(was, a *Agent, tokens int64) {
	had, has := c.base.keys(was), c.now.keys(a)
	p := &Part{Word: "Given to", Name: a.Name}
	p.File, p.Line = Located(a.From)
	for _, list := range [][2][]string{{has, had}, {had, has}} {
		for _, key := range list[0] {
			if of := cmp.Or(c.is[key], c.was[key]); !slices.Contains(list[1], key) && fieldsOf[of.Kind] != nil {
				p.Name = a.Name + ": " + of.Word
				p.File, p.Line = Located(a.field(fieldsOf[of.Kind]...))
			}
		}
	}
	c.Changes = append(c.Changes, Change{What: grown(tokens), Now: p, Was: p, Tokens: tokens, Who: []string{a.Name}})
}

// fieldsOf are the fields of a definition that say whether its agents have parts of a kind.
var fieldsOf = map[client.Kind][]string{
	client.Memory: {"omitClaudeMd"}, kindSkill: {"skills"}, client.Skills: {"tools", "disallowedTools"},
	client.MCPTool: {"mcpServers", "tools", "disallowedTools"}, client.Deferred: {"mcpServers", "tools", "disallowedTools"},
}

// keys are those of an agent's parts.
func (h *Heads) keys(a *Agent) (out []string) {
	for _, i := range a.Parts {
		out = append(out, h.Parts[i].key())
	}
	return out
}
