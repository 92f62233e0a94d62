package audit

import (
	"path"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// handling is the section on calls of tools and the files that they show.
type handling struct {
	*ledger
	trees *worktrees
}

// toolCall is ISO-11 for a call: it is one of this agent's last answer.
func (u *handling) toolCall(a *agent, b *transcript.ToolCall) {
	x := a.used(b.ID)
	if u.fails(iso11, x != nil && b.Index < len(a.uses) && x == &a.uses[b.Index] && x.name == b.Name && x.input.Identity() == b.Input) {
		u.report(iso11, a, "a call of its own last answer", b.Name+" "+b.ID.String())
	}
	if u.fails(loop09, b.Call == a.count.call-1 && b.Index == len(a.calls)) {
		u.report(loop09, a, "tool use "+decimal(int64(len(a.calls)))+" of call "+decimal(int64(a.count.call-1)), decimal(int64(b.Index))+" of "+decimal(int64(b.Call)))
	}
	a.progress.called(b.ID)
	held := a.pooled == b.Name || inPool(a, b.Name) || slices.Contains(a.found, b.Name)
	if held {
		a.pooled = b.Name
	}
	a.calls = append(a.calls, call{})
	c := &a.calls[len(a.calls)-1]
	c.id, c.use, c.name, c.inPool, c.at = b.ID, x, b.Name, held, u.now
}

// toolResult is ISO-11 for a result: it answers a call of this agent.
func (u *Auditor) toolResult(a *agent, b *transcript.ToolResult) {
	c := a.recorded(b.ID)
	if u.fails(iso11, c != nil && !c.done) {
		u.report(iso11, a, "a result of a call of its own that has none yet", b.Name+" "+b.ID.String())
		return
	}
	if c == nil {
		return
	}
	c.done, c.isError, c.bytes, c.ended, c.took = true, b.IsError, b.Bytes, u.now, b.Took
	a.escapes.comes(u.ledger, a, c.at)
	if u.fails(prm04, b.Ran == c.ran) {
		u.report(prm04, a, "the input that was decided about: "+c.ran.String(), b.Ran.String())
	}
	if c.name == "Agent" {
		u.tools.separate(a, c, b)
	}
	if b.Wrote > 0 && a.place != nil {
		u.trees.writes(a, c)
	}
	u.filter.refused(a, c, b)
	u.servers.called(a, c, b)
	u.permissions.kept(a, c, b)
	if c.mode == planMode {
		u.plans.wrote(a, c, b)
	}
	switch {
	case c.use == nil || c.use.file == "":
	case !b.IsError:
		u.neighbours.standsOn(a, c)
	case c.name == "Edit":
		c.saw = a.files.make(c.use.file).saw
	}
	switch c.name {
	case "Read":
		u.tasks.evictedRead(a, c)
	case "Bash":
		u.tools.onlyLooks(a, b.Wrote)
		u.neighbours.commands = u.seq
		u.neighbours.stands(a, c, b)
	}
}

// onlyLooks is DEF-11 for the end of a command that has changed some files: of a built-in
// type that is to change nothing a finding has said so.
func (u *ledger) onlyLooks(a *agent, wrote int) {
	if wrote == 0 || a == nil || !slices.Contains(lookers, a.former.facts.Type) || !strings.HasPrefix(a.former.facts.Source, "agent:builtin:") {
		return
	}
	if u.fails(def11, a.breaks > 0) {
		u.report(def11, a, "a finding that it changed what it is to look at", "none, and "+decimal(int64(wrote))+" files written")
	}
	a.breaks = max(0, a.breaks-1)
}

// separate is SUB-22: whoever asks for a worktree gets one, or is told why not.
func (u *handling) separate(a *agent, c *call, b *transcript.ToolResult) {
	if a.edited || c.use == nil || field(c.use.input, "isolation") != "worktree" {
		return
	}
	if u.fails(sub22, b.IsError || u.trees.homes[c.id] != nil) {
		u.report(sub22, a, "a worktree, or an error", "neither")
	}
}

// startFiles is ISO-02 for what an agent starts with. A fork knows what its
// parent knows, and may know what neighbours of its call have read.
func (u *handling) startFiles(a, p *agent) {
	if !a.fork {
		if u.fails(iso02, a.facts.Context.FilesKnown == 0) {
			u.report(iso02, a, "no file that it has not read itself", decimal(int64(a.facts.Context.FilesKnown))+" files known")
		}
		return
	}
	a.files = p.files.clone()
	sure, more := 0, 0
	for i := range p.files.list {
		if x := &p.files.list[i]; x.certain {
			sure++
		} else if x.read {
			more++
		}
	}
	for i := range a.spawner {
		if at := a.spawner[i].file; at != "" && !a.files.make(at).certain {
			a.files.make(at).read = true
			more++
		}
	}
	n := a.facts.Context.FilesKnown
	if u.fails(iso02, p.edited || sure <= n && n <= sure+more) {
		u.report(iso02, a, "the "+decimal(int64(sure))+" files that its parent has read", decimal(int64(n))+" files known")
	}
}

// named is the file that an agent's calls named last, as they wrote it and as a path
// below the project: mostly the next call names it again.
type named struct{ written, file string }

// useOf is the tool use that a block of an answer is, of an agent that works in a place.
func (x *named) useOf(b *llm.Block, in *workplace) use {
	of := use{id: b.ID, name: b.Name, input: b.Content}
	switch b.Name {
	case "Read", "Edit", "Write":
		if at := field(b.Content, "file_path"); at != x.written {
			*x = named{at, in.below(at)}
		}
		of.file = x.file
	}
	return of
}

// below is a path as one below where an agent works, and whole where it leads into
// another worktree or outside; "" is none.
func (p *workplace) below(at string) string {
	if at == "" {
		return ""
	}
	own := "/work/project/"
	if p != nil && p.path != "" {
		own += p.path + "/"
	}
	if at[0] != '/' {
		at = own + at
	}
	at = path.Clean(at)
	if rest, is := strings.CutPrefix(at, homeOfUser+plansDir); is {
		return "~" + plansDir + rest
	}
	if rest, in := strings.CutPrefix(at, own); in && (own != "/work/project/" || !strings.HasPrefix(rest, ".claude/worktrees/")) {
		return rest
	}
	return at
}

// names are all by which a rule may speak of a file that below has named.
func (p *workplace) names(file string) []string {
	const project, trees = "/work/project/", ".claude/worktrees/"
	whole, names := file, []string{file}
	switch {
	case file[0] == '~':
		return names
	case file[0] == '/':
	case p != nil && p.path != "":
		whole = project + p.path + "/" + file
	default:
		whole = project + file
	}
	rest, in := strings.CutPrefix(whole, project)
	if names = append(names, whole); !in {
		return names
	}
	names = append(names, rest)
	if rest, in = strings.CutPrefix(rest, trees); in {
		_, rest, _ = strings.Cut(rest, "/")
		names = append(names, rest)
	}
	return names
}

// fileResult is ISO-02 for what comes of an edit, and notes what the agent knows
// from here on.
func (u *handling) fileResult(a *agent, x *use, b *llm.Block) {
	at := x.file
	if at == "" || a.edited {
		return
	}
	u.trees.shows(a, x, b)
	known := a.files.make(at)
	if x.name == "Edit" {
		if b.IsError && strings.Contains(b.Content.Raw(), tool.NotRead) {
			if u.fails(iso02, !known.certain) {
				u.report(iso02, a, "an edit of "+at+", which it has read", short(b.Content.Raw()))
			}
		} else if !b.IsError && u.fails(iso02, known.read) {
			u.report(iso02, a, "a refusal to edit "+at+", which it has not read", short(b.Content.Raw()))
		}
	}
	if !b.IsError {
		known.read, known.certain = true, true
	}
}
