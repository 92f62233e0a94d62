package sqlite

import (
	"encoding/binary"
	"fmt"

	"agentsim/sim/llm"

	"github.com/zeebo/xxh3"
)

// intactNode checks a block's node against its hash, which covers its parent, what
// stands around its content, and the content. What a border's hash covers is not
// all on record; the blocks behind one hang on its hash.
func intactNode(hash, parent string, p *piece) error {
	if p.kind == "" {
		return nil
	}
	h, ok := llm.ParseHash(parent)
	buf := binary.BigEndian.AppendUint64(nil, h.Hi)
	buf = p.append(binary.BigEndian.AppendUint64(buf, h.Lo))
	sum := xxh3.Hash128(buf)
	if got := (llm.Hash{Hi: sum.Hi, Lo: sum.Lo}).String(); !ok || got != hash {
		return &Error{Doing: "trust block " + hash, Kind: ErrChanged, Cause: fmt.Errorf("it comes to %s", got)}
	}
	return nil
}

// intactContent checks a content against its name.
func intactContent(key, content string) error {
	if got := contentKey(content); got != key {
		return &Error{Doing: "trust content " + key, Kind: ErrChanged, Cause: fmt.Errorf("it comes to %s", got)}
	}
	return nil
}

// VerifyContent fails with ErrChanged when a block of a run's conversations is not
// the one that was recorded.
func (db *DB) VerifyContent(run string) error {
	_, err := query(db, "read the blocks", scanPiece, allNodes+`SELECT n.hash, n.parent, n.level, n.kind, n.head, coalesce(p.content, ''), n.tail
		FROM up JOIN nodes n ON n.hash = up.hash LEFT JOIN payloads p ON p.sha256 = n.payload`, run)
	return err
}
