package sqlite

import (
	"database/sql"

	"agentsim/sim/transcript"
)

// Injection is an act by which an agent obeyed an injected instruction, or what the
// classifier said of an agent's transcript.
type Injection struct {
	Lineage string
	What    string // obeyed, flagged, clean or error
	Taint   string // "" of a transcript that nothing spoke against
	Detail  string // the tool use, or the reason of the verdict
}

// Injections lists both for a run, in its order. A record without single events has
// none.
func (db *DB) Injections(run string) ([]Injection, error) {
	return query(db, "read the hand-offs", func(rows *sql.Rows) (x Injection, err error) {
		return x, rows.Scan(&x.Lineage, &x.What, &x.Taint, &x.Detail)
	}, `SELECT lineage, what, taint, detail FROM injections WHERE run = ? ORDER BY seq`, run)
}

// Finding is something that a reader of a run should know and that is no error.
type Finding struct {
	Lineage string // of the agent; "" for the run itself
	transcript.Finding
}

// Findings lists those of a run but for acts of obedience, in its order. A record
// without single events has none.
func Findings(db *DB, run string) ([]Finding, error) {
	return query(db, "read the findings", func(rows *sql.Rows) (x Finding, err error) {
		return x, rows.Scan(&x.Lineage, &x.Rule, &x.Detail)
	}, `SELECT coalesce((SELECT min(a.lineage) FROM agents a WHERE a.run = f.run AND a.agent = f.agent), ''), rule, detail
		FROM findings f WHERE run = ? AND rule <> 'injection-obeyed' ORDER BY seq`, run)
}
