package definition

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
)

// reader fills one definition from a mapping.
type reader struct {
	*text
	def   *agent.Definition
	tools map[string]bool // the names and aliases that are tools: whether anything serves them
	where map[string]pos  // field → its value
}

// fields are the keys of a definition (DEF-03).
var fields = map[string]func(r *reader, n *node, key string){
	"name":            (*reader).name,
	"description":     func(r *reader, n *node, key string) { r.def.Description = r.str(n, key) },
	"model":           func(r *reader, n *node, key string) { r.def.Model = r.str(n, key) },
	"tools":           (*reader).toolList,
	"allowed-tools":   (*reader).allowedTools,
	"disallowedTools": func(r *reader, n *node, key string) { r.def.Disallowed = r.toolNames(n, key) },
	"permissionMode":  (*reader).mode,
	"maxTurns":        (*reader).maxTurns,
	"background":      func(r *reader, n *node, key string) { r.def.Background = r.boolean(n, key) },
	"isolation":       func(r *reader, n *node, key string) { r.def.Isolation = r.oneOf(n, key, "worktree", "remote") },
	"memory": func(r *reader, n *node, key string) {
		r.def.Memory = agent.Memory(r.oneOf(n, key, "user", "project", "local"))
	},
	"mcpServers":         (*reader).servers,
	"hooks":              (*reader).hooks,
	"skills":             func(r *reader, n *node, key string) { r.def.Skills = r.list(n, key) },
	"initialPrompt":      func(r *reader, n *node, key string) { r.def.InitialPrompt = r.str(n, key) },
	"effort":             (*reader).effort,
	"experimental":       (*reader).experimental,
	"requiredMcpServers": func(r *reader, n *node, key string) { r.def.Required = r.list(n, key) },
	"omitClaudeMd":       func(r *reader, n *node, key string) { r.def.OmitClaude = r.boolean(n, key) },
	"color":              func(r *reader, n *node, key string) { r.def.Color = r.str(n, key) },
}

// read reads every entry of a mapping. Prompt is the key of the prompt where it
// stands among the fields, "" where it does not.
func (r *reader) read(n *node, prompt string) {
	for _, p := range n.pairs {
		if p.key == prompt && prompt != "" {
			continue
		}
		f, known := fields[p.key]
		switch {
		case !known:
			r.warn(p.pos, fieldHint(p.key), "unknown field %q", p.key)
		case p.val.kind == isNull:
			r.warn(p.pos, "take the line away, or give it a value", "%s has no value: as if it were left out", p.key)
		default:
			r.where[p.key] = p.val.pos
			f(r, p.val, p.key)
		}
	}
}

// fieldHint is the field that differs only in how it is written, else that the
// key does nothing.
func fieldHint(key string) string {
	fold := func(s string) string { return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s)) }
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		if fold(f) == fold(key) {
			return `did you mean "` + f + `"?`
		}
	}
	return "it has no effect"
}

func (r *reader) wrong(n *node, key, want, hint string) {
	r.fail(n.pos, hint, "%s is %s, not %s", key, want, n.kind)
}

func (r *reader) str(n *node, key string) string {
	switch n.kind {
	case isText:
		return strings.TrimSpace(n.text)
	case isInt, isFraction, isBool:
		r.wrong(n, key, "text", `write it in quotes: "`+n.text+`"`)
	default:
		r.wrong(n, key, "text", "")
	}
	return ""
}

func (r *reader) boolean(n *node, key string) bool {
	if n.kind != isBool {
		hint := ""
		if n.kind == isText {
			hint = "write true or false, without quotes"
		}
		r.wrong(n, key, "true or false", hint)
	}
	return strings.EqualFold(n.text, "true")
}

func (r *reader) oneOf(n *node, key string, allowed ...string) string {
	s := r.str(n, key)
	if n.kind == isText && !slices.Contains(allowed, s) {
		r.fail(n.pos, "write one of "+strings.Join(allowed, ", "), "unknown %s %q", key, s)
	}
	return s
}

// maxName is how long a name may be, in bytes.
const maxName = 128

func (r *reader) name(n *node, key string) {
	r.def.Type = r.str(n, key)
	switch s := r.def.Type; {
	case n.kind != isText:
	case s == "":
		r.fail(n.pos, "such as code-reviewer", "the name is empty")
	case len(s) > maxName || strings.ContainsAny(s, "\n\t\r"):
		r.fail(n.pos, "such as code-reviewer", "a name stands on one line and has at most %d bytes", maxName)
	}
}

func (r *reader) mode(n *node, key string) {
	var allowed []string
	for _, m := range permission.Modes() {
		allowed = append(allowed, string(m))
	}
	r.def.Mode = permission.Mode(r.oneOf(n, key, allowed...))
}

func (r *reader) maxTurns(n *node, key string) {
	v, err := strconv.Atoi(n.text)
	switch {
	case n.kind != isInt:
		r.wrong(n, key, "a whole number", "such as 50, without quotes")
	case err != nil || v < 1:
		r.fail(n.pos, "such as 50", "%s is a positive number, not %s", key, n.text)
	default:
		r.def.MaxTurns = v
	}
}

func (r *reader) effort(n *node, key string) {
	if n.kind == isInt {
		r.def.Effort = n.text
		return
	}
	r.def.Effort = r.oneOf(n, key, "low", "normal", "high")
}

