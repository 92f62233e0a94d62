package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// rolloutLine is one line of a Codex rollout.
type rolloutLine struct {
	Timestamp string
	Type      string
	Payload   json.RawMessage
}

// rolloutMeta is the payload of session_meta. Source is a string for a session of
// a user.
type rolloutMeta struct {
	ID         string
	ForkedFrom string          `json:"forked_from_id"`
	Version    string          `json:"cli_version"`
	Source     json.RawMessage `json:"source"`
}

// spawn says what spawned a thread.
type spawn struct {
	Parent string `json:"parent_thread_id"`
	Role   string `json:"agent_role"`
}

func (m *rolloutMeta) spawn() (s spawn) {
	var source struct {
		Subagent struct {
			Spawn spawn `json:"thread_spawn"`
		}
	}
	if json.Unmarshal(m.Source, &source) != nil { // a string: nothing spawned it
		return spawn{}
	}
	return source.Subagent.Spawn
}

// rolloutUsage is the usage of one request, or of all up to one.
type rolloutUsage struct {
	Input  int64 `json:"input_tokens"` // what was read included
	Cached int64 `json:"cached_input_tokens"`
	Output int64 `json:"output_tokens"`
	Reason int64 `json:"reasoning_output_tokens"` // part of Output
	Total  int64 `json:"total_tokens"`
}

// rolloutItem is the payload of response_item.
type rolloutItem struct {
	Type   string
	Role   string
	Name   string
	CallID string `json:"call_id"`
	ID     string
	Output json.RawMessage
}

// tokenCount is the payload of the event_msg of that type.
type tokenCount struct {
	Info *struct {
		Total *rolloutUsage `json:"total_token_usage"`
		Last  *rolloutUsage `json:"last_token_usage"`
	}
}

// peekCodex reads the line that a rollout begins with.
func peekCodex(line []byte) (thread, parent string, ok bool) {
	var l rolloutLine
	var m rolloutMeta
	if json.Unmarshal(line, &l) != nil || l.Type != "session_meta" || json.Unmarshal(l.Payload, &m) != nil || m.ID == "" {
		return "", "", false
	}
	if parent = m.spawn().Parent; parent == "" {
		parent = m.ForkedFrom
	}
	return short(m.ID), short(parent), true
}

// rollout is one thread's file being read.
type rollout struct {
	name    string
	session *recording.Session
	skips   *skips
	thread  int32
	copying bool // the copied head is being read
	stamp   vtime.Instant
	meta    rolloutMeta
	parent  string // the thread that spawned this one, or that it is a fork of
	model   string
	version string
	total   rolloutUsage
	input   vtime.Instant // of the last line that a request could be sent for
	user    bool          // that line was a user's
	compact bool
	next    recording.Request // the one whose answer is being read
	tools   map[string]toolAt // by id, those without a result
	uses    int
	agents  map[string]toolAt // tool uses by the thread that they spawned
	heard   []int32           // the thread's requests, in order
}

// toolAt is a tool use of a request; the request may be the one being read.
type toolAt struct {
	request int32
	index   int
	at      vtime.Instant
}

// readCodex reads the threads of one session. A thread whose parent is not among
// the files stands alone.
func readCodex(sources []source, opt *Options, rest *skips, hand func(*recording.Session, *skips) error) error {
	s, sk := &recording.Session{Format: "codex", Client: clientCodex}, &skips{}
	var all []*rollout
	for _, src := range sources {
		r := &rollout{name: src.name, session: s, skips: sk, tools: map[string]toolAt{}, agents: map[string]toolAt{}}
		file, err := eachLine(src, opt, sk, r.line)
		if err != nil {
			return err
		}
		s.Files = append(s.Files, file)
		if r.meta.ID != "" {
			all = append(all, r)
		}
	}
	linkRollouts(s, all)
	finish(s, sk, sources[0].name)
	if len(s.Threads) == 0 {
		rest.merge(sk)
		return nil
	}
	s.ID, s.Threads[0].Name = s.Threads[0].Name, mainThread // parents come first
	return hand(s, sk)
}

// linkRollouts finds the parents of threads, and the requests that spawned them.
func linkRollouts(s *recording.Session, all []*rollout) {
	byID := map[string]*rollout{}
	for _, r := range all {
		byID[r.meta.ID] = r
	}
	for _, r := range all {
		t := &s.Threads[r.thread]
		p := byID[r.parent]
		if p == nil || p == r {
			continue
		}
		t.Parent = p.thread
		if at, ok := p.agents[r.meta.ID]; ok && at.request >= 0 {
			t.SpawnedBy = at.request
			use := &s.Requests[at.request].Tools[at.index]
			t.ToolUse, use.Spawned = use.ID, r.thread
		}
		// The copy begins with what the parent's own file copied.
		last := t.CopiedHead - s.Threads[p.thread].CopiedHead - 1
		if last >= 0 && last < len(p.heard) && len(r.heard) > 0 {
			s.Requests[r.heard[0]].Pred = p.heard[last]
		}
	}
}

