package sqlite

import (
	"database/sql"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Turn is one request with the two ends of its conversation: what was asked, and
// the same with the answer appended.
type Turn struct {
	N             int64 // number in the run, from 1
	Agent         int32 // ordinal
	Activation    int
	Call, Attempt int
	At, EndedAt   vtime.Instant // EndedAt is At for one that has not ended
	Head, Answer  string        // hashes of nodes; Answer is "" without one
	Answered      bool
	UserTurn      bool // a message of the user stands before it, as far as the run's events tell
}

// Turns lists a run's requests in order.
func (db *DB) Turns(run string) ([]Turn, error) {
	users, err := db.marks(run, `SELECT agent, seq FROM messages WHERE run = ? AND kind = 'user_message' AND op = '' ORDER BY seq`)
	if err != nil {
		return nil, err
	}
	return query(db, "read the calls", func(rows *sql.Rows) (t Turn, err error) {
		var seq int64
		err = rows.Scan(&t.N, &seq, &t.Agent, &t.Activation, &t.Call, &t.Attempt, &t.At, &t.EndedAt, &t.Head, &t.Answer, &t.Answered)
		t.UserTurn = users.passed(t.Agent, seq)
		return t, err
	}, `SELECT n, seq, agent, activation, call, attempt, at, coalesce(ended_at, at), head, answer, status = 'ok'
		FROM requests WHERE run = ? ORDER BY n`, run)
}

// Said is one block of a run's conversations. Content is not kept twice: equal
// conversations share their blocks.
type Said struct {
	Hash, Parent     string // Parent is "" for the border before the messages
	Role, Kind, Name string // Kind is "" for the border
	Pos              int32
	ToolUse          string // the id of a tool use, or the one that a result answers
	IsError          bool   // of a result
	Content          string // raw
}

// Messages lists the blocks of all messages that a run's requests and answers
// hold, each once, by position. Tool definitions and system blocks are left out.
func (db *DB) Messages(run string) ([]Said, error) {
	return query(db, "read the messages", func(rows *sql.Rows) (s Said, err error) {
		var head, tail, level string
		err = rows.Scan(&s.Hash, &s.Parent, &level, &s.Role, &s.Kind, &s.Name, &s.Pos, &head, &tail, &s.Content)
		if err == nil {
			err = intactNode(s.Hash, s.Parent, &piece{level, s.Kind, head, s.Content, tail})
		}
		if s.Kind == "" {
			s.Parent = ""
		}
		s.ToolUse, s.IsError = toolUseIn(s.Kind, head), strings.Contains(tail, `"is_error":true`)
		return s, err
	}, `WITH RECURSIVE up(hash, parent) AS (
			SELECT n.hash, n.parent FROM nodes n WHERE n.level = 'messages' AND n.hash IN
				(SELECT head FROM requests WHERE run = ?1 UNION SELECT answer FROM requests WHERE run = ?1)
			UNION
			SELECT n.hash, n.parent FROM up JOIN nodes n ON n.hash = up.parent WHERE n.level = 'messages')
		SELECT n.hash, n.parent, n.level, n.role, n.kind, n.name, n.pos, n.head, n.tail, coalesce(p.content, '')
		FROM up JOIN nodes n ON n.hash = up.hash LEFT JOIN payloads p ON p.sha256 = n.payload ORDER BY n.pos, n.hash`, run)
}

// toolUseIn reads the id out of what stands before a block's content.
func toolUseIn(kind, head string) string {
	key := `"id":"`
	switch kind {
	case llm.ToolUse.String():
	case llm.ToolResult.String():
		key = `"tool_use_id":"`
	default:
		return ""
	}
	_, rest, _ := strings.Cut(head, key)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// ToolSpan is one tool use and when it ran.
type ToolSpan struct {
	Agent      int32
	Call, Use  int // the agent's call whose answer held it, and its place there from 0
	ID, Name   string
	At, Ended  vtime.Instant // Ended is At for one that has not ended
	Done, Fail bool
}

// ToolSpans lists a run's tool uses by agent, call and place.
func (db *DB) ToolSpans(run string) ([]ToolSpan, error) {
	return query(db, "read the tool uses", func(rows *sql.Rows) (t ToolSpan, err error) {
		return t, rows.Scan(&t.Agent, &t.Call, &t.Use, &t.ID, &t.Name, &t.At, &t.Ended, &t.Done, &t.Fail)
	}, `SELECT t.agent, t.call, t.idx, t.id, t.name, t.at, coalesce(e.at, t.at), t.ended_seq IS NOT NULL, coalesce(t.is_error, 0)
		FROM tool_calls t LEFT JOIN events e ON e.run = t.run AND e.seq = t.ended_seq WHERE t.run = ? ORDER BY t.agent, t.call, t.idx`, run)
}

// Apart lists the agents for which a place of their own was made, a worktree or a remote
// environment, by their ordinals.
func Apart(db *DB, run string) ([]int32, error) {
	return query(db, "read the worktrees", func(rows *sql.Rows) (agent int32, err error) { return agent, rows.Scan(&agent) },
		`SELECT DISTINCT a.agent FROM agents a JOIN events e ON e.run = a.run
		WHERE a.run = ? AND (e.kind = 'worktree' AND e.text LIKE ' op=made %' AND e.text LIKE '% lineage=' || a.lineage OR e.kind = 'link' AND e.agent = a.agent)
		ORDER BY a.agent`, run)
}

// Activation is one activation of an agent.
type Activation struct {
	Seq           int64 // of its start
	Agent, Parent int32 // ordinals; the parent of a root is -1
	Activation    int
	Lineage       string
	Structure     string // root, subagent, fork
	Type          string
	ToolUse       string        // the id of the tool use that spawned the agent; "" for none
	From, To      vtime.Instant // To is the run's end for one that has not ended
	Status        string        // "" for one that has not ended
}

// Activations lists a run's activations by agent, in order.
func (db *DB) Activations(run string) ([]Activation, error) {
	return query(db, "read the agents", func(rows *sql.Rows) (a Activation, err error) {
		return a, rows.Scan(&a.Seq, &a.Agent, &a.Parent, &a.Activation, &a.Lineage, &a.Structure, &a.Type, &a.ToolUse, &a.From, &a.To, &a.Status)
	}, `SELECT a.seq, a.agent, a.parent, a.activation, a.lineage, a.structure, a.type, a.tool_use, a.started_at, coalesce(a.ended_at, r.ended_at),
		coalesce(a.status, '') FROM agents a JOIN runs r ON r.id = a.run
		WHERE a.run = ? ORDER BY a.agent, a.activation`, run)
}
