package importer

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/wire"
)

// RawBodies is the format of sessions that are read from bodies of requests.
const RawBodies = "raw-bodies"

// bodySession is a session of bodies being read.
//
// A request goes on from the one whose whole prompt its own begins with, or from the
// latest one of that thread if its messages are there too; where none is, from the one
// whose answer it repeats last, or the latest one that began with the same message.
// No body says which agent sent it. Where the index does, another agent's request is
// none of the thread. Its bytes differ where it is not the first.
type bodySession struct {
	*recording.Session
	skips   *skips
	prompts map[llm.Hash]int32   // requests by their whole prompt
	begun   map[llm.Hash][]int32 // threads by their first message
	latest  map[int32]*sentBody  // of each thread
	spawned map[uint64]spawner   // by the prompt of the tool use
	content int64                // bytes held
	uttered map[utterance]int32  // requests by what they were answered, the latest one
	agents  []string             // of each thread, as the client names them; "" when unknown
	file    string               // of the request being added
}

// sentBody is a body that the next one of its thread is compared with.
type sentBody struct {
	*wire.Body
	request  int32
	messages int // blocks of its messages
	answers  int // those of the assistant among them
}

// spawner is a tool use that may have begun a thread.
type spawner struct {
	request int32
	use     int
}

// add adds a request, the latest one.
func (s *bodySession) add(d *bodies, p bodyPair, body *wire.Body, a *ccMessage) {
	cc := &claudeCodeReader{skips: s.skips, file: p.response.name, words: map[string]string{}}
	i := int32(len(s.Requests))
	r := recording.Request{ID: cc.plain(a.ID), Model: cc.plain(a.Model), Pred: -1, Start: p.sent, First: p.ended, Last: p.ended,
		OutputKnown: true, WritesKnown: true, Settings: recording.Settings{Effort: cc.plain(body.Settings.Effort), Speed: cc.plain(body.Settings.Speed)}}
	if a.Stop != nil {
		r.Stop = cc.plain(*a.Stop)
	}
	if r.Model == "" {
		r.Model = cc.plain(body.Model)
	}
	r.Usage, r.Billed = cc.usage(a.Usage)
	r.ServerMiss, r.ServerMissed = cc.plain(a.Diagnostics.Miss.Type), max(a.Diagnostics.Miss.Missed, 0)
	messages := after(body.Head, nil)
	s.file = p.request.name
	from := s.goesOn(body, messages, agentOf(p.agent), &r)
	r.UserTurn = len(messages) > 0 && asks(messages[len(messages)-1])
	for n := body.Head; n != nil; n = n.Parent {
		if !n.IsBorder() {
			r.Blocks = append(r.Blocks, n.Hash.Lo)
			r.BlockBytes = append(r.BlockBytes, n.Bytes-n.Parent.Bytes)
		}
	}
	slices.Reverse(r.Blocks)
	slices.Reverse(r.BlockBytes)
	said := d.said(a)
	r.AnswerBlocks = len(said)
	s.results(&r, after(body.Head, from))
	s.uses(&r, i, a, cc)
	s.hold(d.opt, &r, body.Head, from, said)
	s.prompts[body.Head.Hash] = i
	s.latest[r.Thread] = sent(body, i, messages)
	s.hears(i, said)
	s.Requests = append(s.Requests, r)
}

func sent(body *wire.Body, i int32, messages []*llm.Node) *sentBody {
	body.Written = nil // what comes after is looked at, not this one
	out := &sentBody{Body: body, request: i, messages: len(messages)}
	for _, n := range messages {
		if n.Role == llm.Assistant {
			out.answers++
		}
	}
	return out
}

// asks reports whether a message's last block is the user's own.
func asks(n *llm.Node) bool {
	return n.Role == llm.User && n.Block.Kind != llm.ToolResult && n.Block.Kind != llm.ToolReference
}

// goesOn finds a request's thread, and the one that it goes on from, and notes where
// its bytes differ. It returns the last node that the predecessor's prompt has too.
func (s *bodySession) goesOn(body *wire.Body, messages []*llm.Node, agent string, r *recording.Request) *llm.Node {
	for n := body.Head; n != nil && n.Level == llm.Messages; n = n.Parent {
		if p, ok := s.prompts[n.Hash]; ok && !n.IsBorder() {
			return s.goesOnFrom(p, n, body, messages, agent, r)
		}
	}
	if len(messages) == 0 {
		r.Thread = s.thread(recording.Thread{Parent: -1, SpawnedBy: -1}, agent)
		return nil
	}
	if before := s.edited(messages, agent); before != nil {
		return s.goOn(before, body, r)
	}
	first := messages[0].Block.Content.Identity()
	if before, common := s.nearest(s.begun[first], body, len(messages), agent); before != nil {
		s.goOn(before, body, r)
		return common
	}
	if before := s.anew(agent); before != nil {
		return s.goOn(before, body, r)
	}
	r.Thread = s.begin(messages, agent)
	s.begun[first] = append(s.begun[first], r.Thread)
	return nil
}