// line reads one line.
func (r *rollout) line(line []byte, number int64, _ bool) error {
	var l rolloutLine
	if err := json.Unmarshal(line, &l); err != nil {
		r.skips.add("line that is no line of a rollout ("+reason(err)+")", r.name, number)
		return nil
	}
	at, ok := vtime.ParseInstant(l.Timestamp)
	if !ok && l.Type != "session_meta" {
		r.skips.add("line without a timestamp", r.name, number)
		return nil
	}
	if r.copying && at.Sub(r.stamp) > copyPause {
		r.copying, r.compact = false, false
		r.forget()
	}
	r.stamp = at
	var err error
	switch l.Type {
	case "session_meta":
		err = r.readMeta(l.Payload, number)
	case "turn_context":
		var c struct{ Model string }
		err = json.Unmarshal(l.Payload, &c)
		r.model = plain(c.Model, r.skips, r.name, number)
	case "compacted":
		r.compact = true
	case "response_item":
		err = r.item(l.Payload, number)
	case "event_msg":
		err = r.event(l.Payload, number)
	default:
		r.skips.add("line of unknown type "+quoted(l.Type), r.name, number)
	}
	if errors.As(err, new(fullError)) {
		return err
	}
	if err != nil {
		r.skips.add("line of type "+quoted(l.Type)+" that is unlike others ("+reason(err)+")", r.name, number)
	}
	return nil
}

// copyPause is how far apart two lines of a copied head may be stamped: the copy
// is written in one go when the fork begins, and an answer of its own takes longer
// to come.
const copyPause = 250 * vtime.Millisecond

// readMeta reads a session_meta. The first one is the thread's own; one of another
// thread right behind it is its parent's and belongs to the copy.
func (r *rollout) readMeta(payload []byte, number int64) error {
	var m rolloutMeta
	if err := json.Unmarshal(payload, &m); err != nil {
		return err
	}
	if r.meta.ID != "" {
		if m.ID != r.meta.ID && r.total == (rolloutUsage{}) {
			r.copying, r.session.Threads[r.thread].Kind = true, recording.Fork
		}
		return nil
	}
	m.ID, m.ForkedFrom = short(m.ID), short(m.ForkedFrom)
	r.meta, r.parent, r.copying = m, m.ForkedFrom, m.ForkedFrom != ""
	spawned := m.spawn()
	if spawned.Parent != "" {
		r.parent = short(spawned.Parent)
	}
	r.meta.Source = nil
	r.version = plain(m.Version, r.skips, r.name, number)
	t := recording.Thread{
		Name: plain(m.ID, r.skips, r.name, number), Type: plain(spawned.Role, r.skips, r.name, number),
		Parent: -1, SpawnedBy: -1,
	}
	switch {
	case m.ForkedFrom != "":
		t.Kind = recording.Fork
	case spawned.Parent != "":
		t.Kind = recording.SubAgent
	}
	r.thread = int32(len(r.session.Threads))
	r.session.Threads = append(r.session.Threads, t)
	return nil
}

// event reads what the client tells of the conversation. All but token counts is
// said again by other lines, or about the client.
func (r *rollout) event(payload []byte, number int64) error {
	var e struct{ Type string }
	if err := json.Unmarshal(payload, &e); err != nil || e.Type != "token_count" {
		return err
	}
	var c tokenCount
	if err := json.Unmarshal(payload, &c); err != nil {
		return err
	}
	return r.count(&c, number)
}

// item reads an item of the conversation.
func (r *rollout) item(payload []byte, number int64) error {
	var it rolloutItem
	if err := json.Unmarshal(payload, &it); err != nil {
		return err
	}
	switch it.Type {
	case "function_call_output", "custom_tool_call_output":
		r.input, r.user = r.stamp, false
		r.result(&it)
	case "message":
		if it.Role == "assistant" {
			r.answer()
		} else {
			r.input, r.user = r.stamp, it.Role == "user"
		}
	case "reasoning":
		r.answer()
	case "function_call", "custom_tool_call", "web_search_call", "local_shell_call":
		r.answer()
		r.use(&it, number)
	default:
		r.skips.add("response_item of unknown type "+quoted(it.Type), r.name, number)
	}
	return nil
}

