package sqlite

import (
	"cmp"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// agentState is what the writer keeps of an agent.
type agentState struct {
	activation int
	row        int  // of the activation; -1 for none
	left       bool // of its events and calls only what is counted is kept
	waiting    bool // request was sent and is not answered
	request    request
	last       billed // the latest one that was answered
}

func (w *Writer) agent(ordinal int32) *agentState {
	for len(w.agentRows) <= int(ordinal) {
		w.agentRows = append(w.agentRows, nil)
	}
	if w.agentRows[ordinal] == nil {
		w.agentRows[ordinal] = &agentState{row: -1}
	}
	return w.agentRows[ordinal]
}

func (w *Writer) agentStart(e *transcript.Event, b *transcript.AgentStart) {
	a := w.agent(e.Agent)
	a.activation, a.row = b.Activation, w.agents.made()
	toolUse := ""
	if b.ToolUse != (llm.ToolUseID{}) {
		toolUse = b.ToolUse.String()
	}
	w.scratch = b.Context.AppendText(w.scratch[:0])
	w.agents.add(w.run, int64(e.Agent), int64(b.Activation), int64(e.Seq), b.ID.String(), b.Lineage, int64(b.Parent),
		b.Type, b.Structure, b.Model, int64(b.Depth), b.PoolMode, b.RunMode, flag(b.Async), b.Source, toolUse,
		strings.Join(b.Tools, ","), strings.TrimPrefix(string(w.scratch), " "), int64(e.At))
}

// keyColumns are an activation's, and endColumns those of agents that its end fills.
const (
	keyColumns = "run,agent,activation"
	endColumns = ",ended_seq,ended_at,status,why,turns,tool_uses,input,write_5m,write_1h,read,output," +
		"rolled_input,rolled_write_5m,rolled_write_1h,rolled_read,rolled_output"
)

// agentEnd fills the row of an activation. One that is in the file already is filled
// with the next batch.
func (w *Writer) agentEnd(e *transcript.Event, b *transcript.AgentEnd) {
	a, o, r := w.agent(e.Agent), &b.Own, &b.Rolled
	end := []any{w.run, int64(e.Agent), int64(a.activation), int64(e.Seq), int64(e.At),
		string(b.Status), b.Why, int64(b.Turns), int64(b.ToolUses),
		o.Input, o.Write5m, o.Write1h, o.Read, o.Output, r.Input, r.Write5m, r.Write1h, r.Read, r.Output}
	w.endedSum.add(end)
	if !w.agents.fill(a.row, end[3:]) {
		w.ends = append(w.ends, end)
	}
}

func (w *Writer) flushEnds(tx *sql.Tx) error {
	const q = `UPDATE agents SET ended_seq = ?4, ended_at = ?5, status = ?6, why = ?7, turns = ?8, tool_uses = ?9,
		input = ?10, write_5m = ?11, write_1h = ?12, read = ?13, output = ?14,
		rolled_input = ?15, rolled_write_5m = ?16, rolled_write_1h = ?17, rolled_read = ?18, rolled_output = ?19
		WHERE run = ?1 AND agent = ?2 AND activation = ?3`
	for _, end := range w.ends {
		if _, err := tx.Exec(q, end...); err != nil {
			return err
		}
	}
	w.ends = w.ends[:0]
	return nil
}

// addOpen adds the rows of what has not ended: requests without an answer, tool
// uses without a result.
func (w *Writer) addOpen() {
	for i, a := range w.agentRows {
		if a != nil {
			w.ended(int32(i), &outcome{status: "open"})
		}
	}
	bySeq := func(a, b toolKey) int { return cmp.Compare(w.openTools[a].seq, w.openTools[b].seq) }
	for _, k := range slices.SortedFunc(maps.Keys(w.openTools), bySeq) {
		c := w.openTools[k]
		w.toolCalls.add(w.run, c.seq, int64(k.agent), int64(k.call), int64(k.index), c.id, c.name, c.cause, c.at,
			nil, nil, nil, nil, nil)
	}
	clear(w.openTools)
}
