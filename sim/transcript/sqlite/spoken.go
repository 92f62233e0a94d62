package sqlite

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

// Spoken gives the session of a simulated run what was said in it, where the record
// has content, and says which requests were the first ones after a compaction.
func (db *DB) Spoken(run string, s *recording.Session) error {
	messages, err := db.Messages(run)
	if err != nil {
		return err
	}
	turns, err := db.Turns(run)
	if err != nil {
		return err
	}
	k := &spoken{nodes: map[string]*Said{}, ends: make([]*Turn, len(s.Threads))}
	for i := range messages {
		k.nodes[messages[i].Hash] = &messages[i]
	}
	numbered := map[string]*Turn{}
	for i := range turns {
		numbered[strconv.FormatInt(turns[i].N, 10)] = &turns[i]
	}
	for i := range s.Requests {
		r := &s.Requests[i]
		t, before := numbered[r.ID], k.ends[r.Thread]
		if before == nil && r.Pred >= 0 {
			before = numbered[s.Requests[r.Pred].ID] // of a fork's spawner
		}
		k.say(r, t, before)
		k.ends[r.Thread] = t
	}
	return nil
}

// spoken are the blocks of a run and the last turn of each thread so far.
type spoken struct {
	nodes map[string]*Said
	ends  []*Turn
}

// say gives a request what its conversation gained since the turn before, and its
// answer.
func (k *spoken) say(r *recording.Request, t, before *Turn) {
	until := ""
	if before != nil {
		until = before.Answer
		asked := k.nodes[before.Head]
		r.Compacted = asked != nil && strings.HasPrefix(asked.Content, compactionAsk)
	}
	if said := k.between(t.Head, until); len(said) > 0 {
		r.Said = []llm.Msg{{Role: llm.User, Blocks: said}}
	}
	if t.Answered {
		r.Answer = k.between(t.Answer, t.Head)
	}
}

// between are the blocks from one node back to another one, in order.
func (k *spoken) between(from, until string) (out []llm.Block) {
	kinds := map[string]llm.Kind{llm.Text.String(): llm.Text, llm.Thinking.String(): llm.Thinking, llm.ToolUse.String(): llm.ToolUse, llm.ToolResult.String(): llm.ToolResult}
	for n := k.nodes[from]; n != nil && n.Hash != until; n = k.nodes[n.Parent] {
		kind, ok := kinds[n.Kind]
		if !ok {
			continue
		}
		content := llm.NewText(llm.Prose, n.Content)
		if kind == llm.ToolUse {
			content = llm.NewJSON(n.Content)
		}
		out = append(out, llm.Block{Kind: kind, IsError: n.IsError, Name: n.Name, ID: recording.ToolUseID(n.ToolUse), Content: content})
	}
	slices.Reverse(out)
	return out
}