// answer notes a line of an answer.
func (r *rollout) answer() {
	if r.next.First == 0 {
		r.next.First, r.next.Start, r.next.UserTurn = r.stamp, r.input, r.user
	}
	r.next.Last = r.stamp
}

func (r *rollout) use(it *rolloutItem, number int64) {
	if r.uses++; r.uses > maxRequests {
		r.skips.add("tool use beyond what can be held", r.name, number)
		return
	}
	id := plain(cmp.Or(it.CallID, it.ID), r.skips, r.name, number)
	name := plain(cmp.Or(it.Name, it.Type), r.skips, r.name, number)
	r.tools[id] = toolAt{request: -1, index: len(r.next.Tools), at: r.stamp}
	r.next.Tools = append(r.next.Tools, recording.ToolUse{ID: id, Name: name, Spawned: -1})
}

// result notes how a tool use ended. The use may be one of the answer being read.
func (r *rollout) result(it *rolloutItem) {
	id := plain(it.CallID, &skips{}, "", 0)
	at, ok := r.tools[id]
	if !ok {
		return
	}
	delete(r.tools, id)
	tools := r.next.Tools
	if at.request >= 0 {
		tools = r.session.Requests[at.request].Tools
	}
	var text string
	if json.Unmarshal(it.Output, &text) != nil {
		text = string(it.Output) // blocks instead of a string: their size as they stand
	}
	use := &tools[at.index]
	use.Done, use.Bytes, use.Took = true, int64(len(text)), max(0, r.stamp.Sub(at.at))
	if use.Name != "spawn_agent" {
		return
	}
	var spawned struct {
		Agent string `json:"agent_id"`
	}
	if json.Unmarshal([]byte(text), &spawned) == nil && spawned.Agent != "" {
		r.agents[short(spawned.Agent)] = at
	}
}

// fullError says that a session has more requests than can be held.
type fullError struct{ error }

// count reads a token_count: a request if the total has changed, else a repeat.
func (r *rollout) count(c *tokenCount, number int64) error {
	if c.Info == nil || c.Info.Total == nil || c.Info.Last == nil || *c.Info.Total == r.total {
		return nil
	}
	if r.meta.ID == "" {
		r.skips.add("token_count before session_meta", r.name, number)
		return nil
	}
	r.total = *c.Info.Total
	if r.copying {
		r.session.Threads[r.thread].CopiedHead++
		r.forget()
		return nil
	}
	q, u := r.next, c.Info.Last
	q.Usage = llm.Usage{Input: u.Input - u.Cached, Read: u.Cached, Output: u.Output}
	if !possible(q.Usage) {
		r.skips.add("token_count that cannot be", r.name, number)
		r.forget()
		return nil
	}
	if len(r.session.Requests) >= maxRequests {
		return fullError{tooMany(r.name, number)}
	}
	r.hear(q)
	return nil
}

// hear adds a request to the session.
func (r *rollout) hear(q recording.Request) {
	t, i := &r.session.Threads[r.thread], int32(len(r.session.Requests))
	r.settleInstants(&q)
	q.ID = fmt.Sprintf("%s:%d", t.Name, t.CopiedHead+len(r.heard))
	q.Thread, q.Pred, q.Model, q.Version, q.Compacted = r.thread, -1, r.model, r.version, r.compact
	q.OutputKnown, q.Billed = true, true
	if n := len(r.heard); n > 0 {
		q.Pred = r.heard[n-1]
	}
	r.heard = append(r.heard, i)
	r.session.Requests = append(r.session.Requests, q)
	r.next, r.compact = recording.Request{}, false
	placed(r.tools, i)
	placed(r.agents, i)
}

// placed says which request the tool uses of the last answer belong to.
func placed(tools map[string]toolAt, request int32) {
	for id, at := range tools { // order: each entry by itself
		if at.request < 0 {
			at.request = request
			tools[id] = at
		}
	}
}

// forget drops the answer that was being read.
func (r *rollout) forget() {
	r.next = recording.Request{}
	clear(r.tools)
	for id, at := range r.agents { // order: each entry by itself
		if at.request < 0 {
			delete(r.agents, id)
		}
	}
}

// settleInstants fills what a request whose answer left no line does not have.
func (r *rollout) settleInstants(q *recording.Request) {
	if q.First == 0 {
		q.First, q.Last, q.Start, q.UserTurn = r.stamp, r.stamp, r.input, r.user
	}
	if q.Start == 0 || q.Start > q.First {
		q.Start = q.First
	}
	q.Last = max(q.Last, q.First)
}
