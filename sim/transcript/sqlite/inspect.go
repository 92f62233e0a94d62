package sqlite

import (
	"database/sql"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// AgentInfo is one agent of a run, all its activations together.
type AgentInfo struct {
	Agent, Parent          int32 // ordinals; the parent of a root is -1
	Lineage, ID            string
	Type, Structure, Model string
	Async                  bool
	Tools                  string // comma-separated
	Context                string // key=value
	Activations            int
	StartedAt, EndedAt     vtime.Instant
	Status, Why            string // of the last activation; "" when it has not ended
	Turns, ToolUses        int64
	Calls, Failed          int64     // requests that were answered, and that ended without an answer
	Usage                  llm.Usage // of its own calls
	Cost, Uncached         int64     // picodollars
}

// Tree lists a run's agents in the order in which they were made. Of an
// agent that the run's level does not keep (RunInfo.Keeps) calls and costs are 0,
// and not known.
func (db *DB) Tree(run string) ([]AgentInfo, error) {
	return query(db, "read the agents", scanAgent, `SELECT a.agent, a.parent, a.lineage, a.id, a.type, a.structure, a.model, a.async,
		a.tools, a.context, count(*), min(a.started_at), coalesce(max(a.ended_at), 0),
		coalesce(l.status, ''), coalesce(l.why, ''), coalesce(sum(a.turns), 0), coalesce(sum(a.tool_uses), 0),
		(SELECT count(*) FROM requests r WHERE r.run = a.run AND r.agent = a.agent AND r.status = 'ok'),
		(SELECT count(*) FROM requests r WHERE r.run = a.run AND r.agent = a.agent AND r.status = 'error'),
		coalesce(sum(a.input), 0), coalesce(sum(a.write_5m), 0), coalesce(sum(a.write_1h), 0), coalesce(sum(a.read), 0), coalesce(sum(a.output), 0),
		coalesce((SELECT sum(r.cost) FROM requests r WHERE r.run = a.run AND r.agent = a.agent), 0),
		coalesce((SELECT sum(r.cost_uncached) FROM requests r WHERE r.run = a.run AND r.agent = a.agent), 0)
		FROM agents a
		JOIN agents l ON l.run = a.run AND l.agent = a.agent
			AND l.activation = (SELECT max(activation) FROM agents m WHERE m.run = a.run AND m.agent = a.agent)
		WHERE a.run = ? GROUP BY a.agent ORDER BY a.agent`, run)
}

func scanAgent(rows *sql.Rows) (a AgentInfo, err error) {
	u := &a.Usage
	return a, rows.Scan(&a.Agent, &a.Parent, &a.Lineage, &a.ID, &a.Type, &a.Structure, &a.Model, &a.Async, &a.Tools, &a.Context,
		&a.Activations, &a.StartedAt, &a.EndedAt, &a.Status, &a.Why, &a.Turns, &a.ToolUses, &a.Calls, &a.Failed,
		&u.Input, &u.Write5m, &u.Write1h, &u.Read, &u.Output, &a.Cost, &a.Uncached)
}

// CallInfo is one request and its answer.
type CallInfo struct {
	N, Seq                      int64 // number in the run, from 1; event
	Lineage, Type, Structure    string
	Call, Attempt               int // number in the agent, from 0
	Model                       string
	At                          vtime.Instant
	StartedAt, BeganAt, EndedAt vtime.Instant // 0 where it did not come to that
	Blocks, Bytes               int64         // of the prompt
	Status, Stop                string
	Usage                       llm.Usage
	Cost, Uncached              int64 // picodollars
	ReadTo, WrittenTo           int32 // positions; 0 for nothing
	Undecided                   int   // marks whose count stood within its error of the minimum
	Miss, Meaning               string
	Servers                     string // of a miss for other tools: what became of MCP servers, or was found
	Expected, Lost              int64  // tokens
	MissPos                     int32
	MissByte                    int64 // -1 for none
	After                       int64 // N of the request it could have read from; 0 for none
	Head                        string
	Marks                       []Mark
}

// Mark is one breakpoint of a call and what went by way of it.
type Mark struct {
	Pos    int32
	TTL    string // 5m, 1h, automatic
	Reads  int64  // tokens
	Back   int32  // positions looked back for them
	Writes int64  // tokens
}

const callColumns = `SELECT r.n, r.seq, a.lineage, a.type, a.structure, r.call, r.attempt, r.model, r.at,
	coalesce(r.started_at, 0), coalesce(r.began_at, 0), coalesce(r.ended_at, 0), r.blocks, r.bytes, r.status, r.stop,
	r.input, r.write_5m, r.write_1h, r.read, r.output, r.cost, r.cost_uncached,
	coalesce(r.read_to, 0), coalesce(r.written_to, 0), r.undecided, r.miss, coalesce(w.meaning, ''), r.expected, r.lost, r.miss_pos, r.miss_byte,
	coalesce(w.after, 0), r.head, CASE r.miss WHEN 'tools' THEN coalesce((SELECT group_concat(e.text, '') FROM events e
		WHERE e.run = r.run AND e.kind = 'rebase' AND e.agent = r.agent AND e.seq < r.seq
		AND e.seq > (SELECT max(p.seq) FROM requests p WHERE p.run = r.run AND p.agent = r.agent AND p.seq < r.seq)), '') ELSE '' END
	FROM requests r JOIN agents a USING (run, agent, activation)
	LEFT JOIN why_missed w ON w.run = r.run AND w.seq = r.seq `

func scanCall(rows *sql.Rows) (c CallInfo, err error) {
	u, rebases := &c.Usage, ""
	err = rows.Scan(&c.N, &c.Seq, &c.Lineage, &c.Type, &c.Structure, &c.Call, &c.Attempt, &c.Model, &c.At,
		&c.StartedAt, &c.BeganAt, &c.EndedAt, &c.Blocks, &c.Bytes, &c.Status, &c.Stop,
		&u.Input, &u.Write5m, &u.Write1h, &u.Read, &u.Output, &c.Cost, &c.Uncached,
		&c.ReadTo, &c.WrittenTo, &c.Undecided, &c.Miss, &c.Meaning, &c.Expected, &c.Lost, &c.MissPos, &c.MissByte, &c.After, &c.Head, &rebases)
	for part := range strings.SplitSeq(rebases, " why=tools ") {
		if _, detail, ok := strings.Cut(part, ` detail="`); ok {
			detail, _, _ = strings.Cut(detail, `"`)
			c.Servers = strings.TrimPrefix(c.Servers+", "+detail, ", ")
		}
	}
	return c, err
}

// Call is the n-th request of a run, from 1, with its breakpoints. It fails with
// ErrNoCall when there is none.
func (db *DB) Call(run string, n int64) (CallInfo, error) {
	calls, err := query(db, "read a call", scanCall, callColumns+`WHERE r.run = ? AND r.n = ?`, run, n)
	if err != nil {
		return CallInfo{}, err
	}
	if len(calls) == 0 {
		return CallInfo{}, &Error{Path: db.path, Doing: "find call " + strconv.FormatInt(n, 10) + " of run " + run, Kind: ErrNoCall}
	}
	c := calls[0]
	c.Marks, err = query(db, "read the breakpoints", func(rows *sql.Rows) (m Mark, err error) {
		return m, rows.Scan(&m.Pos, &m.TTL, &m.Reads, &m.Back, &m.Writes)
	}, `SELECT pos, ttl, reads, back, writes FROM breakpoints WHERE run = ? AND seq = ? ORDER BY idx`, run, c.Seq)
	return c, err
}

// Calls lists a run's requests in order, with their breakpoints.
func (db *DB) Calls(run string) ([]CallInfo, error) {
	calls, err := query(db, "read the calls", scanCall, callColumns+`WHERE r.run = ? ORDER BY r.n`, run)
	if err != nil {
		return nil, err
	}
	at := make(map[int64]*CallInfo, len(calls))
	for i := range calls {
		at[calls[i].Seq] = &calls[i]
	}
	_, err = query(db, "read the breakpoints", func(rows *sql.Rows) (m Mark, err error) {
		var seq int64
		if err = rows.Scan(&seq, &m.Pos, &m.TTL, &m.Reads, &m.Back, &m.Writes); at[seq] != nil {
			at[seq].Marks = append(at[seq].Marks, m)
		}
		return m, err
	}, `SELECT seq, pos, ttl, reads, back, writes FROM breakpoints WHERE run = ? ORDER BY seq, idx`, run)
	return calls, err
}

// BlockInfo is one block of a request.
type BlockInfo struct {
	Pos                     int32
	Level, Role, Kind, Name string
	Content                 string // raw
	Cached                  bool   // it came from the cache
}

// Blocks lists what a request held, block by block, in the cache's order.
func (db *DB) Blocks(run string, seq int64) ([]BlockInfo, error) {
	return query(db, "read the blocks", func(rows *sql.Rows) (b BlockInfo, err error) {
		return b, rows.Scan(&b.Pos, &b.Level, &b.Role, &b.Kind, &b.Name, &b.Content, &b.Cached)
	}, chainOf+`SELECT n.pos, n.level, n.role, n.kind, n.name, p.content,
		n.pos <= (SELECT coalesce(read_to, 0) FROM requests WHERE run = ?1 AND seq = ?2)
		FROM up JOIN nodes n ON n.hash = up.hash JOIN payloads p ON p.sha256 = n.payload ORDER BY n.pos`, run, seq)
}
