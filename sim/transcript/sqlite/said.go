package sqlite

import (
	"database/sql"
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
	answers, err := query(db, "find the answers", func(rows *sql.Rows) (a [2]string, err error) { return a, rows.Scan(&a[0], &a[1]) },
		`SELECT head, answer FROM requests WHERE run = ? AND agent = ? AND status = 'ok' ORDER BY seq`, run, agents[0])
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, a := range answers {
		if err := db.answer(&b, a[0], a[1]); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// saidNode is a node and its content.
type saidNode struct{ hash, parent, role, kind, content string }

func scanSaid(rows *sql.Rows) (n saidNode, err error) {
	var head, tail string
	if err := rows.Scan(&n.hash, &n.parent, &n.role, &n.kind, &n.content, &head, &tail); err != nil {
		return n, err
	}
	return n, intactNode(n.hash, n.parent, &piece{"", n.kind, head, n.content, tail})
}

// answer appends the texts of an answer, whose last node is given, to a request.
func (db *DB) answer(b *strings.Builder, head, answer string) error {
	var texts []string
	for at := answer; at != head && at != ""; {
		n, err := db.saidNode(at)
		if err != nil {
			return err
		}
		if n.role == llm.Assistant.String() && n.kind == llm.Text.String() {
			texts = append(texts, n.content)
		}
		at = n.parent
	}
	asked, err := db.saidNode(head)
	if err != nil || strings.HasPrefix(asked.content, compactionAsk) {
		return err
	}
	for i := len(texts) - 1; i >= 0; i-- {
		b.WriteString(texts[i])
	}
	b.WriteByte('\n')
	return nil
}

func (db *DB) saidNode(hash string) (saidNode, error) {
	nodes, err := query(db, "read a block", scanSaid, `SELECT n.hash, n.parent, n.role, n.kind, coalesce(p.content, ''), n.head, n.tail
		FROM nodes n LEFT JOIN payloads p ON p.sha256 = n.payload WHERE n.hash = ?`, hash)
	if err != nil || len(nodes) == 0 {
		return saidNode{}, err
	}
	return nodes[0], nil
}
