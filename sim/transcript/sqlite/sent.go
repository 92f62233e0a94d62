package sqlite

import (
	"database/sql"
	"fmt"
	"strconv"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Sent is a request as it was sent, and how it ended: what a cache has to be told
// to be asked again.
type Sent struct {
	N, Seq        int64
	EndedSeq      int64 // of the answer or the error; 0 for one that was still open
	Agent         int32 // ordinal
	Activation    int
	Call, Attempt int
	Model         string
	Head, Answer  *llm.Node // Answer is nil without one
	Marks         []llm.Breakpoint
	Automatic     bool          // the API places the last mark itself, which is none of Marks
	At            vtime.Instant // sent
	Started       vtime.Instant // admitted; At for one that was still open
	Began         vtime.Instant // first byte; 0 where it did not come to that
	Ended         vtime.Instant // 0 for one that was still open
	Status, Stop  string        // ok, error, open; the stop reason or the error's type
	Usage         llm.Usage
	Cost          int64 // picodollars
	Uncached      int64 // picodollars
	Miss          llm.Miss
	head, answer  string
}

// Sent lists a run's requests in order, with their conversations as nodes of the
// recorded hashes. A run that was not recorded in full has none.
func (db *DB) Sent(run string) ([]Sent, error) {
	nodes, err := db.chains(run)
	if err != nil {
		return nil, err
	}
	out, err := query(db, "read the calls", scanSent, `SELECT r.n, r.seq, coalesce(r.ended_seq, 0), r.agent, r.activation, r.call, r.attempt, r.model,
		r.head, r.answer, r.at, coalesce(r.started_at, r.at), coalesce(r.began_at, 0), coalesce(r.ended_at, 0), r.status, r.stop,
		r.input, r.write_5m, r.write_1h, r.read, r.output, r.cost, r.cost_uncached, r.miss, r.expected, r.lost, r.miss_pos, r.miss_byte
		FROM requests r WHERE r.run = ? ORDER BY r.n`, run)
	if err != nil {
		return nil, err
	}
	at := map[int64]*Sent{}
	for i := range out {
		s := &out[i]
		at[s.Seq] = s
		if s.Head = nodes[s.head]; s.Head == nil {
			return nil, fail(db.path, "rebuild call "+strconv.FormatInt(s.N, 10), fmt.Errorf("its blocks are not on record"))
		}
		s.Answer = nodes[s.answer]
	}
	return out, db.marked(run, at, nodes)
}

func scanSent(rows *sql.Rows) (s Sent, err error) {
	u, m := &s.Usage, &s.Miss
	var miss string
	err = rows.Scan(&s.N, &s.Seq, &s.EndedSeq, &s.Agent, &s.Activation, &s.Call, &s.Attempt, &s.Model, &s.head, &s.answer,
		&s.At, &s.Started, &s.Began, &s.Ended, &s.Status, &s.Stop, &u.Input, &u.Write5m, &u.Write1h, &u.Read, &u.Output,
		&s.Cost, &s.Uncached, &miss, &m.Expected, &m.Lost, &m.Pos, &m.Byte)
	m.Reason = named(miss, llm.NotMissed, llm.MissReason(llm.NumMisses-1))
	return s, err
}

// marked gives the requests their marks.
func (db *DB) marked(run string, at map[int64]*Sent, nodes map[string]*llm.Node) error {
	_, err := query(db, "read the breakpoints", func(rows *sql.Rows) (none struct{}, err error) {
		var seq int64
		var node, ttl string
		if err := rows.Scan(&seq, &node, &ttl); err != nil {
			return none, err
		}
		s := at[seq]
		switch {
		case s == nil:
		case ttl == "automatic":
			s.Automatic = true
		default:
			m := llm.Breakpoint{Node: nodes[node]}
			if ttl == llm.TTL1h.String() {
				m.TTL = llm.TTL1h
			}
			s.Marks = append(s.Marks, m)
		}
		return none, nil
	}, `SELECT seq, node, ttl FROM breakpoints WHERE run = ? ORDER BY seq, idx`, run)
	return err
}
