package importer

import (
	"cmp"
	"encoding/json"

	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// read takes one line in.
func (c *claudeCodeReader) read(data []byte, cut bool) {
	what := "line that is no JSON object"
	if cut {
		what = "last line, which is cut off"
	}
	var l ccLine
	if !c.decode(data, &l, what) {
		return
	}
	if l.Type == "" {
		c.skip("line without a type")
		return
	}
	if l.UUID == "" {
		if !bookkeeping[l.Type] {
			c.skip("line without a uuid, of type " + quoted(l.Type))
		}
		return
	}
	if !c.room() {
		c.skip("line past the most that are kept of a session")
		return
	}
	if c.out.ID == "" {
		c.out.ID = c.plain(l.Session)
	}
	at := c.time(l.Time)
	node, ok := c.above(&l, at)
	if !ok {
		return
	}
	switch l.Type {
	case "assistant":
		node = c.assistant(&l, node, at)
	case "user":
		node = c.user(&l, node, at)
	case "system":
		if l.Subtype == "compact_boundary" {
			node = c.boundary(&l, node)
		}
		c.systemTells(&l, &node)
	case "progress":
		c.resumed(&l.Data, &node)
		c.progress(&l, at)
	case "attachment":
		c.attachmentTells(&l, &node)
		node = c.attachment(&l, node)
	default:
		c.skip("line of unknown type " + quoted(l.Type))
	}
	node.at = at
	c.nodes[uuid(l.UUID)] = node
}

// time is when a line was logged; one without a readable time is as late as the
// line before it.
func (c *claudeCodeReader) time(s string) int64 {
	t, ok := vtime.ParseInstant(s)
	if !ok {
		c.readAs("line without a readable time: taken as that of the line before")
		return c.at
	}
	c.at = int64(t)
	return c.at
}

// above is what a line goes on from, in the line's own thread. ok is false for a
// line that is read elsewhere.
func (c *claudeCodeReader) above(l *ccLine, at int64) (n ccNode, ok bool) {
	n = ccNode{request: -1, thread: c.own}
	side := l.Side && c.threads[c.own].Kind == recording.Main
	if side && c.elsewhere(l.Agent) {
		return n, false
	}
	parent, known := c.nodes[uuid(l.Parent)]
	switch {
	case l.Parent == "":
	case known:
		n = parent
	default:
		c.skip("parent that is not in the recording")
		n.orphan = true
		if !side {
			n.request = c.threads[c.own].last // in mid-session it goes on from the last one
		}
	}
	t := &c.threads[c.own]
	switch {
	case side:
		n = c.sideChain(l, n, known)
	case n.thread == c.own:
	case t.Kind == recording.Main:
		c.readAs("line of the main thread that goes on from a sub-agent's: taken as a beginning")
		n = ccNode{request: -1, thread: c.own}
	default: // a fork: it goes on from a line of its parent
		t.forked = true
		n.thread = c.own
		if t.Parent < 0 {
			t.Parent = parent.thread
		}
	}
	if t = &c.threads[n.thread]; t.began == 0 {
		t.began = at
	}
	if run := cmp.Or(l.Run, l.Workflow.Run); run != "" {
		t.Workflow = c.word(run)
	}
	return n, true
}

// elsewhere reports whether an agent's lines are read from a file of its own, or
// from lines of progress.
func (c *claudeCodeReader) elsewhere(agent string) bool {
	t, known := c.agents[c.word(agent)]
	return known && agent != "" && (c.threads[t].file || c.threads[t].inline)
}

// sideChain finds the thread of a sub-agent's line in an old main file. A side
// chain is named after its agent, else after its first line.
func (c *claudeCodeReader) sideChain(l *ccLine, n ccNode, known bool) ccNode {
	name := c.word(l.Agent)
	if name == "" && known && n.thread != c.own {
		return n
	}
	if name == "" {
		name = c.plain(l.UUID)
	}
	if t := c.thread(name); n.thread != t {
		n = ccNode{request: -1, thread: t}
	}
	return n
}

// assistant takes in a line of an answer.
func (c *claudeCodeReader) assistant(l *ccLine, n ccNode, at int64) ccNode {
	m := &l.Message
	if m.Model == "<synthetic>" || l.Failed {
		c.skip("answer that the client made up: no request")
		return n
	}
	id := m.ID
	switch {
	case id != "":
	case m.Usage == nil:
		c.skip("answer with neither a message id nor a usage: no request")
		return n
	default:
		c.readAs("answer without a message id: named by its request or line")
		if id = l.RequestID; id == "" {
			id = l.UUID
		}
	}
	r, known := c.byID[key(id)]
	if known && c.requests[r].Thread != n.thread {
		return c.copied(r, n)
	}
	if !known {
		n = c.iterations(id, l, n, at)
		r = int32(len(c.requests))
		c.byID[key(id)] = r
		c.requests = append(c.requests, c.request(c.plain(id), l, n, at))
		c.threads[n.thread].last = r
	}
	c.answer(r, m, at)
	return ccNode{request: r, thread: n.thread, state: n.state}
}

// copied passes over a request that another thread has made: the head of a fork's
// file.
func (c *claudeCodeReader) copied(r int32, n ccNode) ccNode {
	t := &c.threads[n.thread]
	if t.copied != r {
		t.copied = r
		t.CopiedHead++
	}
	t.forked = true
	if t.Parent < 0 && t.Kind != recording.Main {
		t.Parent = c.requests[r].Thread
	}
	return ccNode{request: r, thread: n.thread}
}

// request begins a request at its first line.
func (c *claudeCodeReader) request(id string, l *ccLine, n ccNode, at int64) ccRequest {
	start := at
	if n.at != 0 {
		start = n.at
	}
	if n.request >= 0 {
		if before := int64(c.requests[n.request].Start); start < before {
			c.readAs("request that begins before its predecessor: taken to begin with it")
			start = before
		}
	}
	r := ccRequest{Request: recording.Request{
		ID: id, Thread: n.thread, Pred: n.request, Model: c.word(l.Message.Model), Version: c.word(l.Version),
		Start: vtime.Instant(start), First: vtime.Instant(max(at, start)),
		WritesKnown: true, UserTurn: n.turn, Compacted: n.compact,
	}}
	r.Orphan = n.orphan
	c.tell(&r.Request, l, n)
	if c.opt.Content && !c.full {
		r.Said = c.said(n)
	}
	return r
}

// answer takes in what one line says of a request.
func (c *claudeCodeReader) answer(i int32, m *ccMessage, at int64) {
	r := &c.requests[i]
	r.Last = max(vtime.Instant(at), r.First, r.Last)
	if u, ok := c.usage(m.Usage); ok {
		if r.Billed && prompted(r.Usage) != prompted(u) {
			c.readAs(twoLines)
		}
		if r.OutputKnown && m.Stop == nil {
			u.Output = r.Usage.Output
		}
		r.Usage, r.Billed = u, true
	}
	if m.Stop != nil {
		r.Stop, r.OutputKnown = c.word(*m.Stop), r.Billed
	}
	if miss := &m.Diagnostics.Miss; miss.Type != "" {
		r.ServerMiss, r.ServerMissed = c.word(miss.Type), max(miss.Missed, 0)
	}
	for _, b := range c.blocks(m.Content) {
		r.AnswerBlocks++
		if b.Type == "tool_use" {
			c.toolUse(i, &b, at)
		}
		c.answered(i, &b)
	}
}

// toolUse takes in a tool use of an answer.
func (c *claudeCodeReader) toolUse(i int32, b *ccBlock, at int64) {
	if !c.room() {
		c.skip("tool use past the most that are kept of a session")
		return
	}
	if _, ok := c.uses[key(b.ID)]; ok {
		c.skip("tool use whose id was used before")
		return
	}
	r := &c.requests[i]
	use := ccUse{request: i, tool: int32(len(r.Tools)), spawn: -1, at: at}
	r.Tools = append(r.Tools, recording.ToolUse{ID: c.plain(b.ID), Name: c.word(b.Name), Spawned: -1})
	if b.Name == "Task" || b.Name == "Agent" {
		var in struct {
			Kind   string `json:"subagent_type"`
			Prompt string `json:"prompt"`
		}
		if !none(b.Input) {
			c.decode(b.Input, &in, "input of a tool use that is no JSON")
		}
		use.spawn = int32(len(c.spawns))
		c.spawns = append(c.spawns, ccSpawn{use: use, prompt: promptKey(in.Prompt), kind: c.word(in.Kind)})
	}
	c.uses[key(b.ID)] = use
}

// user takes in a line of the user: a message or results of tools.
func (c *claudeCodeReader) user(l *ccLine, n ccNode, at int64) ccNode {
	blocks := c.blocks(l.Message.Content)
	answered := int32(-1)
	for i := range blocks {
		if blocks[i].Type == "tool_result" {
			answered = max(answered, c.toolResult(&blocks[i], l.Result, at))
		}
	}
	isResult := false
	for i := range blocks {
		b := &blocks[i]
		switch {
		case b.Type == "tool_result":
			isResult = true
		case answered >= 0:
			r := &c.requests[answered]
			r.beside = c.keep(r.beside, b)
		default:
			n.said = c.text(n.said, b)
		}
	}
	if t := &c.threads[n.thread]; t.prompt == 0 && t.last < 0 && len(blocks) > 0 {
		t.prompt = promptKey(blocks[0].Text)
	}
	c.userTells(l, &n, blocks, isResult)
	n.turn = n.turn || !isResult && !l.Meta
	n.compact = n.compact || l.Summary
	return n
}

// toolResult takes in a tool's result and returns the request it answers, -1 for
// none.
func (c *claudeCodeReader) toolResult(b *ccBlock, result json.RawMessage, at int64) int32 {
	use, ok := c.uses[key(b.Answers)]
	if !ok {
		c.skip("result of a tool use that is not in the recording")
		return -1
	}
	r := &c.requests[use.request]
	t := &r.Tools[use.tool]
	if t.Done {
		return use.request
	}
	t.Done, t.IsError = true, b.IsError
	t.Took = vtime.Duration(max(at-use.at, 0))
	t.Bytes = c.result(r, b, t.Name)
	if use.spawn < 0 || len(result) == 0 || result[0] != '{' {
		return use.request
	}
	var res struct {
		Agent  string `json:"agentId"`
		Kind   string `json:"agentType"`
		Status string `json:"status"`
		Async  bool   `json:"isAsync"`
	}
	if c.decode(result, &res, "result of a tool that is no JSON") {
		s := &c.spawns[use.spawn]
		s.async = s.async || res.Async || res.Status == "async_launched"
		if res.Agent != "" {
			s.agent = c.word(res.Agent)
		}
		if res.Kind != "" {
			s.kind = c.word(res.Kind)
		}
	}
	return use.request
}

// boundary takes in the boundary that a compaction leaves. What comes behind it
// goes on from the last request before it.
func (c *claudeCodeReader) boundary(l *ccLine, n ccNode) ccNode {
	request := n.request
	if before, ok := c.nodes[uuid(l.LogicalParent)]; ok {
		request = before.request
	} else if request < 0 {
		request = c.threads[n.thread].last
	}
	return ccNode{request: request, thread: n.thread, compact: true, told: n.told, state: n.state}
}

// progress takes in a line of a sub-agent that stands in its parent's thread,
// unless the sub-agent has a file of its own.
func (c *claudeCodeReader) progress(l *ccLine, at int64) {
	p := &l.Data
	if p.Type != "agent_progress" {
		return
	}
	if p.Agent == "" {
		c.skip("progress of a sub-agent without an id")
		return
	}
	name := c.word(p.Agent)
	t, known := c.agents[name]
	if known && !c.threads[t].inline {
		return // its lines are read from its own
	}
	if !known {
		t = c.thread(name)
		c.threads[t].inline = true
		c.threads[t].began = at
	}
	if use, ok := c.uses[key(l.ParentToolUse)]; ok && use.spawn >= 0 && c.spawns[use.spawn].agent == "" {
		c.spawns[use.spawn].agent = name
	}
	var m ccLine
	if none(p.Message) || !c.decode(p.Message, &m, "message of a sub-agent's progress that is no JSON object") {
		return
	}
	if when, ok := vtime.ParseInstant(m.Time); ok {
		at = int64(when)
	}
	m.Version = l.Version
	n := c.threads[t].tail
	switch m.Type {
	case "assistant":
		n = c.assistant(&m, n, at)
	case "user":
		n = c.user(&m, n, at)
	default:
		c.skip("progress of a sub-agent of unknown type " + quoted(m.Type))
	}
	n.at = at
	c.threads[t].tail, c.threads[t].cut = n, m.Type != "assistant"
}
