package definition

import (
	"path"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/agent"
)

// heard are the events that hooks of an agent can hear here.
var heard = []agent.HookEvent{agent.PreToolUse, agent.PostToolUse, agent.Stop}

// hooks reads a mapping of events to lists of {matcher, hooks: [{type, command}]}.
func (r *reader) hooks(n *document.Node, key string) {
	if n.Kind != document.Map {
		r.wrong(n, key, "a mapping of events", "such as PreToolUse")
		return
	}
	for _, p := range n.Pairs {
		event := agent.HookEvent(p.Key)
		if !slices.Contains(heard, event) {
			r.warn(p.Pos, "PreToolUse, PostToolUse and Stop are heard", "hooks of %s are never run", p.Key)
			continue
		}
		if p.Val.Kind != document.List {
			r.wrong(p.Val, "hooks of "+p.Key, "a list", "- matcher: Bash")
			continue
		}
		for _, it := range p.Val.Items {
			r.matched(it, event)
		}
	}
}

// matched reads one matcher with its commands.
func (r *reader) matched(n *document.Node, event agent.HookEvent) {
	if n.Kind != document.Map {
		r.wrong(n, "a hook of "+string(event), "a mapping", "{matcher: Bash, hooks: [{type: command, command: ./check.sh}]}")
		return
	}
	matcher := ""
	if m := n.Get("matcher"); m != nil && m.Kind != document.Null {
		if matcher = r.str(m, "matcher"); !goodMatcher(matcher) {
			r.fail(m.Pos, "names of tools, * for any part, | between them", "bad matcher %q", matcher)
		}
	}
	list := n.Get("hooks")
	if list == nil || list.Kind != document.List {
		r.fail(n.Pos, "hooks: [{type: command, command: ./check.sh}]", "a hook of %s has no list of hooks", event)
		return
	}
	for _, it := range list.Items {
		r.command(it, event, matcher)
	}
}

func (r *reader) command(n *document.Node, event agent.HookEvent, matcher string) {
	if n.Kind != document.Map {
		r.wrong(n, "a hook", "a mapping", "{type: command, command: ./check.sh}")
		return
	}
	if t := n.Get("type"); t != nil && t.Text != "command" {
		r.warn(t.Pos, "type: command is", "a hook of type %q is never run", t.Text)
		return
	}
	c := n.Get("command")
	if c == nil || c.Kind != document.String || strings.TrimSpace(c.Text) == "" {
		r.fail(n.Pos, "command: ./check.sh", "a hook without a command")
		return
	}
	r.def.Hooks = append(r.def.Hooks, agent.Hook{Event: event, Matcher: matcher, Command: strings.TrimSpace(c.Text)})
}

// goodMatcher reports whether a matcher is made of patterns of names.
func goodMatcher(m string) bool {
	for _, part := range strings.Split(m, "|") {
		if _, err := path.Match(part, ""); err != nil {
			return false
		}
	}
	return true
}
