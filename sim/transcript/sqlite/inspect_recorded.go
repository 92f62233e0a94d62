package sqlite

import (
	"database/sql"
	"strconv"

	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// RecordedInfo is what only a recording knows of a request.
type RecordedInfo struct {
	N                                int64 // of the request in the run, from 1
	ID, Version, Stop                string
	Pred                             int64 // N of the request it goes on from; 0 for none
	UserTurn, Compacted              bool
	OutputKnown, WritesKnown, Billed bool
	ServerReason                     string // the API's own diagnosis; "" for none
	ServerMissed                     int64  // tokens that it names
	Class, Cause                     string
	Changed                          string         // where the prompt stops being a continuation of Pred's; "" for nowhere, and where nobody knows
	Meaning, Keep                    string         // of the cause: what it is, what would have kept the tokens
	Expected, Lost                   int64          // tokens
	LostCost                         int64          // picodollars
	Told                             recording.Told // the line that tells of the cause; Line 0 for none
}

// What would have kept a request's tokens depends on the request before it only where an
// entry had expired: no other is looked for.
const recordedColumns = `SELECT c.n, c.id, c.version, c.stop, c.pred, c.user_turn, c.compacted, c.output_known, c.writes_known, c.billed,
	c.server_reason, c.server_missed, c.class, c.cause, coalesce(k.meaning, ''), coalesce(k.keep, ''), c.expected, c.lost, c.lost_cost, c.changed, c.told
	FROM recorded_requests c LEFT JOIN recorded_causes k ON k.cause = iif(c.cause = 'ttl', (SELECT w.cause FROM recorded_keeps w WHERE w.run = c.run AND w.n = c.n), c.cause) `

func scanRecordedInfo(rows *sql.Rows) (r RecordedInfo, err error) {
	told := ""
	err = rows.Scan(&r.N, &r.ID, &r.Version, &r.Stop, &r.Pred, &r.UserTurn, &r.Compacted, &r.OutputKnown, &r.WritesKnown, &r.Billed,
		&r.ServerReason, &r.ServerMissed, &r.Class, &r.Cause, &r.Meaning, &r.Keep, &r.Expected, &r.Lost, &r.LostCost, &r.Changed, &told)
	var q recording.Request
	if err == nil {
		err = q.SetTold(told)
	}
	r.Told, _ = q.Explains(r.Cause)
	return r, err
}

// RecordedCall is what the recording adds to the n-th request of an imported run,
// from 1. It fails with ErrNoCall when there is none.
func (db *DB) RecordedCall(run string, n int64) (RecordedInfo, error) {
	found, err := query(db, "read a call", scanRecordedInfo, recordedColumns+`WHERE c.run = ? AND c.n = ?`, run, n)
	if err == nil && len(found) == 0 {
		err = &Error{Path: db.path, Doing: "find call " + strconv.FormatInt(n, 10) + " of run " + run, Kind: ErrNoCall}
	}
	if err != nil {
		return RecordedInfo{}, err
	}
	return found[0], nil
}

// RecordedCalls lists what the recording adds to the requests of an imported run, in
// order.
func (db *DB) RecordedCalls(run string) ([]RecordedInfo, error) {
	return query(db, "read the calls", scanRecordedInfo, recordedColumns+`WHERE c.run = ? ORDER BY c.n`, run)
}

// RecordedHead is an imported run's session without its requests, and the instant
// of the first of these.
func (db *DB) RecordedHead(run string) (*recording.Session, vtime.Instant, error) {
	stored, err := db.Spec(run)
	if err != nil {
		return nil, 0, err
	}
	s, start, err := sessionOf(stored.Spec)
	return s, start, fail(db.path, "read the session of run "+run, err)
}

// Unbilled is of how many requests of an imported run the recording holds no bill, and
// of how many others a bill with a placeholder for the output.
func (db *DB) Unbilled(run string) (n, outputs int64, err error) {
	err = row(db, []any{&n, &outputs}, `SELECT count(*) FILTER (WHERE billed = 0), count(*) FILTER (WHERE billed = 1 AND output_known = 0)
		FROM recorded_requests WHERE run = ?`, run)
	return n, outputs, fail(db.path, "read the requests", err)
}

// Priced reports whether the price of every call of a run is known. It is so for
// a simulated run, and for one that has not ended.
func (db *DB) Priced(run string) (bool, error) {
	found, err := query(db, "read the price", func(rows *sql.Rows) (n int64, err error) { return n, rows.Scan(&n) },
		`SELECT policy <> 'recorded' OR outcome <> 'completed' OR
			EXISTS (SELECT 1 FROM metrics WHERE run = id AND scope = 'run' AND name = 'cost') FROM runs WHERE id = ?`, plain(run))
	return err == nil && len(found) > 0 && found[0] != 0, err
}
