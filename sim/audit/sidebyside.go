package audit

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// neighbours is the section on what runs at once.
type neighbours struct {
	*ledger
	fronts   *fronts
	changes  map[filed][]changed
	commands uint64 // the last event of one
	shells   int    // commands that run in the background
}

// filed is a file of a directory in which agents work: that of a remote agent has no path.
type filed struct {
	in   *workplace
	path string
}

// harmless are the tools whose calls may run beside each other, by this package's
// own table; a command may, if it only looks.
var harmless = []string{"Read", "Grep", "Glob", "WebFetch", "WebSearch", "Agent", "Task", "TaskGet", "TaskList",
	"read_file", "list_files", "grep_search", "agent"}

// alone reports whether a call of the answer has to run alone.
func (a *agent) alone(c *call) bool {
	if slices.Contains(harmless, c.name) || strings.HasPrefix(c.name, "mcp__") {
		return false
	}
	if c.name == "Bash" || c.name == "run_shell" {
		x := c.use
		return x != nil && !a.edited && changes(x)
	}
	return true
}

// runsOn takes in that a command begins to run in the background of its agent, 1 more, or has
// ended there, −1: between the two it changes files at any time.
func (u *neighbours) runsOn(owner *agent, more int) {
	u.commands = u.seq
	u.shells += more
	if p := owner.place; p != nil {
		p.commands++
		p.shells += more
		p.brought = u.seq
	}
}

// begins is LOOP-03 for a call that begins: none that has to run alone is under
// way, and none at all if it has to itself.
func (u *neighbours) begins(a *agent, c *call) {
	c.began = u.seq + 1
	c.from = u.now
	if c.name == "Bash" {
		u.commands = c.began
	}
	u.together(a, c)
	self := a.alone(c)
	for i := range a.calls {
		o := &a.calls[i]
		if o == c || o.began == 0 || o.done || o.verdict == denied || o.verdict == blocked {
			continue
		}
		if other := a.alone(o); u.fails(loop03, !self && !other) {
			u.report(loop03, a, c.name+" and "+o.name+" one after the other", c.name+" begins while "+o.name+" runs")
		}
	}
}

// siblingErred is the result of a call that was cancelled with its neighbour.
const siblingErred = "<tool_use_error>Sibling tool call errored</tool_use_error>"

// cancelled is TSK-11 for a result that says so, where no question came between: a
// neighbour has erred as long after the beginning, and the call would have taken
// longer.
func (u *neighbours) cancelled(a *agent, c *call, b *llm.Block) {
	if c == nil || a.asked || b.Content.Raw() != siblingErred {
		return
	}
	cause := slices.ContainsFunc(a.calls, func(o call) bool { return o.id != c.id && o.isError && o.took == c.took })
	own, fixed := vtime.Duration(0), false
	if s := u.opt.Session; s != nil {
		own, fixed = s.Took[c.name]
	}
	if u.fails(tsk11, cause && (!fixed || c.took <= own)) {
		u.report(tsk11, a, c.name+" cancelled at a neighbour's error, before its own end", "after "+c.took.String())
	}
}

// outlasted is TSK-11 for an answer whose results stand in a request: no call has run on,
// whatever its place, beside which another of its group had erred before.
func (u *neighbours) outlasted(a *agent) {
	if a.asked || a.cut {
		return
	}
	for i := range a.calls {
		c := &a.calls[i]
		if !c.isError || !performs(c) {
			continue
		}
		for j := range a.calls {
			if o := &a.calls[j]; performs(o) && grouped(a.calls[min(i, j):max(i, j)+1]) && u.fails(tsk11, o.took <= c.took) {
				u.report(tsk11, a, o.name+" cancelled after "+c.took.String()+", when "+c.name+" beside it erred", "it ran for "+o.took.String())
				return
			}
		}
	}
}

// performs reports whether a call has run on the agent's files.
func performs(c *call) bool {
	return c.done && c.verdict == allowed && (c.name == "Read" || c.name == "Grep" || c.name == "Glob")
}

// grouped reports whether calls have run beside each other: each begun at one time, and
// none that has to run alone among them.
func grouped(calls []call) bool {
	return !slices.ContainsFunc(calls, func(c call) bool { return c.from != calls[0].from || !slices.Contains(harmless, c.name) })
}

// changed is a change of a file by an agent.
type changed struct {
	by    *agent
	at    uint64   // the event of its result, and
	saw   uint64   // that at which the agent last saw the file; 0 where that is not known
	wrote llm.Hash // the input of a Write, and
	had   llm.Hash // that of the agent's Write before
}

// keptChanges is how many changes of a file are kept.
const keptChanges = 8

