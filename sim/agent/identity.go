package agent

import "agentsim/sim/llm"

// Identity says to those who look at an agent's context who it is. A main agent
// has none (ISO-12).
type Identity interface {
	// InvokedBy is the tool use that brought the agent to life, zero where none did.
	InvokedBy() llm.ToolUseID
}

// SubagentIdentity is that of an agent that the Agent tool made.
type SubagentIdentity struct {
	AgentID         llm.AgentID
	SubagentName    string // its type
	IsBuiltIn       bool
	InvokingRequest llm.ToolUseID
}

// InvokedBy is the Agent call.
func (s *SubagentIdentity) InvokedBy() llm.ToolUseID { return s.InvokingRequest }

// TeammateIdentity is that of a member of a team.
type TeammateIdentity struct {
	AgentName        string
	TeamName         string
	PlanModeRequired bool
	IsTeamLead       bool
	InvokingRequest  llm.ToolUseID
}

// InvokedBy is the Agent call, or the message that resumed it.
func (t *TeammateIdentity) InvokedBy() llm.ToolUseID { return t.InvokingRequest }

// identity is an agent's: of a member of a team that of a teammate.
func identity(a *Agent, who *SubagentIdentity) Identity {
	if m := a.mate; m != nil {
		return &TeammateIdentity{AgentName: m.name, TeamName: m.in.Name, PlanModeRequired: m.restores != "", InvokingRequest: who.InvokingRequest}
	}
	return who
}
