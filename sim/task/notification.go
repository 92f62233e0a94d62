package task

import (
	"strconv"
	"strings"
)

// Usage is what a notification says about its task's activation.
type Usage struct {
	TotalTokens int64 // context size: the four figures of the last request (SUB-19)
	ToolUses    int64
	DurationMS  int64
}

// Notification reports the end of a task to the agent that started it.
type Notification struct {
	TaskID      string
	OutputFile  string
	Status      Status // a final one
	Description string // the call's
	Command     bool   // it is a command's and not an agent's
	Error       string // of a failed task
	Result      string // optional
	Usage       Usage
	Worktree    string // where the agent's changes are, where it had a directory of its own
	Branch      string // … and on which branch
	Changed     string // what it changed in a remote environment
}

const (
	openTag  = "<task-notification>"
	closeTag = "</task-notification>"
)

func (n *Notification) subject() string {
	if n.Command {
		return "Command"
	}
	return "Agent"
}

func (n *Notification) outcome(err string) string {
	switch n.Status {
	case Completed:
		return "completed"
	case Failed:
		return "failed: " + err
	case Killed:
		return "was stopped"
	}
	panic("task: a notification of a task that is " + string(n.Status))
}

// Render writes the notification as the text of a user block. A status that is
// not final is a programmer's error.
func (n *Notification) Render() string {
	var b strings.Builder
	b.Grow(len(n.Result) + len(n.OutputFile) + len(n.Description) + len(n.Error) + 320)
	b.WriteString(openTag)
	element(&b, "task-id", escape(n.TaskID))
	element(&b, "output-file", escape(n.OutputFile))
	element(&b, "status", string(n.Status))
	element(&b, "summary", n.subject()+` "`+quoteEscape(n.Description)+`" `+n.outcome(escape(n.Error)))
	if n.Result != "" {
		element(&b, "result", escape(n.Result))
	}
	b.WriteString("\n<usage>")
	element(&b, "total_tokens", strconv.FormatInt(n.Usage.TotalTokens, 10))
	element(&b, "tool_uses", strconv.FormatInt(n.Usage.ToolUses, 10))
	element(&b, "duration_ms", strconv.FormatInt(n.Usage.DurationMS, 10))
	b.WriteString("\n</usage>\n")
	if n.Worktree != "" {
		b.WriteString("<worktree>")
		element(&b, "worktreePath", escape(n.Worktree))
		element(&b, "worktreeBranch", escape(n.Branch))
		b.WriteString("\n</worktree>\n")
	}
	if n.Changed != "" {
		b.WriteString("<remote>")
		element(&b, "changed", escape(n.Changed))
		b.WriteString("\n</remote>\n")
	}
	b.WriteString(closeTag)
	return b.String()
}

func element(b *strings.Builder, name, content string) {
	b.WriteString("\n<")
	b.WriteString(name)
	b.WriteByte('>')
	b.WriteString(content)
	b.WriteString("</")
	b.WriteString(name)
	b.WriteByte('>')
}

var (
	escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	quoter  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
)

func escape(s string) string {
	return escaper.Replace(s)
}

// quoteEscape also escapes the quotes that would end a description early.
func quoteEscape(s string) string { return quoter.Replace(s) }

// Defuse makes text that came from outside (a user, a prompt another agent
// wrote) unable to pass for a notification: the opening of either tag is
// escaped. Text without them is returned as it is.
func Defuse(s string) string {
	if !strings.Contains(s, "task-notification") {
		return s
	}
	return defuser.Replace(s)
}

var defuser = strings.NewReplacer("<task-notification", "&lt;task-notification", "</task-notification", "&lt;/task-notification")
