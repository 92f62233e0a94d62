package importer

import (
	"cmp"
	"encoding/json"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// round is one line of a TraceLab round_trace.jsonl: one request and the tools it
// called. Counts of a client that does not report them are null.
type round struct {
	Provider  string
	Project   string
	SessionID string `json:"session_id"`
	Round     int64  `json:"round_index"`
	ID        string `json:"round_id"`
	Model     string
	Prompt    *int64 `json:"input_tokens_total"`
	Prefix    *int64 `json:"prefix_tokens"`
	Uncached  *int64 `json:"claude_uncached_input_tokens"`
	Created   *int64 `json:"claude_cache_creation_input_tokens"`
	Read      *int64 `json:"claude_cache_read_input_tokens"`
	Output    *int64 `json:"output_tokens"`
	Events    []struct {
		Type string `json:"event_type"`
		At   string `json:"timestamp"`
	} `json:"timing_events"`
	Tools []struct {
		Name     string `json:"tool_name"`
		ID       string `json:"tool_call_id"`
		Chars    int64  `json:"result_chars"`
		Wall     int64  `json:"tool_wall_latency_ms"`
		IsError  bool   `json:"is_error"`
		ResultAt string `json:"result_at"`
	}
}

// round reads one round, sanitized or derived. A session of rounds is one thread.
func (f *rowFile) round(line []byte, number int64, sk *skips) error {
	var r round
	if crowded(line) {
		sk.add("round with too many tools or events", f.name, number)
		return nil
	}
	if err := json.Unmarshal(line, &r); err != nil {
		sk.add("line that is no round ("+reason(err)+")", f.name, number)
		return nil
	}
	if r.SessionID == "" {
		sk.add("round without session_id", f.name, number)
		return nil
	}
	client := r.Provider
	if client == "claude" {
		client = "claude-code"
	}
	s := f.session("tracelab", client, r.Project, r.SessionID, sk, number)
	q := recording.Request{Pred: -1, Billed: true, OutputKnown: r.Output != nil}
	if !r.usage(&q) {
		s.skips.add("round without counts that can be", f.name, number)
		return nil
	}
	if !r.instants(&q) {
		s.skips.add("round without instants that can be", f.name, number)
		return nil
	}
	if q.Usage.Write5m > 0 {
		s.skips.take("TTL of a cache write, which the recording does not hold: taken as 5m", 1, f.name, number)
	}
	if f.requests++; f.requests > maxRequests {
		return tooMany(f.name, number)
	}
	q.ID, q.Model = plain(r.ID, &s.skips, f.name, number), plain(r.Model, &s.skips, f.name, number)
	r.tools(&q, &s.skips, f.name, number)
	s.Threads = []recording.Thread{{Name: mainThread, Parent: -1, SpawnedBy: -1}}
	s.Requests, s.rounds = append(s.Requests, q), append(s.rounds, r.Round)
	return nil
}

// usage fills what was billed.
func (r *round) usage(q *recording.Request) bool {
	value := func(p *int64) int64 {
		if p == nil {
			return 0
		}
		return *p
	}
	q.Usage.Output = value(r.Output)
	switch {
	case r.Created != nil && r.Read != nil && r.Uncached != nil:
		q.WritesKnown = true
		q.Usage = llm.Usage{Input: *r.Uncached, Write5m: *r.Created, Read: *r.Read, Output: q.Usage.Output}
	case r.Prompt != nil && r.Prefix != nil:
		q.Usage = llm.Usage{Input: *r.Prompt - *r.Prefix, Read: *r.Prefix, Output: q.Usage.Output}
	default:
		return false
	}
	return possible(q.Usage)
}

// instants fills when the round began, was answered and ended: Start is its last
// input, First and Last are the first and last of what the model said.
func (r *round) instants(q *recording.Request) bool {
	var input vtime.Instant
	for _, e := range r.Events {
		at, ok := vtime.ParseInstant(e.At)
		if !ok {
			return false
		}
		switch e.Type {
		case "user_message", "tool_result":
			q.UserTurn = q.UserTurn || e.Type == "user_message"
			if q.First == 0 {
				input = max(input, at)
			}
		case "usage_report":
			if q.First == 0 {
				q.First = at
			}
			q.Last = max(q.Last, q.First)
		default:
			if q.First == 0 {
				q.First = at
			}
			q.Last = max(q.Last, at)
		}
	}
	if q.First == 0 {
		q.First, q.Last = input, input
	}
	if q.Start = input; input == 0 || input > q.First {
		q.Start = q.First
	}
	return q.First > 0
}

// tools fills what the answer called.
func (r *round) tools(q *recording.Request, sk *skips, file string, line int64) {
	for _, t := range r.Tools {
		use := recording.ToolUse{
			ID: plain(t.ID, sk, file, line), Name: plain(t.Name, sk, file, line),
			Spawned: -1, Done: t.ResultAt != "", IsError: t.IsError,
		}
		if t.Chars >= 0 && t.Chars <= maxTokens && t.Wall >= 0 && t.Wall <= maxTokens {
			use.Bytes, use.Took = t.Chars, vtime.Duration(t.Wall)*vtime.Millisecond
		} else {
			sk.add("size or time of a tool's result that cannot be", file, line)
		}
		q.Tools = append(q.Tools, use)
	}
}

// chain makes each round go on from the one before.
func (s *rowSession) chain() {
	order := inOrder(len(s.rounds), func(a, b int) int { return cmp.Compare(s.rounds[a], s.rounds[b]) })
	for i := 1; i < len(order); i++ {
		s.Requests[order[i]].Pred = int32(order[i-1])
	}
}
