package tool

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/memo"
)

// AgentType is a type of agent that a caller may name.
type AgentType struct {
	Name    string
	WhenFor string // what to use it for, one or two sentences
	Tools   string // its tools in words, such as "all tools"; "" leaves them out
}

// AgentOptions are what shapes the Agent tool (SUB-03).
type AgentOptions struct {
	Types    []AgentType // the visible ones, in any order
	Attached bool        // they are listed in the conversation
	AgentGates
}

// AgentGates are the gates that shape its fields.
type AgentGates struct {
	Background bool // background tasks are enabled
	Fork       bool // the fork gate is on
	Names      bool // an agent can be sent messages under the name that its call gives it
	Teams      bool // agent swarms are on
	Internal   bool // an internal build
	Remote     bool // agents can have remote environments, besides worktrees
	// Coordinator makes it a coordinator's, whose agents are all workers (CRD-05).
	Coordinator bool
}

// AgentInput is a checked call of the Agent tool. What was left out is zero.
type AgentInput struct {
	Description string
	Prompt      string
	Type        string // subagent_type
	Model       string // sonnet, opus or haiku
	Background  bool   // run_in_background
	Name        string
	Team        string // team_name
	Mode        string // of a teammate
	Isolation   string // worktree or remote
}

// agentFields are the fields in schema order; those that the gates do not offer
// are hidden.
func agentFields(o AgentGates) fields {
	typeAbout := "Type of agent to use; general-purpose when left out."
	if o.Fork {
		typeAbout = "Type of agent to use. Left out, the agent is a fork of you and knows what you know."
	}
	fs := fields{
		{name: "description", required: true, about: "The task in three to five words."},
		{name: "prompt", required: true, about: "The task for the agent to do."},
		{name: "subagent_type", about: typeAbout},
		{name: "model", enum: []string{"sonnet", "opus", "haiku"}, about: "Model for this agent, before its definition's. Left out, the definition decides."},
		{name: "run_in_background", typ: booleanType, hidden: !o.Background || o.Fork || o.Coordinator,
			about: "Return at once; you are notified when the agent has ended."},
		{name: "name", hidden: !o.Names, about: "Name under which you can send the agent messages once it is in the background."},
		{name: "isolation", enum: isolations[:1], about: aboutIsolation},
		{name: "team_name", hidden: !o.Teams, about: "Name of your team: the agent, which needs a name, becomes a teammate that stays until it is shut down."},
		{name: "mode", hidden: !o.Teams, enum: []string{"default", "acceptEdits", "bypassPermissions", "plan"},
			about: "Permission mode of the teammate; plan has it ask you for approval first."},
	}
	if o.Remote {
		fs[agentIsolation].enum = isolations
		fs[agentIsolation].about += " remote is a copy of the project elsewhere, always in the background. What it changes there does not come back; the notification names it."
	}
	if o.Coordinator {
		forWorkers(fs)
	}
	return fs
}

// isolations are where an agent may work, and aboutIsolation what the first means.
var isolations = []string{"worktree", "remote"}

const aboutIsolation = "Where the agent works: worktree is a working directory and a branch of its own, made of the last commit. Unchanged it is removed at the end, else the result names both."

// The places of the fields in agentFields.
const (
	agentDescription = iota
	agentPrompt
	agentType
	agentModel
	agentBackground
	agentName
	agentIsolation
	agentTeam
	agentMode
)

// AgentSchema is the Agent tool's description, which lists the visible types by
// name (DEF-10), and its input schema. Both follow the gates.
func AgentSchema(o AgentOptions) (description, schema string) {
	schema, _ = agentSchemas.Get(o.AgentGates, func(g AgentGates) (string, error) { return agentFields(g).schema(), nil })
	var b strings.Builder
	b.WriteString(agentOpening)
	if o.Attached {
		b.WriteString(" the conversation lists them.")
	}
	b.WriteString(typeLines(o.Types))
	if o.Coordinator {
		b.WriteString(workerUsage)
		if o.Names {
			b.WriteString(agentNameText)
		}
		return b.String(), schema
	}
	b.WriteString(agentUsage)
	switch {
	case o.Fork:
		b.WriteString(agentForkText)
	case o.Background:
		b.WriteString(agentBackgroundText)
	}
	if o.Names {
		b.WriteString(agentNameText)
	}
	if o.Teams {
		b.WriteString(agentTeamText)
	}
	return b.String(), schema
}

// agentSchemas are the input schemas that there are.
var agentSchemas memo.Map[AgentGates, string]

// TypeList is the list of types as a conversation has it, where the tool's own bytes
// do not.
func TypeList(types []AgentType) string {
	if len(types) == 0 {
		return ""
	}
	return "Types of agents that the Agent tool starts:" + typeLines(types)
}

