package importer

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/zeebo/xxh3"

	"agentsim/sim/llm"
)

// ccLine is what is read of a line. Parts that are JSON lie in the line and are
// good until the next one is read.
type ccLine struct {
	Type, Subtype                     string
	UUID, Parent, LogicalParent       string
	Session, Agent                    string
	Side, Meta, Summary, Failed       bool
	Time, Version                     string
	RequestID, ParentToolUse          string
	Effort, Skill, Permission         string
	Workflow                          string // run of the workflow whose agent wrote it
	Thinking                          bool   // it carries thinkingMetadata
	Message, Result, Data, Attachment json.RawMessage
	Content                           json.RawMessage // of a system line
}

// set takes one member in; it is false for one of another type than known.
func (l *ccLine) set(name, v []byte) bool {
	switch string(name) {
	case "type":
		return setString(&l.Type, v)
	case "subtype":
		return setString(&l.Subtype, v)
	case "uuid":
		return setString(&l.UUID, v)
	case "parentUuid":
		return setString(&l.Parent, v)
	case "logicalParentUuid":
		return setString(&l.LogicalParent, v)
	case "sessionId":
		return setString(&l.Session, v)
	case "agentId":
		return setString(&l.Agent, v)
	case "isSidechain":
		return setBool(&l.Side, v)
	case "isMeta":
		return setBool(&l.Meta, v)
	case "isCompactSummary":
		return setBool(&l.Summary, v)
	case "isApiErrorMessage":
		return setBool(&l.Failed, v)
	case "timestamp":
		return setString(&l.Time, v)
	case "version":
		return setString(&l.Version, v)
	case "requestId":
		return setString(&l.RequestID, v)
	case "parentToolUseID":
		return setString(&l.ParentToolUse, v)
	case "effort":
		return setString(&l.Effort, v)
	case "workflow.run_id":
		return setString(&l.Workflow, v)
	case "workflow":
		return v[0] != '{' || eachField(v, func(name, value []byte) {
			if string(name) == "run_id" {
				setString(&l.Workflow, value)
			}
		})
	case "attributionSkill":
		return setString(&l.Skill, v)
	case "permissionMode":
		return setString(&l.Permission, v)
	case "thinkingMetadata":
		l.Thinking = v[0] == '{'
	case "content":
		l.Content = v
	case "message":
		l.Message = v
	case "toolUseResult":
		l.Result = v
	case "data":
		l.Data = v
	case "attachment":
		l.Attachment = v
	}
	return true
}

// ccProgress is the data of a line of progress.
type ccProgress struct {
	Type, Agent string
	Message     ccLine
	message     json.RawMessage
}

func (p *ccProgress) set(name, v []byte) bool {
	switch string(name) {
	case "type":
		return setString(&p.Type, v)
	case "agentId":
		return setString(&p.Agent, v)
	case "message":
		p.message = v
	}
	return true
}

// ccMessage is an assistant's or user's message. Answered is whether it has a
// reason why it stopped.
type ccMessage struct {
	ID, Model, Stop             string
	Answered                    bool
	Content, Usage, Diagnostics json.RawMessage
}

func (m *ccMessage) set(name, v []byte) bool {
	switch string(name) {
	case "id":
		return setString(&m.ID, v)
	case "model":
		return setString(&m.Model, v)
	case "stop_reason":
		m.Answered = v[0] == '"'
		return setString(&m.Stop, v)
	case "content":
		m.Content = v
	case "usage":
		m.Usage = v
	case "diagnostics":
		m.Diagnostics = v
	}
	return true
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
	Iterations []ccIteration `json:"iterations"`
}

// ccIteration is one of the calls that the server made for a message. Those of
// another type than message are billed beside the message's own usage.
type ccIteration struct {
	Type  string
	Input int64 `json:"input_tokens"`
	Write int64 `json:"cache_creation_input_tokens"`
	Read  int64 `json:"cache_read_input_tokens"`
	Out   int64 `json:"output_tokens"`
	Split *struct {
		For5m int64 `json:"ephemeral_5m_input_tokens"`
		For1h int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// ccBlock is a block of content.
type ccBlock struct {
	Type, Text, Thinking   string
	ID, Name               string // of a tool use
	Answers                string // the id of a tool use
	IsError                bool
	Input, Content, Source json.RawMessage
}

func (b *ccBlock) set(name, v []byte) bool {
	switch string(name) {
	case "type":
		return setString(&b.Type, v)
	case "text":
		return setString(&b.Text, v)
	case "thinking":
		return setString(&b.Thinking, v)
	case "id":
		return setString(&b.ID, v)
	case "name":
		return setString(&b.Name, v)
	case "tool_use_id":
		return setString(&b.Answers, v)
	case "is_error":
		return setBool(&b.IsError, v)
	case "input":
		b.Input = v
	case "content":
		b.Content = v
	case "source":
		b.Source = v
	}
	return true
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

// object takes the members of an object in, and counts it when it is none. A
// member of another type than known is counted and left out.
func (c *claudeCodeReader) object(data []byte, what string, set func(name, value []byte) bool) bool {
	if !eachField(data, func(name, value []byte) {
		if !set(name, value) {
			c.skip("field of a type that is not known: " + quoted(string(name)))
		}
	}) {
		c.skip(what)
		return false
	}
	return true
}

// usage are the figures of a line; ok is false when it has none, or impossible
// ones.
func (c *claudeCodeReader) usage(raw json.RawMessage) (out llm.Usage, ok bool) {
	var u ccUsage
	if none(raw) || !c.decode(raw, &u, "usage that is no JSON") {
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
	return out, true
}

// diagnosis is why the API says that it read less than it could have.
func (c *claudeCodeReader) diagnosis(raw json.RawMessage) (reason string, missed int64) {
	if none(raw) {
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
func (c *claudeCodeReader) blocks(raw json.RawMessage) (list []ccBlock) {
	switch {
	case none(raw):
	case raw[0] == '"':
		b := ccBlock{Type: "text"}
		if !setString(&b.Text, raw) {
			c.skip("content that is no JSON")
			break
		}
		list = append(list, b)
	default:
		if !eachItem(raw, func(item []byte) {
			var b ccBlock
			if c.object(item, "block of content that is no JSON object", b.set) {
				list = append(list, b)
			}
		}) {
			c.skip("content that is neither a string nor a list")
		}
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
