package definition

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentsim/scenarios/document"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
)

// reader fills one definition from a mapping.
type reader struct {
	*text
	def   *agent.Definition
	tools map[string]bool         // the names and aliases that are tools: whether anything serves them
	where map[string]document.Pos // field → its value
}

// fields are the keys of a definition (DEF-03).
var fields = map[string]func(r *reader, n *document.Node, key string){
	"name":            (*reader).name,
	"description":     func(r *reader, n *document.Node, key string) { r.def.Description = r.str(n, key) },
	"model":           func(r *reader, n *document.Node, key string) { r.def.Model = r.str(n, key) },
	"tools":           (*reader).toolList,
	"allowed-tools":   (*reader).allowedTools,
	"disallowedTools": func(r *reader, n *document.Node, key string) { r.def.Disallowed = r.toolNames(n, key) },
	"permissionMode":  (*reader).mode,
	"maxTurns":        (*reader).maxTurns,
	"background":      func(r *reader, n *document.Node, key string) { r.def.Background = r.boolean(n, key) },
	"isolation":       func(r *reader, n *document.Node, key string) { r.def.Isolation = r.oneOf(n, key, "worktree", "remote") },
	"memory": func(r *reader, n *document.Node, key string) {
		r.def.Memory = agent.Memory(r.oneOf(n, key, "user", "project", "local"))
	},
	"mcpServers":         (*reader).servers,
	"hooks":              (*reader).hooks,
	"skills":             func(r *reader, n *document.Node, key string) { r.def.Skills = r.list(n, key) },
	"initialPrompt":      func(r *reader, n *document.Node, key string) { r.def.InitialPrompt = r.str(n, key) },
	"effort":             (*reader).effort,
	"experimental":       (*reader).experimental,
	"requiredMcpServers": func(r *reader, n *document.Node, key string) { r.def.Required = r.list(n, key) },
	"omitClaudeMd":       func(r *reader, n *document.Node, key string) { r.def.OmitClaude = r.boolean(n, key) },
	"color":              func(r *reader, n *document.Node, key string) { r.def.Color = r.str(n, key) },
}

