package definition

import (
	"path"
	"strings"

	"agentsim/sim/agent"
)

// heard are the events that hooks of an agent can hear here.
var heard = []agent.HookEvent{agent.PreToolUse, agent.PostToolUse, agent.Stop}

// hooks reads a mapping of events to lists of {matcher, hooks: [{type, command}]}.
func (r *reader) hooks(n *node, key string) {
	if n.kind != isMap {
		r.wrong(n, key, "a mapping of events", "such as PreToolUse")
		return
	}
	for _, p := range n.pairs {
		event := agent.HookEvent(p.key)
		if !hears(event) {
			r.warn(p.pos, "PreToolUse, PostToolUse and Stop are heard", "hooks of %s are never run", p.key)
			continue
		}
		if p.val.kind != isList {
			r.wrong(p.val, "hooks of "+p.key, "a list", "- matcher: Bash")
			continue
		}
		for _, it := range p.val.items {
			r.matched(it, event)
		}
	}
}

func hears(e agent.HookEvent) bool {
	for _, h := range heard {
		if h == e {
			return true
		}
	}
	return false
}

// matched reads one matcher with its commands.
func (r *reader) matched(n *node, event agent.HookEvent) {
	if n.kind != isMap {
		r.wrong(n, "a hook of "+string(event), "a mapping", "{matcher: Bash, hooks: [{type: command, command: ./check.sh}]}")
		return
	}
	matcher := ""
	if m := n.get("matcher"); m != nil && m.kind != isNull {
		if matcher = r.str(m, "matcher"); !goodMatcher(matcher) {
			r.fail(m.pos, "names of tools, * for any part, | between them", "bad matcher %q", matcher)
		}
	}
	list := n.get("hooks")
	if list == nil || list.kind != isList {
		r.fail(n.pos, "hooks: [{type: command, command: ./check.sh}]", "a hook of %s has no list of hooks", event)
		return
	}
	for _, it := range list.items {
		r.command(it, event, matcher)
	}
}

func (r *reader) command(n *node, event agent.HookEvent, matcher string) {
	if n.kind != isMap {
		r.wrong(n, "a hook", "a mapping", "{type: command, command: ./check.sh}")
		return
	}
	if t := n.get("type"); t != nil && t.text != "command" {
		r.warn(t.pos, "type: command is", "a hook of type %q is never run", t.text)
		return
	}
	c := n.get("command")
	if c == nil || c.kind != isText || strings.TrimSpace(c.text) == "" {
		r.fail(n.pos, "command: ./check.sh", "a hook without a command")
		return
	}
	r.def.Hooks = append(r.def.Hooks, agent.Hook{Event: event, Matcher: matcher, Command: strings.TrimSpace(c.text)})
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