// standsOn is AUD-04 for an edit that succeeded: nobody else has changed the file
// between the agent's last look at it and the edit.
func (u *neighbours) standsOn(a *agent, c *call) {
	x := c.use
	if a.edited {
		return
	}
	at := x.file
	u.fronts.wrote(a, x)
	known := a.files.make(at)
	now := changed{by: a, at: u.seq, saw: known.saw, had: known.wrote}
	known.saw, known.wrote = c.began, llm.Hash{}
	if x.name == "Read" {
		return
	}
	known.saw = u.seq
	if x.name == "Write" {
		now.wrote = x.input.Identity()
		known.wrote = now.wrote
	}
	key := filed{a.place, at}
	for i := range u.changes[key] {
		o := &u.changes[key][i]
		u.overtaken(at, o, &now)
		u.overtaken(at, &now, o)
	}
	list := append(u.changes[key], now)
	if len(list) > keptChanges {
		list = list[1:]
	}
	u.changes[key] = list
}

// stale is ISO-02 for an edit that is refused because of a change of the file: somebody has
// made one since the agent saw it last, itself or before it was forked.
func (u *neighbours) stale(a *agent, c *call, x *use, b *llm.Block) {
	if !b.IsError || x.name != "Edit" || a.edited || c == nil || c.saw == 0 || !strings.Contains(b.Content.Raw(), tool.Modified) {
		return
	}
	changed := u.commands > c.saw || u.underWay() || slices.ContainsFunc(u.changes[filed{a.place, x.file}], func(o changed) bool { return o.at > c.saw })
	if u.fails(iso02, changed) {
		u.report(iso02, a, "an edit of "+x.file+", which nobody has changed since it was read", short(b.Content.Raw()))
	}
}

// underWay reports whether somebody is about to change something.
func (u *neighbours) underWay() bool {
	return u.shells > 0 || slices.ContainsFunc(u.agents, func(a *agent) bool {
		return a != nil && a.life != nil && slices.ContainsFunc(a.calls, func(c call) bool { return !c.done && c.began > 0 && !slices.Contains(harmless, c.name) })
	})
}

// overtaken holds a later change against an earlier one of another agent.
func (u *neighbours) overtaken(at string, earlier, later *changed) {
	if earlier.by == later.by || later.saw == 0 || earlier.at > later.at {
		return
	}
	same := earlier.wrote != llm.Hash{} && earlier.wrote == later.had
	if u.fails(aud04, same || earlier.at <= later.saw) { // a fork has seen what its parent wrote
		u.report(aud04, later.by, "no edit of "+at+" that "+earlier.by.lineage+" has changed since it was read", "one")
	}
}

// startShell is where a fork's shell stands, and what it has seen: as its parent
// has. What that is doing at the moment may count or not.
func (u *neighbours) startShell(a, p *agent) {
	if !a.fork {
		return
	}
	a.dir, a.astray = p.dir, p.astray || u.opt.Session == nil || u.opt.Session.Elsewhere
	for i := range p.calls {
		c := &p.calls[i]
		if c.done || c.began == 0 {
			continue
		}
		a.astray = a.astray || c.name == "Bash"
		if c.use != nil && c.use.file != "" {
			a.files.make(c.use.file).saw = 0
		}
	}
}

// shellMoves are the words by which a command goes to another directory.
var shellMoves = []string{"cd", "pushd", "popd"}

// stands is AUD-04 for a command: it leaves the shell where the agent's own
// commands have brought it.
func (u *neighbours) stands(a *agent, c *call, b *transcript.ToolResult) {
	x := c.use
	if x == nil || a.edited || c.verdict != allowed {
		return
	}
	command := field(x.input, "command")
	if command != "" && !moves(command) && !a.astray && u.fails(aud04, b.Dir == a.dir) {
		u.report(aud04, a, "its shell in "+orNone(a.dir)+", where its own commands have left it", orNone(b.Dir))
	}
	a.dir, a.astray = b.Dir, false
}

// moves reports whether a command may change the directory.
func moves(command string) bool {
	return strings.ContainsAny(command, "$`") || slices.ContainsFunc(shellMoves, func(w string) bool { return strings.Contains(command, w) })
}

// field is a text field of a call's input, "" where there is none.
func field(input *llm.Payload, name string) string {
	raw := input.Raw()
	if v, ok := plainField(raw, name); ok {
		return v
	}
	return parsedField(raw, name)
}

// together is LOOP-03 for neighbours that may run at one time: they begin together,
// unless somebody was asked.
func (u *neighbours) together(a *agent, c *call) {
	for i := 1; i < len(a.calls); i++ {
		o := &a.calls[i-1]
		if &a.calls[i] != c || a.asked || o.began == 0 || o.name == "agent" || c.name == "agent" || !slices.Contains(harmless, o.name) || !slices.Contains(harmless, c.name) {
			continue
		}
		if u.fails(loop03, o.from == c.from) {
			u.report(loop03, a, c.name+" begun with "+o.name+" at "+o.from.String(), "at "+c.from.String())
		}
	}
}
