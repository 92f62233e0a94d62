package heads

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/client"
)

// losses finds, of the parts that are gone, those that are so since what they were
// loaded from cannot be read any more. What its author took out has no problem.
func (c *comparison) losses(problems []*document.Error) {
	for i := range c.Changes {
		x := &c.Changes[i]
		at := slices.IndexFunc(problems, func(p *document.Error) bool { return x.What == Removed && !x.Theirs && c.explains(p, x.Now) })
		if at >= 0 {
			x.What, x.Why = Lost, problems[at]
		}
	}
}

// explains reports whether a problem is why a part is gone: nothing of its file is read
// now, the file that names its server is not or not with that server, or an import is
// followed no more, on a line that names the part's file or that is new.
func (c *comparison) explains(p *document.Error, gone *Part) bool {
	names := func(word string) bool {
		lines := strings.Split(c.text(p.File), "\n")
		return word != "" && p.Line <= len(lines) && strings.Contains(lines[max(p.Line, 1)-1], word)
	}
	switch {
	case p.File == gone.File && !slices.ContainsFunc(c.now.Parts, func(o *Part) bool { return o.File == gone.File && o.Kind == gone.Kind }):
		return true
	case p.File == serversFile && gone.Server() != "":
		return !p.Warning || names(strconv.Quote(gone.Server()))
	case gone.Kind == client.Memory && slices.ContainsFunc(c.now.Parts, func(o *Part) bool { return o.File == p.File && o.Kind == client.Memory }):
		return names(path.Base(gone.File)) || slices.ContainsFunc(c.Changes, func(o Change) bool {
			return o.Now.File == p.File && slices.ContainsFunc(o.Lines, func(l Span) bool { return l.First <= p.Line && p.Line <= l.Last })
		})
	}
	return false
}

// Server is that of what an MCP server has, "" for what is none's.
func (p *Part) Server() string {
	switch p.Kind {
	case client.ServerText:
		return p.Name
	case client.MCPTool, client.Deferred:
		name, _, _ := strings.Cut(strings.TrimPrefix(p.Name, "mcp__"), "__")
		return name
	}
	return ""
}

// lost reports whether an agent had a part that is not loaded any more.
func (r *Report) lost(agent string) bool {
	return slices.ContainsFunc(r.Changes, func(x Change) bool { return x.What == Lost && slices.Contains(x.Who, agent) })
}
