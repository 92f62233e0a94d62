package agent

import (
	"fmt"

	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
)

// Definition is a kind of agent: what it is for, what it may use, how its
// system prompt comes about. Built-in, custom and plugin definitions are the
// same thing from different sources (DEF-01).
type Definition struct {
	Type        string // the subagent_type that names it
	Description string // when to use it; stands in the Agent tool's own bytes
	Source      Source
	Plugin      string            // the plugin that brings it; "" of any other source
	Place       string            // file and line of it, for messages; "" of a built-in
	Fields      map[string]string // likewise of each field that it gives
	Model       string            // alias, dated id, "inherit", or "" for the default sub-agent model
	Tools       []string          // allow list; ["*"] or nil is the default pool
	Disallowed  []string
	Mode        permission.Mode // permission mode; "" leaves it to the parent
	MaxTurns    int             // 0 is the run's limit
	Background  bool
	ReadOnly    bool // changes no file, not even a temporary one
	OmitClaude  bool // leaves CLAUDE.md out of the user context (LEAN-01)
	OmitGit     bool // leaves git status out of the system context
	// Prompt renders the system prompt for the gates of this moment; nil for a
	// definition without one.
	Prompt func(*gate.Set) string

	InitialPrompt string   // stands in front of the first user message; may be a slash command
	Skills        []string // whose texts are said before the first user message
	Memory        Memory   // scope of what its agents remember; "" is none
	Hooks         []Hook   // that hear its agents and nobody else
	Effort        string   // without effect in a sub-agent, which says so when it starts
	CacheTTL      *llm.TTL // lifetime at the markers of its agents; nil is the session's for sub-agents
	Isolation     string   // worktree or remote
	Servers       []string // MCP servers of the session whose tools its agents have, whatever Tools says
	Inline        []string // MCP servers that each of its agents opens for itself
	Required      []string // MCP servers without which it is hidden
	Color         string   // of its name on a screen
	// Refused says, with their places, which of its fields nothing can serve yet.
	// Starting an agent of the definition is then an error.
	Refused []string
	Remote  string // likewise of isolation remote, which a call may overrule; "" where it does not ask for it
}

// Unserved says what nothing serves of a definition whose caller asks for an isolation,
// "" for none. remote says that there are remote environments.
func (d *Definition) Unserved(isolation string, remote bool) []string {
	if d.Remote == "" || isolation != "" || remote {
		return d.Refused
	}
	return append(d.Refused[:len(d.Refused):len(d.Refused)], d.Remote)
}

// Source is where a definition comes from, by its wire name.
type Source string

// The sources, in the order in which they apply: the later wins (DEF-02).
const (
	FromBuiltIn Source = "built-in"
	FromPlugin  Source = "plugin"
	FromUser    Source = "userSettings"
	FromProject Source = "projectSettings"
	FromFlag    Source = "flagSettings"
	FromPolicy  Source = "policySettings"
)

// BuiltIn reports whether the definition is one of the stack's own.
func (d *Definition) BuiltIn() bool { return d.Source == FromBuiltIn }

// bubbles reports whether the definition's agents ask at their parent's terminal, in
// whatever mode they run. A root has no definition.
func (d *Definition) bubbles() bool { return d != nil && d.Mode == permission.Bubble }

// SystemPrompt is the definition's prompt for the gates of this moment. Of a
// definition that has none, asking is an error (FRK-15).
func (d *Definition) SystemPrompt(g *gate.Set) (string, error) {
	if d.Prompt == nil {
		return "", fmt.Errorf("agent type %q has no system prompt of its own: it runs behind its parent's", d.Type)
	}
	return d.Prompt(g), nil
}

// QuerySource marks the requests of the definition's agents.
func (d *Definition) QuerySource() string {
	if d.BuiltIn() {
		return "agent:builtin:" + d.Type
	}
	return "agent:custom"
}

// Memory is a scope of what agents remember from one run of theirs to the next.
type Memory string

// The scopes.
const (
	MemoryUser    Memory = "user"    // of the user, in every project
	MemoryProject Memory = "project" // of the project, shared with those who work on it
	MemoryLocal   Memory = "local"   // of the project on this machine
)

// The types of the built-in definitions of this stack.
const (
	TypeMain           = "main"
	TypeCoordinator    = "coordinator" // a root that coordinates
	TypeGeneralPurpose = "general-purpose"
	TypeExplore        = "Explore"
	TypePlan           = "Plan"
	TypeVerification   = "verification"
	TypeFork           = "fork"
	TypeWorker         = "worker"
	TypeStatusline     = "statusline-setup"
	TypeGuide          = "claude-code-guide"
)

