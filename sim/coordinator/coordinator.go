// Package coordinator is what a session in coordinator mode does differently: a
// root that directs workers and does no work itself, and the scratchpad that its
// workers share (CRD).
//
// Rules:
//   - A coordinator starts workers and nobody else, and holds only the tools by
//     which it has others work.
//   - What a session is follows from the gates that it began with.
package coordinator

import (
	_ "embed"
	"fmt"
	"strings"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/tool"
)

// PartWorkers is the part of a coordinator's user context that says what its
// workers can do (CRD-03).
const PartWorkers = "workerToolsContext"

// RuleWorkerModel is the finding about a model that a coordinator's call sets.
const RuleWorkerModel = "worker-model"

// RuleForkOff is the finding that both the fork gate and coordinator mode are on:
// there are no forks then (FRK-12).
const RuleForkOff = "fork-off"

// Mode is coordinator mode in a project.
type Mode struct {
	root       string
	scratchpad string
}

// New makes the mode for a project's root, absolute, with the directory below it
// that workers share where gate tengu_scratch is on; "" is DefaultScratchpad.
func New(root, scratchpad string) *Mode {
	if scratchpad == "" {
		scratchpad = DefaultScratchpad
	}
	return &Mode{root, scratchpad}
}

// promptText is six sections under fixed headings, in this order (CRD-02).
//
//go:embed prompt.md
var promptText string

// Prompt is the system prompt of a coordinator.
func (m *Mode) Prompt() string { return promptText }

// Tools is what a coordinator holds of the tools that it is offered: only those by
// which it has others work, whatever else is there (CRD-01).
func (m *Mode) Tools(offered []*tool.Tool) []*tool.Tool { return tool.ForCoordinator(offered) }

// Context says in words which tools workers have, from which servers, and where
// they share what they find (CRD-03).
func (m *Mode) Context(workers []*tool.Tool, g *gate.Set) agent.Part {
	own, servers := tool.Servers(workers)
	s := "Workers that you start with the Agent tool have these tools: " + strings.Join(own, ", ") + "\n"
	if len(servers) > 0 {
		s += "They also have the tools of these MCP servers: " + strings.Join(servers, ", ") + "\n"
	}
	if g.Scratch {
		s += "\n" + m.Note() +
			"Nobody is asked before a worker reads or writes there. Have workers keep in it what other workers will need.\n"
	}
	return agent.Part{Name: PartWorkers, Text: s}
}

// Begins notes that a session begins where forks are asked for.
func (m *Mode) Begins(g *gate.Set, note func(rule, detail string)) {
	if g.ForkSubagent {
		note(RuleForkOff, "FORK_SUBAGENT and coordinator mode are both on: a coordinator starts workers, and forks are off")
	}
}

// Admit holds a coordinator's call against CRD-05: it starts workers and nobody
// else, and what it says of a model is ignored and noted. A call that would make a
// fork if there were any falls back as it does without forks (FRK-12).
func (m *Mode) Admit(in *tool.AgentInput, g *gate.Set, note func(rule, detail string)) error {
	if in.Model != "" {
		note(RuleWorkerModel, "Agent input model "+in.Model+" is ignored: a worker has its coordinator's model")
		in.Model = ""
	}
	switch {
	case in.Type == agent.TypeWorker:
	case in.Type != "":
		return fmt.Errorf("subagent_type must be %s, not %q: a coordinator starts no other agents", agent.TypeWorker, in.Type)
	case g.ForkSubagent:
		note(RuleForkOff, "an Agent call without subagent_type starts a "+agent.TypeGeneralPurpose+" agent: forks are off in coordinator mode")
		in.Type = agent.TypeGeneralPurpose
	default:
		return fmt.Errorf("subagent_type is missing: a coordinator starts agents of type %s, so it must be %s", agent.TypeWorker, agent.TypeWorker)
	}
	return nil
}
