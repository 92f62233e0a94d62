package sqlite

import (
	"database/sql"
	"fmt"
	"strings"

	"agentsim/sim/vtime"
)

// Progress is how far an agent in the background had come at an instant.
type Progress struct {
	Lineage       string
	At            vtime.Instant
	ToolUses      int
	Input, Output int64    // tokens: of the newest request, of all answers
	Last          []string // tools of its last uses, oldest first
}

// Progress lists the progress of a run's agents, each change of it, in order. A
// record without single events has none.
func (db *DB) Progress(run string) ([]Progress, error) {
	return query(db, "read the progress", func(rows *sql.Rows) (p Progress, err error) {
		var text, last string
		if err = rows.Scan(&p.Lineage, &p.At, &text); err != nil {
			return p, err
		}
		text, last, _ = strings.Cut(text, " last=")
		if last != "" {
			p.Last = strings.Split(last, ",")
		}
		_, err = fmt.Sscanf(text, " tool_uses=%d input=%d output=%d", &p.ToolUses, &p.Input, &p.Output)
		return p, err
	}, `SELECT (SELECT lineage FROM agents a WHERE a.run = e.run AND a.agent = e.agent LIMIT 1), e.at, e.text
		FROM events e WHERE e.run = ? AND e.kind = 'progress' ORDER BY e.seq`, run)
}
