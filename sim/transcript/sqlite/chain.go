package sqlite

import (
	"crypto/sha256"
	"encoding/hex"

	"agentsim/sim/llm"
)

// contentKey is the name under which content is stored: the first 128 bits of
// its SHA-256.
func contentKey(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:16])
}

// store remembers what of the nodes and payloads this writer has stored.
type store struct {
	nodes    map[llm.Hash]struct{}
	payloads map[llm.Hash]string // identity → key
	keys     map[string]struct{} // of payloads, and of what is alike
	units    map[string]*unitsOf // of metrics, by scope
	path     []*llm.Node
	frame    frame
}

func newStore() store {
	return store{nodes: map[llm.Hash]struct{}{}, payloads: map[llm.Hash]string{}, keys: map[string]struct{}{}, units: map[string]*unitsOf{}}
}

// first reports whether what has this key is not stored yet.
func (s *store) first(key string) bool {
	_, there := s.keys[key]
	s.keys[key] = struct{}{}
	return !there
}

// chain stores the conversation that ends with head: it walks up to the first
// node that is stored, so it takes one step for each new block.
func (w *Writer) chain(head *llm.Node) {
	s := &w.store
	s.path = s.path[:0]
	for n := head; n != nil; n = n.Parent {
		if _, known := s.nodes[n.Hash]; known {
			break
		}
		s.nodes[n.Hash] = struct{}{}
		s.path = append(s.path, n)
	}
	for i := len(s.path) - 1; i >= 0; i-- {
		w.node(s.path[i])
	}
}

func (w *Writer) node(n *llm.Node) {
	kind, name, payload, class := "", "", "", ""
	if b := n.Block; b != nil {
		kind, name, payload, class = b.Kind.String(), b.Name, w.payload(b.Content), b.Content.Class().String()
	}
	parent := ""
	if n.Parent != nil {
		parent = w.hex(n.Parent.Hash)
	}
	head, tail := w.store.frame.of(n)
	hash := w.hex(n.Hash)
	w.classes.add([]any{hash, class})
	w.nodes.add(hash, parent, n.Level.String(), n.Role.String(), kind, name, int64(n.Pos), head, payload, tail, class)
}

func (w *Writer) payload(p *llm.Payload) string {
	id := p.Identity()
	key, known := w.store.payloads[id]
	if known {
		return key
	}
	content := p.Raw()
	if whole, ok := p.Whole(); ok {
		content = whole
	}
	key = w.content(content)
	w.store.payloads[id] = key
	return key
}

// content stores a content, and gives the name that it has there.
func (w *Writer) content(content string) string {
	key := contentKey(content)
	if w.store.first(key) {
		w.payloads.add(key, int64(len(content)), content)
	}
	return key
}

// frame renders what stands around a block's content.
type frame struct {
	buf   []byte
	node  llm.Node
	block llm.Block
}

// nothing is content that takes no bytes in any kind of block.
var nothing = llm.NewJSON("")

// of gives the bytes before and after the content of n; for a border, all bytes
// are before it. A block that is kept whole is all content: it alone, beside tools,
// has nothing after it.
func (f *frame) of(n *llm.Node) (head, tail string) {
	if n.IsBorder() {
		f.buf = llm.AppendDelta(f.buf[:0], n)
		return string(f.buf), ""
	}
	f.block = *n.Block
	f.block.Content = nothing
	if _, whole := n.Block.Content.Whole(); whole {
		f.block.Kind = llm.Opaque // all of it is content
	}
	f.node = llm.Node{Parent: n.Parent, Block: &f.block, Level: n.Level, Role: n.Role}
	f.buf = llm.AppendDelta(f.buf[:0], &f.node)
	if f.block.Kind != llm.Opaque {
		tail = tailOf(n.Block)
	}
	return string(f.buf[:len(f.buf)-len(tail)]), tail
}

// tailOf is what follows the content in a block's canonical JSON.
func tailOf(b *llm.Block) string {
	switch {
	case b.Kind == llm.ToolDef:
		return ""
	case b.Content.IsJSON():
		return "}"
	case b.IsError:
		return `","is_error":true}`
	case b.Kind == llm.Passing:
		return `","clear_at":"next_user_message"}`
	}
	return `"}`
}
