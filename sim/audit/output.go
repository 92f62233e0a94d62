package audit

import (
	"hash/fnv"
	"strings"

	"agentsim/sim/llm"
)

// spoke is what an agent in the background has said, all of it, as far as that is known.
type spoke struct {
	known bool
	sum   uint64 // of the text, without the ends of its lines
	bytes int
}

// shown is a look at the output of a task: what it has to show.
type shown struct {
	call llm.ToolUseID
	task string
	spoke
}

func spokenOf(texts ...string) spoke {
	x, h := spoke{known: true}, fnv.New64a()
	for _, text := range texts {
		text = strings.ReplaceAll(text, "\n", "")
		x.bytes += len(text)
		_, _ = h.Write([]byte(text)) // never an error
	}
	x.sum = h.Sum64()
	return x
}

// output is what the file of the agent's output has to hold.
func (a *agent) output() spoke {
	if a.life == nil {
		return a.former.output
	}
	if a.resumed || a.summed || a.fork && a.point == nil {
		return spoke{}
	}
	var texts []string
	for n := a.seen; n != nil && !n.IsBorder() && n != a.point; n = n.Parent {
		if n.Role == llm.Assistant && n.Block.Kind == llm.Text {
			texts = append([]string{n.Block.Content.Raw()}, texts...)
		}
	}
	return spokenOf(texts...)
}

// looksAt notes a call that is about to read the output of an agent.
func (u *tasking) looksAt(a *agent, c *call) {
	x := c.use
	if x == nil || a.edited {
		return
	}
	_, id, found := strings.Cut(x.file, outputDir)
	if !found || strings.Contains(x.input.Raw(), `"offset"`) || strings.Contains(x.input.Raw(), `"limit"`) {
		return
	}
	id = strings.TrimSuffix(id, ".output")
	for _, of := range u.agents {
		if of != nil && of.taskID() == id {
			a.looks = append(a.looks, shown{c.id, id, of.output()})
		}
	}
}

// shows is SUB-13 for what a look at an output brought: what the task had said by then.
func (u *tasking) shows(a *agent, b *llm.Block, replaced bool) {
	for _, x := range a.looks {
		raw := b.Content.Raw()
		if x.call != b.ID || !x.known || b.IsError || replaced || strings.Contains(raw, "(truncated at line ") {
			continue
		}
		var lines []string
		for line := range strings.SplitSeq(raw, "\n") {
			if _, text, numbered := strings.Cut(line, "\t"); numbered {
				lines = append(lines, text)
			}
		}
		if got := spokenOf(lines...); u.fails(sub13, got == x.spoke) {
			u.report(sub13, a, "in the output of "+x.task+" what it has said so far: "+decimal(int64(x.bytes))+" bytes", decimal(int64(got.bytes))+" bytes, or others: "+short(raw))
		}
	}
}
