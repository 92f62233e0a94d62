package sqlite

import (
	"database/sql"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

// Simulated is the format of sessions that are made of simulated runs.
const Simulated = "agentsim"

// simulated makes a session of a simulated run: agents are its threads, answered
// and billed requests its requests. Ids are those of the run, a request's its
// number there. Nothing is compacted in them.
func (db *DB) simulated(stored *Run) (*recording.Session, error) {
	var level Level
	if err := db.sql.QueryRow(`SELECT level FROM runs WHERE id = ?`, stored.ID).Scan(&level); err != nil {
		return nil, err
	}
	if !level.Whole() { // of samples a session would be a part
		return nil, &Error{Path: db.path, Doing: "read the calls of run " + stored.ID + ", which was recorded with --record " + string(level), Kind: ErrNoCall}
	}
	m := &made{s: &recording.Session{Format: Simulated, ID: stored.ID, Client: Simulated}, children: map[string]int32{}}
	if err := db.threads(m, stored.ID); err != nil {
		return nil, err
	}
	if err := db.requests(m, stored.ID); err != nil {
		return nil, err
	}
	m.goOn()
	return m.s, nil
}

// made is a session on its way.
type made struct {
	s        *recording.Session
	children map[string]int32 // threads by the tool use that spawned them
}

// threads makes the threads, one of each agent whatever its activations.
func (db *DB) threads(m *made, run string) error {
	kinds := map[string]recording.ThreadKind{"root": recording.Main, "subagent": recording.SubAgent, "fork": recording.Fork}
	var err error
	m.s.Threads, err = query(db, "read the agents", func(rows *sql.Rows) (recording.Thread, error) {
		t := recording.Thread{SpawnedBy: -1}
		var structure string
		var agent int32
		err := rows.Scan(&agent, &t.Name, &structure, &t.Type, &t.Parent, &t.ToolUse, &t.Async)
		if t.Kind = kinds[structure]; strings.Contains(t.Name, llm.HiddenSuffix) {
			t.Kind = recording.Compact // nobody spawned it: it is the client's own
		}
		if t.ToolUse != "" {
			m.children[t.ToolUse] = agent
		}
		return t, err
	}, `SELECT agent, lineage, structure, type, parent, tool_use, async FROM agents WHERE run = ? AND activation = 0 ORDER BY agent`, run)
	return err
}

// requests makes the requests: those that were answered, and those that failed
// and were billed, since what they wrote could be read.
func (db *DB) requests(m *made, run string) error {
	users, err := db.marks(run, `SELECT agent, seq FROM messages WHERE run = ? AND kind = 'user_message' AND op = '' ORDER BY seq`)
	if err != nil {
		return err
	}
	calls, err := db.toolUses(run)
	if err != nil {
		return err
	}
	m.s.Requests, err = query(db, "read the requests", func(rows *sql.Rows) (recording.Request, error) {
		r := recording.Request{Pred: -1, OutputKnown: true, WritesKnown: true, Billed: true}
		var n, seq int64
		var call int
		var status string
		u := &r.Usage
		err := rows.Scan(&n, &seq, &call, &status, &r.Thread, &r.Model, &r.Start, &r.First, &r.Last,
			&u.Input, &u.Write5m, &u.Write1h, &u.Read, &u.Output, &r.Stop)
		r.ID = strconv.FormatInt(n, 10)
		r.UserTurn = users.passed(r.Thread, seq)
		if status == "ok" {
			r.Tools = m.tools(calls[callKey{r.Thread, call}])
		}
		return r, err
	}, `SELECT n, seq, call, status, agent, model, started_at, coalesce(began_at, started_at), coalesce(ended_at, started_at),
		input, write_5m, write_1h, read, output, stop FROM requests
		WHERE run = ? AND started_at IS NOT NULL AND (status = 'ok' OR input + write_5m + write_1h + read + output > 0)
		ORDER BY started_at, n`, run)
	return err
}

// tools says what tool uses spawned.
func (m *made) tools(uses []recording.ToolUse) []recording.ToolUse {
	for i := range uses {
		if child, ok := m.children[uses[i].ID]; ok {
			uses[i].Spawned = child
		}
	}
	return uses
}

// goOn links each request to the one whose conversation it goes on from: its
// agent's request before, for a fork's first the one whose answer spawned it, for one of
// the client's own the last of whom it was sent for.
func (m *made) goOn() {
	last := make([]int32, len(m.s.Threads))
	for i := range last {
		last[i] = -1
	}
	for i := range m.s.Requests {
		r := &m.s.Requests[i]
		t := &m.s.Threads[r.Thread]
		r.Pred = last[r.Thread]
		switch {
		case r.Pred >= 0:
		case t.Kind == recording.Fork:
			r.Pred = t.SpawnedBy
		case t.Kind == recording.Compact:
			r.Pred = last[t.Parent]
		}
		last[r.Thread] = int32(i)
		for _, u := range r.Tools {
			if u.Spawned >= 0 {
				m.s.Threads[u.Spawned].SpawnedBy = int32(i)
			}
		}
	}
}

// marks are events by agent that the agent's next request is told of.
type marks map[int32][]int64

func (db *DB) marks(run, q string) (marks, error) {
	out := marks{}
	_, err := query(db, "read the events", func(rows *sql.Rows) (seq int64, err error) {
		var agent int32
		err = rows.Scan(&agent, &seq)
		out[agent] = append(out[agent], seq)
		return seq, err
	}, q, run)
	return out, err
}

// passed reports whether one of them lies before seq, and forgets those that do.
func (m marks) passed(agent int32, seq int64) (found bool) {
	for len(m[agent]) > 0 && m[agent][0] < seq {
		m[agent], found = m[agent][1:], true
	}
	return found
}
