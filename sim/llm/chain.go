package llm

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/zeebo/xxh3"
)

// Hash is a 128-bit xxh3 hash of a whole prefix: scope, salts and bytes.
type Hash struct{ Hi, Lo uint64 }

// String prints 32 hex digits.
func (h Hash) String() string { return string(h.AppendText(nil)) }

// AppendText appends 32 hex digits to dst.
func (h Hash) AppendText(dst []byte) []byte {
	var b [16]byte
	return hex.AppendEncode(dst, appendHash(b[:0], h))
}

// ParseHash reads String's form; ok is false for anything else.
func ParseHash(s string) (h Hash, ok bool) {
	var b [16]byte
	ok = unhex(b[:], s)
	return Hash{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}, ok
}

// Node is one block of a conversation and, through Parent, everything before
// it. Nodes without a Block are borders: the root (before the tools), the
// border before the system blocks and the one before the messages. Borders hold
// the salts, have no position and are shared like any other node.
type Node struct {
	Parent *Node
	Block  *Block // nil at a border
	Hash   Hash
	Cum    Measure // of the whole prefix, this block included
	Bytes  int64   // flat bytes of the whole prefix, this block included
	Pos    int32   // position of the block in the prefix, from 1; a border has its parent's
	Level  Level
	Role   Role
	// HasTools is true from the system border on when the request defines a tool.
	HasTools bool
	// Uses is what the prefix needs a model to take, this block included.
	Uses Features
	// Said is a hash of the prefix's bytes alone, scope and settings apart. Only a
	// Builder that binds computes it; else it is 0.
	Said uint64
}

// IsBorder reports whether the node holds no block.
func (n *Node) IsBorder() bool { return n.Block == nil }

// Scope is what a cache key is scoped by beside the bytes (CACHE-02, CACHE-03).
type Scope struct {
	Organisation, Workspace, Model string
}

// Builder makes nodes. It owns one scratch buffer, so it is to be used by one
// run only; equal inputs give equal hashes whichever builder made them.
//
// Nodes are allocated one by one: in an array of many, one that lives would keep
// its neighbours of other conversations, and these their whole histories.
type Builder struct {
	// Binds makes nodes say what a thinking block is bound to (CACHE-35).
	Binds bool
	buf   []byte
}

// Root starts a request of the given scope. The salts are those of the
// request's settings.
func (b *Builder) Root(s Scope, salts Salts) *Node {
	buf := b.buf[:0]
	buf = append(buf, "agentsim canonical form "...)
	buf = binary.BigEndian.AppendUint64(buf, FormVersion)
	for _, part := range [3]string{s.Organisation, s.Workspace, s.Model} {
		buf = binary.BigEndian.AppendUint64(buf, uint64(len(part)))
		buf = append(buf, part...)
	}
	buf = binary.BigEndian.AppendUint64(buf, salts.Root)
	buf = append(buf, rootBytes...)
	return &Node{Hash: b.sum(buf), Bytes: int64(len(rootBytes))}
}

// Border closes the parent's level and opens the next one.
func (b *Builder) Border(parent *Node, level Level, salts Salts) *Node {
	if level != parent.Level+1 {
		panic("llm: borders come in the order tools, system, messages")
	}
	salt, sep := salts.System, systemBytes
	if level == Messages {
		salt, sep = salts.Messages, messagesBytes
	}
	buf := appendHash(b.buf[:0], parent.Hash)
	buf = binary.BigEndian.AppendUint64(buf, salt)
	buf = append(buf, sep...)
	return &Node{Parent: parent, Hash: b.sum(buf), Cum: parent.Cum, Bytes: parent.Bytes + int64(len(sep)),
		Pos: parent.Pos, Level: level, HasTools: parent.HasTools || (level == System && parent.Pos > 0), Said: parent.Said}
}

