package agent

import (
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/plan"
	"agentsim/sim/tool"
	"agentsim/sim/vtime"
)

// handler runs a tool that acts on agents or that waits (tool.Tool.Handled). All
// others have a Run.
type handler interface {
	// start does what a call does at its instant, and returns its result or what has
	// that later. It must not wait.
	start(p *kernel.Proc, c call) (tool.Result, waiting)
}

// vetted is a handler that looks at a call before anybody is asked about it.
type vetted interface {
	handler
	// refuse is the result of a call that cannot be, nil for none.
	refuse(c call) *tool.Result
}

// handlers are those of the catalogue's tools, by canonical name.
func handlers() map[string]handler {
	return map[string]handler{
		tool.AgentName: spawner{},
		tool.StopName:  atOnce(taskStop),
		tool.SendName:  atOnce(sendMessage),
		tool.SkillName: atOnce(skill),

		tool.SearchName: atOnce(toolSearch),

		plan.EnterName:      enterPlan,
		plan.ExitName:       exitPlan,
		tool.TeamCreateName: atOnce(teamCreate),
		tool.TeamDeleteName: atOnce(teamDelete),
		tool.TaskCreateName: shared(taskCreate),
		tool.TaskGetName:    shared(taskGet),
		tool.TaskListName:   shared(taskList),
		tool.TaskUpdateName: shared(taskUpdate),
	}
}

// call is a tool use as its handler has it.
type call struct {
	by     *Agent
	answer *llm.Msg   // in which it is
	block  *llm.Block // the tool use, with the input as the user left it
	index  int        // among the tool uses of the answer, from 0
}

// waiting is a call that has begun and has no result yet.
type waiting interface {
	// wait returns when there is a result, or with the abort that came before.
	wait(p *kernel.Proc) error
	// linked is a process that hears the caller's abort too and whose end the caller
	// then waits for, nil for none.
	linked() *kernel.Proc
	// ended is the result and when it was there. It is asked for once, after wait or
	// an abort.
	ended() (tool.Result, vtime.Instant)
}

// atOnce is a handler that never waits.
type atOnce func(*Agent, *llm.Block) tool.Result

func (f atOnce) start(_ *kernel.Proc, c call) (tool.Result, waiting) { return f(c.by, c.block), nil }