// experimental reads what may change: how long what its agents send stays cached.
func (r *reader) experimental(n *node, key string) {
	if n.kind != isMap {
		r.wrong(n, key, "a mapping", "such as {cacheTtl: 1h}")
		return
	}
	for _, p := range n.pairs {
		if p.key != "cacheTtl" {
			r.warn(p.pos, "cacheTtl is the one that has an effect", "unknown field %q", key+"."+p.key)
			continue
		}
		ttl := llm.TTL5m
		if r.oneOf(p.val, key+".cacheTtl", ttl.String(), llm.TTL1h.String()) == llm.TTL1h.String() {
			ttl = llm.TTL1h
		}
		r.def.CacheTTL = &ttl
	}
}

// listed is an entry of a list with its place.
type listed struct {
	text string
	pos  pos
}

// entries reads a list of texts, or a text with commas. Commas within
// parentheses belong to an entry.
func (r *reader) entries(n *node, key string) []listed {
	out := []listed{}
	switch n.kind {
	case isText:
		for _, p := range cutCommas(n.text) {
			out = append(out, listed{p.text, n.within(p.pos.col)})
		}
	case isList:
		for _, it := range n.items {
			if it.kind != isText {
				r.fail(it.pos, "", "an entry of %s is text, not %s", key, it.kind)
				continue
			}
			for _, p := range cutCommas(it.text) {
				out = append(out, listed{p.text, it.within(p.pos.col)})
			}
		}
	default:
		r.wrong(n, key, "a list, or text with commas", "such as [Read, Grep]")
	}
	return out
}

// within is the place of the character at an offset of a text, as far as it is
// known.
func (n *node) within(offset int) pos {
	if n.plain < 0 {
		return n.pos
	}
	return pos{n.pos.line, n.pos.col + n.plain + offset}
}

// cutCommas parts a text at its commas, with the offset of each part in
// characters. Empty parts are left out.
func cutCommas(s string) (out []listed) {
	depth, from := 0, 0
	take := func(to int) {
		part := s[from:to]
		trimmed := strings.TrimLeft(part, " \t\n")
		at := utf8.RuneCountInString(s[:from]) + utf8.RuneCountInString(part) - utf8.RuneCountInString(trimmed)
		if trimmed = strings.TrimRight(trimmed, " \t\n"); trimmed != "" {
			out = append(out, listed{trimmed, pos{col: at}})
		}
		from = to + 1
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth = max(depth-1, 0)
		case ',':
			if depth == 0 {
				take(i)
			}
		}
	}
	take(len(s))
	return out
}

func (r *reader) list(n *node, key string) []string {
	var out []string
	for _, e := range r.entries(n, key) {
		if !slices.Contains(out, e.text) {
			out = append(out, e.text)
		}
	}
	return out
}

// toolList and allowedTools read the two spellings of the allow list. Where both
// are given tools wins, whichever comes first.
func (r *reader) toolList(n *node, key string) {
	if other, both := r.where["allowed-tools"]; both {
		r.twice(other)
	}
	r.def.Tools = r.toolNames(n, key)
}

func (r *reader) allowedTools(n *node, key string) {
	if _, both := r.where["tools"]; both {
		r.twice(n.pos)
		return
	}
	r.def.Tools = r.toolNames(n, key)
}

func (r *reader) twice(at pos) {
	r.warn(at, "take one of them away", "allowed-tools is another spelling of tools, which is given too and wins")
}

// toolNames reads names of tools. A rule in parentheses names its tool; tools of
// MCP servers are known once there is a server.
func (r *reader) toolNames(n *node, key string) []string {
	out := []string{}
	for _, e := range r.entries(n, key) {
		name, rule, ruled := strings.Cut(e.text, "(")
		name = strings.TrimSpace(name)
		serves, known := r.tools[name]
		switch named := name != "*" && !strings.HasPrefix(name, "mcp__"); {
		case named && !known:
			r.warn(e.pos, "no pool holds it", "unknown tool %q", name)
		case named && !serves && key != "disallowedTools":
			r.warn(e.pos, "", "nothing serves tool %q: every call of it is an error", name)
		case ruled:
			r.warn(e.pos, "leave the parentheses out", "the rule (%s of %s is not applied: the whole tool is meant", rule, name)
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// servers reads MCP servers: names, or mappings of one name to what it runs.
func (r *reader) servers(n *node, key string) {
	switch n.kind {
	case isText:
		r.def.Servers = r.list(n, key)
	case isMap:
		r.inline(n, key)
	case isList:
		for _, it := range n.items {
			switch it.kind {
			case isText:
				r.def.Servers = append(r.def.Servers, it.text)
			case isMap:
				r.inline(it, key)
			default:
				r.fail(it.pos, "", "a server of %s is a name or a mapping, not %s", key, it.kind)
			}
		}
	default:
		r.wrong(n, key, "a list of servers", "")
	}
}

func (r *reader) inline(n *node, key string) {
	for _, p := range n.pairs {
		if p.val.kind != isMap {
			r.fail(p.val.pos, "", "server %q of %s is a mapping, not %s", p.key, key, p.val.kind)
			continue
		}
		r.def.Servers = append(r.def.Servers, p.key)
	}
}
