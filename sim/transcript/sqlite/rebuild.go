package sqlite

import (
	"database/sql"

	"agentsim/sim/llm"
)

// chainOf walks a request's conversation from its last block to the root: ?1 is
// the run, ?2 the request's seq.
const chainOf = `WITH RECURSIVE up(hash, parent, depth) AS (
	SELECT hash, parent, 0 FROM nodes WHERE hash = (SELECT head FROM requests WHERE run = ?1 AND seq = ?2)
	UNION ALL
	SELECT n.hash, n.parent, up.depth + 1 FROM nodes n JOIN up ON n.hash = up.parent) `

// RequestBytes rebuilds the request that event seq sent, byte for byte, from the
// stored nodes and payloads. It fails with ErrNoCall when there is none.
func (db *DB) RequestBytes(run string, seq int64) ([]byte, error) {
	parts, err := query(db, "rebuild a request", scanPiece, chainOf+`SELECT n.hash, n.parent, n.level, n.kind, n.head, coalesce(p.content, ''), n.tail
		FROM up JOIN nodes n ON n.hash = up.hash LEFT JOIN payloads p ON p.sha256 = n.payload ORDER BY up.depth DESC`, run, seq)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, &Error{Path: db.path, Doing: "rebuild a request of run " + run, Kind: ErrNoCall}
	}
	var out []byte
	for i := range parts {
		out = parts[i].append(out)
	}
	last := &parts[len(parts)-1]
	return append(out, last.closing()...), nil
}

// piece is one node as it was stored.
type piece struct{ level, kind, head, content, tail string }

func scanPiece(rows *sql.Rows) (p piece, err error) {
	var hash, parent string
	if err := rows.Scan(&hash, &parent, &p.level, &p.kind, &p.head, &p.content, &p.tail); err != nil {
		return p, err
	}
	return p, intactNode(hash, parent, &p)
}

func (p *piece) append(dst []byte) []byte {
	dst = append(dst, p.head...)
	if wholeBlock(p.kind, p.tail) {
		return append(dst, p.content...)
	}
	switch p.kind {
	case "":
	case llm.ToolDef.String(), llm.ToolUse.String(), llm.Image.String(), llm.Document.String(),
		llm.ServerToolUse.String(), llm.ServerToolResult.String(), llm.ToolAddition.String(), llm.ToolRemoval.String(), llm.ToolReference.String():
		dst = append(dst, p.content...)
	default:
		dst = append(dst, llm.Escaped(p.content)...)
	}
	return append(dst, p.tail...)
}

// closing is the brackets that belong to no block.
func (p *piece) closing() string {
	switch {
	case p.level == llm.Messages.String() && p.kind == "":
		return "]}"
	case p.level == llm.Messages.String():
		return "]}]}"
	case p.level == llm.System.String():
		return `],"messages":[]}`
	}
	return `],"system":[],"messages":[]}`
}
