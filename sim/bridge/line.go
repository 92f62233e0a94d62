package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"agentsim/sim/vtime"
)

// Types of lines.
const (
	User            = "user"
	Assistant       = "assistant"
	System          = "system"
	Result          = "result"
	ControlRequest  = "control_request"
	ControlResponse = "control_response"
	Environment     = "update_environment_variables"
)

// TokenVariable is the environment variable in which a session finds its token.
const TokenVariable = "CLAUDE_CODE_SESSION_ACCESS_TOKEN"

// Subtypes and states.
const (
	CanUseTool  = "can_use_tool"          // of ControlRequest
	Rests       = "session_state_changed" // of System: the process has said all that it has to say for now
	Unrefreshed = "token_not_refreshed"   // of System: from the end of its token on what the session asks for is refused
	Refused     = "refused"               // of System: a line came that nothing can be done with

	Idle    = "idle"            // the session waits for its user
	Asks    = "requires_action" // it waits for the answer to a question
	Expired = "token_expired"   // it waits for a token that holds
)

// MaxLine bounds a line, in bytes.
const MaxLine = 16 << 20

// Line is a line of NDJSON between a bridge and a session's process. The fields that
// its type does not need are left out.
type Line struct {
	Type      string            `json:"type"`
	Subtype   string            `json:"subtype,omitempty"`
	At        vtime.Instant     `json:"at,omitempty"` // since the session began, in nanoseconds
	Parent    string            `json:"parent_tool_use_id,omitempty"`
	Session   string            `json:"session_id,omitempty"`
	Message   *Message          `json:"message,omitempty"`
	RequestID string            `json:"request_id,omitempty"`
	Request   *Ask              `json:"request,omitempty"`
	Response  *Reply            `json:"response,omitempty"`
	Variables map[string]string `json:"variables,omitempty"`
	State     string            `json:"state,omitempty"`
	Result    string            `json:"result,omitempty"`
	Turns     int               `json:"num_turns,omitempty"`
	IsError   bool              `json:"is_error,omitempty"`
	Error     string            `json:"error,omitempty"`
	Usage     *Usage            `json:"usage,omitempty"`
}

// Message is a message of a conversation.
type Message struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
	Usage   *Usage  `json:"usage,omitempty"`
}

// Content is a message's blocks; a text alone is one of them.
type Content []Block

// UnmarshalJSON reads a text or a list of blocks.
func (c *Content) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*c = Content{{Type: "text", Text: one}}
		return nil
	}
	return json.Unmarshal(text, (*[]Block)(c))
}

// Block is a block of a message.
type Block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text,omitempty"`
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Use     string          `json:"tool_use_id,omitempty"`
	Content string          `json:"content,omitempty"`
	IsError bool            `json:"is_error,omitempty"`
}

// Usage is what a request or a turn was billed for, in tokens.
type Usage struct {
	Input  int64 `json:"input_tokens"`
	Write  int64 `json:"cache_creation_input_tokens"`
	Read   int64 `json:"cache_read_input_tokens"`
	Output int64 `json:"output_tokens"`
}

// Ask is a question: may the tool be used like this?
type Ask struct {
	Subtype string          `json:"subtype"`
	Tool    string          `json:"tool_name,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Use     string          `json:"tool_use_id,omitempty"`
}

// Reply answers a question.
type Reply struct {
	Subtype   string    `json:"subtype"` // success or error
	RequestID string    `json:"request_id"`
	Response  *Decision `json:"response,omitempty"`
	Error     string    `json:"error,omitempty"`
}

// Decision is what the user has decided.
type Decision struct {
	Behavior           string          `json:"behavior"` // allow or deny
	UpdatedInput       json.RawMessage `json:"updatedInput,omitempty"`
	UpdatedPermissions []Update        `json:"updatedPermissions,omitempty"`
	Message            string          `json:"message,omitempty"`
}

// Update is a change of a session's rules.
type Update struct {
	Type        string       `json:"type"` // addRules
	Rules       []UpdateRule `json:"rules"`
	Behavior    string       `json:"behavior"`    // allow
	Destination string       `json:"destination"` // session
}

// UpdateRule is a rule of an update.
type UpdateRule struct {
	Tool    string `json:"toolName"`
	Content string `json:"ruleContent,omitempty"`
}

// ParseLine reads a line. Fields that are not known are passed over, as of any
// newer process.
func ParseLine(text []byte) (*Line, error) {
	if len(text) > MaxLine {
		return nil, fmt.Errorf("a line of %d bytes; %d is the most", len(text), MaxLine)
	}
	l := &Line{}
	if err := json.Unmarshal(bytes.TrimSpace(text), l); err != nil {
		return nil, fmt.Errorf("not a line of stream-json: %w", err)
	}
	if l.Type == "" {
		return nil, errors.New("not a line of stream-json: it has no type")
	}
	return l, nil
}

// Text is the line as it is sent, without a line end.
func (l *Line) Text() []byte {
	out, err := json.Marshal(l)
	if err != nil {
		panic(err) // only of inputs that are no JSON
	}
	return out
}
