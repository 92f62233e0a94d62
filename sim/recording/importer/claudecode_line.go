package importer

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/zeebo/xxh3"

	"agentsim/sim/llm"
)

// ccLine is what is read of a line.
type ccLine struct {
	Type          string          `json:"type"`
	Subtype       string          `json:"subtype"`
	UUID          string          `json:"uuid"`
	Parent        string          `json:"parentUuid"`
	LogicalParent string          `json:"logicalParentUuid"`
	Session       string          `json:"sessionId"`
	Agent         string          `json:"agentId"`
	Side          bool            `json:"isSidechain"`
	Meta          bool            `json:"isMeta"`
	Summary       bool            `json:"isCompactSummary"`
	Failed        bool            `json:"isApiErrorMessage"`
	Time          string          `json:"timestamp"`
	Version       string          `json:"version"`
	RequestID     string          `json:"requestId"`
	ParentToolUse string          `json:"parentToolUseID"`
	Message       json.RawMessage `json:"message"`
	Result        json.RawMessage `json:"toolUseResult"`
	Data          json.RawMessage `json:"data"`
	Attachment    json.RawMessage `json:"attachment"`
}

// ccProgress is the data of a progress line; of other types than agent_progress
// only the type is read.
type ccProgress struct {
	Type    string `json:"type"`
	Agent   string `json:"agentId"`
	Message ccLine `json:"message"`
}

// ccMessage is an assistant's or user's message.
type ccMessage struct {
	ID          string          `json:"id"`
	Model       string          `json:"model"`
	Stop        *string         `json:"stop_reason"`
	Content     json.RawMessage `json:"content"`
	Usage       *ccUsage        `json:"usage"`
	Diagnostics json.RawMessage `json:"diagnostics"`
}

type ccUsage struct {
	Input  int64 `json:"input_tokens"`
	Write  int64 `json:"cache_creation_input_tokens"`
	Read   int64 `json:"cache_read_input_tokens"`
	Output int64 `json:"output_tokens"`
	Split  *struct {
		For5m int64 `json:"ephemeral_5m_input_tokens"`
		For1h int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	Iterations []struct{} `json:"iterations"`
}

// ccBlock is a block of content.
type ccBlock struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	Answers  string          `json:"tool_use_id"`
	Content  json.RawMessage `json:"content"`
	IsError  bool            `json:"is_error"`
	Source   json.RawMessage `json:"source"`
}

// peekClaudeCode tells whether a line is Claude Code's, and whose it is. Lines
// that stand outside the conversation may name no session.
func peekClaudeCode(line []byte) (sessionID, agentID string, sidechain bool, ok bool) {
	var l struct {
		Type    string `json:"type"`
		Session string `json:"sessionId"`
		Agent   string `json:"agentId"`
		Side    bool   `json:"isSidechain"`
	}
	if json.Unmarshal(line, &l) != nil || l.Type == "" {
		return "", "", false, false
	}
	if l.Session == "" && !bookkeeping[l.Type] {
		return "", "", false, false
	}
	none := &skips{}
	return plain(l.Session, none, "", 0), plain(l.Agent, none, "", 0), l.Side, true
}

// bookkeeping are the types of lines that hold no part of the conversation.
var bookkeeping = map[string]bool{
	"file-history-snapshot": true, "queue-operation": true, "summary": true, "last-prompt": true, "permission-mode": true,
	"mode": true, "ai-title": true, "custom-title": true, "agent-name": true, "pr-link": true, "bridge-session": true,
}

// decode reads data, and counts it when it is no JSON. Fields of another type
// than known are counted and left out; the others are read.
func (c *claudeCodeReader) decode(data []byte, into any, what string) bool {
	err := json.Unmarshal(data, into)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return true
	case errors.As(err, &kind):
		c.skip("field of a type that is not known: " + quoted(kind.Field) + " as " + kind.Value)
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
	out = llm.Usage{Input: u.Input, Read: u.Read, Output: u.Output, Write5m: u.Write}
	if s := u.Split; s != nil {
		out.Write5m, out.Write1h = s.For5m, s.For1h
	}
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
		c.skip("lifetime of a write: not named, taken as the default of 5 minutes")
	default:
		c.skip("cache_creation_input_tokens that is not the sum of its lifetimes: the lifetimes are taken")
	}
	if len(u.Iterations) > 1 {
		c.skip("usage of single iterations: the message's own is taken")
	}
	return out, true
}

// diagnosis is why the API says that it read less than it could have.
func (c *claudeCodeReader) diagnosis(raw json.RawMessage) (reason string, missed int64) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", 0
	}
	var d struct {
		Miss *struct {
			Type   string `json:"type"`
			Missed int64  `json:"cache_missed_input_tokens"`
		} `json:"cache_miss_reason"`
	}
	if !c.decode(raw, &d, "diagnostics that are no JSON") || d.Miss == nil {
		return "", 0
	}
	return c.word(d.Miss.Type), max(d.Miss.Missed, 0)
}

// blocks are the blocks of a content, which is a string or a list.
func (c *claudeCodeReader) blocks(raw json.RawMessage) []ccBlock {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] == '"' {
		var s string
		if !c.decode(raw, &s, "content that is no JSON") {
			return nil
		}
		return []ccBlock{{Type: "text", Text: s}}
	}
	var list []ccBlock
	c.decode(raw, &list, "content that is no JSON")
	return list
}

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
