package importer

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/zeebo/xxh3"

	"agentsim/sim/llm"
)

// ccLine is what is read of a line. Parts that are JSON are read further where
// they are of use.
type ccLine struct {
	Type, Subtype string
	UUID          string
	Parent        string          `json:"parentUuid"`
	LogicalParent string          `json:"logicalParentUuid"`
	Session       string          `json:"sessionId"`
	Agent         string          `json:"agentId"`
	Side          bool            `json:"isSidechain"`
	Meta          bool            `json:"isMeta"`
	Summary       bool            `json:"isCompactSummary"`
	Failed        bool            `json:"isApiErrorMessage"`
	Time          string          `json:"timestamp"`
	ParentToolUse string          `json:"parentToolUseID"`
	Skill         string          `json:"attributionSkill"`
	Permission    string          `json:"permissionMode"`
	Run           string          `json:"workflow.run_id"` // of the workflow whose agent wrote it
	Thinking      json.RawMessage `json:"thinkingMetadata"`
	Result        json.RawMessage `json:"toolUseResult"`
	Workflow      struct {
		Run string `json:"run_id"`
	}
	Version, RequestID, Effort string
	Message                    ccMessage `json:"message"`
	Data, Attachment           ccEvent
	Content                    json.RawMessage // of a system line
}

// ccEvent is the data of a line of progress, or an attachment.
type ccEvent struct {
	Type    string
	Hook    string          `json:"hookName"`
	Agent   string          `json:"agentId"`
	Message json.RawMessage // a line of a sub-agent's
	Prompt  json.RawMessage
}

// ccMessage is an assistant's or user's message. Stop is nil where it was not said
// why it stopped.
type ccMessage struct {
	ID, Model   string
	Stop        *string `json:"stop_reason"`
	Content     json.RawMessage
	Usage       *ccUsage
	Diagnostics struct {
		Miss struct {
			Type   string
			Missed int64 `json:"cache_missed_input_tokens"`
		} `json:"cache_miss_reason"`
	}
}

type ccUsage struct {
	ccCounts
	Speed      string
	Iterations []ccIteration
}

// ccIteration is one of the calls that the server made for a message. Those of
// another type than message are billed beside the message's own usage.
type ccIteration struct {
	Type string
	ccCounts
}

// ccCounts are the tokens of a call.
type ccCounts struct {
	Input  int64 `json:"input_tokens"`
	Write  int64 `json:"cache_creation_input_tokens"`
	Read   int64 `json:"cache_read_input_tokens"`
	Output int64 `json:"output_tokens"`
	Split  *struct {
		For5m int64 `json:"ephemeral_5m_input_tokens"`
		For1h int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// usage are the counts, a write of unknown lifetime as one of five minutes.
func (n *ccCounts) usage() llm.Usage {
	u := llm.Usage{Input: n.Input, Read: n.Read, Output: n.Output, Write5m: n.Write}
	if n.Split != nil {
		u.Write5m, u.Write1h = n.Split.For5m, n.Split.For1h
	}
	return u
}

// ccBlock is a block of content.
type ccBlock struct {
	Type, Text, Thinking   string
	ID, Name               string // of a tool use
	Answers                string `json:"tool_use_id"`
	IsError                bool   `json:"is_error"`
	Input, Content, Source json.RawMessage
}

// peekClaudeCode tells whether a line is Claude Code's, and whose it is. Lines
// that stand outside the conversation may name no session.
func peekClaudeCode(line []byte) (session, agent string, ok bool) {
	var l struct {
		Type    string
		Session string `json:"sessionId"`
		Agent   string `json:"agentId"`
		Side    bool   `json:"isSidechain"`
	}
	if json.Unmarshal(line, &l) != nil || l.Type == "" || l.Session == "" && !bookkeeping[l.Type] {
		return "", "", false
	}
	none := &skips{}
	if l.Side {
		agent = plain(l.Agent, none, "", 0)
	}
	return plain(l.Session, none, "", 0), agent, true
}

// bookkeeping are the types of lines that hold no part of the conversation.
var bookkeeping = map[string]bool{
	"file-history-snapshot": true, "queue-operation": true, "summary": true, "last-prompt": true, "permission-mode": true,
	"mode": true, "ai-title": true, "custom-title": true, "agent-name": true, "pr-link": true, "bridge-session": true,
}

// decode reads data, and counts it when it is no JSON of that form. Fields of
// another type than known are left out, and the first of them is counted.
func (c *claudeCodeReader) decode(data []byte, into any, what string) bool {
	err := json.Unmarshal(data, into)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return true
	case errors.As(err, &kind) && kind.Field != "":
		c.skip("field of a type that is not known: " + quoted(kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]) + " as " + kind.Value)
		return true
	}
	c.skip(what)
	return false
}

// usage are the figures of a line; ok is false when it has none, or impossible
// ones.
func (c *claudeCodeReader) usage(u *ccUsage) (out llm.Usage, ok bool) {
	if u == nil {
		return out, false
	}
	out = u.usage()
	const most = 1 << 32
	for _, n := range []int64{u.Write, out.Input, out.Read, out.Output, out.Write5m, out.Write1h} {
		if n < 0 || n > most {
			c.skip("usage with a figure below 0 or above 4294967296: not taken")
			return llm.Usage{}, false
		}
	}
	switch {
	case out.Written() == u.Write && (u.Split != nil || u.Write == 0):
	case u.Split == nil || out.Written() == 0:
		out.Write5m, out.Write1h = u.Write, 0
		c.readAs("TTL of a write: not named, taken as the default of 5 minutes")
	default:
		c.readAs("cache_creation_input_tokens that is not the sum of its TTLs: the TTLs are taken")
	}
	return out, true
}

// blocks are the blocks of a content, which is a string or a list.
func (c *claudeCodeReader) blocks(raw json.RawMessage) (list []ccBlock) {
	const what = "content that is neither a string nor a list of blocks"
	switch {
	case none(raw):
	case raw[0] == '"':
		list = []ccBlock{{Type: "text"}}
		c.decode(raw, &list[0].Text, what)
	default:
		c.decode(raw, &list, what)
	}
	return list
}

// none reports whether a member is absent.
func none(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// uuid is the key of a line. Uuids are compared only, so a hash of them does.
func uuid(s string) xxh3.Uint128 { return xxh3.HashString128(s) }

// key is what an id is found by: itself, or a hash of a long one.
func key(id string) string {
	if len(id) > maxName {
		return hashed(id)
	}
	return id
}

// promptKey is the hash by which a sub-agent's first message is found again; 0
// for none.
func promptKey(s string) uint64 {
	if s = strings.TrimSpace(s); s == "" {
		return 0
	}
	return xxh3.HashString(s) | 1
}