// goesOnFrom is goesOn where the whole prompt of request p stands in front, up to n.
func (s *bodySession) goesOnFrom(p int32, n *llm.Node, body *wire.Body, messages []*llm.Node, agent string, r *recording.Request) *llm.Node {
	r.Pred, r.Thread = p, s.Requests[p].Thread
	latest := s.latest[r.Thread]
	same := s.sentBy(r.Thread, agent)
	switch {
	case same && latest.request == p:
		r.Changed = differs(latest.Body, body)
		return n
	case same && continues(messages, after(latest.Head, nil)): // in between the front was another one
		return s.goOn(latest, body, r)
	case same:
		if before := s.edited(messages, agent); before != nil && before.request > p {
			return s.goOn(before, body, r)
		}
		s.skips.take("thread taken for a fork: it goes on from a request from which another one went on otherwise", 1, s.file, 0)
	}
	r.Thread = s.thread(recording.Thread{Kind: recording.Fork, Parent: r.Thread, SpawnedBy: p}, agent)
	return n
}

// continues reports whether messages begin with all of earlier ones, whatever stands
// in front of them.
func continues(messages, earlier []*llm.Node) bool {
	return len(earlier) <= len(messages) && slices.EqualFunc(earlier, messages[:len(earlier)], func(a, b *llm.Node) bool {
		return a.Role == b.Role && a.Block.Kind == b.Block.Kind && a.Block.Content.Identity() == b.Block.Content.Identity()
	})
}

// nearest is the latest request of the thread whose prompt has most in common with
// one that began with the same message; nil where that is one of its own about the
// same words, such as one for a title: another front, and another model or less said.
func (s *bodySession) nearest(threads []int32, body *wire.Body, messages int, agent string) (best *sentBody, common *llm.Node) {
	for _, t := range threads {
		before := s.latest[t]
		if !s.sentBy(t, agent) {
			continue
		}
		c := llm.Common(body.Head, before.Head)
		same := c != nil && c.Level == llm.Messages && !c.IsBorder()
		if !same && (messages < before.messages || before.Model != body.Model) {
			continue
		}
		if best == nil || c != nil && (common == nil || c.Pos >= common.Pos) {
			best, common = before, c
		}
	}
	return best, common
}

// begin begins a thread: the session's first, or one that a tool use has spawned.
func (s *bodySession) begin(messages []*llm.Node, agent string) int32 {
	for _, n := range messages {
		if n.Role != llm.User {
			break
		}
		if by, ok := s.spawned[promptKey(n.Block.Content.Raw())]; ok && n.Block.Kind == llm.Text {
			use := &s.Requests[by.request].Tools[by.use]
			t := s.thread(recording.Thread{Kind: recording.SubAgent, Parent: s.Requests[by.request].Thread, SpawnedBy: by.request, ToolUse: use.ID}, agent)
			use.Spawned = t
			return t
		}
	}
	for _, n := range messages {
		if n.Role == llm.Assistant {
			s.skips.take("thread that begins with answers which no request here was given: what it goes on from cannot be told", 1, s.file, 0)
			break
		}
	}
	return s.thread(recording.Thread{Parent: -1, SpawnedBy: -1}, agent)
}

func (s *bodySession) thread(t recording.Thread, agent string) int32 {
	n := len(s.Threads)
	if t.Name = mainThread; n > 0 {
		t.Name = fmt.Sprintf("thread-%d", n+1)
		if t.Kind == recording.Main {
			t.Kind = recording.SubAgent // a title, a summary, or a spawn that no answer tells
		}
	}
	s.Threads = append(s.Threads, t)
	s.agents = append(s.agents, agent)
	return int32(n)
}

// parts is where a request stops being a continuation of its predecessor: the first
// byte in tools or system, else a setting, else a byte of the messages. It is nil
// where the predecessor's prompt stands in front of it whole.
func parts(before, now *wire.Body, part llm.Parting) *recording.Difference {
	d := &recording.Difference{}
	settings := before.Changed(now)
	switch {
	case len(settings) > 0 && (part.A == nil || part.A.Level == llm.Messages):
		d.Setting = settings[0]
	case part.A == nil:
		return nil
	default:
		at := part.A
		if at.IsBorder() && part.B != nil { // its level goes on in the later one
			at, d.New = part.B, true
		}
		d.Level, d.Gone = at.Level.String(), part.B == nil || part.B.IsBorder()
		if !d.Gone {
			d.Path = now.Path(part.B)
		} else if at.Block != nil {
			d.Path = before.Path(at)
		}
		if !d.New && !d.Gone {
			d.At = now.Differs(part.A, part.B)
			if at.Level == llm.Tools {
				at, d.Became = ofTool(before, now, part)
			}
		}
		if b := at.Block; b != nil {
			d.Block, d.Role, d.Kind, d.Name = at.Pos, at.Role.String(), b.Kind.String(), b.Name
			if b.Kind == llm.Opaque && !wire.KnownBlock(b.Name) {
				d.Name = "" // the user's own
			}
		}
	}
	return d
}

