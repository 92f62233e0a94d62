package llm

import (
	"errors"
	"fmt"
)

// WellFormedSince reports why a request that ends with n would be refused (LOOP-04),
// or nil. Roles alternate by construction of the chain; what is checked is that
// the first message is the user's, that each kind of block stands where it may,
// and that each tool_use has exactly one tool_result, in the next user message
// and ahead of everything else there. since, nil for none, ends a request that was
// well-formed: only the nodes after it are looked at, all where n does not descend
// from it.
func WellFormedSince(n, since *Node) error {
	if n.Level != Messages || n.IsBorder() {
		return errors.New("request: no messages; it must hold at least one user message")
	}
	var w pairing
	for ; n != nil && n != since; n = n.Parent {
		if n.IsBorder() {
			continue
		}
		if err := misplaced(n); err != nil {
			return err
		}
		if err := w.step(n); err != nil {
			return err
		}
	}
	return w.unmatched()
}

// misplaced checks that the block may stand at its level, in a message of its
// role, and that the first message is the user's.
func misplaced(n *Node) error {
	ok := false
	switch k := n.Block.Kind; n.Level {
	case Tools:
		ok = k == ToolDef
	case System:
		ok = k == Text
	case Messages:
		switch k {
		case Text:
			ok = true
		case Thinking, ToolUse, ServerToolUse, ServerToolResult:
			ok = n.Role == Assistant
		case ToolResult, Image, Document:
			ok = n.Role == User
		case ToolAddition, ToolRemoval, EffortChange, Passing:
			ok = n.Role == Operator
		case ToolReference:
			ok = n.Role != Operator
		}
	}
	switch {
	case ok && n.Level == Messages:
		return outOfTurn(n)
	case !ok:
		return fmt.Errorf("request position %d: a %v block may not stand in %v %v", n.Pos, n.Block.Kind, n.Role, n.Level)
	}
	return nil
}

// outOfTurn checks who may speak behind whom: the user first, the operator behind
// the user or a server tool's result, and then the assistant.
func outOfTurn(n *Node) error {
	p := n.Parent
	switch {
	case n.Role != User && p.IsBorder():
		return fmt.Errorf("request position %d: the first message is the %v's; it must be the user's", n.Pos, n.Role)
	case n.Role == User && p.Role == Operator:
		return fmt.Errorf("request position %d: a user message follows one of role system; the assistant must answer first", n.Pos)
	case n.Role == Operator && p.Role == Assistant && p.Block.Kind != ServerToolResult:
		return fmt.Errorf("request position %d: a message of role system follows the assistant; put it behind a user message", n.Pos)
	case n.Block.Kind == ServerToolResult && !answers(n):
		return fmt.Errorf("request position %d: a result of server tool use %v, which this message does not hold", n.Pos, n.Block.ID)
	}
	return nil
}

// answers reports whether the use that a server tool's result belongs to stands
// before it in the same message.
func answers(n *Node) bool {
	for p := n.Parent; !p.IsBorder() && p.Role == Assistant; p = p.Parent {
		if p.Block.Kind == ServerToolUse && p.Block.ID == n.Block.ID {
			return true
		}
	}
	return false
}

// pairing matches results to uses while it walks a chain from its end: the
// results of a user message wait for the uses of the message before.
type pairing struct {
	room  [16]*Node // results, newest first; nil where the use was found
	more  []*Node   // those past room
	n     int       // results in all
	first int       // results before it are all found
}

func (w *pairing) at(i int) **Node {
	if i < len(w.room) {
		return &w.room[i]
	}
	return &w.more[i-len(w.room)]
}

func (w *pairing) push(n *Node) {
	if w.n < len(w.room) {
		w.room[w.n] = n
	} else {
		w.more = append(w.more, n)
	}
	w.n++
}

// step takes the next node towards the front.
func (w *pairing) step(n *Node) error {
	switch n.Block.Kind {
	case ToolResult:
		if p := n.Parent; p.Role == User && !p.IsBorder() && p.Block.Kind != ToolResult {
			return fmt.Errorf("request position %d: a tool_result stands behind a %v block; results come first in a message",
				n.Pos, p.Block.Kind)
		}
		w.push(n)
	case ToolUse:
		if !w.take(n.Block.ID) {
			return fmt.Errorf("request position %d: tool_use %v has no tool_result in the next user message", n.Pos, n.Block.ID)
		}
	}
	if n.Role == Assistant && n.Parent.Role != Assistant {
		return w.unmatched()
	}
	return nil
}

// take finds and removes the result of a use. Results mostly stand in the order
// of their uses, so the search mostly ends at its first step.
func (w *pairing) take(id ToolUseID) bool {
	for i := w.first; i < w.n; i++ {
		if r := *w.at(i); r == nil || r.Block.ID != id {
			continue
		}
		*w.at(i) = nil
		for w.first < w.n && *w.at(w.first) == nil {
			w.first++
		}
		return true
	}
	return false
}

// unmatched reports a result left over at the end of a pair of messages, and
// makes room for the next pair.
func (w *pairing) unmatched() error {
	if w.first < w.n {
		r := *w.at(w.first)
		return fmt.Errorf("request position %d: tool_result for %v, which the message before does not use or which has a result already",
			r.Pos, r.Block.ID)
	}
	w.more, w.n, w.first = w.more[:0], 0, 0
	return nil
}
