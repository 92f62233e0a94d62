package sim

import (
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/tool"
)

// reading is which files' content each agent has had in its conversation, by
// agent: what its tools showed, and for a fork what its parent's had shown. What
// a summary replaced later was held. Likewise what became of the commands that
// items run.
type reading struct {
	items map[string]wanted
	runs  bool                // some item runs a command
	held  []map[string]int    // files, and at which of its items the agent saw each last; 0 is before its first request
	item  []int               // at which it is
	came  []map[string]string // by command: what it came to last, "" for an end of its own
	seen  []*llm.Msg          // the last message that was looked at

	before []Before // what was said of items that are done
}

// Before is how many of the files that an item is not done without stood in the
// request of whoever did it before it began.
type Before struct {
	Item       string
	Files, All int
}

// wanted is the files of an item by what the scenario says of them, and the
// commands that it runs.
type wanted struct{ reads, needs, runs []string }

// wants takes in the files that the items read and need.
func (o *observer) wants() {
	o.reading.items = map[string]wanted{}
	if o.r.table == nil {
		return
	}
	for _, it := range o.r.table.Items() {
		if runs := o.items[it.ID].Runs; len(it.Reads)+len(it.Needs)+len(runs) > 0 {
			o.reading.items[it.ID] = wanted{it.Reads, it.Needs, runs}
			o.reading.runs = o.reading.runs || len(runs) > 0
		}
	}
}

// look takes in what came into an agent's conversation since the last time.
func (o *observer) look(a *agent.Agent) {
	r := &o.reading
	if len(r.items)+len(o.r.scenario.Injections) == 0 {
		return
	}
	for a.Ref() >= int32(len(r.held)) {
		r.held, r.item = append(r.held, map[string]int{}), append(r.item, 0)
		r.came, r.seen = append(r.came, map[string]string{}), append(r.seen, nil)
	}
	held, later := r.held[a.Ref()], map[string]bool{}
	for m := a.Last(); m != nil && m != r.seen[a.Ref()]; m = m.Prev {
		for i := range m.Blocks {
			b := &m.Blocks[i]
			if b.Kind != llm.ToolResult {
				continue
			}
			o.r.marks.Scan(b.Content.Raw(), func(f mark.Mark) {
				switch f.Verb {
				case mark.File:
					held[f.Args[0]] = r.item[a.Ref()]
				case mark.Inject:
					o.came.injected[f.Args[0]] = true
				}
			})
			if words := r.command(m.Prev, b); words != "" && !later[words] { // its last run counts
				later[words], r.came[a.Ref()][words] = true, cameTo(b)
			}
		}
	}
	r.item[a.Ref()] = max(r.item[a.Ref()], 1)
	r.seen[a.Ref()] = a.Last()
}

// unread lists those of some files whose content an agent never had.
func (o *observer) unread(a *agent.Agent, files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(p string) bool { _, held := o.reading.held[a.Ref()][p]; return held })
}

// before counts those of some files that an agent had in its request before it came
// to the item that it is at, and has not read for it. What it has read for another item,
// done in the same answer, was there as well.
func (o *observer) before(a *agent.Agent, with, files []string) (n int) {
	for _, p := range files {
		at, held := o.reading.held[a.Ref()][p]
		other := func(item string) bool { return slices.Contains(o.reading.items[item].needs, p) }
		if held && (at < o.reading.item[a.Ref()] || slices.ContainsFunc(with, other)) {
			n++
		}
	}
	return n
}

// known is what was said first of each item of which something stood there already:
// reports repeat what answers said.
func (o *observer) known() (out []Before) {
	said := map[string]bool{}
	for _, b := range o.reading.before {
		if !said[b.Item] && b.Files > 0 {
			out = append(out, b)
		}
		said[b.Item] = true
	}
	return out
}

// next takes an agent to its next item.
func (o *observer) next(a *agent.Agent) {
	if len(o.reading.items) > 0 {
		o.reading.item[a.Ref()]++
	}
}

// What is missing where an item's command did not come to an end of its own: in
// front of the command as it stands in an item's event.
const (
	notRun   = "unrun:"
	timedOut = "timeout:"
)

// unrun lists the commands among some that an agent did not run to their ends,
// with what kept them from it. That a command failed is for the agent to judge.
func (o *observer) unrun(a *agent.Agent, commands []string) (out []string) {
	for _, words := range commands {
		switch kind, ran := o.reading.came[a.Ref()][oneBlank(words)]; {
		case !ran && !hasShell(a):
			out = append(out, notRun+words+": no Bash among its tools")
		case !ran:
			out = append(out, notRun+words)
		case kind != "":
			out = append(out, kind+words)
		}
	}
	return out
}

// hasShell reports whether an agent may run commands, in either stack.
func hasShell(a *agent.Agent) bool { return a.Has("Bash") || a.Has(tool.MinimalShell) }

// cameTo is what kept a command from its end, "" for nothing.
func cameTo(b *llm.Block) string {
	switch text := b.Content.Raw(); {
	case !b.IsError:
		return ""
	case strings.HasPrefix(text, "Exit code 124\n") && strings.Contains(text, "bash: the command timed out"):
		return timedOut
	case strings.HasPrefix(text, "Exit code "):
		return ""
	}
	return notRun
}

// command is the command of the tool use in a message that a result answers, "" where
// it runs none or no item runs any. What stands behind # names the item that asks.
func (r *reading) command(m *llm.Msg, result *llm.Block) string {
	if !r.runs || m == nil {
		return ""
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != llm.ToolUse || b.ID != result.ID || b.Name != "Bash" && b.Name != tool.MinimalShell {
			continue
		}
		var in struct{ Command string }
		if json.Unmarshal([]byte(b.Content.Raw()), &in) != nil {
			return ""
		}
		words, _, _ := strings.Cut(in.Command, " # ")
		return oneBlank(words)
	}
	return ""
}

func oneBlank(s string) string { return strings.Join(strings.Fields(s), " ") }
