// Package exporter writes sessions in the forms of other programs, so that what reads
// recordings reads simulated runs as well.
package exporter

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// Missing stands where the record holds no content.
const Missing = "(not in the record)"

// File is one file of a session: Name with slashes, below a project's directory.
type File struct {
	Name  string
	write func(w io.Writer) error
}

// Write writes the file, a JSON object a line.
func (f *File) Write(w io.Writer) error { return f.write(w) }

// ClaudeCode lists the files of a session as Claude Code lays sessions out: a main
// thread's in SESSION.jsonl, its sub-agents' in SESSION/subagents/agent-NAME.jsonl. A
// session with several main threads becomes as many sessions. Instants are moved by
// since, for sessions whose time begins at nothing. Equal sessions give equal bytes.
//
// Imported again, each request has its model, usage, instants and predecessor. What is
// lost: placeholders that forks have in place of results, and prompts of a request
// whose content is not in the record, which are Missing.
func ClaudeCode(s *recording.Session, since vtime.Duration) []File {
	l := &layout{s: s, since: since, names: make([]string, len(s.Threads)), ids: make([]string, len(s.Threads)), uses: map[llm.ToolUseID]*recording.ToolUse{}}
	taken := map[string]bool{}
	for i := range s.Threads {
		t := &s.Threads[i]
		l.ids[i] = l.session(int32(i))
		l.names[i] = plainName(t.Name)
		for taken[l.ids[i]+l.names[i]] {
			l.names[i] += "-" + strconv.Itoa(i)
		}
		taken[l.ids[i]+l.names[i]] = true
	}
	for i := range s.Requests {
		for k := range s.Requests[i].Tools {
			u := &s.Requests[i].Tools[k]
			l.uses[recording.ToolUseID(u.ID)] = u
		}
	}
	var out []File
	of, _ := s.ByThread()
	for i := range s.Threads {
		if len(of[i]) == 0 {
			continue
		}
		name := l.ids[i] + ".jsonl"
		if !isMain(&s.Threads[i]) {
			name = l.ids[i] + "/subagents/agent-" + l.names[i] + ".jsonl"
		}
		out = append(out, File{name, func(w io.Writer) error { return l.thread(w, of[i]) }})
	}
	return out
}

// layout is a session on its way into files.
type layout struct {
	s     *recording.Session
	since vtime.Duration
	names []string // of threads, as parts of file names
	ids   []string // of the session that each thread belongs to
	uses  map[llm.ToolUseID]*recording.ToolUse
}

// session is the id of the session that a thread belongs to: of its main thread.
func (l *layout) session(t int32) string {
	th := l.s.Threads
	for th[t].Parent >= 0 {
		t = th[t].Parent
	}
	first := slices.IndexFunc(th, func(t recording.Thread) bool { return isMain(&t) })
	if !isMain(&th[t]) || int(t) == first {
		if isUUID(l.s.ID) {
			return l.s.ID
		}
		return uuidOf("session", l.s.ID)
	}
	return uuidOf("session", l.s.ID, th[t].Name)
}

// isMain reports whether a thread is a session's own; a teammate's is not.
func isMain(t *recording.Thread) bool { return t.Kind == recording.Main && t.Parent < 0 }

// entry is a line of a file.
type entry struct {
	Parent    *string         `json:"parentUuid"`
	Logical   string          `json:"logicalParentUuid,omitempty"`
	Side      bool            `json:"isSidechain"`
	User      string          `json:"userType"`
	Cwd       string          `json:"cwd"`
	Session   string          `json:"sessionId"`
	Version   string          `json:"version"`
	Branch    string          `json:"gitBranch"`
	Agent     string          `json:"agentId,omitempty"`
	Type      string          `json:"type"`
	Subtype   string          `json:"subtype,omitempty"`
	Content   string          `json:"content,omitempty"`
	Message   *message        `json:"message,omitempty"`
	Request   string          `json:"requestId,omitempty"`
	Result    json.RawMessage `json:"toolUseResult,omitempty"`
	Meta      bool            `json:"isMeta,omitempty"`
	Summary   bool            `json:"isCompactSummary,omitempty"`
	UUID      string          `json:"uuid"`
	Timestamp string          `json:"timestamp"`
}

type message struct {
	Model   string  `json:"model,omitempty"`
	ID      string  `json:"id,omitempty"`
	Type    string  `json:"type,omitempty"`
	Role    string  `json:"role"`
	Content []block `json:"content"`
	Stop    *string `json:"stop_reason,omitempty"`
	Usage   *usage  `json:"usage,omitempty"`
}

