package importer

import (
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/wire"
)

// What a client changes in a conversation that is under way (a tool's result that it
// clears, a date in the first message) leaves the answers after it as they were. An
// answer that a request repeats is one that it goes on from.

// mainSource begins what Claude Code calls a request of the conversation with its
// user; a suffix names an output style.
const mainSource = "repl_main_thread"

// agentOf is who sent a request, as the client names it; "" when unknown.
func agentOf(source string) string {
	if name, _, ok := strings.Cut(source, ":"); ok && name == mainSource {
		return name
	}
	return source
}

// utterance names a block of an answer.
type utterance struct {
	kind llm.Kind
	id   llm.ToolUseID
	said llm.Hash // of what is no tool use
}

func utteranceOf(b *llm.Block) utterance {
	if b.Kind == llm.ToolUse {
		return utterance{kind: b.Kind, id: b.ID}
	}
	return utterance{kind: b.Kind, said: b.Content.Identity()}
}

// minTelling is how long a text is that nobody says twice by chance, in bytes.
const minTelling = 48

// telling reports whether a block of an answer is like no other one.
func telling(b *llm.Block) bool {
	return b.Kind == llm.ToolUse || b.Kind == llm.Thinking || len(b.Content.Raw()) >= minTelling
}

// hears notes what request i was answered.
func (s *bodySession) hears(i int32, said []*llm.Node) {
	for _, n := range said {
		s.uttered[utteranceOf(n.Block)] = i
	}
}

// sentBy reports whether a thread's requests may be an agent's.
func (s *bodySession) sentBy(thread int32, agent string) bool {
	return agent == "" || s.agents[thread] == "" || s.agents[thread] == agent
}

// edited is the request that one goes on from whose messages were changed: the last
// answer that it repeats is that of the latest request of a thread. It is nil for
// none. What can be said by chance must be answers of as many blocks as that thread has.
func (s *bodySession) edited(messages []*llm.Node, agent string) *sentBody {
	answers := 0
	var last *llm.Node
	for _, n := range messages {
		if n.Role == llm.Assistant {
			answers++
			last = n
		}
	}
	if last == nil {
		return nil
	}
	j, ok := s.uttered[utteranceOf(last.Block)]
	if !ok {
		return nil
	}
	t := s.Requests[j].Thread
	before := s.latest[t]
	if before.request != j || !s.sentBy(t, agent) {
		return nil
	}
	if !telling(last.Block) {
		if answers <= before.answers {
			return nil
		}
		if agent == "" && !continues(messages, after(before.Head, nil)) {
			s.skips.take("request taken for one that goes on with its earlier messages changed: only a short answer that it repeats says so", 1, s.file, 0)
		}
	}
	return before
}

// goOn makes a request go on from the latest one of a thread, whatever differs.
func (s *bodySession) goOn(before *sentBody, body *wire.Body, r *recording.Request) *llm.Node {
	r.Pred, r.Thread, r.Changed = before.request, s.Requests[before.request].Thread, differs(before.Body, body)
	return llm.Common(body.Head, before.Head)
}

// anew is the latest request of the conversation with the user, which is one: what it
// sends otherwise is the same conversation after it was compacted, cleared or edited.
// It is nil where a request is of another agent, or of one that the client did not name.
func (s *bodySession) anew(agent string) *sentBody {
	if agent != mainSource {
		return nil
	}
	for i := len(s.Requests) - 1; i >= 0; i-- {
		if t := s.Requests[i].Thread; s.agents[t] == agent {
			s.skips.take("request of the main conversation that repeats nothing of the one before: taken for that conversation, compacted or begun again", 1, s.file, 0)
			return s.latest[t]
		}
	}
	return nil
}
