package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// RunInfo is a stored run as lists show it.
type RunInfo struct {
	ID, Name, Variant string
	Seed              uint64
	Policy            string
	Semantics         int
	Level             Level
	Packed            bool // its single rows are compressed
	Outcome           Status
	Detail, Digest    string
	Events, Calls     int64
	EndedAt           vtime.Instant
	Usage             llm.Usage
	Cost, Uncached    int64  // picodollars
	Executions        int    // how often it was executed
	StartedAt         string // wall time of the last execution
	Changed           bool   // the row is not the one that was recorded
}

// Ending is how the run ended, in a word. One that still runs and one whose process
// was killed look alike: both are unfinished.
func (r *RunInfo) Ending() string {
	switch {
	case r.Changed:
		return "changed"
	case r.Outcome == Running:
		return "unfinished"
	}
	return string(r.Outcome)
}

// Said is the level as it was asked for: Packed where Full is packed.
func (r *RunInfo) Said() Level {
	if r.Packed {
		return Packed
	}
	return r.Level
}

// Keeps reports whether the record has single calls and events of an agent.
func (r *RunInfo) Keeps(a *AgentInfo) bool { return r.Level.Keeps(r.Seed, a.Lineage) }

const runInfoColumns = `SELECT r.id, r.name, r.variant, r.seed, r.policy, r.semantics, r.level, r.packed > 0, r.outcome, r.detail, r.digest,
	r.events, r.calls, r.ended_at, r.input, r.write_5m, r.write_1h, r.read, r.output, r.cost, r.cost_uncached,
	count(e.n), max(e.started_at)
	FROM runs r JOIN executions e ON e.run = r.id `

func scanRun(rows *sql.Rows) (RunInfo, error) {
	var r RunInfo
	u := &r.Usage
	err := rows.Scan(&r.ID, &r.Name, &r.Variant, &r.Seed, &r.Policy, &r.Semantics, &r.Level, &r.Packed, &r.Outcome, &r.Detail, &r.Digest,
		&r.Events, &r.Calls, &r.EndedAt, &u.Input, &u.Write5m, &u.Write1h, &u.Read, &u.Output, &r.Cost, &r.Uncached,
		&r.Executions, &r.StartedAt)
	return r, err
}

// Runs lists the runs, the one executed last first.
func (db *DB) Runs() ([]RunInfo, error) {
	runs, _, err := db.List(Listing{Most: -1})
	return runs, err
}

// Listing says which runs are listed, the one executed last first.
type Listing struct {
	Words string // a run's id, name, variant, policy, seed or ending has each of them; "" for all runs
	From  int    // how many of them come before the first listed
	Most  int    // how many are listed; -1 for all
}

// where is the condition on a run, "" for none, and what stands for its question marks.
func (l *Listing) where() (condition string, args []any) {
	for _, w := range strings.Fields(l.Words) {
		condition += map[bool]string{true: "WHERE", false: " AND"}[condition == ""]
		condition += ` instr(lower(id || ' ' || name || ' ' || variant || ' ' || policy || ' seed=' || seed || ' ' || CASE outcome WHEN 'running' THEN 'unfinished' ELSE outcome END), lower(?)) > 0`
		args = append(args, w)
	}
	return condition, args
}

// List lists runs, and counts all that the listing is about. Of those that are not listed
// little is read, and words are looked for once, except where a page is empty.
func (db *DB) List(l Listing) (runs []RunInfo, all int, err error) {
	condition, args := l.where()
	within, count := "", "0"
	if condition != "" {
		within, count = `WHERE run IN (SELECT id FROM runs `+condition+`) `, "count(*) OVER ()"
	}
	runs, all, err = listed(db, `SELECT run, `+count+` FROM executions `+within+`GROUP BY run ORDER BY max(started_at) DESC, run LIMIT ? OFFSET ?`,
		append(slices.Clone(args), l.Most, l.From)...)
	if err == nil && all == 0 {
		err = fail(db.path, "count its runs", db.sql.QueryRow(`SELECT count(*) FROM runs `+condition, args...).Scan(&all))
	}
	return runs, all, err
}

// listed are the runs whose ids a query gives, the one executed last first, and of how
// many it says that they are.
func listed(db *DB, q string, args ...any) (runs []RunInfo, all int, err error) {
	const doing = "list its runs"
	found, err := query(db, doing, func(rows *sql.Rows) (id string, err error) { return id, rows.Scan(&id, &all) }, q, args...)
	if err != nil {
		return nil, 0, err
	}
	ids, err := json.Marshal(found)
	if err != nil {
		return nil, 0, err
	}
	runs, err = query(db, doing, scanRun, runInfoColumns+`WHERE r.id IN (SELECT value FROM json_each(?)) GROUP BY r.id ORDER BY max(e.started_at) DESC, r.id`, string(ids))
	if err != nil {
		return nil, 0, err
	}
	changed, err := changedRuns(db, string(ids))
	for i := range runs {
		runs[i].Changed = changed[runs[i].ID]
	}
	return runs, all, err
}

