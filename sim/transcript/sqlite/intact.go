package sqlite

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"strings"

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
	tables, _, err := changedOf(db, run, func(part string) bool { return part == classesPart })
	if err == nil && len(tables) > 0 {
		return db.changed(run, tables)
	}
	if err != nil {
		return err
	}
	_, err = query(db, "read the blocks", func(rows *sql.Rows) (none struct{}, err error) {
		n, err := scanNode(rows)
		if err == nil {
			if column, stored, want := n.wrong(); column != "" {
				err = &Error{Doing: "trust block " + n.hash, Kind: ErrChanged, Cause: fmt.Errorf("%s is %s, and %s was recorded", column, stored, want)}
			}
		}
		return none, err
	}, allNodes+nodeRow+"up JOIN nodes n ON n.hash = up.hash"+besideNode, run)
	return err
}

// nodeRow and besideNode ask for what scanNode reads.
const (
	nodeRow    = "SELECT n.hash, n.parent, n.level, n.role, n.kind, n.name, n.class, n.pos, n.head, n.tail, coalesce(p.content, ''), p.sha256 IS NOT NULL, coalesce(u.level, ''), coalesce(u.role, ''), coalesce(u.pos, -1) FROM "
	besideNode = " LEFT JOIN payloads p ON p.sha256 = n.payload LEFT JOIN nodes u ON u.hash = n.parent"
)

// recordedNode is a block as it is on record, and what is of the one in front of it.
type recordedNode struct {
	piece
	hash, parent, role, name, class string
	pos                             int64
	payload                         bool
	above                           struct {
		level, role string
		pos         int64
	}
}

func scanNode(rows *sql.Rows) (n recordedNode, err error) {
	return n, rows.Scan(&n.hash, &n.parent, &n.level, &n.role, &n.kind, &n.name, &n.class, &n.pos, &n.head, &n.tail, &n.content, &n.payload, &n.above.level, &n.above.role, &n.above.pos)
}

// wrong is a column that is not what the block's hash, its bytes or the block in front
// of it say, "" for none.
func (n *recordedNode) wrong() (column, stored, want string) {
	border := n.kind == ""
	err := intactNode(n.hash, n.parent, &n.piece)
	pos := n.above.pos + flag(!border)
	if n.parent == "" {
		pos = 0
	}
	switch {
	case n.parent != "" && n.above.pos < 0:
		return "parent", n.parent, "a block that is on record"
	case !border && !n.payload:
		return "payload", "one that is not on record", "the block's content"
	case err != nil:
		return "head, payload or tail", "one that does not come to the hash", "those of the block"
	case !border && !n.saysKind():
		return "kind", n.kind, "that of the block's bytes"
	case border && !strings.HasSuffix(n.head, `"`+n.level+`":[`):
		return "level", n.level, "that of the border's bytes"
	case !border && n.above.level != n.level:
		return "level", n.level, n.above.level
	case n.pos != pos:
		return "pos", fmt.Sprint(n.pos), fmt.Sprint(pos)
	case !n.saysRole():
		return "role", n.role, "that of the block's bytes"
	case !n.saysName():
		return "name", n.name, "that of the block's bytes"
	case !n.saysClass():
		return "class", n.class, "one that such a block has"
	}
	return "", "", ""
}

// saysKind reports whether a block's bytes are of its kind: tools alone stand at their
// level, a block that is not kept whole begins as its kind does, and ends so.
func (n *recordedNode) saysKind() bool {
	k := named[llm.Kind](n.kind, llm.ToolDef, llm.Opaque)
	switch tools := n.level == llm.Tools.String(); {
	case k.String() != n.kind, tools != (k == llm.ToolDef):
		return false
	case tools, wholeBlock(n.kind, n.tail):
		return true
	}
	return k != llm.Opaque && strings.Contains(n.head, k.Opening()) && (k == llm.Passing) == strings.Contains(n.tail, "clear_at")
}

// saysRole reports whether the bytes of a block, or of the one in front of it in the same
// message, name its role.
func (n *recordedNode) saysRole() bool {
	switch {
	case n.kind == "" || n.level != llm.Messages.String():
		return n.role == ""
	case strings.Contains(n.head, `"role":"`):
		return n.role != "" && strings.Contains(n.head, `"role":"`+n.role+`"`)
	}
	return n.role == n.above.role
}

// saysName reports whether the bytes of a tool or of its use have its name.
func (n *recordedNode) saysName() bool {
	switch quoted := string(llm.AppendQuoted(nil, n.name)); n.kind {
	case llm.ToolDef.String():
		return strings.Contains(n.content, quoted)
	case llm.ToolUse.String():
		if wholeBlock(n.kind, n.tail) {
			return strings.Contains(n.content, quoted)
		}
		return strings.Contains(n.head, `"name":`+quoted)
	case "", llm.Text.String(), llm.Thinking.String(), llm.ToolResult.String():
		return n.name == ""
	}
	return true
}

// saysClass reports whether a block can be of a class of content.
func (n *recordedNode) saysClass() bool {
	switch n.kind {
	case "":
		return n.class == ""
	case llm.ToolDef.String(), llm.ToolUse.String():
		return n.class == llm.JSON.String()
	}
	return named[llm.Class](n.class, llm.Prose, llm.JSON).String() == n.class
}
