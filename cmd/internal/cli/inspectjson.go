package cli

import (
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"
)

// The documents of inspect. Instants are nanoseconds from the run's start.

type usageJSON struct {
	Input   int64 `json:"input"`
	Write5m int64 `json:"write_5m"`
	Write1h int64 `json:"write_1h"`
	Read    int64 `json:"read"`
	Output  int64 `json:"output"`
}

type recordJSON struct {
	Run        string        `json:"run"`
	Name       string        `json:"name"`
	Variant    string        `json:"variant"`
	Seed       uint64        `json:"seed"`
	Policy     string        `json:"policy"`
	Semantics  int           `json:"semantics"`
	Level      sqlite.Level  `json:"level"`
	Outcome    string        `json:"outcome"`
	Detail     string        `json:"detail,omitempty"`
	Digest     string        `json:"digest"`
	Events     int64         `json:"events"`
	Calls      int64         `json:"calls"`
	EndedAt    vtime.Instant `json:"ended_at"`
	Usage      usageJSON     `json:"usage"`
	Cost       *int64        `json:"cost_picodollars,omitempty"` // missing while a price is
	Uncached   *int64        `json:"cost_uncached_picodollars,omitempty"`
	Executions int           `json:"executions"`
	StartedAt  string        `json:"last_started"` // wall time
}

func runDocuments(runs []sqlite.RunInfo, priced []bool) []recordJSON {
	out := []recordJSON{}
	for i := range runs {
		r := &runs[i]
		doc := recordJSON{r.ID, r.Name, r.Variant, r.Seed, r.Policy, r.Semantics, r.Level, r.Ending(), r.Detail, r.Digest,
			r.Events, r.Calls, r.EndedAt, usageJSON(r.Usage), &r.Cost, &r.Uncached, r.Executions, r.StartedAt}
		if !priced[i] {
			doc.Cost, doc.Uncached = nil, nil
		}
		out = append(out, doc)
	}
	return out
}

// agentJSON leaves out what a record of totals does not hold.
type agentJSON struct {
	Agent       int32         `json:"agent"`
	Parent      int32         `json:"parent"`
	Lineage     string        `json:"lineage"`
	ID          string        `json:"id"`
	Type        string        `json:"type"`
	Structure   string        `json:"structure"`
	Model       string        `json:"model"`
	Async       bool          `json:"async"`
	Tools       string        `json:"tools"`
	Context     string        `json:"context"`
	Activations int           `json:"activations"`
	StartedAt   vtime.Instant `json:"started_at"`
	EndedAt     vtime.Instant `json:"ended_at"`
	Status      string        `json:"status"`
	Why         string        `json:"why,omitempty"`
	Turns       int64         `json:"turns"`
	ToolUses    int64         `json:"tool_uses"`
	Usage       usageJSON     `json:"usage"`
	Calls       *int64        `json:"calls,omitempty"`  // answered
	Failed      *int64        `json:"failed,omitempty"` // requests that ended in an API error
	Cost        *int64        `json:"cost_picodollars,omitempty"`
	Uncached    *int64        `json:"cost_uncached_picodollars,omitempty"`
	// Injections are what it obeyed, and what the classifier said of it.
	Injections []injectionJSON `json:"injections,omitempty"`
}

func agentDocuments(agents []sqlite.AgentInfo, run *sqlite.RunInfo, priced bool) []agentJSON {
	out := []agentJSON{}
	for i := range agents {
		a := &agents[i]
		doc := agentJSON{a.Agent, a.Parent, a.Lineage, a.ID, a.Type, a.Structure, a.Model, a.Async, a.Tools, a.Context, a.Activations,
			a.StartedAt, a.EndedAt, a.Status, a.Why, a.Turns, a.ToolUses, usageJSON(a.Usage), &a.Calls, &a.Failed, &a.Cost, &a.Uncached, nil}
		if !run.Keeps(a) {
			doc.Calls, doc.Failed = nil, nil
		}
		if !run.Keeps(a) || !priced {
			doc.Cost, doc.Uncached = nil, nil
		}
		out = append(out, doc)
	}
	return out
}

