package tool

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/shell"
	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// Tool is one tool as a model sees it and as it runs.
type Tool struct {
	Name        string
	Aliases     []string // further names under which calls and rules may give it
	Description string
	Schema      string // JSON schema of the input, as it stands in the request's bytes
	Raw         string // the whole definition as a client sends it; "" for what description and schema make
	Safe        bool   // may run at the same time as its safe neighbours (LOOP-03)
	OptIn       bool   // offered only where a session names it
	Stateful    bool   // has something that lasts from call to call: Env.Session
	Class       permission.Class
	Internal    bool // for those who coordinate, not for workers (FLT-11)
	MCP         bool // comes from an MCP server, or finds what does
	Deferred    bool // in front of agents by its name alone, where they have ToolSearch
	ReadOnly    bool // of a server's tool: it says of itself that it changes nothing
	Handled     bool // run by the agent layer: it acts on agents or waits
	// Run acts; nil of a tool that is Handled or not implemented.
	Run func(*Env, *llm.Payload) Result
	// Took is how long one call takes, where its result does not say; Drawn stands in
	// its place where it is not nil.
	Took  vtime.Duration
	Drawn *rng.Span
	// Reads reports whether one call may run at the same time as its safe
	// neighbours; nil where Safe says so for all.
	Reads func(*llm.Payload) bool

	fields    fields
	canonical string // name of the catalogue's tool whose work it does, when that is another
	made      *made  // of the catalogue
}

// CanonicalName is the catalogue's name of what the tool does: its own, unless it bears
// another in its stack.
func (t *Tool) CanonicalName() string {
	if t.canonical != "" {
		return t.canonical
	}
	return t.Name
}

// Time is how long a call takes whose result does not say.
func (t *Tool) Time(key rng.Key) vtime.Duration {
	if t.Drawn == nil {
		return t.Took
	}
	return vtime.Duration(t.Drawn.Draw(key))
}

// Env is what a tool of one agent acts on.
type Env struct {
	FS     *workspace.FS
	Cache  *Cache   // what this agent has read
	Marks  mark.Key // of the run
	Now    vtime.Instant
	Root   string  // the project's root as agents see it, absolute, without a final slash
	Agent  int32   // the agent's ordinal, for the write log
	Inputs *Inputs // of the run; nil keeps nothing

	Session  *Session        // of the agent, for tools that keep something
	Repo     *shell.Repo     // of the run
	Programs []shell.Program // what builds and tests do; nil are shell.Programs
	Drawn    Drawn           // of commands that the shell does not carry out; nil leaves what holds without it

	// Stale is, after a call, the file that it was refused to change, with the version
	// that the agent had seen, since another one stands there.
	Stale struct{ Path, Seen string }

	Wait        func(vtime.Duration) error // lets the time of a command pass while it runs; nil does all of it at once
	Interrupted func() bool                // whether the run is to end; for tools that may run long
}

// Drawn is what a command prints that the shell does not carry out, and how long it
// takes, by the whole input of the call; given is what holds without it.
type Drawn func(input, output string, took vtime.Duration) (string, vtime.Duration)

// Result is the answer of a tool.
type Result struct {
	Content *llm.Payload
	IsError bool
	Took    vtime.Duration // where the call says how long it took; 0 is Tool.Took
	Shell   *Shell         // of Bash, where it did anything beyond its output
	Behind  []llm.Block    // what stands behind the results of its answer: definitions of tools that were found
}

// Error is a result that says what went wrong.
func Error(text string) Result {
	return Result{Content: llm.NewText(llm.Prose, text), IsError: true}
}

// Is reports whether name is the tool's name or one of its aliases.
func (t *Tool) Is(name string) bool { return t.Name == name || slices.Contains(t.Aliases, name) }

// Implemented reports whether calls of the tool have an effect in the simulation.
func (t *Tool) Implemented() bool { return t.Run != nil || t.Handled }

// Find is the tool with the name or alias, or nil.
func Find(all []*Tool, name string) *Tool {
	for _, t := range all {
		if t.Is(name) {
			return t
		}
	}
	return nil
}

// SafeFor reports whether a call may run at the same time as its safe
// neighbours (LOOP-03).
func (t *Tool) SafeFor(p *llm.Payload) bool { return t.Safe || t.Reads != nil && t.Reads(p) }

// Offered is what a session offers by default: the tools that act, but for those
// that are to be named, and those named besides, in the order of all. A name that is no tool is an error.
func Offered(all []*Tool, besides []string) ([]*Tool, error) {
	extra, err := Pick(all, besides)
	if err != nil {
		return nil, err
	}
	var out []*Tool
	for _, t := range all {
		if t.Implemented() && !t.OptIn || Find(extra, t.Name) != nil {
			out = append(out, t)
		}
	}
	return out, nil
}

// WithNamed is the tools offered and those of all that names name besides, in the
// order of all. "*" names none.
func WithNamed(offered, all []*Tool, names []string) []*Tool {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "*" || Find(offered, n) != nil })
	if len(names) == 0 {
		return offered
	}
	return slices.DeleteFunc(slices.Clone(all), func(t *Tool) bool { return !slices.Contains(offered, t) && !namesTool(names, t) })
}

// Pick is the named tools in the order of all, each once. A name that is no
// tool is an error.
func Pick(all []*Tool, names []string) ([]*Tool, error) {
	for _, n := range names {
		if Find(all, n) == nil {
			return nil, fmt.Errorf("there is no tool %q: the tools are %s", n, strings.Join(Names(all), ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(t *Tool) bool { return !namesTool(names, t) }), nil
}

// Names lists the wire names of tools, in order.
func Names(tools []*Tool) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = t.Name
	}
	return out
}

// Definition is the tool's JSON definition as it stands in a request.
func Definition(t *Tool) string {
	switch {
	case t.Raw != "":
		return t.Raw
	case t.made != nil && *t.made == (made{t.Name, t.Description, t.Schema, t.made.definition}):
		return t.made.definition
	}
	return defined(t)
}

// made is the definition of a tool of the catalogue as it stands there.
type made struct{ name, description, schema, definition string }

func defined(t *Tool) string {
	return `{"name":` + quote(t.Name) + `,"description":` + quote(t.Description) + `,"input_schema":` + t.Schema + `}`
}
