package agent

import (
	"cmp"
	"slices"
	"strconv"

	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// Stack is where stacks differ. The full one is the default; package minimal has
// another.
type Stack interface {
	// Bare reports whether children start with nothing but their prompt, and tools do
	// not cancel each other.
	Bare() bool
	// InTurn reports whether calls of a tool wait for each other although they may run
	// side by side.
	InTurn(t *tool.Tool) bool
	// ReadCall reads a call of the tool that starts agents. ignored are the fields of it
	// that are gated off.
	ReadCall(a *Agent, use *llm.Block) (in tool.AgentInput, ignored []string, err error)
	// Refuse answers a call that starts no agent.
	Refuse(a *Agent, in tool.AgentInput, why error) tool.Result
	// Failure is the result of a child that came to nothing.
	Failure(why string) tool.Result
	// Mode is the mode in which a child of the definition runs (SUB-10).
	Mode(a *Agent, d *Definition) permission.Mode
	// Starts is called for each child that an agent starts.
	Starts(a *Agent, d *Definition)
	// Said is called with each text of an answer, in order.
	Said(a *Agent, text *llm.Payload)
	// TurnEnded is called at the end of each turn that did not fail.
	TurnEnded(a *Agent)
	// Result is what a synchronous child brings home at its end (SUB-12).
	Result(a *Agent) tool.Result
}

// full is the full stack.
type full struct{}

func (full) Bare() bool                                   { return false }
func (full) InTurn(*tool.Tool) bool                       { return false }
func (full) Failure(why string) tool.Result               { return failure(why) }
func (full) Mode(a *Agent, d *Definition) permission.Mode { return a.w.cfg.runMode(a.Mode(), d) }
func (full) Starts(*Agent, *Definition)                   {}
func (full) Said(*Agent, *llm.Payload)                    {}
func (full) TurnEnded(*Agent)                             {}

func (full) Refuse(_ *Agent, _ tool.AgentInput, why error) tool.Result { return failure(why.Error()) }

func (full) ReadCall(a *Agent, use *llm.Block) (tool.AgentInput, []string, error) {
	in, ignored, err := a.w.inputs.Agent(use.Content, agentGates(a.w))
	if in.Isolation == "remote" || slices.Contains(ignored, "isolation") {
		decides(a.w, gateKey+"USER_TYPE")
	}
	return in, ignored, err
}

// noText stands in a synchronous result where the agent ended without a word. A
// notification then has no result (TSK-03).
const noText = "(The agent ended without a text.)"

// Result is the last text, with what the agent took.
func (full) Result(a *Agent) tool.Result {
	switch a.end.Status {
	case transcript.EndFailed, transcript.EndKilled, transcript.EndRefused:
		return failure(a.handOver("Agent " + a.ctx.ID.String() + " " + string(a.end.Status) + ": " + a.end.Why + a.place.leftWords(a)))
	}
	b := append(make([]byte, 0, 512), `{"status":"completed","agentId":"`...)
	b = append(b, a.ctx.ID.String()...)
	b = append(b, `","content":[{"type":"text","text":`...)
	b = llm.AppendQuoted(b, a.handOver(cmp.Or(a.SaidText(), noText)))
	b = append(b, `}],"totalToolUseCount":`...)
	b = strconv.AppendInt(b, int64(a.toolUses), 10)
	b = append(b, `,"totalDurationMs":`...)
	b = strconv.AppendInt(b, a.endedAt.Sub(a.started).Milliseconds(), 10)
	b = append(b, `,"totalTokens":`...)
	b = strconv.AppendInt(b, a.client.last.Total(), 10)
	b = a.place.appendLeft(a, b)
	return tool.Result{Content: llm.NewText(llm.Prose, string(append(b, '}')))}
}