// read reads every entry of a mapping. Prompt is the key of the prompt where it
// stands among the fields, "" where it does not.
func (r *reader) read(n *document.Node, prompt string) {
	for _, p := range n.Pairs {
		if p.Key == prompt && prompt != "" {
			continue
		}
		f, known := fields[p.Key]
		switch {
		case !known:
			r.warn(p.Pos, fieldHint(p.Key), "unknown field %q", p.Key)
		case p.Val.Kind == document.Null:
			r.warn(p.Pos, "take the line away, or give it a value", "%s has no value: as if it were left out", p.Key)
		default:
			r.where[p.Key] = p.Val.Pos
			f(r, p.Val, p.Key)
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

func (r *reader) wrong(n *document.Node, key, want, hint string) {
	r.fail(n.Pos, hint, "%s is %s, not %s", key, want, n.Kind)
}

func (r *reader) str(n *document.Node, key string) string {
	switch n.Kind {
	case document.String:
		return strings.TrimSpace(n.Text)
	case document.Int, document.Float, document.Bool:
		r.wrong(n, key, "text", `write it in quotes: "`+n.Text+`"`)
	default:
		r.wrong(n, key, "text", "")
	}
	return ""
}

func (r *reader) boolean(n *document.Node, key string) bool {
	if n.Kind != document.Bool {
		hint := ""
		if n.Kind == document.String {
			hint = "write true or false, without quotes"
		}
		r.wrong(n, key, "true or false", hint)
	}
	return strings.EqualFold(n.Text, "true")
}

func (r *reader) oneOf(n *document.Node, key string, allowed ...string) string {
	s := r.str(n, key)
	if n.Kind == document.String && !slices.Contains(allowed, s) {
		r.fail(n.Pos, "write one of "+strings.Join(allowed, ", "), "unknown %s %q", key, s)
	}
	return s
}

// maxName is how long a name may be, in bytes.
const maxName = 128

func (r *reader) name(n *document.Node, key string) {
	r.def.Type = r.str(n, key)
	switch s := r.def.Type; {
	case n.Kind != document.String:
	case s == "":
		r.fail(n.Pos, "such as code-reviewer", "the name is empty")
	case len(s) > maxName || strings.ContainsAny(s, "\n\t\r"):
		r.fail(n.Pos, "such as code-reviewer", "a name stands on one line and has at most %d bytes", maxName)
	}
}

// nameable refuses a name with which the client skips a file: a colon parts a
// plugin's name from its agents', and a dash begins a flag.
func (r *reader) nameable(at document.Pos) {
	if s := r.def.Type; !r.broken && (strings.Contains(s, ":") || strings.HasPrefix(s, "-")) {
		r.fail(at, "such as code-reviewer", "a name has no colon and begins with no dash, and this is %q: the client skips the file", s)
	}
}

func (r *reader) mode(n *document.Node, key string) {
	var allowed []string
	for _, m := range permission.Modes() {
		allowed = append(allowed, string(m))
	}
	r.def.Mode = permission.Mode(r.oneOf(n, key, allowed...))
}

func (r *reader) maxTurns(n *document.Node, key string) {
	v, err := strconv.Atoi(n.Text)
	switch {
	case n.Kind != document.Int:
		r.wrong(n, key, "a whole number", "such as 50, without quotes")
	case err != nil || v < 1:
		r.fail(n.Pos, "such as 50", "%s is a positive number, not %s", key, n.Text)
	default:
		r.def.MaxTurns = v
	}
}

func (r *reader) effort(n *document.Node, key string) {
	if n.Kind == document.Int {
		r.def.Effort = n.Text
		return
	}
	r.def.Effort = r.oneOf(n, key, "low", "normal", "high")
}

// experimental reads what may change: how long what its agents send stays cached.
func (r *reader) experimental(n *document.Node, key string) {
	if n.Kind != document.Map {
		r.wrong(n, key, "a mapping", "such as {cacheTtl: 1h}")
		return
	}
	for _, p := range n.Pairs {
		if p.Key != "cacheTtl" {
			r.warn(p.Pos, "cacheTtl is the one that has an effect", "unknown field %q", key+"."+p.Key)
			continue
		}
		ttl := llm.TTL5m
		if r.oneOf(p.Val, key+".cacheTtl", ttl.String(), llm.TTL1h.String()) == llm.TTL1h.String() {
			ttl = llm.TTL1h
		}
		r.def.CacheTTL = &ttl
	}
}

// listed is an entry of a list with its place.
type listed struct {
	text string
	Pos  document.Pos
}

// entries reads a list of texts, or a text with commas. Commas within
// parentheses belong to an entry.
func (r *reader) entries(n *document.Node, key string) []listed {
	out := []listed{}
	switch n.Kind {
	case document.String:
		for _, p := range cutCommas(n.Text) {
			out = append(out, listed{p.text, within(n, p.Pos.Col)})
		}
	case document.List:
		for _, it := range n.Items {
			if it.Kind != document.String {
				r.fail(it.Pos, "", "an entry of %s is text, not %s", key, it.Kind)
				continue
			}
			for _, p := range cutCommas(it.Text) {
				out = append(out, listed{p.text, within(it, p.Pos.Col)})
			}
		}
	default:
		r.wrong(n, key, "a list, or text with commas", "such as [Read, Grep]")
	}
	return out
}

// within is the place of the character at an offset of a text, as far as it is
// known.
func within(n *document.Node, offset int) document.Pos {
	if n.Plain < 0 {
		return n.Pos
	}
	return n.Pos.Right(n.Plain + offset)
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
			out = append(out, listed{trimmed, document.Pos{Col: at}})
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

func (r *reader) list(n *document.Node, key string) []string {
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
func (r *reader) toolList(n *document.Node, key string) {
	if other, both := r.where["allowed-tools"]; both {
		r.twice(other)
	}
	r.def.Tools = r.toolNames(n, key)
}

func (r *reader) allowedTools(n *document.Node, key string) {
	if _, both := r.where["tools"]; both {
		r.twice(n.Pos)
		return
	}
	r.def.Tools = r.toolNames(n, key)
}

func (r *reader) twice(at document.Pos) {
	r.warn(at, "take one of them away", "allowed-tools is another spelling of tools, which is given too and wins")
}

// toolNames reads names of tools. A rule in parentheses names its tool; tools of
// MCP servers are known once there is a server.
func (r *reader) toolNames(n *document.Node, key string) []string {
	out := []string{}
	for _, e := range r.entries(n, key) {
		name, rule, ruled := strings.Cut(e.text, "(")
		name = strings.TrimSpace(name)
		serves, known := r.tools[name]
		switch named := name != "*" && !strings.HasPrefix(name, "mcp__"); {
		case named && !known:
			r.warn(e.Pos, "no pool holds it", "unknown tool %q", name)
		case named && !serves && key != "disallowedTools":
			r.warn(e.Pos, "", "no simulation carries out tool %q: every call of it is an error there", name)
		case ruled:
			r.warn(e.Pos, "leave the parentheses out", "the rule (%s of %s is not applied: the whole tool is meant", rule, name)
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// servers reads MCP servers: names, or mappings of one name to what it runs.
func (r *reader) servers(n *document.Node, key string) {
	switch n.Kind {
	case document.String:
		r.def.Servers = r.list(n, key)
	case document.Map:
		r.inline(n, key)
	case document.List:
		for _, it := range n.Items {
			switch it.Kind {
			case document.String:
				r.def.Servers = append(r.def.Servers, it.Text)
			case document.Map:
				r.inline(it, key)
			default:
				r.fail(it.Pos, "", "a server of %s is a name or a mapping, not %s", key, it.Kind)
			}
		}
	default:
		r.wrong(n, key, "a list of servers", "")
	}
}

func (r *reader) inline(n *document.Node, key string) {
	for _, p := range n.Pairs {
		switch {
		case p.Val.Kind != document.Map:
			r.fail(p.Val.Pos, "", "server %q of %s is a mapping, not %s", p.Key, key, p.Val.Kind)
		case !client.PlainServer(p.Key):
			r.fail(p.Pos, "such as github", "a server's name has letters, digits, - and single _ alone, not %q", p.Key)
		case !slices.Contains(r.def.Inline, p.Key):
			r.def.Inline = append(r.def.Inline, p.Key)
		}
	}
}