// Append adds one block at the parent's level. role is User or Assistant among
// messages and NoRole elsewhere; a block of the parent's role joins the parent's
// message. The block must not change afterwards. A role at the wrong level is a
// programmer's error and panics.
func (b *Builder) Append(parent *Node, role Role, blk *Block) *Node {
	if (role == NoRole) == (parent.Level == Messages) {
		panic("llm: a role belongs to a block among messages, and to no other")
	}
	buf := appendHash(b.buf[:0], parent.Hash)
	start := len(buf)
	buf = appendDelta(buf, parent, role, blk)
	n := &Node{Parent: parent, Block: blk, Hash: b.sum(buf), Cum: parent.Cum.Plus(blk.Measure()),
		Bytes: parent.Bytes + int64(len(buf)-start), Pos: parent.Pos + 1, Level: parent.Level, Role: role,
		HasTools: parent.HasTools, Uses: parent.Uses}
	if blk.Kind > Document || role == Operator {
		n.Uses |= needs(role, blk)
	}
	if b.Binds {
		n.bind(buf[start:])
	}
	return n
}

// bind computes what stands in the prefix, and notes a thinking block that was
// bound to another one.
func (n *Node) bind(delta []byte) {
	n.Said = xxh3.HashSeed(delta, n.Parent.Said)
	if n.Block.Kind != Thinking {
		return
	}
	if to := n.Block.bound(); to != 0 && to != n.Parent.Said {
		n.Uses |= Misbound
	}
}

func (b *Builder) sum(buf []byte) Hash {
	b.buf = buf
	h := xxh3.Hash128(buf)
	return Hash{h.Hi, h.Lo}
}

func appendHash(dst []byte, h Hash) []byte {
	dst = binary.BigEndian.AppendUint64(dst, h.Hi)
	return binary.BigEndian.AppendUint64(dst, h.Lo)
}

// The separators that open each level.
const (
	rootBytes     = `{"tools":[`
	systemBytes   = `],"system":[`
	messagesBytes = `],"messages":[`
)

// appendDelta appends what the block adds to its parent's bytes.
func appendDelta(dst []byte, parent *Node, role Role, blk *Block) []byte {
	switch {
	case role != NoRole && parent.IsBorder():
		dst = appendOpen(dst, role)
	case role != parent.Role:
		dst = append(dst, "]},"...)
		dst = appendOpen(dst, role)
	case !parent.IsBorder():
		dst = append(dst, ',')
	}
	return blk.AppendJSON(dst)
}

func appendOpen(dst []byte, role Role) []byte {
	dst = append(dst, `{"role":"`...)
	dst = append(dst, role.String()...)
	return append(dst, `","content":[`...)
}

// AppendDelta appends the bytes that n adds to its parent's: for a border the
// separator that opens its level.
func AppendDelta(dst []byte, n *Node) []byte {
	if !n.IsBorder() {
		return appendDelta(dst, n.Parent, n.Role, n.Block)
	}
	return append(dst, [...]string{rootBytes, systemBytes, messagesBytes}[n.Level]...)
}

// AppendPrefix appends the flat bytes of the prefix that ends with n, without
// the closing brackets.
func AppendPrefix(dst []byte, n *Node) []byte {
	if n.Parent != nil {
		dst = AppendPrefix(dst, n.Parent)
	}
	return AppendDelta(dst, n)
}

// AppendRequest appends the whole request as valid JSON: the prefix and the
// brackets that close it.
func AppendRequest(dst []byte, n *Node) []byte {
	dst = AppendPrefix(dst, n)
	switch {
	case n.Level == Messages && n.IsBorder():
		return append(dst, "]}"...)
	case n.Level == Messages:
		return append(dst, "]}]}"...)
	case n.Level == System:
		return append(dst, `],"messages":[]}`...)
	}
	return append(dst, `],"system":[],"messages":[]}`...)
}

// Common is the last node that two chains share by hash (of the two nodes with
// that hash, a's), or nil when even their roots differ. It takes one step per
// node behind the shared part.
func Common(a, b *Node) *Node {
	for a != b && a != nil && b != nil {
		da, db := depth(a), depth(b)
		switch {
		case da > db:
			a = a.Parent
		case db > da:
			b = b.Parent
		case a.Hash == b.Hash:
			return a
		default:
			a, b = a.Parent, b.Parent
		}
	}
	if a == nil || b == nil {
		return nil
	}
	return a
}

// depth counts positions and borders, so it grows with every node.
func depth(n *Node) int32 { return n.Pos + int32(n.Level) }
