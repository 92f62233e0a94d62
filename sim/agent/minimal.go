package agent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// Minimal makes a world one of the minimal stack: the same loop, renderer and
// sharing, with other definitions, tool names, results and options (MIN). Its
// sub-agents are synchronous, one level deep, and start with nothing but a prompt.
type Minimal struct {
	// ReadOnlyShell puts run_shell among the tools of explore and plan.
	ReadOnlyShell bool
	// SideBySide lets the sub-agents of one answer run at one time, which otherwise
	// wait for each other (MIN-06).
	SideBySide bool
}

// The types of the minimal stack's built-in definitions; tool.MinimalDefault is
// the third.
const (
	TypeMinimalExplore = "explore"
	TypeMinimalPlan    = "plan"
)

// MinimalDefinitions are the minimal stack's types: the custom ones of user and
// project, then those built-in ones that no custom one takes the place of. Of
// equal names the project's wins. A custom definition brings its name, its
// description, its tools and its prompt; nothing else of it is known here.
func MinimalDefinitions(o Minimal, custom []*Definition) []*Definition {
	var out []*Definition
	for _, from := range []Source{FromUser, FromProject} {
		for _, c := range custom {
			if c.Source != from {
				continue
			}
			d := &Definition{Type: c.Type, Description: c.Description, Source: from, Place: c.Place, Tools: c.Tools, Prompt: c.Prompt}
			if i := slices.IndexFunc(out, func(o *Definition) bool { return o.Type == d.Type }); i >= 0 {
				out[i] = d
			} else {
				out = append(out, d)
			}
		}
	}
	for _, d := range minimalBuiltIns(o) {
		if find(out, d.Type) == nil {
			out = append(out, d)
		}
	}
	for _, d := range out {
		d.Model, d.Disallowed = "inherit", []string{tool.MinimalAgent}
	}
	return out
}

func minimalBuiltIns(o Minimal) []*Definition {
	looks := []string{tool.MinimalRead, tool.MinimalList, tool.MinimalGrep}
	if o.ReadOnlyShell {
		looks = append(looks, tool.MinimalShell)
	}
	return []*Definition{
		{Type: TypeMinimalExplore, Source: FromBuiltIn, Description: "read-only, fast search", Tools: looks, Prompt: minimalExplore(o)},
		{Type: TypeMinimalPlan, Source: FromBuiltIn, Description: "read-only, structured planning", Tools: looks, Prompt: minimalPlan},
		{Type: tool.MinimalDefault, Source: FromBuiltIn, Description: "full tools", Prompt: minimalGeneral},
	}
}

// MinimalTypes are what the minimal stack's agent tool lists of the definitions.
func MinimalTypes(defs []*Definition) []tool.AgentType {
	out := make([]tool.AgentType, len(defs))
	for i, d := range defs {
		out[i] = tool.AgentType{Name: d.Type, WhenFor: d.Description}
	}
	return out
}

func minimalExplore(o Minimal) func(*Gates) string {
	may := "You have " + tool.MinimalRead + ", " + tool.MinimalList + " and " + tool.MinimalGrep + ", and nothing that writes.\n"
	if o.ReadOnlyShell {
		may = "With " + tool.MinimalShell + " run only what reads, such as ls, cat, find, grep or git log.\n" +
			"Run nothing that writes, moves or removes a file.\n"
	}
	return func(*Gates) string {
		return "You are an explore agent: you search a code base quickly and READ-ONLY.\n\n" +
			"Change no file. " + may + "Call several tools at once where you can, and end with a short summary of what you found.\n"
	}
}

func minimalPlan(*Gates) string {
	return `You are a plan agent: you design how something is to be implemented, READ-ONLY.

Look at how the code is built now, weigh what speaks for and against each way, and return a plan with:
1. how things stand
2. the steps, in order
3. the files that matter most
4. what may go wrong
`
}

func minimalGeneral(*Gates) string {
	return "You are a sub-agent with a task of its own and every tool. Do the task, and return a short result.\n"
}

// minimalState is what an agent of the minimal stack keeps beside.
type minimalState struct {
	texts    []*llm.Payload // all that a sub-agent has said
	children llm.Usage      // what its sub-agents added to its counters
}

// kept is the agent's state of the minimal stack.
func (a *Agent) kept() *minimalState {
	if a.minimal == nil {
		a.minimal = &minimalState{}
	}
	return a.minimal
}

// emitText takes a text of an answer where it goes: a sub-agent's is collected
// for its result, a root's goes to the terminal, of which nothing is kept.
func (a *Agent) emitText(text *llm.Payload) {
	if a.w.cfg.Minimal != nil && a.parent != nil {
		s := a.kept()
		s.texts = append(s.texts, text)
	}
}

// show prints a line on the terminal.
func (a *Agent) show(line string) { a.w.rec.emit(a.ref, &transcript.Terminal{Line: line}) }

// departs records where the minimal stack leaves a statement of the full one.
func (a *Agent) departs(id, detail string) {
	a.w.rec.emit(a.ref, &transcript.Finding{Rule: "minimal", Detail: id + ": " + detail})
}