func typeLines(types []AgentType) string {
	var b strings.Builder
	for _, t := range sortedTypes(types) {
		b.WriteString("\n" + t.Line())
	}
	return b.String()
}

// Line is the type's in a list of types.
func (t AgentType) Line() string {
	line := "- " + t.Name + ": " + t.WhenFor
	if t.Tools != "" {
		line += " (Tools: " + t.Tools + ")"
	}
	return line
}

func sortedTypes(types []AgentType) []AgentType {
	sorted := slices.Clone(types)
	slices.SortStableFunc(sorted, func(a, b AgentType) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

const (
	agentOpening = `Starts an agent that works on a task by itself and reports once. Each type of agent has tools and instructions of its own.

Types of agents:`

	agentUsage = `

How to use it:
- Choose the type with subagent_type, and say in three to five words what the agent will do.
- An agent of a named type knows nothing of this conversation. Its prompt must hold everything it needs: the goal, the files and lines that matter, what you have found already, and what the report should contain.
- Say whether it is to write code or only to look.
- Agents that do not depend on each other are started in one response, so that they run side by side.
- The report is for you and the user does not see it; tell the user what matters in it. Check what an agent claims to have changed.
- To read one file whose path you know, or to search two or three files, use Read, Grep or Glob yourself: an agent costs more than it saves there.`

	agentBackgroundText = `
- With run_in_background the call returns at once and a notification reports the end. Use it when you have other work meanwhile; do not poll.`

	agentForkText = `
- Leave subagent_type out to fork yourself: the fork starts with all that stands in this conversation, so its prompt is only a directive and need not explain. Every agent runs in the background, and a notification reports its end; do not poll, and do not guess at results before they are there.
- A fork cannot start agents of its own.`

	agentTeamText = `
- With team_name and name the agent joins your team: it runs beside you, takes tasks of the shared list, hears from you and the others by SendMessage, and waits for more when it has nothing to do.`

	agentNameText = `
- Give an agent a name to send it messages under that name as under its id. Of several that bear one name, the newest that runs is meant.`
)

// Agent checks a call of the Agent tool. An unknown or ill-typed field
// is an error that names it (SUB-02). A known field that the gates do not offer
// is read over and listed in ignored, as is remote isolation outside an
// internal build (SUB-03). Whether the type is one that the caller may name is not looked at here.
func (k *Inputs) Agent(p *llm.Payload, o AgentGates) (a AgentInput, ignored []string, err error) {
	fs, _ := agentReads.Get(o, agentRead)
	known, err := k.read(fs, p.Raw())
	if err != nil {
		return AgentInput{}, nil, err
	}
	in := *known
	for i, f := range fs {
		if in[i].kind == absent || !f.hidden && (i != agentIsolation || o.Remote || in[i].text() != "remote") {
			continue
		}
		ignored = append(ignored, f.name)
		in[i] = value{}
	}
	for _, i := range [...]int{agentDescription, agentPrompt} {
		if strings.TrimSpace(in[i].text()) == "" {
			return AgentInput{}, nil, emptyField(fs[i].name)
		}
	}
	return agentInput(&in), ignored, nil
}

// agentReads are the fields that calls may have.
var agentReads memo.Map[AgentGates, fields]

func agentRead(o AgentGates) (fields, error) {
	fs := agentFields(o)
	if o.Coordinator { // its wrong types and models are told elsewhere
		open := agentFields(AgentGates{})
		fs[agentType], fs[agentModel] = open[agentType], open[agentModel]
	}
	if !o.Internal {
		fs[agentIsolation].enum = isolations
	}
	return fs, nil
}

func agentInput(in *input) AgentInput {
	return AgentInput{
		Description: in[agentDescription].text(),
		Prompt:      in[agentPrompt].text(),
		Type:        in[agentType].text(),
		Model:       in[agentModel].text(),
		Background:  in[agentBackground].kind == jsonTrue,
		Name:        in[agentName].text(),
		Team:        in[agentTeam].text(),
		Mode:        in[agentMode].text(),
		Isolation:   in[agentIsolation].text(),
	}
}

// ParseSkillInput checks a call of Skill and returns the skill's name and its
// arguments.
func ParseSkillInput(p *llm.Payload) (name, args string, err error) {
	var in input
	if err := skillFields.read(p.Raw(), &in); err != nil {
		return "", "", err
	}
	return in[0].text(), in[1].text(), nil
}

// ParseStopInput checks a call of TaskStop and returns the task's id.
func ParseStopInput(p *llm.Payload) (id string, err error) {
	var in input
	if err := stopFields.read(p.Raw(), &in); err != nil {
		return "", err
	}
	return in[0].text(), nil
}
