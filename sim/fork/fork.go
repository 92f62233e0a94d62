// Package fork makes a child that continues its parent's conversation: same
// bytes up to the directive, so that it reads the parent's cached prefix.
//
// Rules:
//   - All forks of one assistant message send identical bytes up to their own
//     directive (FRK-05): every tool use gets the same placeholder, whatever its
//     real result will be.
//   - A fork keeps the Agent tool, since removing it would change the bytes, and
//     every call of it is refused.
//   - Forking and coordinating exclude each other; the coordinator wins.
package fork

import (
	"strings"

	"agentsim/sim/gate"
	"agentsim/sim/llm"
)

// Placeholder stands in every tool result of a fork's first message (FRK-04).
const Placeholder = "Fork started — processing in background"

// Tag opens the section that marks a directive; the fallback guard against
// forking from a fork looks for it.
const Tag = "<fork-boilerplate>"

// Keyword precedes the directive itself.
const Keyword = "FORK_DIRECTIVE: "

// ReportStart is how a fork's report begins (FRK-08).
const ReportStart = "Scope:"

const boilerplate = Tag + `
You are a forked worker: a copy of the agent above, made for one directive. The agent itself goes on elsewhere.

What holds for you:
1. Advice above to fork or to delegate is meant for the agent, not for you. Do the work yourself, with your tools.
2. Ask nobody anything, suggest nothing that comes next, and say nothing between tool calls.
3. Stay within the directive. Mention in one line what lies outside of it.
4. If you change files, commit them before you report.
5. Your report is the only thing that anyone sees. It begins with "Scope:", without a word before it.

Form of the report:
Scope: the directive in one sentence
Result: what you found or did
Key files: the paths that matter
Files changed: paths and the commit's hash, only if you changed any
Issues: only if there are any
</fork-boilerplate>

` + Keyword

// Maker makes forks. Results are shared between the forks of one message, so a
// maker belongs to one run.
type Maker struct{ placeholder *llm.Payload }

// NewMaker makes a maker.
func NewMaker() *Maker { return &Maker{placeholder: llm.NewText(llm.Prose, Placeholder)} }

// Enabled reports whether a spawn without a type forks (FRK-01): the gate is on,
// nobody coordinates (FRK-12), and a person is there.
func (*Maker) Enabled(g *gate.Set, interactive bool) bool {
	return g.ForkSubagent && !g.Coordinator() && interactive
}

// Message is what follows the assistant message in a fork's history: one
// placeholder for each of its tool uses, then the directive, in one user message
// (FRK-03).
func (m *Maker) Message(assistant *llm.Msg, directive string) *llm.Msg {
	out := &llm.Msg{Role: llm.User}
	for i := range assistant.Blocks {
		if b := &assistant.Blocks[i]; b.Kind == llm.ToolUse {
			out.Blocks = append(out.Blocks, llm.Block{Kind: llm.ToolResult, ID: b.ID, Content: m.placeholder})
		}
	}
	out.Blocks = append(out.Blocks, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, boilerplate+directive)})
	return out
}

// Notice tells a fork that its working directory is another one than that of the
// conversation above it (FRK-10). It stands behind the directive, in the same
// message, so that the bytes before it stay common (FRK-05).
func (*Maker) Notice(from, to string) llm.Block {
	return llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "Your working directory is "+to+", a copy of the repository that is yours alone. "+
		"Paths above are those of "+from+", where the agent you are a copy of goes on: translate each to the same place below "+to+" before you use it. "+
		"What was read above may have changed since; read a file again before you edit it.")}
}

// IsForkMessage reports whether a message makes its conversation a fork's: the tag
// stands in a text block of a user message. In an assistant's text or in a tool
// result it means nothing (FRK-09).
func (*Maker) IsForkMessage(m *llm.Msg) bool {
	if m.Role != llm.User {
		return false
	}
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == llm.Text && strings.Contains(b.Content.Raw(), Tag) {
			return true
		}
	}
	return false
}

// Report reads a fork's report: ok is false when it begins with anything else
// than its scope.
func Report(text string) (scope string, ok bool) {
	if !strings.HasPrefix(text, ReportStart) {
		return "", false
	}
	line, _, _ := strings.Cut(text[len(ReportStart):], "\n")
	return strings.TrimSpace(line), true
}
