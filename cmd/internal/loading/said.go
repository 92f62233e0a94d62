package loading

import (
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/transcript/sqlite"
)

// Said adds to the requests of a session what the record holds of their content: the
// blocks between an answer and the next request, and those of answers.
func Said(db *sqlite.DB, info sqlite.RunInfo, x *recording.Session) error {
	turns, err := db.Turns(info.ID)
	if err != nil {
		return err
	}
	messages, err := db.Messages(info.ID)
	if err != nil {
		return err
	}
	nodes := map[string]*sqlite.Said{}
	id := recording.ToolUseID
	if info.Recorded() { // the record holds what recorded ids became
		id = func(stored string) llm.ToolUseID { id, _ := llm.ParseToolUseID(stored); return id }
	}
	for i := range messages {
		nodes[messages[i].Hash] = &messages[i]
	}
	calls := map[[2]int]*sqlite.Turn{}
	for i := range turns {
		calls[[2]int{int(turns[i].Agent), turns[i].Call}] = &turns[i]
	}
	nth := map[int32]int{}
	for i := range x.Requests {
		r := &x.Requests[i]
		t := calls[[2]int{int(r.Thread), nth[r.Thread]}]
		nth[r.Thread]++
		if t == nil {
			continue
		}
		r.Answer = blocks(nodes, t.Answer, t.Head, llm.Assistant, id)
		r.Said = []llm.Msg{{Role: llm.User, Blocks: blocks(nodes, t.Head, "", llm.User, id)}}
	}
	return nil
}

// blocks are those of one side, in order, from a node back to another, or to the
// first of the other side.
func blocks(nodes map[string]*sqlite.Said, from, to string, role llm.Role, id func(string) llm.ToolUseID) (out []llm.Block) {
	kinds := map[string]llm.Kind{llm.Text.String(): llm.Text, llm.ToolUse.String(): llm.ToolUse, llm.ToolResult.String(): llm.ToolResult}
	for n := nodes[from]; n != nil && n.Hash != to && n.Role == role.String(); n = nodes[n.Parent] {
		if kind, ok := kinds[n.Kind]; ok {
			out = append(out, llm.Block{Kind: kind, Name: n.Name, ID: id(n.ToolUse), IsError: n.IsError, Content: llm.NewText(llm.Prose, n.Content)})
		}
	}
	slices.Reverse(out)
	return out
}
