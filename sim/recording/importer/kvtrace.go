package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// traceHead is a kv-cache-tester trace without its requests.
type traceHead struct {
	ID           string
	BlockSize    int64 `json:"block_size"`
	ToolTokens   int64 `json:"tool_tokens"`
	SystemTokens int64 `json:"system_tokens"`
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
	opt     *Options
	session *recording.Session
	skips   *skips
	head    traceHead
	kept    int64 // bytes of block ids
}

// errHashes says that a trace names more blocks than Options allow.
var errHashes = errors.New("more block ids than fit: raise MaxContent")

// maxDepth is how deep sub-agents may be nested.
const maxDepth = 64

// readTrace reads traces of kv-cache-tester, one document each. Instants count
// from the trace's beginning. A sub-agent began its recorded duration before the
// instant at which its entry stands, and its spawner is the request of its parent
// that was sent last before.
func readTrace(sources []source, opt *Options, sk *skips, hand func(*recording.Session, *skips) error) error {
	for _, src := range sources {
		t := trace{name: src.name, opt: opt, skips: &skips{}, session: &recording.Session{Format: "kv-cache-tester", Client: "claude-code"}}
		t.session.Threads = []recording.Thread{{Name: mainThread, Parent: -1, SpawnedBy: -1}}
		err := t.read(src)
		if errors.Is(err, errHashes) {
			sk.add("trace with "+err.Error(), src.name, 0)
			continue
		}
		if err != nil {
			return err
		}
		main := &t.session.Threads[0]
		main.ToolTokens, main.SystemTokens = max(0, t.head.ToolTokens), max(0, t.head.SystemTokens)
		t.session.ID = plain(cmp.Or(t.head.ID, path.Base(src.name)), t.skips, src.name, 0)
		t.blocks()
		settle(t.session, t.skips, src.name)
		if err := hand(t.session, t.skips); err != nil {
			return err
		}
	}
	return nil
}

// blocks says how large blocks are, as the end of the document may do, or drops
// them.
func (t *trace) blocks() {
	if t.head.BlockSize > 0 && t.head.BlockSize <= maxTokens {
		t.session.BlockTokens = t.head.BlockSize
		return
	}
	t.skips.add("block_size that cannot be: blocks are left out", t.name, 0)
	for i := range t.session.Requests {
		t.session.Requests[i].Blocks = nil
	}
}

// allowance ends a reader that gives more than max bytes between two calls of
// again: so much of a document may have to be held at once.
type allowance struct {
	from      io.Reader
	left, max int64
}

var errElement = errors.New("element that is too long")

func (a *allowance) again() { a.left = a.max }

func (a *allowance) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, errElement
	}
	n, err := a.from.Read(p[:min(int64(len(p)), a.left)])
	a.left -= int64(n)
	return n, err
}

// read reads the document, element by element. What cannot be read ends it and is
// counted; what came before stays.
func (t *trace) read(src source) error {
	from, err := src.open()
	if err != nil {
		return located(src.name, 0, err)
	}
	a := &allowance{from: from, left: t.opt.MaxLine, max: t.opt.MaxLine}
	dec := json.NewDecoder(a)
	err = t.members(dec, a)
	var stop stopped
	switch {
	case errors.As(err, &stop):
		return closing(stop.error, from.Close)
	case errors.Is(err, errBomb):
		return closing(located(src.name, 0, err), from.Close)
	case err != nil:
		t.skips.add(fmt.Sprintf("rest of a trace, from byte %d on (%s)", dec.InputOffset(), reason(err)), src.name, 0)
	}
	if _, err := io.Copy(io.Discard, from); err != nil && !brokenOff(err) { // the rest counts for the hash
		return closing(located(src.name, 0, err), from.Close)
	}
	f := recording.File{Name: src.name, Bytes: src.size}
	if o, ok := from.(*opened); ok {
		f = o.file(src.name)
	}
	t.session.Files = append(t.session.Files, f)
	return from.Close()
}

// stopped is an error that a skip cannot stand for.
type stopped struct{ error }

// members reads the members of the document.
func (t *trace) members(dec *json.Decoder, a *allowance) error {
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		to := map[any]any{"id": &t.head.ID, "block_size": &t.head.BlockSize, "tool_tokens": &t.head.ToolTokens, "system_tokens": &t.head.SystemTokens}[name]
		switch {
		case name == "requests":
			err = t.requests(dec, a)
		case to != nil:
			err = dec.Decode(to)
		case !passValue(dec):
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		a.again()
	}
	_, err := dec.Token()
	return err
}

// requests reads the list of the main thread.
func (t *trace) requests(dec *json.Decoder, a *allowance) error {
	if tok, err := dec.Token(); err != nil || tok != json.Delim('[') {
		return errors.Join(err, errNoList)
	}
	last := int32(-1)
	for dec.More() {
		a.again()
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		var e traceEntry
		if crowded(raw) || json.Unmarshal(raw, &e) != nil {
			t.skips.add("entry of a trace that is unlike others", t.name, 0)
			continue
		}
		if err := t.entry(&e, 0, 0, &last, 0); err != nil {
			return stopped{err}
		}
	}
	_, err := dec.Token()
	return err
}

var errNoList = errors.New("requests are no list")

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
	if t.kept += int64(len(e.Hashes)) * 8; t.kept > t.opt.MaxContent {
		return errHashes
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
