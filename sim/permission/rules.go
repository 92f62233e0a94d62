package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Source says who gave a rule.
type Source string

// The sources.
const (
	CommandLine Source = "cliArg"  // given when the session began; no agent can lose it
	Session     Source = "session" // given since, or by the session's settings
)

// Rule speaks of some calls of a tool: Bash, Bash(git diff:*), Edit(docs/**),
// Agent(Explore), mcp__server.
type Rule struct {
	Tool   string // name or alias; the name of an MCP server is all of its tools
	Spec   string // the specifier; "" is every call
	Source Source
}

// ParseRule reads a rule: a tool's name, and behind it in parentheses what of
// the call it speaks of. `(*)` is every call.
func ParseRule(text string, from Source) (Rule, error) {
	name, spec, found := strings.Cut(text, "(")
	switch {
	case name == "" || strings.ContainsAny(name, " \t*,)"):
		return Rule{}, fmt.Errorf("rule %q names no tool: write Tool or Tool(specifier)", text)
	case !found:
		return Rule{Tool: name, Source: from}, nil
	case !strings.HasSuffix(spec, ")") || spec == ")":
		return Rule{}, fmt.Errorf("rule %q has no specifier in parentheses: write Tool(specifier), or Tool for every call", text)
	}
	spec = strings.TrimSuffix(spec, ")")
	if spec == "*" {
		spec = ""
	}
	return Rule{Tool: name, Spec: spec, Source: from}, nil
}

// String is the rule as it is written.
func (r Rule) String() string {
	if r.Spec == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Spec + ")"
}

// Rules are the rules of a session or of an agent, each list in the order in
// which they were given.
type Rules struct{ Deny, Ask, Allow []Rule }

// Empty reports whether there is no rule at all; nil has none.
func (r *Rules) Empty() bool { return r == nil || len(r.Deny)+len(r.Ask)+len(r.Allow) == 0 }

// WithAllowed is the rules of a child that brings its own allowed tools: they
// take the place of the session's allow rules, and those of the command line
// stay (PRM-03). What is denied or asked stays as it is.
func (r *Rules) WithAllowed(own []Rule) *Rules {
	out := &Rules{Deny: r.Deny, Ask: r.Ask}
	for _, x := range r.Allow {
		if x.Source == CommandLine {
			out.Allow = append(out.Allow, x)
		}
	}
	out.Allow = append(out.Allow, own...)
	return out
}

// DeniesAgent is the deny rule that takes a type of agent away, if there is one.
func (r *Rules) DeniesAgent(typ string) (Rule, bool) {
	if r == nil {
		return Rule{}, false
	}
	for _, x := range r.Deny {
		if (x.Tool == "Agent" || x.Tool == "Task") && x.Spec == typ {
			return x, true
		}
	}
	return Rule{}, false
}

// DeniesTool reports whether a deny rule takes a whole tool away, so that it is not
// offered at all; a rule for some of its calls leaves it in its place (CACHE-95).
func (r *Rules) DeniesTool(c *Call) bool {
	return r != nil && slices.ContainsFunc(r.Deny, func(x Rule) bool { return x.Spec == "" && x.names(c) })
}

// names reports whether the rule speaks of the tool.
func (r *Rule) names(c *Call) bool {
	if r.Tool == c.Tool || strings.HasPrefix(r.Tool, "mcp__") && strings.HasPrefix(c.Tool, r.Tool+"__") {
		return true
	}
	for _, a := range c.Aliases {
		if r.Tool == a {
			return true
		}
	}
	return false
}

// covers reports whether the specifier speaks of a subject. `prefix:*` is every
// subject that is the prefix or goes on behind it with a word; else the
// specifier is a glob.
func (r *Rule) covers(subject string) bool {
	if prefix, ok := strings.CutSuffix(r.Spec, ":*"); ok {
		rest, found := strings.CutPrefix(subject, prefix)
		return found && (rest == "" || rest[0] == ' ')
	}
	return r.Spec == subject || doublestar.MatchUnvalidated(r.Spec, subject)
}

// coversPath reports whether the specifier speaks of a path.
func (r *Rule) coversPath(name string) bool {
	spec := strings.TrimPrefix(r.Spec, "./")
	return spec == name || doublestar.MatchUnvalidated(spec, name)
}

// anyOf is the first rule that speaks of some part of the call.
func anyOf(rules []Rule, c *Call) *Rule {
	for i := range rules {
		r := &rules[i]
		if !r.names(c) {
			continue
		}
		if r.Spec == "" || slices.ContainsFunc(c.Subjects, r.covers) || slices.ContainsFunc(c.Names, r.coversPath) {
			return r
		}
	}
	return nil
}

// allOf is a rule that speaks of the call where every part of the call has one:
// a command of several parts is allowed only if all its parts are.
func allOf(rules []Rule, c *Call) *Rule {
	var last *Rule
	for _, s := range c.Subjects {
		one := Call{Tool: c.Tool, Aliases: c.Aliases, Subjects: []string{s}, Names: c.Names}
		if last = anyOf(rules, &one); last == nil {
			return nil
		}
	}
	if last == nil {
		return anyOf(rules, c)
	}
	return last
}

// Covers reports whether the rule speaks of some part of the call.
func (r Rule) Covers(c *Call) bool { return anyOf([]Rule{r}, c) != nil }
