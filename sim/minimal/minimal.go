// Package minimal is the minimal stack: the same loop, renderer and sharing, with
// other definitions, tool names, results and options (MIN).
//
// Rules:
//   - Sub-agents are synchronous, one level deep, and start with nothing but a prompt.
//   - Where it departs from the full stack, a finding says so.
package minimal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// Options are the choices of the stack.
type Options struct {
	// ReadOnlyShell puts run_shell among the tools of explore and plan.
	ReadOnlyShell bool
	// SideBySide lets the sub-agents of one answer run at one time, which otherwise
	// wait for each other (MIN-06).
	SideBySide bool
}

// Stack is the minimal stack of one run.
type Stack struct {
	Options
	context []agent.Part    // that the session's sub-agents are not told
	kept    map[int32]*kept // by agent
}

// New makes the stack of a session with a user and a system context.
func New(o Options, user, system []agent.Part) *Stack {
	return &Stack{o, slices.Concat(user, system), map[int32]*kept{}}
}

// kept is what the stack keeps of an agent.
type kept struct {
	texts    []*llm.Payload // all that a sub-agent has said
	children llm.Usage      // what its sub-agents added to its counters
}

func (s *Stack) of(a *agent.Agent) *kept {
	if s.kept[a.Ref()] == nil {
		s.kept[a.Ref()] = &kept{}
	}
	return s.kept[a.Ref()]
}

// Bare is true.
func (s *Stack) Bare() bool { return true }

// InTurn is true of calls that start sub-agents, unless they run side by side.
func (s *Stack) InTurn(t *tool.Tool) bool {
	return !s.SideBySide && t.CanonicalName() == tool.AgentName
}

// Said takes a text of an answer where it goes: a sub-agent's is collected for its
// result, a root's goes to the terminal, of which nothing is kept.
func (s *Stack) Said(a *agent.Agent, text *llm.Payload) {
	if !a.IsRoot() {
		k := s.of(a)
		k.texts = append(k.texts, text)
	}
}

// show prints a line on the terminal.
func show(a *agent.Agent, line string) { a.Record(&transcript.Terminal{Line: line}) }

// Departure is what the minimal stack does otherwise, by the statement that it leaves.
func Departure(id string) string { return cmp.Or(departures[id], id) }

var departures = map[string]string{
	"SUB-08": "a sub-agent starts without some of what it has in the full stack",
	"SUB-10": "a sub-agent asks nobody, whatever mode its parent is in",
	"SUB-12": "all that a sub-agent said comes home, not its last text alone",
	"SUB-16": "a sub-agent's error comes home unmarked",
	"SUB-18": "what a sub-agent uses is in nobody's counters",
}

// departs records where the minimal stack leaves a statement of the full one.
func departs(a *agent.Agent, id, detail string) {
	a.Record(&transcript.Finding{Rule: "minimal", Detail: id + ": " + detail})
}

// TurnEnded shows the end of a root's turn and saves its session. A sub-agent does
// neither: its session ends with it, and its tokens are its parent's.
func (s *Stack) TurnEnded(a *agent.Agent) {
	if !a.IsRoot() {
		return
	}
	spent := a.Own().Plus(s.of(a).children)
	show(a, fmt.Sprintf("Tokens: %d in / %d out", spent.Prompt(), spent.Output))
	show(a, divider)
	a.Record(&transcript.StateWrite{Field: "session", Effect: agent.ToRoot.String()})
}

var divider = strings.Repeat("─", 50)

// bannerOpen and bannerClose stand around a sub-agent's run.
func bannerOpen(typ, description string) string {
	return "  ┌─ Sub-agent [" + typ + "]: " + description
}

func bannerClose(typ string) string { return "  └─ Sub-agent [" + typ + "] completed" }

// ReadCall reads a call of the tool that starts agents and opens the banner.
func (s *Stack) ReadCall(a *agent.Agent, use *llm.Block) (in tool.AgentInput, ignored []string, err error) {
	in, err = tool.ParseMinimalAgent(use.Content)
	if err == nil {
		show(a, bannerOpen(in.Type, in.Description))
	}
	return in, nil, err
}

// Refuse answers a call that starts no agent.
func (s *Stack) Refuse(a *agent.Agent, in tool.AgentInput, why error) tool.Result {
	if in.Type != "" {
		show(a, bannerClose(in.Type))
	}
	return s.Failure(why.Error())
}

// Failure is the result of a child that came to nothing: plain text that no mark
// tells from a report (MIN-04).
func (s *Stack) Failure(why string) tool.Result {
	return tool.Result{Content: llm.NewText(llm.Prose, tool.MinimalError+why)}
}

// Mode is the mode in which a child runs: nobody is asked a second time, but nothing
// escapes plan mode (MIN-03).
func (s *Stack) Mode(a *agent.Agent, _ *agent.Definition) permission.Mode {
	if a.Mode() == permission.Plan {
		return permission.Plan
	}
	if a.Mode() != permission.Bypass {
		departs(a, "SUB-10", "a sub-agent runs in "+string(permission.Bypass)+" below an agent in "+string(a.Mode()))
	}
	return permission.Bypass
}

// Starts records what a sub-agent of the full stack would have been told.
func (s *Stack) Starts(a *agent.Agent, d *agent.Definition) {
	missed := []string{"environment"}
	lean := d.BuiltIn() && d.Type != tool.MinimalDefault // whose like the full stack starts without these too
	for _, p := range s.context {
		if p.Text != "" && !(lean && (p.Name == agent.PartClaudeMd || p.Name == agent.PartGitStatus)) {
			missed = append(missed, p.Name)
		}
	}
	if slices.Contains(d.Tools, tool.MinimalAgent) {
		departs(a, "SUB-21", "sub-agent "+d.Type+" has no "+tool.MinimalAgent+", which its definition lists")
	}
	departs(a, "SUB-08", "sub-agent "+d.Type+" starts without "+strings.Join(missed, ", "))
}

// noText is the result of a sub-agent that said nothing. (S1)
const noText = "(Sub-agent produced no output)"

// Result is what a sub-agent brings home: all text of all its turns as it came, or
// an error's text (MIN-01, MIN-04). It closes the banner and adds to the parent's
// counters what the run added to its own; what a run that failed consumed is added
// nowhere (MIN-02).
func (s *Stack) Result(a *agent.Agent) tool.Result {
	parent, typ := a.Parent(), a.Definition().Type
	show(parent, bannerClose(typ))
	texts := s.of(a).texts
	delete(s.kept, a.Ref())
	switch end := a.Ending(); end.Status {
	case transcript.EndFailed, transcript.EndKilled, transcript.EndRefused:
		departs(parent, "SUB-16", "the error of sub-agent "+typ+" is not marked as one")
		if n := a.Own().Total(); n > 0 {
			departs(parent, "SUB-18", strconv.FormatInt(n, 10)+" tokens of sub-agent "+typ+" are in nobody's counters")
		}
		return s.Failure(end.Why)
	}
	if !parent.Ended() {
		k := s.of(parent)
		k.children = k.children.Plus(a.Own())
	}
	var b strings.Builder
	for _, t := range texts {
		b.WriteString(t.Raw())
	}
	if n := b.Len(); n == 0 {
		b.WriteString(noText)
	} else if last := len(a.SaidText()); n > last {
		departs(parent, "SUB-12", strconv.Itoa(n-last)+" bytes of earlier turns came home before the "+strconv.Itoa(last)+" of the report")
	}
	return tool.Result{Content: llm.NewText(llm.Prose, b.String())}
}
