package agent

import (
	"agentsim/sim/llm"
	"agentsim/sim/tool"
)

// Context is everything an agent acts with that another agent could reach. It
// is made by newContext only; the sharing table says how each field comes about.
type Context struct {
	ID           llm.AgentID
	Identity     Identity    // nil of a main agent
	Files        *tool.Cache // read-file cache: what it believes fresh
	Abort        *Controller
	AppState     View
	SetAppState  Writer
	SetTaskState Writer
	Query        Tracking
	Replacements Replacements
	Source       string // query source, such as agent:builtin:fork
	Thinking     bool
	Pool         *Pool
	ResponseSize Writer
	Session      *tool.Session // its shell's place and its list of steps; nil until a tool keeps something
}

// Tracking places an agent in the tree of queries (ISO-07, SUB-21).
type Tracking struct {
	Chain uint64
	Depth int
}

// View is how an agent reads application state.
type View struct {
	AvoidPrompts bool // a tool that would have to ask is denied instead
	*Authority        // read at each call
}

// Writer says where a write of application state goes.
type Writer uint8

// The destinations of writes.
const (
	NoOp     Writer = iota // nowhere: the child's changes do not leave it
	ToParent               // where the parent's own writes go
	ToRoot                 // the root store, whatever the parent's writer is
)

func (w Writer) String() string { return [...]string{"no-op", "shared", "root"}[w] }

// Options are the opt-ins of a child's context.
type Options struct {
	ID         llm.AgentID
	Identity   Identity
	Chain      uint64
	Source     string
	Pool       *Pool
	Own        *Authority  // nil shares the parent's
	Files      *tool.Cache // what is cloned; nil clones the parent's
	ShareAbort bool        // the parent's own controller, prompts allowed
	ShareState bool        // writes go where the parent's go
	Linked     bool        // the controller hears the parent's abort
	Exact      bool        // a fork: the parent's thinking and tools
	FreshRepl  bool        // a named option: decide replacements anew, to show what is lost
}

// newContext makes a child's context from its parent's: isolated by default.
func newContext(parent *Context, o Options) Context {
	files := o.Files
	if files == nil {
		files = parent.Files
	}
	c := Context{
		ID:           o.ID,
		Identity:     o.Identity,
		Files:        files.Clone(),
		Abort:        parent.Abort,
		AppState:     View{AvoidPrompts: !o.ShareAbort, Authority: parent.AppState.below(o.Own)},
		SetTaskState: ToRoot,
		Query:        Tracking{Chain: o.Chain, Depth: parent.Query.Depth + 1},
		Replacements: parent.Replacements,
		Source:       o.Source,
		Thinking:     o.Exact && parent.Thinking,
		Pool:         o.Pool,
		ResponseSize: ToParent,
	}
	if !o.ShareAbort {
		c.Abort = newController(parent.Abort, o.Linked)
	}
	if o.ShareState {
		c.SetAppState = ToParent
	}
	if o.FreshRepl {
		c.Replacements.last = nil
	}
	if o.Exact {
		c.Session = parent.Session.Clone()
		c.Pool = parent.Pool
	}
	return c
}

// rootContext is the context of a root agent.
func rootContext(id llm.AgentID, chain uint64, pool *Pool, repl Replacements, thinking bool) Context {
	return Context{
		ID: id, Files: new(tool.Cache), Abort: newController(nil, false), SetAppState: ToRoot, SetTaskState: ToRoot,
		Query: Tracking{Chain: chain}, Replacements: repl, Source: "repl_main_thread", Thinking: thinking, Pool: pool,
		ResponseSize: ToRoot,
	}
}
