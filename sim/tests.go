package sim

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/rng"
	"agentsim/sim/shell"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// programs are what the shell of the Bash tool runs in place of real programs:
// the project's tests, then those that stand in where a scenario names none. Nil
// where it has no tests.
func (r *run) programs() []shell.Program {
	tests := r.scenario.Project.Tests
	if len(tests) == 0 {
		return nil
	}
	out := make([]shell.Program, 0, len(tests))
	for i := range tests {
		out = append(out, shell.Program{Words: tests[i].Command, Took: tests[i].Takes,
			Test: &shell.Test{Files: tests[i].Files, Sign: "[[" + string(mark.Defect), Check: r.defects, Ran: func() { r.observer.came.ran(i) }}})
	}
	return append(out, shell.Programs()...)
}

// drawn is what comes of commands that the shell does not carry out, nil where the
// scenario says nothing of them. The input of a call, by which it is drawn, names
// command and item.
func drawn(b *scenarios.Commands, commands rng.Key, filler *script.Filler) tool.Drawn {
	if b.Takes == nil && !b.Output.Set {
		return nil
	}
	return func(input, output string, took vtime.Duration) (string, vtime.Duration) {
		key := commands.Sub(input)
		if b.Takes != nil {
			took = vtime.Duration(b.Takes.Draw(key.Sub("takes")))
		}
		if b.Output.Set {
			output = filler.String(llm.Code, script.Draw(b.Output, key.Sub("output"), 0))
		}
		return output, took
	}
}

// defects is what a test says of a line: it as it stands if it bears a defect,
// and for each pitfall where its fact is to be read. "" where nothing is wrong.
func (r *run) defects(fs *workspace.FS, line string) string {
	what, places := "", ""
	r.marks.Scan(line, func(m mark.Mark) {
		if m.Verb != mark.Defect {
			return
		}
		what = strings.TrimSpace(line)
		if r.isPitfall(m.Args[0], m.Args[1]) {
			if at := r.place(fs, m.Args[1]); at != "" {
				places += " " + r.marks.Text(mark.At, m.Args[1], at)
			}
		}
	})
	return what + places
}

func (r *run) isPitfall(item, fact string) bool {
	for i := range r.scenario.Work {
		it := &r.scenario.Work[i]
		if it.ID != item {
			continue
		}
		for _, p := range it.Pitfalls {
			if p == fact {
				return true
			}
		}
	}
	return false
}

// place is where a declared fact stands now, path:line; edits move lines.
func (r *run) place(fs *workspace.FS, fact string) string {
	for _, f := range r.scenario.Project.Facts {
		if f.Name != fact {
			continue
		}
		content, _ := fs.Content(f.File)
		if at := strings.Index(content, r.marks.Text(mark.Fact, fact)); at >= 0 {
			return f.File + ":" + strconv.Itoa(strings.Count(content[:at], "\n")+1)
		}
	}
	return ""
}

// judgeDefects records what the project's files at the end of the run say against what was
// reported done, once for each item, for whoever reported it last: a defect that stands
// there makes it wrong, and it is not done where its change is in a branch that nobody
// merged.
func (o *observer) judgeDefects() {
	standing := o.standing()
	for i := range o.r.scenario.Work {
		id := o.r.scenario.Work[i].ID
		switch last := o.last[id]; {
		case last.by == nil || last.outcome != transcript.Done && last.outcome != transcript.Rework:
		case last.unmerged != nil && slices.ContainsFunc(last.unmerged(), func(p string) bool { return edits(&o.r.scenario.Work[i], p) }):
			o.record(last.by, &transcript.Item{Item: id, Outcome: transcript.Failed, Missing: []string{"merge"}})
		case standing[id]:
			o.record(last.by, &transcript.Item{Item: id, Outcome: transcript.Wrong})
		}
	}
}

// standing is the items of which a defect stands in the files.
func (o *observer) standing() map[string]bool {
	out := map[string]bool{}
	if !o.r.mayErr() {
		return out
	}
	for _, p := range o.r.fs.Paths() {
		content, _ := o.r.fs.Content(p)
		o.r.marks.Scan(content, func(m mark.Mark) {
			if m.Verb == mark.Defect {
				out[m.Args[0]] = true
			}
		})
	}
	return out
}

// mayErr reports whether some item of the work can be done with a defect.
func (r *run) mayErr() bool {
	for i := range r.scenario.Work {
		if errs(&r.scenario.Work[i]) {
			return true
		}
	}
	return false
}

func errs(it *scenarios.Item) bool { return len(it.Pitfalls)+len(it.MisledBy) > 0 }

// verdict is what an agent said last of an item.
type verdict struct {
	by       *agent.Agent
	outcome  transcript.Outcome
	unmerged func() []string // what it changed and nobody merged; nil where that is the project's own
}

// corrected reports whether an agent has taken a defect of the item away: some
// edit of its conversation puts other text in the place of one.
func (o *observer) corrected(a *agent.Agent, item string) bool {
	it := o.items[item]
	if it == nil || !errs(it) {
		return false
	}
	for m := a.Last(); m != nil; m = m.Prev {
		for i := range m.Blocks {
			if o.corrects(&m.Blocks[i], item) {
				return true
			}
		}
	}
	return false
}

// correction is how the input of an edit goes on that puts something in the
// place of a defect.
const correction = `"old_string":"[[` + string(mark.Defect) + " "

// corrects reports whether a block is an edit that takes a defect of the item
// away.
func (o *observer) corrects(b *llm.Block, item string) (found bool) {
	if b.Kind != llm.ToolUse || !strings.Contains(b.Content.Raw(), correction) {
		return false
	}
	o.r.marks.Scan(b.Content.Raw(), func(m mark.Mark) {
		found = found || m.Verb == mark.Defect && m.Args[0] == item
	})
	return found
}
