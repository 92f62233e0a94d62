package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"agentsim/sim/llm"
)

// chains makes a run's conversations again, as nodes by their hashes. What stands
// in a border's hash beside bytes is not on record, so borders have the hash that
// is; each block is hashed anew behind it, and must come to the one recorded.
func (db *DB) chains(run string) (map[string]*llm.Node, error) {
	contents, err := db.contents(run)
	if err != nil {
		return nil, err
	}
	nodes, made := map[string]*llm.Node{}, map[contentKind]*llm.Payload{}
	var builder llm.Builder
	_, err = query(db, "read the blocks", func(rows *sql.Rows) (none struct{}, err error) {
		var r storedNode
		err = rows.Scan(&r.hash, &r.parent, &r.level, &r.role, &r.kind, &r.name, &r.class, &r.head, &r.tail, &r.payload)
		if err != nil {
			return none, err
		}
		nodes[r.hash], err = r.node(&builder, nodes[r.parent], contents, made)
		return none, err
	}, allNodes+`SELECT n.hash, n.parent, n.level, n.role, n.kind, n.name, n.class, n.head, n.tail, n.payload
		FROM up JOIN nodes n ON n.hash = up.hash ORDER BY n.pos, CASE n.level WHEN 'tools' THEN 0 WHEN 'system' THEN 1 ELSE 2 END, n.hash`, run)
	return nodes, err
}

// allNodes are those of a run's conversations: ?1 is the run.
const allNodes = `WITH RECURSIVE up(hash) AS (
	SELECT head FROM requests WHERE run = ?1
	UNION SELECT answer FROM requests WHERE run = ?1 AND answer <> ''
	UNION SELECT n.parent FROM nodes n JOIN up ON n.hash = up.hash WHERE n.parent <> '') `

// contents are the contents of a run's blocks by their names.
func (db *DB) contents(run string) (map[string]string, error) {
	out := map[string]string{}
	_, err := query(db, "read the contents", func(rows *sql.Rows) (none struct{}, err error) {
		var key, content string
		if err = rows.Scan(&key, &content); err == nil {
			err = intactContent(key, content)
		}
		out[key] = content
		return none, err
	}, allNodes+`SELECT sha256, content FROM payloads WHERE sha256 IN (SELECT n.payload FROM up JOIN nodes n ON n.hash = up.hash)`, run)
	return out, err
}

// contentKind is a content as one kind of payload; blocks share those.
type contentKind struct{ payload, class, tail string }

// wholeBlock reports whether a block's content is all of its JSON.
func wholeBlock(kind, tail string) bool { return kind != llm.ToolDef.String() && tail == "" }

// storedNode is a row of nodes.
type storedNode struct{ hash, parent, level, role, kind, name, class, head, tail, payload string }

// node makes the node behind its parent, which is nil for a root.
func (r *storedNode) node(b *llm.Builder, parent *llm.Node, contents map[string]string, made map[contentKind]*llm.Payload) (*llm.Node, error) {
	if r.kind == "" {
		return r.border(parent)
	}
	if r.class == "" {
		return nil, errors.New("its blocks were recorded before the record said by which class token counters weigh them (schema 7); run it again into another file")
	}
	if parent == nil {
		return nil, fmt.Errorf("block %s stands behind none that is on record", r.hash)
	}
	role := named[llm.Role](r.role, llm.NoRole, llm.Operator)
	if (role == llm.NoRole) == (parent.Level == llm.Messages) || r.level != parent.Level.String() {
		return nil, fmt.Errorf("block %s is one of %s behind one of %s", r.hash, r.level, parent.Level)
	}
	key := contentKind{r.payload, r.class, r.tail}
	p := made[key]
	if p == nil {
		p = r.content(contents[r.payload])
		made[key] = p
	}
	blk := &llm.Block{Kind: named[llm.Kind](r.kind, llm.ToolDef, llm.Opaque), Name: r.name, Content: p,
		IsError: strings.HasSuffix(r.tail, `"is_error":true}`)}
	blk.ID, _ = llm.ParseToolUseID(idIn(r.head))
	n := b.Append(parent, role, blk)
	if n.Hash.String() != r.hash {
		return nil, fmt.Errorf("block %s comes to hash %s when it is made again", r.hash, n.Hash)
	}
	return n, nil
}

// border makes a root or the border of a level.
func (r *storedNode) border(parent *llm.Node) (*llm.Node, error) {
	hash, ok := llm.ParseHash(r.hash)
	if !ok || (parent == nil) != (r.parent == "") {
		return nil, fmt.Errorf("border %s stands behind none that is on record", r.hash)
	}
	n := &llm.Node{}
	if parent != nil {
		var b llm.Builder
		n = b.Border(parent, named[llm.Level](r.level, llm.Tools, llm.Messages), llm.Salts{})
	} else {
		n.Bytes = int64(len(r.head))
	}
	n.Hash = hash
	return n, nil
}

// content is a payload as the block's kind has it.
func (r *storedNode) content(raw string) *llm.Payload {
	if wholeBlock(r.kind, r.tail) {
		return llm.NewWhole(raw, llm.NewJSON(raw))
	}
	switch named[llm.Kind](r.kind, llm.ToolDef, llm.Opaque) {
	case llm.Text, llm.Thinking, llm.ToolResult, llm.EffortChange, llm.Passing:
		return llm.NewText(named[llm.Class](r.class, llm.Prose, llm.JSON), raw)
	}
	return llm.NewJSON(raw)
}

// named is the value of a name among those from first to last; first for any other.
func named[T interface {
	~uint8
	fmt.Stringer
}](name string, first, last T) T {
	for v := first; v <= last; v++ {
		if v.String() == name {
			return v
		}
	}
	return first
}

// idIn reads a tool use's id out of what stands before a block's content; "" where
// there is none.
func idIn(head string) string {
	_, rest, found := strings.Cut(head, `"tool_use_id":"`)
	if !found {
		_, rest, _ = strings.Cut(head, `"id":"`)
	}
	id, _, _ := strings.Cut(rest, `"`)
	return strings.TrimPrefix(id, "srv")
}
