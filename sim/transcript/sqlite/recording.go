package sqlite

import (
	"database/sql"
	"fmt"

	"agentsim/sim/recording"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Recorded reports whether the run is a recorded session that was imported.
func (r *RunInfo) Recorded() bool { return r.Policy == transcript.PolicyRecorded }

// Recording makes a recorded session of a run, without its content and its blocks. Of an
// imported run it is the session that was imported; of a simulated one as much of
// it as the tables tell, its instants those of virtual time. It fails with
// ErrNoRun, and with ErrNoCall for a run of which not every call is kept with its content.
func (db *DB) Recording(run string) (*recording.Session, error) {
	stored, err := db.Spec(run)
	if err != nil {
		return nil, err
	}
	var s *recording.Session
	if stored.Policy == transcript.PolicyRecorded {
		s, err = db.imported(&stored)
	} else {
		s, err = db.simulated(&stored)
	}
	if err != nil {
		return nil, fail(db.path, "make a session of run "+run, err)
	}
	return s, nil
}

// callKey names a call of an agent.
type callKey struct {
	agent int32
	call  int
}

// numbered is a request with its agent's number for it.
type numbered struct {
	call int
	recording.Request
}

// imported rebuilds what was imported: the requests from their rows, the rest
// from the spec.
func (db *DB) imported(stored *Run) (*recording.Session, error) {
	s, start, err := sessionOf(stored.Spec)
	if err != nil {
		return nil, err
	}
	rows, err := query(db, "read the requests", scanRecorded(start), `SELECT r.call, c.id, r.agent, c.pred, r.model, c.version,
		r.started_at, r.began_at, r.ended_at, r.input, r.write_5m, r.write_1h, r.read, r.output,
		c.output_known, c.writes_known, c.billed, c.answer_blocks, c.user_turn, c.compacted, c.stop, c.server_reason, c.server_missed, c.changed, c.told
		FROM recorded_requests c JOIN requests r ON r.run = c.run AND r.seq = c.request WHERE c.run = ? ORDER BY c.n`, stored.ID)
	if err != nil {
		return nil, err
	}
	calls, err := db.toolUses(stored.ID)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		r := &rows[i].Request
		r.Tools = calls[callKey{r.Thread, rows[i].call}]
		s.Requests = append(s.Requests, *r)
	}
	return s, db.nameTools(s, stored.ID)
}

func scanRecorded(start vtime.Instant) func(*sql.Rows) (numbered, error) {
	return func(rows *sql.Rows) (n numbered, err error) {
		r := &n.Request
		u, told := &r.Usage, ""
		err = rows.Scan(&n.call, &r.ID, &r.Thread, &r.Pred, &r.Model, &r.Version, &r.Start, &r.First, &r.Last,
			&u.Input, &u.Write5m, &u.Write1h, &u.Read, &u.Output, &r.OutputKnown, &r.WritesKnown, &r.Billed, &r.AnswerBlocks,
			&r.UserTurn, &r.Compacted, &r.Stop, &r.ServerMiss, &r.ServerMissed, &r.Changed, &told)
		if err == nil {
			err = r.SetTold(told)
		}
		r.Pred--
		r.Start, r.First, r.Last = r.Start+start, r.First+start, r.Last+start
		return n, err
	}
}

// toolUses lists a run's tool uses by the call whose answer held them, with the
// ids of the run. None has spawned anything.
func (db *DB) toolUses(run string) (map[callKey][]recording.ToolUse, error) {
	out := map[callKey][]recording.ToolUse{}
	_, err := query(db, "read the tool uses", func(rows *sql.Rows) (k callKey, err error) {
		u := recording.ToolUse{Spawned: -1}
		err = rows.Scan(&k.agent, &k.call, &u.ID, &u.Name, &u.Done, &u.IsError, &u.Bytes, &u.Took)
		out[k] = append(out[k], u)
		return k, err
	}, `SELECT agent, call, id, name, ended_seq IS NOT NULL, coalesce(is_error, 0), coalesce(bytes, 0), coalesce(took, 0)
		FROM tool_calls WHERE run = ? ORDER BY agent, call, idx`, run)
	return out, err
}

// nameTools gives tool uses the ids they were recorded with, and what they
// spawned.
func (db *DB) nameTools(s *recording.Session, run string) error {
	_, err := query(db, "read the tool uses", func(rows *sql.Rows) (n int, err error) {
		var idx int
		var u recording.ToolUse
		if err := rows.Scan(&n, &idx, &u.ID, &u.Spawned); err != nil {
			return 0, err
		}
		if n < 1 || n > len(s.Requests) || idx < 0 || idx >= len(s.Requests[n-1].Tools) {
			return 0, fmt.Errorf("tool use %d of request %d is not on record", idx, n)
		}
		t := &s.Requests[n-1].Tools[idx]
		t.ID, t.Spawned = u.ID, u.Spawned
		return n, nil
	}, `SELECT c.n, t.idx, t.id, t.spawned FROM recorded_tools t JOIN recorded_requests c USING (run, seq) WHERE t.run = ?`, run)
	return err
}
