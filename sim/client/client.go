// Package client says what clients put in front of their agents, as data by client
// and version: which parts of a repository and a session a request holds, where in
// it each stands, and whose requests hold it.
//
// Rules:
//   - A layout is a dated table, not code: what a client does is in its rows.
//   - Each row names its source. What a source does not settle is in the row too,
//     and is said wherever the row counts.
package client

import "slices"

// Kind is a kind of part.
type Kind string

// The kinds.
const (
	Tool        Kind = "tool"             // a definition of the client's own
	Prompt      Kind = "system-prompt"    // a block of the client's own
	Environment Kind = "environment"      // directory, platform, shell
	Git         Kind = "git"              // branch, status and recent commits
	Memory      Kind = "memory"           // CLAUDE.md and what is read with it
	AutoMemory  Kind = "auto-memory"      // what the client wrote down for itself
	Types       Kind = "agent-types"      // that the Agent tool starts
	Skills      Kind = "skills"           // names and descriptions
	MCPTool     Kind = "mcp-tool"         // a server's tool, definition and all
	Deferred    Kind = "deferred-tool"    // a server's tool by its name alone
	ServerText  Kind = "mcp-instructions" // what a server says of itself
)

// Kinds are all of them, in the order of a request of the newest layout.
var Kinds = []Kind{Tool, MCPTool, Prompt, Environment, Git, Memory, AutoMemory, Deferred, Types, ServerText, Skills}

// Place is where in a request a part stands.
type Place string

// The places, in the order of a request.
const (
	Tools       Place = "tools"
	System      Place = "system prompt"
	Opening     Place = "opening"      // of the first message, a block of its own
	UserContext Place = "user context" // one block of the first message
	Attachment  Place = "attachment"   // behind the user context, a block of its own
	Messages    Place = "messages"     // behind all of these
	Nowhere     Place = ""             // the requests do not hold it
)

// Row is one kind of part: where it stands in the requests of a main agent, of a
// sub-agent, and of one that only looks (Explore and Plan). A fork has its parent's.
type Row struct {
	Kind             Kind
	Main, Sub, Lean  Place
	Source           string // where this is known from
	NotVerified      string // what the source does not settle; "" for nothing
	Needs            string // the tool without which an agent does not have the part
	BudgetPermille   int64  // of the window, for all of the kind; 0 is no budget
	FallbackBytes    int    // the budget where the window is not known
	DescriptionBytes int    // the most that one description has
}

// Scope is whose a memory file is.
type Scope string

// The scopes, in the order in which they are read.
const (
	Managed Scope = "managed" // of those who manage the machine
	User    Scope = "user"
	Project Scope = "project" // of each directory from the repository's root down
)

// MemoryFile is a file that a client reads, or a directory of rules, which ends in a
// slash.
type MemoryFile struct {
	Of     Scope
	Name   string
	Source string // where this is known from
}

// Layout is what one version of a client sends.
type Layout struct {
	Name string // client@version
	Date string // of the sources
	Rows []Row
	// Tools are the client's own that a session has, but for Skill, which comes with skills.
	Tools []string
	// KeepsLost says that tools of an MCP server whose connection is lost stay in front,
	// by the vendor's pages.
	KeepsLost bool
	// Memory is what is read beside imports, in this order: all of a scope for one
	// directory after the other.
	Memory []MemoryFile
}

// The layouts' names.
const (
	Seeds   = "seeds"
	Default = "claude-code@2.1.330" // of a run on a project
)

// ImportsBehind is what is not verified of imports, where there are any.
const ImportsBehind = "imports follow the file that names them"

// StatusCut is how many characters of git's status a client sends.
const StatusCut = 2_000

// Row is the layout's row of a kind; the zero row where it has none.
func (l *Layout) Row(k Kind) Row {
	i := slices.IndexFunc(l.Rows, func(r Row) bool { return r.Kind == k })
	if i < 0 {
		return Row{Kind: k}
	}
	return l.Rows[i]
}

// Find is the layout of that name, nil for none.
func Find(name string) *Layout {
	for i := range layouts {
		if layouts[i].Name == name {
			return &layouts[i]
		}
	}
	return nil
}

// Names lists the layouts.
func Names() (out []string) {
	for _, l := range layouts {
		out = append(out, l.Name)
	}
	return out
}
