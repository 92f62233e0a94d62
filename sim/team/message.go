package team

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// MailKind is what a message is, by its word on the wire.
type MailKind string

// The kinds.
const (
	PlainText          MailKind = ""
	ShutdownRequest    MailKind = "shutdown_request"
	ShutdownResponse   MailKind = "shutdown_response"
	PlanRequest        MailKind = "plan_approval_request"
	PlanResponse       MailKind = "plan_approval_response"
	PermissionRequest  MailKind = "permission_request"
	PermissionResponse MailKind = "permission_response"
)

// Message is a structured message: what members say to each other's clients.
type Message struct {
	Type           MailKind `json:"type"`
	RequestID      string   `json:"request_id,omitempty"`
	Approve        *bool    `json:"approve,omitempty"`        // of responses
	Reason         string   `json:"reason,omitempty"`         // of a shutdown
	Feedback       string   `json:"feedback,omitempty"`       // of a response
	PermissionMode string   `json:"permissionMode,omitempty"` // of an approved plan: the mode from then on
	Plan           string   `json:"plan,omitempty"`
	Tool           string   `json:"tool,omitempty"` // of permissions
	Input          string   `json:"input,omitempty"`
}

// Sent are the kinds that agents send by themselves; of permissions clients speak.
var Sent = []MailKind{ShutdownRequest, ShutdownResponse, PlanRequest, PlanResponse}

// ParseMessage reads a structured message of an agent from JSON.
func ParseMessage(raw string) (*Message, error) {
	var m Message
	dec := json.NewDecoder(strings.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("the message is neither a text nor a structured message: %v", err)
	}
	if dec.More() {
		return nil, fmt.Errorf("something stands behind the message")
	}
	return &m, m.check()
}

// check says what a message lacks, or has though its kind has no use for it.
func (m *Message) check() error {
	answers := m.Type == ShutdownResponse || m.Type == PlanResponse
	has := []struct {
		name    string
		set, ok bool
		must    bool
	}{
		{"request_id", m.RequestID != "", true, answers},
		{"approve", m.Approve != nil, answers, answers},
		{"reason", m.Reason != "", m.Type == ShutdownRequest || m.Type == ShutdownResponse, false},
		{"feedback", m.Feedback != "", m.Type == PlanResponse, false},
		{"permissionMode", m.PermissionMode != "", m.Type == PlanResponse && m.Approved(), false},
		{"plan", m.Plan != "", m.Type == PlanRequest, m.Type == PlanRequest},
		{"tool", m.Tool != "", false, false},
		{"input", m.Input != "", false, false},
	}
	known := false
	for _, k := range Sent {
		known = known || k == m.Type
	}
	if !known {
		return fmt.Errorf("there is no message of type %q: the types are %s", m.Type, joined(Sent))
	}
	for _, f := range has {
		switch {
		case f.set && !f.ok:
			return fmt.Errorf("a %s has no field %q", m.Type, f.name)
		case f.must && !f.set:
			return fmt.Errorf("a %s needs the field %q", m.Type, f.name)
		}
	}
	return nil
}

// Approved reports whether a response says yes.
func (m *Message) Approved() bool { return m.Approve != nil && *m.Approve }

// Render is the message as JSON.
func (m *Message) Render() string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		panic("team: " + err.Error()) // strings alone
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// RequestID is the id that a mail's structured message bears, "" for none.
func (m Mail) RequestID() string {
	var s Message
	if m.Kind == PlainText || json.Unmarshal([]byte(m.Text), &s) != nil {
		return ""
	}
	return s.RequestID
}

func joined(kinds []MailKind) string {
	var out []string
	for _, k := range kinds {
		out = append(out, string(k))
	}
	return strings.Join(out, ", ")
}

const tag = "teammate-message"

// Block is a mail as its receiver's model sees it. No text can forge one or end it.
func (m Mail) Block() string {
	kind := ""
	if m.Kind != PlainText {
		kind = ` type="` + string(m.Kind) + `"`
	}
	return `<` + tag + ` from="` + m.From + `"` + kind + ">\n" + Defuse(m.Text) + "\n</" + tag + ">"
}

// Defuse makes a text unable to pass for a mail.
func Defuse(text string) string {
	if !strings.Contains(text, tag) {
		return text
	}
	return strings.NewReplacer("<"+tag, "&lt;"+tag, "</"+tag, "&lt;/"+tag).Replace(text)
}
