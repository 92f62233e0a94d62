package policy

import (
	"slices"

	"agentsim/sim/llm"
)

// memo keeps states at prefixes, so that a call folds its new blocks only: at the
// heads of conversations, ahead of the messages for all agents of a type, and where
// forks set out. What it lacks is folded again, so it never changes an answer.
//
// States are kept in two generations. One that is used is young; when the young
// ones are as many as may be, they become the old ones and those that were old
// are forgotten.
type memo struct {
	t          *Table
	folder     folder
	young, old map[llm.Hash]*state
	most       int         // of a generation
	path       []*llm.Node // scratch
}

// generation is how many conversations may be under way at one time without one
// being folded anew. The states of two generations take some 30 MB.
const generation = 1 << 14

func newMemo(t *Table, most int) memo {
	return memo{t: t, folder: folder{t: t}, young: map[llm.Hash]*state{}, most: most}
}

// at is the state at a prefix, nil if it is not remembered.
func (m *memo) at(h llm.Hash) *state {
	if s, ok := m.young[h]; ok {
		return s
	}
	s, ok := m.old[h]
	if ok {
		m.put(h, s)
	}
	return s
}

func (m *memo) put(h llm.Hash, s *state) {
	if len(m.young) >= m.most {
		m.old, m.young = m.young, make(map[llm.Hash]*state, m.most/4)
	}
	m.young[h] = s
}

// state is the fold up to head.
func (m *memo) state(head *llm.Node) *state {
	path, from := m.path[:0], (*state)(nil)
	for n := head; n != nil; n = n.Parent {
		if from = m.at(n.Hash); from != nil {
			break
		}
		path = append(path, n)
	}
	m.path = path
	if len(path) == 0 {
		return from
	}
	said, directive := m.setOut(path)
	m.folder.begin(from)
	for i, n := range slices.Backward(path) {
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
	m.put(head.Hash, s)
	return s
}

// setOut finds in the new blocks of a fork, newest first, where it left its
// parent's: the beginning of the message with the fork's directive, behind which
// siblings of other answers go their own ways, and the directive, behind which its
// own do. -1 stands for none.
func (m *memo) setOut(path []*llm.Node) (said, directive int) {
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

// share keeps the state reached for all conversations that pass through a node.
func (m *memo) share(n *llm.Node) {
	s := m.folder.freeze()
	m.put(n.Hash, s)
	m.folder.begin(s)
}
