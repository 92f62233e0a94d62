package policy

import (
	"fmt"
	"testing"

	"agentsim/mockllm"
	"agentsim/sim/fork"
	"agentsim/sim/llm"
)

// size is the number of states remembered.
func (m *memo) size() int { return len(m.young) + len(m.old) }

// unfolded is how many blocks a call at head has to fold.
func (m *memo) unfolded(head *llm.Node) int {
	n := 0
	for ; head != nil; head = head.Parent {
		_, young := m.young[head.Hash]
		if _, old := m.old[head.Hash]; young || old {
			break
		}
		n++
	}
	return n
}

// asks makes a call of a lineage at a head and throws the answer away.
func (h *house) asks(m *Model, lineage string, head *llm.Node) {
	h.t.Helper()
	var ans mockllm.Answer
	ans.Reset()
	q := mockllm.Query{Head: head, Model: "m", MaxTokens: 1, Stream: llm.StreamName{Lineage: lineage}}
	if err := m.Answer(&q, &ans); err != nil {
		h.t.Fatal(err)
	}
}

// scriptedParent plays a lead that the model never answers: after a long
// history it starts eight forks, goes on, and starts eight more.
func scriptedParent(t *testing.T) {
	h := newHouse(t, standard, "structure=fork")
	m := h.model.(*Model)
	a := h.start("main", nil, "Do the work.")
	for batch := range 2 {
		for i := range 60 {
			a.append(llm.Assistant, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, fmt.Sprintf("Word %d.", i))})
			a.append(llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "Go on.")})
		}
		var uses []llm.Block
		for i := range 8 {
			uses = append(uses, llm.Block{Kind: llm.ToolUse, Name: agentTool, ID: llm.ToolUseID{byte(batch), byte(i)}, Content: llm.NewJSON(`{}`)})
			a.append(llm.Assistant, uses[i])
		}
		for i := range uses {
			lineage := fmt.Sprintf("main/%d.%d", batch, i)
			c := h.start(lineage, a.head)
			m.s = &blank
			for _, b := range fork.NewMaker().Message(&llm.Msg{Role: llm.Assistant, Blocks: uses}, m.mind().directive(i%len(h.table.items))).Blocks {
				c.append(llm.User, b)
			}
			switch steps := m.memo.unfolded(c.head); {
			case i > 0 && steps > 1:
				t.Errorf("fork %d of batch %d folds %d blocks at its first call", i, batch, steps)
			case i == 0 && batch == 1 && steps > 160:
				t.Errorf("batch %d folds %d blocks again", batch, steps)
			}
			h.asks(m, lineage, c.head)
		}
		for i := range uses {
			a.append(llm.User, llm.Block{Kind: llm.ToolResult, ID: uses[i].ID, Content: llm.NewText(llm.Prose, `{"status":"async_launched"}`)})
		}
	}
}

func forgotten(t *testing.T) {
	h := newHouse(t, standard, "structure=inline")
	m := New(h.table)
	m.memo = newMemo(h.table, 20)
	lead := h.start("main", nil, "Do the work.")
	for i := range 500 {
		if steps := m.memo.unfolded(lead.head); i > 0 && steps > 2 {
			t.Fatalf("the lead folds %d blocks again", steps)
		}
		h.asks(m, "main", lead.head)
		lead.append(llm.Assistant, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "Well.")})
		lead.append(llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "Go on.")})
		name := fmt.Sprintf("main/%d.1", i)
		m.s = &blank
		child := h.start(name, nil, m.mind().directive(0)+name)
		if steps := m.memo.unfolded(child.head); i > 0 && steps > 1 {
			t.Fatalf("a child folds %d blocks: its front is forgotten", steps)
		}
		h.asks(m, name, child.head)
		if m.memo.size() > 40 {
			t.Fatalf("%d states are remembered", m.memo.size())
		}
	}
}