type usage struct {
	Input  int64 `json:"input_tokens"`
	Write  int64 `json:"cache_creation_input_tokens"`
	Read   int64 `json:"cache_read_input_tokens"`
	Output int64 `json:"output_tokens"`
	Split  struct {
		For5m int64 `json:"ephemeral_5m_input_tokens"`
		For1h int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// block is a block of content.
type block struct {
	Type     string          `json:"type"`
	Text     *string         `json:"text,omitempty"`
	Thinking *string         `json:"thinking,omitempty"`
	Sign     *string         `json:"signature,omitempty"`
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	Answers  string          `json:"tool_use_id,omitempty"`
	Content  *string         `json:"content,omitempty"`
	IsError  bool            `json:"is_error,omitempty"`
	Source   json.RawMessage `json:"source,omitempty"`
}

// thread writes the lines of a thread's requests.
func (l *layout) thread(w io.Writer, requests []int32) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, i := range requests {
		before := l.before(i)
		for _, x := range append(before, l.answer(i, before[len(before)-1].UUID)...) {
			if err := e.Encode(x); err != nil {
				return err
			}
		}
	}
	return nil
}

// line is a line of a request; place tells its lines apart.
func (l *layout) line(i int32, typ, place string, at vtime.Instant) *entry {
	r := &l.s.Requests[i]
	x := &entry{User: "external", Cwd: "/", Session: l.ids[r.Thread], Version: cmp.Or(r.Version, "0.0.0"), Type: typ,
		UUID: uuidOf(l.s.ID, strconv.Itoa(int(i)), place), Timestamp: at.Add(l.since).RFC3339()}
	if !isMain(&l.s.Threads[r.Thread]) {
		x.Side, x.Agent = true, l.names[r.Thread]
	}
	return x
}

// before are the lines of what a request's conversation gained since its predecessor.
// The last of them was written when the request was sent.
func (l *layout) before(i int32) (out []*entry) {
	r := &l.s.Requests[i]
	above := ""
	if r.Pred >= 0 {
		above = l.last(r.Pred)
	}
	add := func(x *entry) {
		if above != "" {
			x.Parent = &[]string{above}[0]
		}
		above = x.UUID
		out = append(out, x)
	}
	if r.Compacted {
		x := l.line(i, "system", "boundary", r.Start)
		x.Subtype, x.Content, x.Logical = "compact_boundary", "Conversation compacted", above
		above = ""
		add(x)
	}
	for k, b := range l.gained(i) {
		x := l.line(i, "user", "said "+strconv.Itoa(k), r.Start)
		x.Message = &message{Role: "user", Content: []block{b}}
		x.Summary = r.Compacted
		if b.Answers == "" {
			x.Meta = !r.UserTurn
		} else {
			x.Result = l.result(b.Answers)
		}
		add(x)
	}
	for k, x := range out { // the results came when their tools ended
		if b, ok := x.Message.first(); ok && b.Answers != "" && k < len(out)-1 {
			x.Timestamp = l.ended(i, b.Answers).Add(l.since).RFC3339()
		}
	}
	return out
}

// first is the block of a user's line.
func (m *message) first() (b block, ok bool) {
	if m == nil {
		return b, false
	}
	return m.Content[0], true
}

// gained are the blocks that a request's conversation gained, results first, at least
// one.
func (l *layout) gained(i int32) (out []block) {
	r := &l.s.Requests[i]
	for _, m := range r.Said {
		for k := range m.Blocks {
			if b, ok := blockOf(&m.Blocks[k]); ok {
				out = append(out, b)
			}
		}
	}
	if r.Said == nil && r.Pred >= 0 && l.s.Requests[r.Pred].Thread == r.Thread && !r.Compacted {
		for _, u := range l.s.Requests[r.Pred].Tools {
			if u.Done {
				out = append(out, block{Type: "tool_result", Answers: idOf(u.ID), Content: missing(), IsError: u.IsError})
			}
		}
	}
	if len(out) == 0 || r.UserTurn && r.Said == nil {
		out = append(out, block{Type: "text", Text: missing()})
	}
	return out
}

// ended is when a tool of the predecessor of a request ended, at the latest when the
// request was sent.
func (l *layout) ended(i int32, id string) vtime.Instant {
	r := &l.s.Requests[i]
	if r.Pred >= 0 {
		p := &l.s.Requests[r.Pred]
		for _, u := range p.Tools {
			if idOf(u.ID) == id {
				return min(p.Last.Add(u.Took), r.Start)
			}
		}
	}
	return r.Start
}

// result is what the client notes beside the result of a tool use that spawned an
// agent.
func (l *layout) result(id string) json.RawMessage {
	parsed, _ := llm.ParseToolUseID(id)
	u := l.uses[parsed]
	if u == nil || u.Spawned < 0 {
		return nil
	}
	t := &l.s.Threads[u.Spawned]
	status := "completed"
	if t.Async {
		status = "async_launched"
	}
	text, _ := json.Marshal(struct {
		Status string `json:"status"`
		Async  bool   `json:"isAsync"`
		Agent  string `json:"agentId"`
		Type   string `json:"agentType,omitempty"`
	}{status, t.Async, l.names[u.Spawned], t.Type})
	return text
}

// answers are the blocks that a request was answered with.
func (l *layout) answers(i int32) (out []block) {
	r := &l.s.Requests[i]
	for k := range r.Answer {
		if b, ok := blockOf(&r.Answer[k]); ok {
			out = append(out, b)
		}
	}
	if len(out) == 0 {
		for _, u := range r.Tools {
			out = append(out, block{Type: "tool_use", ID: idOf(u.ID), Name: u.Name, Input: json.RawMessage("{}")})
		}
	}
	return out
}

// answer are the lines of a request's answer behind a line: one a block, each with the
// usage.
func (l *layout) answer(i int32, above string) (out []*entry) {
	r := &l.s.Requests[i]
	u := &usage{Input: r.Usage.Input, Write: r.Usage.Written(), Read: r.Usage.Read, Output: r.Usage.Output}
	u.Split.For5m, u.Split.For1h = r.Usage.Write5m, r.Usage.Write1h
	if !r.Billed {
		u = nil
	}
	blocks := l.answers(i)
	for k := range max(1, len(blocks)) {
		at, content := r.Last, []block{}
		if k < len(blocks) {
			content = append(content, blocks[k])
		}
		if k == 0 && len(blocks) > 1 {
			at = r.First
		}
		x := l.line(i, "assistant", "answer "+strconv.Itoa(k), at)
		x.Request = "req_" + nameOf(l.s.ID, strconv.Itoa(int(i)))
		x.Message = &message{Model: r.Model, ID: messageID(l.s.ID, r.ID), Type: "message", Role: "assistant", Content: content, Usage: u}
		if r.OutputKnown {
			x.Message.Stop = &r.Stop
		}
		x.Parent, above = &[]string{above}[0], x.UUID
		out = append(out, x)
	}
	return out
}

// last is the uuid of the last line of a request's answer.
func (l *layout) last(i int32) string {
	return uuidOf(l.s.ID, strconv.Itoa(int(i)), "answer "+strconv.Itoa(max(1, len(l.answers(i)))-1))
}

// blockOf is a block as the client logs it; false for one that it does not.
func blockOf(b *llm.Block) (out block, ok bool) {
	text := b.Content.Raw()
	switch b.Kind {
	case llm.Text:
		return block{Type: "text", Text: &text}, true
	case llm.Thinking:
		return block{Type: "thinking", Thinking: &text, Sign: new(string)}, true
	case llm.ToolUse:
		return block{Type: "tool_use", ID: b.ID.String(), Name: b.Name, Input: json.RawMessage(text)}, true
	case llm.ToolResult:
		return block{Type: "tool_result", Answers: b.ID.String(), Content: &text, IsError: b.IsError}, true
	case llm.Image:
		return block{Type: "image", Source: json.RawMessage(text)}, true
	case llm.Document:
		return block{Type: "document", Source: json.RawMessage(text)}, true
	}
	return out, false
}

func missing() *string { text := Missing; return &text }

// idOf is the id under which a recorded tool use is written.
func idOf(recorded string) string { return recording.ToolUseID(recorded).String() }

// messageID is a request's id, the recorded one where it is the API's.
func messageID(session, id string) string {
	if strings.HasPrefix(id, "msg_") {
		return id
	}
	return "msg_" + nameOf(session, id)
}

// nameOf is a hash of some words.
func nameOf(words ...string) string {
	sum := xxh3.HashString128(strings.Join(words, "\x00")).Bytes()
	return hex.EncodeToString(sum[:])
}

// uuidOf is a hash of some words in the form of a UUID.
func uuidOf(words ...string) string {
	h := nameOf(words...)
	return fmt.Sprintf("%s-%s-4%s-a%s-%s", h[:8], h[8:12], h[13:16], h[17:20], h[20:])
}

func isUUID(s string) bool {
	return len(s) == 36 && strings.Trim(s, "0123456789abcdef-") == "" && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-'
}

// plainName is an agent's name as a part of a file's: a recorded one never becomes
// more of a path.
func plainName(name string) string {
	out := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	if out == "" || len(out) > 64 {
		return nameOf(name)
	}
	return out
}
