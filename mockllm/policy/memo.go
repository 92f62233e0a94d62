package policy

import (
	"agentsim/sim/llm"
)

// memo keeps states at prefixes, so that a call folds its new blocks only. It
// holds one state for each conversation under way, one for each prefix of tools
// and system blocks, and one where forks set out. What it lacks is folded
// again, so it never changes an answer.
type memo struct {
	states map[llm.Hash]*state
	heads  map[string]llm.Hash // lineage → where its state stands
	pinned map[llm.Hash]bool   // kept when the conversation goes on
	path   []*llm.Node         // scratch
}

func newMemo() memo {
	return memo{states: map[llm.Hash]*state{}, heads: map[string]llm.Hash{}, pinned: map[llm.Hash]bool{}}
}

// state is the fold up to head.
func (m *Model) state(head *llm.Node, lineage string) *state {
	path, from := m.memo.path[:0], (*state)(nil)
	n := head
	for ; n != nil; n = n.Parent {
		if from = m.memo.states[n.Hash]; from != nil {
			break
		}
		path = append(path, n)
	}
	m.memo.path = path
	if len(path) == 0 {
		return from
	}
	m.folder.begin(from)
	for i := len(path) - 1; i >= 0; i-- {
		n := path[i]
		if n.Block != nil {
			m.folder.step(n.Role, n.Block)
		} else if n.Level == llm.Messages {
			m.keepBorder(n)
		}
	}
	clear(path)
	s := m.folder.freeze()
	m.memo.keep(head.Hash, lineage, s)
	return s
}

// keepBorder keeps the state ahead of the messages, which all agents of a type
// share.
func (m *Model) keepBorder(n *llm.Node) {
	s := m.folder.freeze()
	m.memo.states[n.Hash], m.memo.pinned[n.Hash] = s, true
	m.folder.begin(s)
}

// keep moves the lineage's state to a new head.
func (m *memo) keep(head llm.Hash, lineage string, s *state) {
	if old, ok := m.heads[lineage]; ok && old != head && !m.pinned[old] {
		delete(m.states, old)
	}
	m.states[head], m.heads[lineage] = s, head
}

// pin keeps the state at head for forks that set out there.
func (m *memo) pin(head llm.Hash) { m.pinned[head] = true }

// drop forgets a conversation that has come to its end.
func (m *memo) drop(lineage string) {
	if head, ok := m.heads[lineage]; ok {
		delete(m.heads, lineage)
		if !m.pinned[head] {
			delete(m.states, head)
		}
	}
}
