package toscenario

import (
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

// content adds to a call what was said, where the recording holds it.
func (t *teller) content(i int, c *scenarios.RecordedCall) {
	r := &t.s.Requests[i]
	var said []string
	for _, m := range r.Said {
		for k := range m.Blocks {
			if b := &m.Blocks[k]; m.Role == llm.User && b.Kind == llm.Text {
				said = append(said, b.Content.Raw())
			}
		}
	}
	c.Says = strings.Join(said, "\n")
	var answer []string
	inputs := map[llm.ToolUseID]string{}
	for k := range r.Answer {
		switch b := &r.Answer[k]; b.Kind {
		case llm.Text:
			answer = append(answer, b.Content.Raw())
		case llm.ToolUse:
			inputs[b.ID] = b.Content.Raw()
		}
	}
	c.Answer = strings.Join(answer, "\n")
	for k := range c.Uses {
		if k < len(r.Tools) {
			c.Uses[k].Input = inputs[recording.ToolUseID(r.Tools[k].ID)]
			c.Uses[k].Result = t.result(i, r.Tools[k].ID)
		}
	}
}

// result is the text of a tool's result, which stands in a later request of the thread.
func (t *teller) result(i int, id string) string {
	want := recording.ToolUseID(id)
	calls := t.of[t.s.Requests[i].Thread]
	if t.nth[i]+1 == len(calls) {
		return ""
	}
	for _, m := range t.s.Requests[calls[t.nth[i]+1]].Said {
		for k := range m.Blocks {
			if b := &m.Blocks[k]; b.Kind == llm.ToolResult && b.ID == want {
				return b.Content.Raw()
			}
		}
	}
	return ""
}
