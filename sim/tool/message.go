package tool

import (
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/memo"
	"agentsim/sim/team"
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

// teamSendFields are what it takes with teams.
var teamSendFields = fields{
	{name: "to", required: true, about: "Name of a teammate, team-lead, or * for all teammates but you; id or name of an agent that you started in the background; uds:SESSION or bridge:SESSION for another session."},
	{name: "message", typ: anyType, required: true, about: "The text; or, to one member of your team, an object whose type is shutdown_request, shutdown_response, plan_approval_request or plan_approval_response."},
}

// planSendFields are what it takes where workers plan.
var planSendFields = fields{
	sendFields[0],
	{name: "message", typ: anyType, required: true, about: "The text; or, to a worker that has sent a plan_approval_request, an object whose type is plan_approval_response."},
}

// SendPlanSchema is the description and the input schema of SendMessage where workers plan.
func SendPlanSchema() (description, schema string) {
	return sendText + sendPlanText, planSendFields.schema()
}

// SendSchema is the description and the input schema of SendMessage with teams.
func SendSchema() (description, schema string) {
	return sendText + sendTeamText, teamSendSchema()
}

var teamSendSchema = memo.Once(teamSendFields.schema)

// MessageInput is a call of SendMessage.
type MessageInput struct {
	To         string
	Message    string
	Structured *team.Message // in place of a text
}

// ParseMessageInput checks a call of SendMessage. Without teams only texts can be sent.
func ParseMessageInput(p *llm.Payload, teams bool) (MessageInput, error) {
	fs := sendFields
	if teams {
		fs = teamSendFields
	}
	var in input
	if err := fs.read(p.Raw(), &in); err != nil {
		return MessageInput{}, err
	}
	m := MessageInput{To: in[0].text(), Message: in[1].text()}
	for i, s := range [...]string{m.To, m.Message} {
		if strings.TrimSpace(s) == "" {
			return MessageInput{}, emptyField(fs[i].name)
		}
	}
	if in[1].kind == jsonString {
		return m, nil
	}
	var err error
	m.Structured, err = team.ParseMessage(m.Message)
	return m, err
}
