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
	ok := b.Index < len(a.uses) && a.uses[b.Index].id == b.ID && a.uses[b.Index].name == b.Name && a.uses[b.Index].input.Identity() == b.Input
	if u.fails(iso11, ok) {
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
	a.calls = append(a.calls, call{id: b.ID, name: b.Name, inPool: held, at: u.now})
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
	u.tools.separate(a, c, b)
	u.trees.writes(a, c, b)
	u.filter.refused(a, c, b)
	u.servers.called(a, c, b)
	u.permissions.kept(a, c, b)
	u.plans.wrote(a, c, b)
	u.tasks.evictedRead(a, c)
	if !b.IsError {
		u.neighbours.standsOn(a, c)
	} else if x := a.used(c.id); c.name == "Edit" && x != nil {
		if at, ok := fileOf(x); ok {
			c.saw = a.files.make(at).saw
		}
	}
	if c.name == "Bash" && b.Wrote > 0 && slices.Contains(lookers, a.facts.Type) && strings.HasPrefix(a.facts.Source, "agent:builtin:") {
		if u.fails(def11, a.breached) {
			u.report(def11, a, "a finding that it changed what it is to look at", "none, and "+decimal(int64(b.Wrote))+" files written")
		}
		a.breached = false
	}
	if c.name == "Bash" {
		u.neighbours.commands = u.seq
		u.neighbours.stands(a, c, b)
	}
}

// separate is SUB-22: whoever asks for a worktree gets one, or is told why not.
func (u *handling) separate(a *agent, c *call, b *transcript.ToolResult) {
	if c.name != "Agent" || a.edited {
		return
	}
	x := a.used(c.id)
	if x == nil || field(x.input, "isolation") != "worktree" {
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
		if at, ok := fileOf(&a.spawner[i]); ok && !a.files.make(at).certain {
			a.files.make(at).read = true
			more++
		}
	}
	n := a.facts.Context.FilesKnown
	if u.fails(iso02, p.edited || sure <= n && n <= sure+more) {
		u.report(iso02, a, "the "+decimal(int64(sure))+" files that its parent has read", decimal(int64(n))+" files known")
	}
}

// fileOf is the file that a use reads or changes, as a path below the project.
func fileOf(x *use) (string, bool) {
	if !x.asked {
		x.asked = true
		switch x.name {
		case "Read", "Edit", "Write":
			if at := field(x.input, "file_path"); at != "" {
				if rest, below := strings.CutPrefix(at, "/work/project/.claude/worktrees/"); below {
					_, at, _ = strings.Cut(rest, "/")
				}
				x.file = path.Clean(strings.TrimPrefix(at, "/work/project/"))
				if rest, is := strings.CutPrefix(x.file, homeOfUser+plansDir); is {
					x.file = "~" + plansDir + rest
				}
			}
		}
	}
	return x.file, x.file != ""
}

// fileResult is ISO-02 for what comes of an edit, and notes what the agent knows
// from here on.
func (u *handling) fileResult(a *agent, x *use, b *llm.Block) {
	at, ok := fileOf(x)
	if !ok || a.edited {
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
