package policy

import "agentsim/scenarios"

// stackNames are what a stack calls the tools that a model uses.
type stackNames struct {
	read, edit, grep, glob, agent string
	send                          string // what continues a worker, "" for none
	bash, write                   string
	describes                     bool   // a command may be described beside
	agentType                     string // field of the agent tool that names a type
}

var (
	fullNames = stackNames{read: "Read", edit: "Edit", grep: "Grep", glob: "Glob", agent: agentTool, agentType: "subagent_type",
		send: "SendMessage", bash: "Bash", write: "Write", describes: true}
	minimalNames = stackNames{read: "read_file", edit: "edit_file", grep: "grep_search", glob: "list_files", agent: "agent", agentType: "type",
		bash: "run_shell", write: "write_file"}
)

// namesOf are the names in a scenario's stack.
func namesOf(sc *scenarios.Scenario) *stackNames {
	if sc.Stack == scenarios.MinimalStack {
		return &minimalNames
	}
	return &fullNames
}

// search is the name of a search in the stack.
func (n *stackNames) search(tool string) string {
	if tool == fullNames.grep {
		return n.grep
	}
	return n.glob
}
