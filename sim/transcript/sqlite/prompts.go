package sqlite

import (
	"database/sql"
	"unicode/utf8"
)

// Piece is one block of a run's conversations, with all that is in front of it by
// way of Parent. Equal conversations share their blocks.
type Piece struct {
	Hash, Parent            string // Parent is "" for the first of a chain
	Level, Role, Kind, Name string // Kind is "" for a border
	Pos                     int32  // from 1
	Bytes                   int64  // of its content
	Excerpt                 string // the beginning of its content
}

// Pieces lists the blocks that a run's requests and answers hold, each once, by
// position; of the content so many characters. Where a run's level keeps no content
// there are none.
func (db *DB) Pieces(run string, excerpt int) ([]Piece, error) {
	return query(db, "read the blocks", func(rows *sql.Rows) (p Piece, err error) {
		err = rows.Scan(&p.Hash, &p.Parent, &p.Level, &p.Role, &p.Kind, &p.Name, &p.Pos, &p.Bytes, &p.Excerpt)
		if text := []rune(p.Excerpt); len(text) > excerpt {
			p.Excerpt = string(text[:excerpt])
		}
		return p, err
	}, `WITH RECURSIVE up(hash, parent) AS (
			SELECT n.hash, n.parent FROM nodes n WHERE n.hash IN
				(SELECT head FROM requests WHERE run = ?1 UNION SELECT answer FROM requests WHERE run = ?1)
			UNION
			SELECT n.hash, n.parent FROM up JOIN nodes n ON n.hash = up.parent)
		SELECT n.hash, n.parent, n.level, n.role, n.kind, n.name, n.pos, coalesce(p.bytes, 0),
			coalesce(CAST(substr(CAST(p.content AS BLOB), 1, ?2) AS TEXT), '') -- of a text substr takes nothing behind a NUL
		FROM up JOIN nodes n ON n.hash = up.hash LEFT JOIN payloads p ON p.sha256 = n.payload 
		ORDER BY n.pos, n.kind = '', instr('tools system messages', n.level), n.hash`, run, utf8.UTFMax*excerpt)
}

// Mail is one message on its way: a notification, a re-invocation or a user's word.
type Mail struct {
	Agent      int32 // whose conversation it comes into
	At         int64 // nanoseconds
	Kind, Task string
	Op, Status string // queued, delivered, dropped
	Bytes      int64
	Prefix     int64 // tokens that a re-invocation reads again
}

// Mails lists a run's messages in order.
func (db *DB) Mails(run string) ([]Mail, error) {
	return query(db, "read the messages", func(rows *sql.Rows) (m Mail, err error) {
		return m, rows.Scan(&m.Agent, &m.At, &m.Kind, &m.Task, &m.Op, &m.Status, &m.Bytes, &m.Prefix)
	}, `SELECT agent, at, kind, task, op, status, bytes, prefix FROM messages WHERE run = ? ORDER BY seq`, run)
}
