package sqlite

import "database/sql"

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
