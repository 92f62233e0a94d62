package policy

import (
	"agentsim/sim/llm"
)

// memo keeps states at prefixes, so that a call folds its new blocks only. It
// holds one state for each conversation under way, one for each prefix of tools
// and system blocks, and two where forks set out. What it lacks is folded
// again, so it never changes an answer.
//
// States are kept in two generations. One that is used is young; when the young
// ones are as many as may be, they become the old ones and those that were old
// are forgotten: conversations that ended without a word, and forks' parents
// that nobody asks about any more.
type memo struct {
	young, old       map[llm.Hash]remembered
	heads, elsewhere map[string]llm.Hash // lineage → where its state stands: young, old
	most             int                 // of a generation
	path             []*llm.Node         // scratch
}

// remembered is a state, shared if it outlives the conversation's going on.
type remembered struct {
	s      *state
	shared bool
}

// generation is how many conversations may be under way at one time without one
// being folded anew. The states of two generations take some 30 MB.
const generation = 1 << 14

func newMemo(most int) memo {
	return memo{young: map[llm.Hash]remembered{}, heads: map[string]llm.Hash{}, most: most}
}

// at is the state at a prefix, nil if it is not remembered.
func (m *memo) at(h llm.Hash) *state {
	if r, ok := m.young[h]; ok {
		return r.s
	}
	r, ok := m.old[h]
	if ok {
		delete(m.old, h)
		m.put(h, r)
	}
	return r.s
}

func (m *memo) put(h llm.Hash, r remembered) {
	if len(m.young) >= m.most {
		m.old, m.young = m.young, make(map[llm.Hash]remembered, m.most/4)
		m.elsewhere, m.heads = m.heads, make(map[string]llm.Hash, m.most/4)
	}
	m.young[h] = r
}

// head is where a lineage's state stands.
func (m *memo) head(lineage string) (llm.Hash, bool) {
	h, ok := m.heads[lineage]
	if !ok {
		h, ok = m.elsewhere[lineage]
	}
	return h, ok
}

// state is the fold up to head.
func (m *Model) state(head *llm.Node, lineage string) *state {
	path, from := m.memo.path[:0], (*state)(nil)
	n := head
	for ; n != nil; n = n.Parent {
		if from = m.memo.at(n.Hash); from != nil {
			break
		}
		path = append(path, n)
	}
	m.memo.path = path
	if len(path) == 0 {
		return from
	}
	said, directive := m.setOut(path, lineage)
	m.folder.begin(from)
	for i := len(path) - 1; i >= 0; i-- {
		n := path[i]
		if (i == said || i == directive) && i < len(path)-1 {
			m.share(n.Parent)
		}
		if n.Block != nil {
			m.folder.step(n.Role, n.Block)
		} else if n.Level == llm.Messages {
			m.share(n)
		}
	}
	clear(path)
	s := m.folder.freeze()
	m.memo.keep(head.Hash, lineage, s)
	return s
}

// setOut finds in the new blocks of a conversation that was never seen, newest
// first, where it left its parent's: the beginning of the message with the
// fork's directive, behind which siblings of other answers go their own ways,
// and the directive, behind which its own do. -1 stands for none.
func (m *Model) setOut(path []*llm.Node, lineage string) (said, directive int) {
	if _, known := m.memo.head(lineage); known {
		return -1, -1
	}
	for i, n := range path {
		if n.Block == nil || n.Role != llm.User || n.Block.Kind != llm.Text {
			continue
		}
		if do := m.t.read(n.Block.Content).do; do != nil && do.fork {
			said = i
			for said+1 < len(path) && path[said+1].Role == llm.User {
				said++
			}
			return said, i
		}
	}
	return -1, -1
}

// share keeps the state reached for all conversations that pass through a node:
// ahead of the messages those of all agents of a type, and of forks.
func (m *Model) share(n *llm.Node) {
	s := m.folder.freeze()
	m.memo.put(n.Hash, remembered{s, true})
	m.folder.begin(s)
}

// keep moves the lineage's state to a new head.
func (m *memo) keep(head llm.Hash, lineage string, s *state) {
	if old, ok := m.head(lineage); ok && old != head {
		m.leave(old)
	}
	m.put(head, remembered{s: s})
	m.heads[lineage] = head
}

// leave forgets a state that a conversation no longer needs.
func (m *memo) leave(h llm.Hash) {
	if r, ok := m.young[h]; ok && !r.shared {
		delete(m.young, h)
	}
	if r, ok := m.old[h]; ok && !r.shared {
		delete(m.old, h)
	}
}

// pin keeps the state at head for forks that set out there.
func (m *memo) pin(head llm.Hash) {
	if r, ok := m.young[head]; ok {
		m.young[head] = remembered{r.s, true}
	}
}

// drop forgets a conversation that has come to its end.
func (m *memo) drop(lineage string) {
	if h, ok := m.head(lineage); ok {
		delete(m.heads, lineage)
		delete(m.elsewhere, lineage)
		m.leave(h)
	}
}