type callJSON struct {
	Call       int64         `json:"call"` // of the run, from 1
	Seq        int64         `json:"seq"`
	Lineage    string        `json:"lineage"`
	Type       string        `json:"type"`
	Structure  string        `json:"structure"`
	AgentCall  int           `json:"agent_call"` // from 0
	Attempt    int           `json:"attempt"`
	Model      string        `json:"model"`
	At         vtime.Instant `json:"at"`
	StartedAt  vtime.Instant `json:"started_at"`
	BeganAt    vtime.Instant `json:"began_at"`
	EndedAt    vtime.Instant `json:"ended_at"`
	Blocks     int64         `json:"blocks"`
	Bytes      int64         `json:"bytes"`
	Status     string        `json:"status"`
	Stop       string        `json:"stop"`
	Usage      usageJSON     `json:"usage"`
	Cost       int64         `json:"cost_picodollars"`
	Uncached   int64         `json:"cost_uncached_picodollars"`
	ReadTo     int32         `json:"read_to"`
	WrittenTo  int32         `json:"written_to"`
	Undecided  int           `json:"undecided"`
	Miss       string        `json:"miss"`
	Meaning    string        `json:"meaning"`
	Expected   int64         `json:"expected"`
	Lost       int64         `json:"lost"`
	LostCost   *int64        `json:"lost_cost_picodollars,omitempty"` // of a simulated miss: more than a hit
	Difference int32         `json:"miss_position"`
	MissByte   int64         `json:"miss_byte"`
	Diagnosis  string        `json:"api_diagnosis,omitempty"` // what the API's cache diagnostics would say of a simulated miss
	Missed     int64         `json:"api_cache_missed_input_tokens,omitempty"`
	After      int64         `json:"after"`
	Head       string        `json:"head"`
	Marks      []markJSON    `json:"marks,omitempty"`
	Contents   []blockJSON   `json:"contents,omitempty"`
	// Recorded is what only the recording of an imported session knows.
	Recorded *recordedCallJSON `json:"recorded,omitempty"`
}

type markJSON struct {
	Pos    int32  `json:"position"`
	TTL    string `json:"ttl"`
	Reads  int64  `json:"reads"`
	Back   int32  `json:"back"`
	Writes int64  `json:"writes"`
}

type blockJSON struct {
	Pos     int32  `json:"position"`
	Level   string `json:"level"`
	Role    string `json:"role"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Content string `json:"content"`
	Cached  bool   `json:"cached"`
}

// callDocument is a call with what it held.
func callDocument(c *sqlite.CallInfo, blocks []sqlite.BlockInfo) callJSON {
	doc := callJSON{Call: c.N, Seq: c.Seq, Lineage: c.Lineage, Type: c.Type, Structure: c.Structure, AgentCall: c.Call,
		Attempt: c.Attempt, Model: c.Model, At: c.At, StartedAt: c.StartedAt, BeganAt: c.BeganAt, EndedAt: c.EndedAt,
		Blocks: c.Blocks, Bytes: c.Bytes, Status: c.Status, Stop: c.Stop, Usage: usageJSON(c.Usage), Cost: c.Cost,
		Uncached: c.Uncached, ReadTo: c.ReadTo, WrittenTo: c.WrittenTo, Undecided: c.Undecided, Miss: c.Miss,
		Meaning: c.Meaning, Expected: c.Expected, Lost: c.Lost, Difference: c.MissPos, MissByte: c.MissByte,
		After: c.After, Head: c.Head}
	doc.Diagnosis, doc.Missed = apiSays(c)
	for _, m := range c.Marks {
		doc.Marks = append(doc.Marks, markJSON(m))
	}
	for _, b := range blocks {
		doc.Contents = append(doc.Contents, blockJSON(b))
	}
	return doc
}

// callDocuments are calls with what their recording adds, if there is one.
func callDocuments(calls []sqlite.CallInfo, recorded []sqlite.RecordedInfo) []callJSON {
	out := []callJSON{}
	for i := range calls {
		doc := callDocument(&calls[i], nil)
		if recorded != nil {
			doc.Recorded = recordedDocument(calls[i].Model, &recorded[i])
			doc.Diagnosis, doc.Missed = "", 0
		}
		out = append(out, doc)
	}
	return out
}