// ofTool says what became of a tool in whose place a later request has another one: removed,
// moved, or of the later one inserted; "" where both are one.
func ofTool(before, now *wire.Body, part llm.Parting) (at *llm.Node, what string) {
	was, is := part.A, part.B
	switch {
	case was.Block.Name == is.Block.Name:
		return was, ""
	case !hasTool(now, was.Block.Name):
		return was, "removed"
	case !hasTool(before, is.Block.Name):
		return is, "inserted"
	}
	return was, "moved"
}

func hasTool(b *wire.Body, name string) bool {
	for n := b.Head; n != nil; n = n.Parent {
		if n.Level == llm.Tools && !n.IsBorder() && n.Block.Name == name {
			return true
		}
	}
	return false
}

// results notes what became of the tool uses of the request before.
func (s *bodySession) results(r *recording.Request, gained []*llm.Node) {
	if r.Pred < 0 {
		return
	}
	tools := s.Requests[r.Pred].Tools
	for _, n := range gained {
		if n.Block.Kind != llm.ToolResult {
			continue
		}
		for k := range tools {
			if wire.ToolUseID(tools[k].ID) == n.Block.ID {
				tools[k].Done, tools[k].IsError, tools[k].Bytes = true, n.Block.IsError, int64(len(n.Block.Content.Raw()))
			}
		}
	}
}

// uses notes the tool uses of an answer.
func (s *bodySession) uses(r *recording.Request, i int32, a *ccMessage, cc *claudeCodeReader) {
	var content []struct {
		Type, ID, Name string
		Input          json.RawMessage
	}
	if json.Unmarshal(a.Content, &content) != nil {
		return // said of the answer already
	}
	for _, b := range content {
		if b.Type != "tool_use" {
			continue
		}
		var input struct{ Prompt string }
		if json.Unmarshal(b.Input, &input) == nil && input.Prompt != "" {
			s.spawned[promptKey(input.Prompt)] = spawner{i, len(r.Tools)}
		}
		r.Tools = append(r.Tools, recording.ToolUse{ID: cc.plain(b.ID), Name: cc.plain(b.Name), Spawned: -1})
	}
}

// hold keeps what was said, where content is asked for: all of a prompt that does not
// go on from another one, else what it gained.
func (s *bodySession) hold(opt *Options, r *recording.Request, head, from *llm.Node, said []*llm.Node) {
	if !opt.Content {
		return
	}
	gained := after(head, from)
	if r.Pred < 0 || !r.Continues() {
		gained = after(head, nil)
		r.Front = front(head)
	} else {
		for len(gained) > 0 && gained[0].Role == llm.Assistant {
			gained = gained[1:] // the answer of the request before
		}
	}
	for _, n := range append(gained, said...) {
		s.content += int64(len(n.Block.Content.Raw()))
	}
	if s.content > opt.MaxContent {
		s.skips.add(fmt.Sprintf("content beyond %d bytes", opt.MaxContent), "", 0)
		return
	}
	r.Said, r.Answer = []llm.Msg{}, []llm.Block{}
	for i, n := range gained {
		if i == 0 || gained[i-1].Role != n.Role {
			r.Said = append(r.Said, llm.Msg{Role: n.Role})
		}
		m := &r.Said[len(r.Said)-1]
		m.Blocks = append(m.Blocks, *n.Block)
	}
	for _, n := range said {
		r.Answer = append(r.Answer, *n.Block)
	}
}

// front lists a prompt's tools and system blocks.
func front(n *llm.Node) []llm.Block {
	out := []llm.Block{}
	for ; n != nil; n = n.Parent {
		if n.Level != llm.Messages && !n.IsBorder() {
			out = append(out, *n.Block)
		}
	}
	slices.Reverse(out)
	return out
}

// identifyBody says whether a line is of the index of a directory of bodies.
func identifyBody(name string, line []byte) identity {
	var k keys
	if path.Base(name) != bodiesIndex || json.Unmarshal(line, &k) != nil || !k.all("request_file", "response_file") {
		return identity{}
	}
	return identity{format: rawBodies, session: path.Dir(name)}
}
