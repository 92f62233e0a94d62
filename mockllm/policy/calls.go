package policy

import (
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
)

// toolCall is a tool of an MCP server that an item calls before it is reported done.
type toolCall struct {
	name   string
	input  *llm.Payload
	search *llm.Payload // of ToolSearch, by which it is found where it is not in front
}

// searchTool finds tools that stand in front by name alone.
const searchTool = "ToolSearch"

// seenCalls is what an agent knows of the tools that items call: places in the table's
// list.
type seenCalls struct {
	there    set // defined in front or behind results
	searches bool
	sought   set // searched for
	made     set
	failed   set
}

// calls enters an item's calls, which prompts pass on as what it is about. The input of
// each names its item.
func (b *binder) calls(it *item, w *scenarios.Item) {
	t := b.t
	for _, name := range w.Calls {
		it.calls = append(it.calls, len(t.calls))
		t.calls = append(t.calls, toolCall{name, object("for", "work item "+w.ID), object("query", "select:"+name)})
	}
	if len(w.Calls) > 0 {
		it.about = strings.TrimSpace(it.about + " Call " + strings.Join(w.Calls, ", ") + ".")
	}
}

// defined notes that a tool's definition is there.
func (f *folder) defined(name string) {
	if len(f.t.calls) == 0 {
		return
	}
	if name == searchTool {
		own(&f.s.calls).searches = true
	}
	for i := range f.t.calls {
		if f.t.calls[i].name == name {
			c := own(&f.s.calls)
			c.there = c.there.with(i)
		}
	}
}

// callResult enters what came of a call of a server's tool, or of a search for one.
func (f *folder) callResult(u *use, b *llm.Block) {
	for i := range f.t.calls {
		x := &f.t.calls[i]
		switch {
		case u.name == searchTool && u.input.Raw() == x.search.Raw():
			c := own(&f.s.calls)
			c.sought = c.sought.with(i)
		case u.name == x.name && u.input.Raw() == x.input.Raw():
			if c := own(&f.s.calls); b.IsError {
				c.failed = c.failed.with(i)
			} else {
				c.made = c.made.with(i)
			}
		}
	}
}

// call enters the item's calls of servers that were not made. A tool that is not there
// is searched for once; without one the item fails.
func (p *plan) call() {
	c := p.s.calls
	for _, i := range p.it.calls {
		switch {
		case c.made.has(i):
		case c.there.has(i) && !c.failed.has(i):
			p.runs = append(p.runs, action{kind: callAction, run: i})
		case c.searches && !c.sought.has(i) && !c.failed.has(i):
			p.runs = append(p.runs, action{kind: findAction, run: i})
		default:
			p.missing = append(p.missing, callPrefix+p.t.calls[i].name)
		}
	}
}

// callPrefix is in front of the name of a tool that could not be called.
const callPrefix = "call:"
