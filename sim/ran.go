package sim

import (
	"encoding/json"
	"strings"

	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/tool"
)

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
