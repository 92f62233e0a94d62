package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// traceDocument is a kv-cache-tester trace.
type traceDocument struct {
	ID           string
	BlockSize    int64 `json:"block_size"`
	ToolTokens   int64 `json:"tool_tokens"`
	SystemTokens int64 `json:"system_tokens"`
	Requests     []json.RawMessage
}

// traceEntry is one entry of a list of requests: a request, or a sub-agent with
// requests of its own.
type traceEntry struct {
	T       json.Number // seconds: since the beginning of the list, for a sub-agent when it ended
	Type    string      // n or s: a request, plain or streamed; subagent
	Model   string
	In, Out int64
	Hashes  []uint64 `json:"hash_ids"`
	Inputs  []string `json:"input_types"`
	Stop    string
	Time    json.Number `json:"api_time"` // seconds
	First   json.Number `json:"ttft"`     // seconds; streamed requests only

	Agent        string       `json:"agent_id"`
	AgentType    string       `json:"subagent_type"`
	Duration     int64        `json:"duration_ms"`
	ToolTokens   int64        `json:"tool_tokens"`
	SystemTokens int64        `json:"system_tokens"`
	Requests     []traceEntry // of the sub-agent
}

// trace is a trace being read.
type trace struct {
	name    string
	session *recording.Session
	skips   *skips
}

// maxDepth is how deep sub-agents may be nested.
const maxDepth = 64

// trace reads a trace of kv-cache-tester, which is one line. Instants count
// from the trace's beginning. A sub-agent began its recorded duration before the
// instant at which its entry stands, and its spawner is the request of its parent
// that was sent last before.
func (f *rowFile) trace(line []byte, number int64, sk *skips) error {
	var d traceDocument
	if err := json.Unmarshal(line, &d); err != nil {
		sk.add("line that is no trace ("+reason(err)+")", f.name, number)
		return nil
	}
	s := &rowSession{}
	t := &trace{name: f.name, session: &s.Session, skips: &s.skips}
	f.order = append(f.order, s)
	s.Format, s.Client, s.ID = "kv-cache-tester", "claude-code", plain(cmp.Or(d.ID, path.Base(f.name)), &s.skips, f.name, 0)
	s.Threads = []recording.Thread{{Name: mainThread, Parent: -1, SpawnedBy: -1,
		ToolTokens: max(0, d.ToolTokens), SystemTokens: max(0, d.SystemTokens)}}
	last := int32(-1)
	for _, raw := range d.Requests {
		var e traceEntry
		if crowded(raw) || json.Unmarshal(raw, &e) != nil {
			t.skips.add("entry of a trace that is unlike others", t.name, 0)
			continue
		}
		if err := t.entry(&e, 0, 0, &last, 0); err != nil {
			return err
		}
	}
	if s.BlockTokens = d.BlockSize; d.BlockSize <= 0 || d.BlockSize > maxTokens {
		s.BlockTokens = 0
		s.skips.add("block_size that cannot be: blocks are left out", f.name, 0)
		for i := range s.Requests {
			s.Requests[i].Blocks = nil
		}
	}
	return nil
}

// entry reads one entry of a thread's list. base is when the list began, last the
// thread's request before.
func (t *trace) entry(e *traceEntry, thread int32, base int64, last *int32, depth int) error {
	at, ok := seconds(e.T)
	if !ok || base > maxTraceTime-at {
		t.skips.add("entry of a trace with an instant that cannot be", t.name, 0)
		return nil
	}
	switch e.Type {
	case "n", "s":
		return t.request(e, thread, base+at, last)
	case "subagent":
		if depth < maxDepth {
			return t.subAgent(e, thread, base+at, *last, depth)
		}
		t.skips.add(fmt.Sprintf("sub-agent nested more than %d deep", maxDepth), t.name, 0)
	default:
		t.skips.add("entry of unknown type "+quoted(e.Type), t.name, 0)
	}
	return nil
}

// maxTraceTime is longer than any trace, in nanoseconds.
const maxTraceTime = int64(1) << 61

// seconds reads a number of seconds as nanoseconds; none is 0.
func seconds(n json.Number) (ns int64, ok bool) {
	if n == "" {
		return 0, true
	}
	ns, ok = parseSeconds(string(n))
	return ns, ok && ns <= maxTraceTime
}

func (t *trace) request(e *traceEntry, thread int32, start int64, last *int32) error {
	took, ok := seconds(e.Time)
	first, ok2 := seconds(e.First)
	q := recording.Request{
		Thread: thread, Pred: *last, Model: plain(e.Model, t.skips, t.name, 0), Stop: plain(e.Stop, t.skips, t.name, 0),
		Usage: llm.Usage{Input: e.In, Output: e.Out}, OutputKnown: true, UserTurn: len(e.Inputs) > 0, Blocks: e.Hashes,
		Start: vtime.Instant(start), Last: vtime.Instant(start).Add(vtime.Duration(took)),
	}
	if !ok || !ok2 || !possible(q.Usage) {
		t.skips.add("request of a trace with a time or count that cannot be", t.name, 0)
		return nil
	}
	if q.First = q.Last; first > 0 && first <= took {
		q.First = q.Start.Add(vtime.Duration(first))
	}
	for _, in := range e.Inputs {
		q.UserTurn = q.UserTurn && in != "tool_result"
	}
	i := int32(len(t.session.Requests))
	if i >= maxRequests {
		return tooMany(t.name, 1)
	}
	q.ID = fmt.Sprintf("%s:%d", t.session.Threads[thread].Name, i)
	t.session.Requests = append(t.session.Requests, q)
	*last = i
	return nil
}

// subAgent reads a sub-agent that ended at end, when last was its parent's latest
// request.
func (t *trace) subAgent(e *traceEntry, parent int32, end int64, last int32, depth int) error {
	if e.Duration < 0 || e.Duration > end/int64(vtime.Millisecond) {
		t.skips.add("duration of a sub-agent that cannot be", t.name, 0)
		e.Duration = 0
	}
	start := end - e.Duration*int64(vtime.Millisecond)
	thread := int32(len(t.session.Threads))
	spawner := last
	for range maxBack {
		if spawner < 0 || int64(t.session.Requests[spawner].Start) <= start {
			break
		}
		spawner = t.session.Requests[spawner].Pred
	}
	t.session.Threads = append(t.session.Threads, recording.Thread{
		Name: plain(e.Agent, t.skips, t.name, 0), Kind: recording.SubAgent, Type: plain(e.AgentType, t.skips, t.name, 0),
		Parent: parent, SpawnedBy: spawner, ToolTokens: max(0, e.ToolTokens), SystemTokens: max(0, e.SystemTokens),
	})
	own := int32(-1)
	for i := range e.Requests {
		if err := t.entry(&e.Requests[i], thread, start, &own, depth+1); err != nil {
			return err
		}
	}
	return nil
}
