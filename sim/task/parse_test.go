package task

import (
	"strconv"
	"strings"
)

// Parse reads a text that is exactly one rendered notification; ok is false for
// anything else, such as a notification with text around it or other white
// space.
func Parse(s string) (n Notification, ok bool) {
	r := reader{rest: s, ok: true}
	r.literal(openTag)
	n.TaskID = unescape(r.element("task-id"))
	n.OutputFile = unescape(r.element("output-file"))
	n.Status = Status(r.element("status"))
	summary := r.element("summary")
	if strings.HasPrefix(r.rest, "\n<result>") {
		n.Result = unescape(r.element("result"))
	}
	r.literal("\n<usage>")
	n.Usage.TotalTokens = r.number("total_tokens")
	n.Usage.ToolUses = r.number("tool_uses")
	n.Usage.DurationMS = r.number("duration_ms")
	r.literal("\n</usage>\n" + closeTag)
	r.ok = r.ok && r.rest == "" && n.Status.Final() && n.parseSummary(summary)
	if !r.ok || n.Render() != s {
		return Notification{}, false
	}
	return n, true
}

// reader takes a text apart from its start; after a failure ok stays false.
type reader struct {
	rest string
	ok   bool
}

func (r *reader) literal(s string) {
	rest, ok := strings.CutPrefix(r.rest, s)
	r.rest, r.ok = rest, r.ok && ok
}

// element reads one element whose content holds no tag and returns its content
// as it stands.
func (r *reader) element(name string) string {
	r.literal("\n<" + name + ">")
	end := strings.IndexByte(r.rest, '<')
	if end < 0 {
		r.ok = false
		return ""
	}
	content := r.rest[:end]
	r.rest = r.rest[end:]
	r.literal("</" + name + ">")
	return content
}

func (r *reader) number(name string) int64 {
	n, err := strconv.ParseInt(r.element(name), 10, 64)
	r.ok = r.ok && err == nil
	return n
}

// parseSummary finds description and error in an escaped summary; the only
// plain quotes are those around the description.
func (n *Notification) parseSummary(s string) bool {
	rest, ok := strings.CutPrefix(s, `Agent "`)
	description, outcome, found := strings.Cut(rest, `" `)
	if !ok || !found {
		return false
	}
	n.Description = unescape(description)
	if n.Status == Failed {
		err, failed := strings.CutPrefix(outcome, "failed: ")
		n.Error = unescape(err)
		return failed
	}
	return outcome == n.outcome("")
}

func unescape(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&").Replace(s)
}

// Types lists all types in a fixed order.
func Types() []Type {
	out := make([]Type, len(prefixes))
	for i, p := range prefixes {
		out[i] = p.t
	}
	return out
}

// Statuses lists all states in a fixed order.
func Statuses() []Status { return []Status{Pending, Running, Completed, Failed, Killed} }

// Summary is one sentence: Agent "<description>" and how it ended. A command's
// begins with Command.
func (n *Notification) Summary() string {
	return n.subject() + ` "` + n.Description + `" ` + n.outcome(n.Error)
}
