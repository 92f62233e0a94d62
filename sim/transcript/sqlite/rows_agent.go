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
		w.agentRows[ordinal] = &agentState{}
	}
	return w.agentRows[ordinal]
}

func (w *Writer) agentStart(e *transcript.Event, b *transcript.AgentStart) {
	w.agent(e.Agent).activation = b.Activation
	toolUse := ""
	if b.ToolUse != (llm.ToolUseID{}) {
		toolUse = b.ToolUse.String()
	}
	w.scratch = b.Context.AppendText(w.scratch[:0])
	w.agents.add(w.run, int64(e.Agent), int64(b.Activation), int64(e.Seq), b.ID.String(), b.Lineage, int64(b.Parent),
		b.Type, b.Structure, b.Model, int64(b.Depth), b.PoolMode, b.RunMode, flag(b.Async), b.Source, toolUse,
		strings.Join(b.Tools, ","), strings.TrimPrefix(string(w.scratch), " "), int64(e.At))
}

// agentEnd is the second half of an agent's row.
type agentEnd struct {
	agent, activation, seq, at int64
	status, why                string
	turns, toolUses            int64
	own, rolled                llm.Usage
}

func (w *Writer) agentEnd(e *transcript.Event, b *transcript.AgentEnd) {
	w.ends = append(w.ends, agentEnd{int64(e.Agent), int64(w.agent(e.Agent).activation), int64(e.Seq), int64(e.At),
		string(b.Status), b.Why, int64(b.Turns), int64(b.ToolUses), b.Own, b.Rolled})
}

// row is it as endedColumns list it.
func (a *agentEnd) row(run any) []any {
	return []any{run, a.agent, a.activation, a.seq, a.at, a.status, a.why, a.turns, a.toolUses,
		a.own.Input, a.own.Write5m, a.own.Write1h, a.own.Read, a.own.Output,
		a.rolled.Input, a.rolled.Write5m, a.rolled.Write1h, a.rolled.Read, a.rolled.Output}
}

func (w *Writer) flushEnds(tx *sql.Tx) error {
	const q = `UPDATE agents SET ended_seq = ?4, ended_at = ?5, status = ?6, why = ?7, turns = ?8, tool_uses = ?9,
		input = ?10, write_5m = ?11, write_1h = ?12, read = ?13, output = ?14,
		rolled_input = ?15, rolled_write_5m = ?16, rolled_write_1h = ?17, rolled_read = ?18, rolled_output = ?19
		WHERE run = ?1 AND agent = ?2 AND activation = ?3`
	for i := range w.ends {
		if _, err := tx.Exec(q, w.ends[i].row(w.run)...); err != nil {
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
