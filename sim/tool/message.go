package tool

import (
	"strings"

	"agentsim/sim/llm"
)

// SendName is the wire name of the tool by which agents write to each other.
const SendName = "SendMessage"

var sendFields = fields{
	{name: "to", required: true, about: "Id or name of an agent that you started in the background."},
	{name: "message", required: true, about: "The text."},
}

// TakesNothing checks a call of a tool that has no fields.
func TakesNothing(p *llm.Payload) error {
	var in input
	return fields(nil).read(p.Raw(), &in)
}

// MessageInput is a call of SendMessage.
type MessageInput struct {
	To      string
	Message string
}

// ParseMessageInput checks a call of SendMessage. Only texts can be sent.
func ParseMessageInput(p *llm.Payload) (MessageInput, error) {
	var in input
	if err := sendFields.read(p.Raw(), &in); err != nil {
		return MessageInput{}, err
	}
	m := MessageInput{To: in[0].text(), Message: in[1].text()}
	for i, s := range [...]string{m.To, m.Message} {
		if strings.TrimSpace(s) == "" {
			return MessageInput{}, emptyField(sendFields[i].name)
		}
	}
	return m, nil
}