// ForkSource is the query source of a fork: the mark that no compaction can
// remove.
const ForkSource = "agent:builtin:" + TypeFork

// ForkMaxTurns ends a fork that does not report.
const ForkMaxTurns = 200

// readOnlyDenied are the tools that a read-only type may not have.
var readOnlyDenied = []string{"Agent", "ExitPlanMode", "Edit", "Write", "NotebookEdit"}

// BuiltIns are the built-in definitions that the Agent tool lists where nothing
// else is said, in order. A coordinator has its workers and nobody else.
func BuiltIns(g *gate.Set) []*Definition {
	if g.Coordinator() {
		return []*Definition{worker()}
	}
	return []*Definition{generalPurpose(), explore(g)}
}

// EveryBuiltIn is every built-in definition (DEF-07), in a fixed order.
func EveryBuiltIn(g *gate.Set) []*Definition {
	x := explore(g)
	return []*Definition{generalPurpose(), x, planner(x), verification(), ForkDefinition(), worker(), statusline(), guide()}
}

// Nameable reports whether a call may name a built-in type: a fork is what a
// call without a type makes, and a worker is a coordinator's alone.
func Nameable(typ string, g *gate.Set) bool {
	switch typ {
	case TypeFork:
		return false
	case TypeWorker:
		return g.Coordinator()
	}
	return true
}

func generalPurpose() *Definition {
	return &Definition{
		Type: TypeGeneralPurpose, Source: FromBuiltIn, Tools: []string{"*"}, Prompt: fixed(generalText),
		Description: "Research, search and multi-step work of any kind, with every tool; use it when no other type fits.",
	}
}

// explore's model depends on who uses the build.
func explore(g *gate.Set) *Definition {
	model := "haiku"
	if g.UserType == gate.Internal {
		model = "inherit"
	}
	return &Definition{
		Type: TypeExplore, Source: FromBuiltIn, Model: model, Disallowed: readOnlyDenied, ReadOnly: true,
		OmitClaude: true, OmitGit: true, Prompt: fixed(exploreText),
		Description: "Fast read-only search of a code base: finding files, patterns and answers about how things work.",
	}
}

// planner has the explorer's tools by reference, so that the two stay alike.
func planner(explore *Definition) *Definition {
	return &Definition{
		Type: TypePlan, Source: FromBuiltIn, Model: "inherit", Tools: explore.Tools, Disallowed: explore.Disallowed, ReadOnly: true,
		OmitClaude: true, OmitGit: true, Prompt: fixed(planText),
		Description: "Read-only design of an implementation: returns steps, trade-offs and the files that matter most.",
	}
}

func verification() *Definition {
	return &Definition{
		Type: TypeVerification, Source: FromBuiltIn, Model: "inherit", Disallowed: readOnlyDenied, Background: true, Prompt: fixed(verificationText),
		Description: "Tries to break finished work by running it, and returns a verdict: PASS, FAIL or PARTIAL, with evidence. Tell it what was asked, what was changed and where.",
	}
}

// ForkDefinition is the definition of a fork. It has no prompt of its own: the
// parent's rendered bytes are used, and asking for one is an error.
func ForkDefinition() *Definition {
	return &Definition{
		Type: TypeFork, Source: FromBuiltIn, Model: "inherit", Tools: []string{"*"},
		Mode: permission.Bubble, MaxTurns: ForkMaxTurns,
		Description: "A copy of the calling agent that inherits its whole conversation.",
	}
}

func worker() *Definition {
	return &Definition{
		Type: TypeWorker, Source: FromBuiltIn, Model: "inherit", Tools: []string{"*"}, Prompt: workerPrompt,
		Description: "Does one self-contained piece of work for a coordinator: research, implementation or verification.",
	}
}

func statusline() *Definition {
	return &Definition{
		Type: TypeStatusline, Source: FromBuiltIn, Tools: []string{"Read", "Edit"}, Prompt: fixed(statuslineText),
		Description: "Sets up the status line of the user's terminal session.",
	}
}

func guide() *Definition {
	return &Definition{
		Type: TypeGuide, Source: FromBuiltIn, Tools: []string{"Read", "Grep", "Glob", "WebFetch", "WebSearch"}, Prompt: fixed(guideText),
		Description: "Answers questions about the agent tool itself: its commands, settings, hooks, skills and servers.",
	}
}

// works reports whether agents of the definition work for a coordinator: those of
// the built-in type, and those of the definition by which a policy has replaced
// it. Nobody else can give that name to a definition (DEF-09).
func (d *Definition) works() bool {
	return d.Type == TypeWorker && (d.BuiltIn() || d.Source == FromPolicy)
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