// closeTurn shows the end of a root's turn and saves its session. A sub-agent
// does neither: its session ends with it, and its tokens are its parent's.
func (a *Agent) closeTurn(err error) {
	if a.w.cfg.Minimal == nil || a.parent != nil || err != nil {
		return
	}
	spent := a.own.Plus(a.kept().children)
	a.show(fmt.Sprintf("Tokens: %d in / %d out", spent.Prompt(), spent.Output))
	a.show(divider)
	a.w.rec.emit(a.ref, &transcript.StateWrite{Field: "session", Effect: ToRoot.String()})
}

var divider = strings.Repeat("─", 50)

// bannerOpen and bannerClose stand around a sub-agent's run.
func bannerOpen(typ, description string) string {
	return "  ┌─ Sub-agent [" + typ + "]: " + description
}

func bannerClose(typ string) string { return "  └─ Sub-agent [" + typ + "] completed" }

// spawnInput reads a call of the tool that starts agents. In the minimal stack
// it opens the banner.
func (a *Agent) spawnInput(use *llm.Block) (in tool.AgentInput, ignored []string, err error) {
	if a.w.cfg.Minimal == nil {
		return tool.ParseAgentInput(use.Content, a.w.schema(a.ctx.Pool.Pool))
	}
	in, err = tool.ParseMinimalAgent(use.Content)
	if err == nil {
		a.show(bannerOpen(in.Type, in.Description))
	}
	return in, nil, err
}

// refuseSpawn answers a call that starts no agent.
func (a *Agent) refuseSpawn(b *spawning, err error) tool.Result {
	if a.w.cfg.Minimal != nil && b.in.Type != "" {
		a.show(bannerClose(b.in.Type))
	}
	return a.w.childFailure(err.Error())
}

// childFailure is the result of a spawn that came to nothing. In the minimal
// stack it is plain text that no mark tells from a report (MIN-04).
func (w *World) childFailure(text string) tool.Result {
	if w.cfg.Minimal == nil {
		return failure(text)
	}
	return tool.Result{Content: llm.NewText(llm.Prose, tool.MinimalError+text)}
}

// childMode is the mode in which a child of the definition runs (SUB-10). In the
// minimal stack nobody is asked a second time, but nothing escapes plan mode
// (MIN-03).
func (a *Agent) childMode(d *Definition) permission.Mode {
	switch {
	case a.w.cfg.Minimal == nil:
		return a.w.runMode(a.mode, d)
	case a.mode == permission.Plan:
		return permission.Plan
	}
	if a.mode != permission.Bypass {
		a.departs("SUB-10", "a sub-agent runs in "+string(permission.Bypass)+" below an agent in "+string(a.mode))
	}
	return permission.Bypass
}

// minimalFront is what stands before the messages of a sub-agent of the minimal
// stack: its definition's prompt, without environment or context.
func (w *World) minimalFront(k headKey, prompt string) *rendered {
	return w.head(k, &frontText{system: []string{prompt}, static: 1})
}

// missesContext records what a sub-agent of the full stack would have been told.
func (a *Agent) missesContext(d *Definition) {
	if a.w.cfg.Minimal == nil {
		return
	}
	claude, git := "", ""
	if d.BuiltIn() && d.Type != tool.MinimalDefault { // whose like the full stack starts without these too
		claude, git = PartClaudeMd, PartGitStatus
	}
	_, user := userContext(a.w.cfg.UserContext, claude)
	_, system := systemContext(a.w.cfg.SystemContext, git)
	a.departs("SUB-08", "sub-agent "+d.Type+" starts without "+strings.Join(slices.Concat([]string{"environment"}, user, system), ", "))
}

// noMinimalText is the result of a sub-agent that said nothing. (S1)
const noMinimalText = "(Sub-agent produced no output)"

// plainResult is what a sub-agent of the minimal stack brings home: all text of
// all its turns as it came, or an error's text (MIN-01, MIN-04). It closes the
// banner and adds to the parent's counters what the run added to its own; what
// a run that failed consumed is added nowhere (MIN-02).
func (a *Agent) plainResult() tool.Result {
	parent := a.parent
	parent.show(bannerClose(a.def.Type))
	switch a.end.Status {
	case "failed", "killed", "refused":
		parent.departs("SUB-16", "the error of sub-agent "+a.def.Type+" is not marked as one")
		if n := a.own.Total(); n > 0 {
			parent.departs("SUB-18", strconv.FormatInt(n, 10)+" tokens of sub-agent "+a.def.Type+" are in nobody's counters")
		}
		return a.w.childFailure(a.end.Why)
	}
	if !parent.ended {
		s := parent.kept()
		s.children = s.children.Plus(a.own)
	}
	var b strings.Builder
	for _, t := range a.kept().texts {
		b.WriteString(t.Raw())
	}
	if n := b.Len(); n == 0 {
		b.WriteString(noMinimalText)
	} else if last := len(a.saidText()); n > last {
		parent.departs("SUB-12", strconv.Itoa(n-last)+" bytes of earlier turns came home before the "+strconv.Itoa(last)+" of the report")
	}
	return tool.Result{Content: llm.NewText(llm.Prose, b.String())}
}
