package toevents

import (
	"cmp"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/judge"
	"agentsim/sim/rng"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Emit tells the session to sink as a run. verdicts are what was said about its
// requests, by index; nil leaves classes, causes and misses out. It fails on a
// session that contradicts itself (Check), before the first event.
func Emit(s *recording.Session, verdicts []judge.Verdict, sink transcript.Sink) error {
	if err := Check(s); err != nil {
		return err
	}
	e := newEmitter(s, verdicts, sink)
	run := Of(s, verdicts)
	e.emit(-1, &transcript.RunStart{Scenario: run.Name, Variant: run.Variant, Policy: transcript.PolicyRecorded,
		Spec: run.ID, Semantics: Semantics})
	for _, m := range timeline(s) {
		e.now = max(e.now, m.at)
		switch m.what {
		case agentStart:
			e.agentStart(m.i)
		case request:
			e.request(m.i)
		case response:
			e.response(m.i)
		case toolResult:
			e.toolResult(m.i, m.sub)
		case agentEnd:
			e.agentEnd(len(s.Threads) - 1 - m.i)
		}
	}
	e.emit(-1, &transcript.RunEnd{Outcome: "completed"})
	return nil
}

// emitter tells one session.
type emitter struct {
	s        *recording.Session
	verdicts []judge.Verdict
	sink     transcript.Sink
	chains   *chains
	lineages []string
	calls    []int // of each request, in its thread
	depth    []int
	models   []string    // that threads begin with
	own      []llm.Usage // by thread
	rolled   []llm.Usage // likewise, with all below
	turns    []int       // requests, by thread
	tools    []int       // tool uses, by thread
	seq      uint64
	now      vtime.Instant
	event    transcript.Event
}

func newEmitter(s *recording.Session, verdicts []judge.Verdict, sink transcript.Sink) *emitter {
	n := len(s.Threads)
	_, calls := s.ByThread()
	e := &emitter{s: s, verdicts: verdicts, sink: sink, chains: newChains(s, verdicts), lineages: lineages(s),
		calls: calls, depth: make([]int, n), models: make([]string, n), own: make([]llm.Usage, n),
		rolled: make([]llm.Usage, n), turns: make([]int, n), tools: make([]int, n)}
	for i := range s.Requests {
		r := &s.Requests[i]
		if e.turns[r.Thread] == 0 {
			e.models[r.Thread] = r.Model
		}
		e.turns[r.Thread]++
		e.tools[r.Thread] += len(r.Tools)
		e.own[r.Thread] = e.own[r.Thread].Plus(r.Usage)
	}
	for i := range s.Threads {
		if p := s.Threads[i].Parent; p >= 0 {
			e.depth[i] = e.depth[p] + 1
		}
	}
	for i := n - 1; i >= 0; i-- {
		e.rolled[i] = e.rolled[i].Plus(e.own[i])
		if p := s.Threads[i].Parent; p >= 0 {
			e.rolled[p] = e.rolled[p].Plus(e.rolled[i])
		}
	}
	return e
}

func (e *emitter) emit(agent int32, b transcript.Body) {
	e.event = transcript.Event{Seq: e.seq, At: e.now, Phase: 1, Agent: agent, Body: b}
	e.seq++
	e.sink.Emit(&e.event)
}

// agentID is drawn from the session and the thread.
func (e *emitter) agentID(i int) llm.AgentID {
	return llm.AgentID(rng.Root(0).Sub(e.s.Format).Sub(e.s.Origin).Sub(e.s.ID).Sub("agent").Sub(e.s.Threads[i].Name).At(uint64(i)).Uint64())
}

func (e *emitter) agentStart(i int) {
	t := &e.s.Threads[i]
	structure := transcript.SubAgent
	switch t.Kind {
	case recording.Main:
		structure = transcript.Root
	case recording.Fork, recording.Compact:
		structure = transcript.Fork
	}
	e.emit(int32(i), &transcript.AgentStart{ID: e.agentID(i), Lineage: e.lineages[i], Parent: t.Parent, Type: cmp.Or(t.Type, t.Kind.String()),
		Structure: structure, Model: e.models[i], Depth: e.depth[i], Async: t.Async, Source: "recorded", ToolUse: recording.ToolUseID(t.ToolUse)})
}

func (e *emitter) agentEnd(i int) {
	e.emit(int32(i), &transcript.AgentEnd{Status: "completed", Turns: e.turns[i], ToolUses: e.tools[i], Own: e.own[i], Rolled: e.rolled[i]})
}

// request tells a request, and the user's message in front of it.
func (e *emitter) request(i int) {
	r, l := &e.s.Requests[i], e.chains.of(i)
	if r.UserTurn && e.s.Threads[r.Thread].Kind == recording.Main {
		e.userTurn(i)
	}
	b := &transcript.Request{Call: e.calls[i], Head: l.head, Model: r.Model}
	if e.calls[i] == 0 {
		b.InvokingRequest = recording.ToolUseID(e.s.Threads[r.Thread].ToolUse)
	}
	if l.mark != nil && r.WritesKnown && r.Billed && r.Usage.Read+r.Usage.Written() > 0 {
		ttl, _ := e.s.Lifetime(i)
		b.Breakpoints = []llm.Breakpoint{{Node: l.mark, TTL: ttl}}
	}
	if r.Pred >= 0 {
		p := &e.chains.links[r.Pred]
		ttl, _ := e.s.Lifetime(int(r.Pred))
		b.Expect = &llm.Expectation{Mark: p.mark, Head: p.head, Start: virtual(e.s, e.s.Requests[r.Pred].Start),
			TTL: ttl, Model: e.s.Requests[r.Pred].Model}
	}
	e.emit(r.Thread, b)
}

// userTurn tells a message of the user, and that an agent took it up which had
// been idle.
func (e *emitter) userTurn(i int) {
	r := &e.s.Requests[i]
	bytes := 0
	for _, m := range r.Said {
		for k := range m.Blocks {
			if m.Role == llm.User && m.Blocks[k].Kind != llm.ToolResult {
				bytes += len(m.Blocks[k].Content.Raw())
			}
		}
	}
	e.emit(r.Thread, &transcript.UserMessage{Bytes: bytes})
	if e.calls[i] == 0 {
		return
	}
	prefix := int64(0)
	if r.Pred >= 0 {
		u := e.s.Requests[r.Pred].Usage
		prefix = u.Prompt() + u.Output
	}
	e.emit(r.Thread, &transcript.WakeUp{Why: "user", Prefix: prefix})
}

// Unpriced is added to a model's name where a recording holds the size of a
// prompt and no bill: no price table knows such a model.
const Unpriced = " (size only)"

// response tells an answer, what only the recording knows, and the tool uses.
func (e *emitter) response(i int) {
	r, l := &e.s.Requests[i], &e.chains.links[i]
	b := &transcript.Response{Call: e.calls[i], Model: r.Model, Resp: &llm.Response{Stop: stopOf(r.Stop), Usage: r.Usage,
		Cache: llm.CacheReport{ReadTo: l.readTo, Miss: e.miss(i)}, Started: virtual(e.s, r.Start),
		Began: virtual(e.s, r.First), Ended: virtual(e.s, r.Last)}}
	if !r.Billed {
		b.Model += Unpriced
	}
	if l.answer != l.head {
		b.Head = l.answer
	}
	if r.Usage.Written() > 0 {
		b.Resp.Cache.WrittenTo = l.mark
	}
	e.emit(r.Thread, b)
	e.emit(r.Thread, e.recorded(i))
	for k := range r.Tools {
		u := &r.Tools[k]
		e.emit(r.Thread, &transcript.ToolCall{Call: e.calls[i], Index: k, ID: recording.ToolUseID(u.ID), Name: u.Name, Input: e.input(i, u)})
	}
}

// stopOf is a recorded stop reason as the Messages API has it; none for another
// API's word, which stands in the event recorded.
func stopOf(recorded string) llm.StopReason {
	for r := llm.EndTurn; r <= llm.PauseTurn; r++ {
		if r.String() == recorded {
			return r
		}
	}
	return 0
}

// input is the identity of a tool use's input, where the recording holds it.
func (e *emitter) input(i int, u *recording.ToolUse) llm.Hash {
	id := recording.ToolUseID(u.ID)
	for k := range e.s.Requests[i].Answer {
		if b := &e.s.Requests[i].Answer[k]; b.Kind == llm.ToolUse && b.ID == id {
			return b.Content.Identity()
		}
	}
	return llm.Hash{}
}

func (e *emitter) recorded(i int) *transcript.Recorded {
	r := &e.s.Requests[i]
	b := &transcript.Recorded{Call: e.calls[i], ID: r.ID, Pred: int64(r.Pred) + 1, Version: r.Version, Stop: r.Stop,
		UserTurn: r.UserTurn, Compacted: r.Compacted, OutputUnknown: !r.OutputKnown, WritesUnknown: !r.WritesKnown,
		Unbilled: !r.Billed, AnswerBlocks: r.AnswerBlocks, Changed: r.Changed, Told: r.ToldText(), ServerMiss: r.ServerMiss, ServerMissed: r.ServerMissed, Expected: e.s.Expected(i)}
	if i < len(e.verdicts) && r.Billed {
		b.Class, b.Cause = e.verdicts[i].Class.String(), e.verdicts[i].Cause.String()
	}
	for _, u := range r.Tools {
		b.Tools = append(b.Tools, transcript.RecordedTool{ID: u.ID, Spawned: u.Spawned})
	}
	return b
}

// miss is what a verdict says of the cache.
func (e *emitter) miss(i int) llm.Miss {
	r := &e.s.Requests[i]
	m := llm.Miss{Byte: -1}
	if i >= len(e.verdicts) || !r.Billed {
		return m
	}
	v := &e.verdicts[i]
	if lost := v.Lost(r); lost > 0 {
		m.Reason, m.Expected, m.Lost = reasons[v.Cause], v.Expected, lost
	}
	return m
}

// reasons are the causes of recordings as runs call them. A cause that explains
// no loss is none.
var reasons = [...]llm.MissReason{
	recording.NoCause:       llm.MissUnexplained,
	recording.ExpiredCause:  llm.MissExpired,
	recording.HourCause:     llm.MissExpired,
	recording.ModelCause:    llm.MissModel,
	recording.CompactCause:  llm.MissMessages,
	recording.ToolsCause:    llm.MissTools,
	recording.SystemCause:   llm.MissSystem,
	recording.HistoryCause:  llm.MissMessages,
	recording.ThinkingCause: llm.MissMessages,
	recording.HiddenCause:   llm.MissUnexplained,
	recording.LagCause:      llm.MissNotYetReadable,
	recording.NoiseCause:    llm.MissUnexplained,

	recording.SettingsCause:     llm.MissSalt,
	recording.ResumeCause:       llm.MissSystem,
	recording.MicrocompactCause: llm.MissMessages,
	recording.ClientCause:       llm.MissTools,
	recording.MCPCause:          llm.MissTools,
	recording.ToolListCause:     llm.MissTools,
	recording.PlanCause:         llm.MissUnexplained,
	recording.SkillCause:        llm.MissUnexplained,
	recording.RetryCause:        llm.MissUnexplained,

	recording.MarksCause: llm.MissNoMarker,
}

func (e *emitter) toolResult(i, k int) {
	r := &e.s.Requests[i]
	u := &r.Tools[k]
	e.emit(r.Thread, &transcript.ToolResult{Call: e.calls[i], Index: k, ID: recording.ToolUseID(u.ID), Name: u.Name, IsError: u.IsError,
		Bytes: int(u.Bytes), Took: u.Took})
}