// State is another text whenever a run was begun, ended or removed.
func State(db *DB) (text string, err error) {
	err = db.sql.QueryRow(`SELECT count(*) || ' ' || count(nullif(finished_at, '')) || ' ' || coalesce(max(started_at), '') || ' ' || coalesce(sum(n), 0) FROM executions`).Scan(&text)
	return text, fail(db.path, "look at its runs", err)
}

// query collects the rows of a query, each read by scan.
func query[T any](db *DB, doing string, scan func(*sql.Rows) (T, error), q string, args ...any) ([]T, error) {
	var out []T
	err := on(db, args, func(from querier) error {
		rows, err := from.QueryContext(context.Background(), q, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			v, err := scan(rows)
			if err != nil {
				return err
			}
			out = append(out, v)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fail(db.path, doing, err)
	}
	return out, nil
}

// row reads the one row that a query gives.
func row(db *DB, into []any, q string, args ...any) error {
	return on(db, args, func(from querier) error { return one(from, into, q, args...) })
}

// Spec is all that a replay of a run needs. run is a full id here and below.
func (db *DB) Spec(run string) (Run, error) {
	r := Run{ID: run}
	err := db.sql.QueryRow(`SELECT name, variant, seed, policy, semantics, spec FROM runs WHERE id = ?`, run).
		Scan(&r.Name, &r.Variant, &r.Seed, &r.Policy, &r.Semantics, &r.Spec)
	if err != nil {
		return r, db.missing(err, run)
	}
	r.Files, err = query(db, "read the project's files", func(rows *sql.Rows) (f File, err error) {
		var key string
		if err = rows.Scan(&f.Path, &key, &f.Content); err == nil {
			err = intactContent(key, f.Content)
		}
		return f, err
	}, `SELECT f.path, p.sha256, p.content FROM files f JOIN payloads p ON p.sha256 = f.payload WHERE f.run = ? ORDER BY f.path`, run)
	return r, err
}

// Schedule is what a run's scheduling policy chose, as kernel.ChoicesText writes
// it; "" where the policy's name says it, and of a run that has not ended.
func (db *DB) Schedule(run string) (choices string, err error) {
	err = row(db, []any{&choices}, `SELECT coalesce((SELECT choices FROM schedules WHERE run = ?), '')`, run)
	return choices, fail(db.path, "read the schedule", err)
}

// Expects is what the file of a run's last execution expects of it; "" where nobody said.
func Expects(db *DB, run string) (text string, err error) {
	err = db.sql.QueryRow(`SELECT coalesce((SELECT expects FROM executions WHERE run = ? ORDER BY n DESC LIMIT 1), '')`, run).Scan(&text)
	return text, fail(db.path, "read what is expected of it", err)
}

// missing turns "no rows" into ErrNoRun.
func (db *DB) missing(err error, run string) error {
	if err == sql.ErrNoRows {
		return &Error{Path: db.path, Doing: "find run " + run, Kind: ErrNoRun}
	}
	return fail(db.path, "read run "+run, err)
}

// pageSize is how many events are read at a time: no statement is open while a
// line is looked at, so that reading never holds up a writer.
const pageSize = 1024

// Events gives a run's canonical lines in order.
func (db *DB) Events(run string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for from := int64(0); ; {
			page, err := db.page(run, from)
			if err != nil {
				yield("", err)
				return
			}
			for _, line := range page.lines {
				if !yield(line, nil) {
					return
				}
			}
			if len(page.lines) < pageSize {
				return
			}
			from = page.next
		}
	}
}

type page struct {
	lines []string
	next  int64
}

func (db *DB) page(run string, from int64) (page, error) {
	var p page
	var buf []byte
	lines, err := query(db, "read the events", func(rows *sql.Rows) (string, error) {
		var at vtime.Instant
		var phase uint8
		var agent int32
		var kind, text string
		if err := rows.Scan(&p.next, &at, &phase, &agent, &kind, &text); err != nil {
			return "", err
		}
		buf = transcript.AppendHead(buf[:0], uint64(p.next), at, phase, agent, kind)
		p.next++
		return string(append(buf, text...)), nil
	}, `SELECT seq, at, phase, agent, kind, text FROM events WHERE run = ? AND seq >= ? ORDER BY seq LIMIT ?`, run, from, pageSize)
	p.lines = lines
	return p, err
}

// Metrics lists a run's metrics by scope and name. It fails with ErrChanged where
// they are not those that were recorded.
func (db *DB) Metrics(run string) ([]Metric, error) {
	changed, _, err := changedOf(db, run, func(part string) bool { return part == "metrics" || part == figuresPart })
	if err == nil && len(changed) > 0 {
		err = db.changed(run, changed)
	}
	if err != nil {
		return nil, err
	}
	return query(db, "read the metrics", func(rows *sql.Rows) (m Metric, err error) {
		return m, rows.Scan(&m.Scope, &m.Name, &m.Value, &m.Unit)
	}, `SELECT scope, name, value, unit FROM metrics WHERE run = ? ORDER BY scope, name`, plain(run))
}
