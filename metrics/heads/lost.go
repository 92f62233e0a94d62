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
	c.unreadSettings(problems)
	for i := range c.Changes {
		x := &c.Changes[i]
		if x.Priced() && c.unset(x) {
			if at := slices.IndexFunc(problems, func(p *document.Error) bool { return c.silences(p, x) }); at >= 0 {
				x.Why = problems[at]
			}
		}
		at := slices.IndexFunc(problems, func(p *document.Error) bool { return x.What == Removed && !x.Theirs && c.explains(p, x.Now) })
		if at >= 0 {
			x.What, x.Why = Lost, problems[at]
		}
	}
}

// Note notes, for a baseline, which problems leave text out, on whatever line.
func (h *Heads) Note(problems []*document.Error) {
	h.Unloaded = []string{}
	for _, p := range problems {
		if !p.Warning {
			h.Unloaded = append(h.Unloaded, sums(p.File+" "+p.Msg))
		}
	}
}

// Knows reports whether a baseline had a problem, on whatever line; one that did not note
// them is taken to have had all.
func (h *Heads) Knows(p *document.Error) bool {
	return h.Unloaded == nil || slices.Contains(h.Unloaded, sums(p.File+" "+p.Msg))
}

// unread notes what could not be read of files, and the baseline had no such problem:
// text that its author meant agents to have, those that have what else is of its kind.
func (c *comparison) unread(problems []*document.Error) {
	for _, p := range problems {
		known := func(x Change) bool { return x.Why == p }
		if p.Warning || c.base.Knows(p) || slices.ContainsFunc(c.Changes, known) {
			continue
		}
		part := &Part{Word: word(p.File), File: p.File, Line: p.Line}
		x := Change{What: Lost, Now: part, Why: p}
		for _, a := range c.now.Agents {
			if part.Word == "Settings" || slices.Contains(c.now.words(a), part.Word) {
				x.Who = append(x.Who, a.Name)
			}
		}
		if x.Who == nil {
			x.Who = []string{Main}
		}
		c.Changes = append(c.Changes, x)
	}
}

// word is the client's own for what a file holds.
func word(file string) string {
	switch base := path.Base(file); {
	case base == path.Base(settingsFile), base == path.Base(localSettings):
		return "Settings"
	case base == serversFile:
		return words[client.Deferred]
	case strings.Contains(file, ".claude/agents"):
		return words[client.Types]
	case strings.Contains(file, ".claude/skills/"), strings.Contains(file, ".claude/commands/"):
		return words[client.Skills]
	case strings.Contains(file, ".agentsim/mcp/"):
		return words[client.Deferred]
	}
	return words[client.Memory]
}

// words are those of the parts of an agent.
func (h *Heads) words(a *Agent) (out []string) {
	for _, i := range a.Parts {
		out = append(out, h.Parts[i].Word)
	}
	return out
}

// unreadSettings notes the files of settings that were read and cannot be read now: what they
// said holds for nobody.
func (c *comparison) unreadSettings(problems []*document.Error) {
	for _, file := range c.base.Settings {
		at := slices.IndexFunc(problems, func(p *document.Error) bool { return !p.Warning && problemOf(p, file) })
		if at < 0 || slices.Contains(c.now.Settings, file) {
			continue
		}
		p := &Part{Word: "Settings", File: file, Line: 1}
		x := Change{What: Lost, Now: p, Was: p, Why: problems[at]}
		for _, a := range c.now.Agents {
			x.Who = append(x.Who, a.Name)
		}
		c.Changes = append(c.Changes, x)
	}
}

// problemOf reports whether a problem is of a file, which may be the user's.
func problemOf(p *document.Error, file string) bool {
	return p.File == file || strings.HasPrefix(file, "~/") && strings.HasSuffix(p.File, file[1:])
}

// unset reports whether no settings give any more what a change is of.
func (c *comparison) unset(x *Change) bool { return x.Now.File != "" && x.Now.Line == 0 }

// silences reports whether a problem is why settings give no model or lifetime now: the
// file is not read, or is read but for that key.
func (c *comparison) silences(p *document.Error, x *Change) bool {
	if !slices.ContainsFunc([]string{settingsFile, localSettings, "~/" + settingsFile}, func(file string) bool { return problemOf(p, file) }) {
		return false
	}
	key := map[string]string{Model: `"model"`, Lifetime: "CacheTtl\""}[x.What]
	return !p.Warning || c.names(p, key)
}

// names reports whether the line of a problem names something.
func (c *comparison) names(p *document.Error, word string) bool {
	lines := strings.Split(c.text(p.File), "\n")
	return word != "" && p.Line <= len(lines) && strings.Contains(lines[max(p.Line, 1)-1], word)
}

// explains reports whether a problem is why a part is gone: nothing of its file is read
// now, the file that names its server is not or not with that server, or an import is
// followed no more, on a line that names the part's file or that is new.
func (c *comparison) explains(p *document.Error, gone *Part) bool {
	switch {
	case p.File == gone.File && !slices.ContainsFunc(c.now.Parts, func(o *Part) bool { return o.File == gone.File && o.Kind == gone.Kind }):
		return true
	case p.File == serversFile && gone.Server() != "":
		return !p.Warning || c.names(p, strconv.Quote(gone.Server()))
	case gone.Kind == client.Memory && slices.ContainsFunc(c.now.Parts, func(o *Part) bool { return o.File == p.File && o.Kind == client.Memory }):
		return c.names(p, path.Base(gone.File)) || slices.ContainsFunc(c.Changes, func(o Change) bool {
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

// lost reports whether an agent had a part that is not loaded any more, and whether text
// is meant for it that is not.
func (r *Report) lost(agent string) (lost, unread bool) {
	for _, x := range r.Changes {
		if x.Why != nil && slices.Contains(x.Who, agent) {
			lost, unread = lost || x.Was != nil, unread || x.Was == nil
		}
	}
	return lost, unread
}
