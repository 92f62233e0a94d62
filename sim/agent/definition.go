package agent

import (
	"fmt"

	"agentsim/sim/permission"
)

// Definition is a kind of agent: what it is for, what it may use, how its
// system prompt comes about.
type Definition struct {
	Type        string // the subagent_type that names it
	Description string // when to use it; stands in the Agent tool's own bytes
	BuiltIn     bool
	Model       string   // alias, dated id, "inherit", or "" for the default sub-agent model
	Tools       []string // allow list; ["*"] or nil is the default pool
	Disallowed  []string
	Mode        permission.Mode // permission mode; "" leaves it to the parent
	MaxTurns    int             // 0 is the run's limit
	Background  bool
	OmitClaude  bool // leaves CLAUDE.md out of the user context (LEAN-01)
	OmitGit     bool // leaves git status out of the system context
	// Prompt renders the system prompt for the gates of this moment; nil for a
	// definition without one.
	Prompt func(*Gates) string
}

// SystemPrompt is the definition's prompt for the gates of this moment. Of a
// definition that has none, asking is an error (FRK-15).
func (d *Definition) SystemPrompt(g *Gates) (string, error) {
	if d.Prompt == nil {
		return "", fmt.Errorf("agent type %q has no system prompt of its own: it runs behind its parent's", d.Type)
	}
	return d.Prompt(g), nil
}

// The types of the built-in definitions of this stack.
const (
	TypeMain           = "main"
	TypeGeneralPurpose = "general-purpose"
	TypeExplore        = "Explore"
	TypeFork           = "fork"
)

// ForkSource is the query source of a fork: the mark that no compaction can
// remove.
const ForkSource = "agent:builtin:" + TypeFork

// ForkMaxTurns ends a fork that does not report.
const ForkMaxTurns = 200

// readOnlyDenied are the tools that a read-only type may not have.
var readOnlyDenied = []string{"Agent", "ExitPlanMode", "Edit", "Write", "NotebookEdit"}

// BuiltIns are the built-in definitions in the order in which the Agent tool
// lists them. Explore's model depends on who uses the build (DEF-07).
func BuiltIns(g *Gates) []*Definition {
	explore := "haiku"
	if g.UserType == UserTypeInternal {
		explore = "inherit"
	}
	return []*Definition{
		{
			Type: TypeGeneralPurpose, BuiltIn: true, Tools: []string{"*"}, Prompt: generalPrompt,
			Description: "Research, search and multi-step work of any kind, with every tool; use it when no other type fits.",
		},
		{
			Type: TypeExplore, BuiltIn: true, Model: explore, Disallowed: readOnlyDenied,
			OmitClaude: true, OmitGit: true, Prompt: explorePrompt,
			Description: "Fast read-only search of a code base: finding files, patterns and answers about how things work.",
		},
	}
}

// ForkDefinition is the definition of a fork. It has no prompt of its own: the
// parent's rendered bytes are used, and asking for one is an error.
func ForkDefinition() *Definition {
	return &Definition{
		Type: TypeFork, BuiltIn: true, Model: "inherit", Tools: []string{"*"},
		Mode: permission.Bubble, MaxTurns: ForkMaxTurns,
		Description: "A copy of the calling agent that inherits its whole conversation.",
	}
}

// find returns the definition of a type, or nil.
func find(defs []*Definition, typ string) *Definition {
	for _, d := range defs {
		if d.Type == typ {
			return d
		}
	}
	return nil
}
