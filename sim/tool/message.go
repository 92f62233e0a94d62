package tool

import (
	"errors"
	"strings"

	"agentsim/sim/llm"
)

// SendName is the wire name of the tool by which agents write to each other.
const SendName = "SendMessage"

var sendFields = fields{
	{name: "to", required: true, about: "A teammate's name, the id of an agent you started, or * for everyone else in the team."},
	{name: "message", typ: anyType, required: true, about: "The text, or one of the protocol messages as an object."},
	{name: "summary", about: "The message in five to ten words, for lists."},
}

// MessageInput is a call of SendMessage.
type MessageInput struct {
	To      string
	Message string
}

// ParseMessageInput checks a call of SendMessage. Only texts can be sent; the
// protocol messages are for teams.
func ParseMessageInput(p *llm.Payload) (MessageInput, error) {
	var in input
	if err := sendFields.read(p.Raw(), &in); err != nil {
		return MessageInput{}, err
	}
	if in[1].kind != jsonString {
		return MessageInput{}, errors.New("field \"message\" is " + in[1].phrase() + ": an agent is sent a text; protocol messages are for teams")
	}
	m := MessageInput{To: in[0].text(), Message: in[1].text()}
	for i, s := range [...]string{m.To, m.Message} {
		if strings.TrimSpace(s) == "" {
			return MessageInput{}, emptyField(sendFields[i].name)
		}
	}
	return m, nil
}
