package sqlite

import (
	"database/sql"
	"slices"
	"strings"

	"agentsim/sim/llm"
)

// compactionAsk opens the message that asks for a summary, which is no part of
// what an agent says.
const compactionAsk = "<compaction-request>"

// Said is everything that an agent of a run said, of all its activations: what its
// output file holds while it is in memory (TSK-09). The texts of an answer stand as
// they are, and each answer ends with a line end. Who is an id or a lineage; it
// fails with ErrNoAgent when there is none. A record without content holds none.
func (db *DB) Said(run, who string) (string, error) {
	agents, err := query(db, "find the agent", func(rows *sql.Rows) (n int32, err error) { return n, rows.Scan(&n) },
		`SELECT DISTINCT agent FROM agents WHERE run = ?1 AND (id = ?2 OR lineage = ?2) ORDER BY agent`, run, who)
	if err != nil {
		return "", err
	}
	if len(agents) == 0 {
		return "", &Error{Path: db.path, Doing: "find agent " + who + " of run " + run, Kind: ErrNoAgent}
	}
	turns, err := db.Turns(run)
	if err != nil {
		return "", err
	}
	messages, err := db.Messages(run)
	if err != nil {
		return "", err
	}
	nodes := map[string]*Said{}
	for i := range messages {
		nodes[messages[i].Hash] = &messages[i]
	}
	var b strings.Builder
	for _, t := range turns {
		asked := nodes[t.Head]
		if t.Agent != agents[0] || !t.Answered || asked == nil || strings.HasPrefix(asked.Content, compactionAsk) {
			continue
		}
		var texts []string
		for n := nodes[t.Answer]; n != nil && n != asked; n = nodes[n.Parent] {
			if n.Role == llm.Assistant.String() && n.Kind == llm.Text.String() {
				texts = append(texts, n.Content)
			}
		}
		slices.Reverse(texts)
		b.WriteString(strings.Join(texts, "") + "\n")
	}
	return b.String(), nil
}
