package agent

import (
	"cmp"
	"strconv"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// outputDir is where output files of background agents seem to be.
const outputDir = ".agentsim/tasks/"

// outputPath is an output file's path in the workspace.
func outputPath(file string) string { return file }

// noText stands in a synchronous result where the agent ended without a word. A
// notification then has no result (TSK-03).
const noText = "(The agent ended without a text.)"

// toolResult is what a synchronous child brings home at its end (SUB-12).
func (a *Agent) toolResult() tool.Result {
	if a.w.cfg.Minimal != nil {
		return a.plainResult()
	}
	switch a.end.Status {
	case "failed", "killed", "refused":
		return a.handOverResult(failure("Agent " + a.ctx.ID.String() + " " + a.end.Status + ": " + a.end.Why))
	}
	b := append(make([]byte, 0, 512), `{"status":"completed","agentId":"`...)
	b = append(b, a.ctx.ID.String()...)
	b = append(b, `","content":[{"type":"text","text":`...)
	b = llm.AppendQuoted(b, a.handOver(cmp.Or(a.saidText(), noText)))
	b = append(b, `}],"totalToolUseCount":`...)
	b = strconv.AppendInt(b, int64(a.toolUses), 10)
	b = append(b, `,"totalDurationMs":`...)
	b = strconv.AppendInt(b, a.endedAt.Sub(a.started).Milliseconds(), 10)
	b = append(b, `,"totalTokens":`...)
	b = strconv.AppendInt(b, a.last.Total(), 10)
	return tool.Result{Content: llm.NewText(llm.Prose, string(append(b, '}')))}
}

// launched is the tool result of an asynchronous launch (SUB-13).
func (w *World) launched(c *Agent, description string) tool.Result {
	c.task.OutputFile = outputDir + c.ctx.ID.String() + ".output"
	s := append(make([]byte, 0, 256), `{"status":"async_launched","agentId":"`...)
	s = append(s, c.ctx.ID.String()...)
	s = append(s, `","description":`...)
	s = llm.AppendQuoted(s, description)
	s = append(s, `,"outputFile":`...)
	s = llm.AppendQuoted(s, c.task.OutputFile)
	s = append(s, `,"canReadOutputFile":`...)
	caller := c.parent.ctx.Pool
	s = strconv.AppendBool(s, caller.Has("Read") || caller.Has("Bash"))
	return tool.Result{Content: llm.NewText(llm.Prose, string(append(s, '}')))}
}

// introduce records a new agent.
func (w *World) introduce(c *Agent, b *spawning) {
	ev := &transcript.AgentStart{
		ID: c.ctx.ID, Lineage: c.lineage, Parent: c.parent.ref, Type: b.def.Type, Structure: "subagent", Model: b.model,
		Depth: c.ctx.Query.Depth, Chain: c.ctx.Query.Chain, PoolMode: string(b.def.Mode), RunMode: string(b.mode), Async: b.async,
		Source: c.ctx.Source, Tools: b.pool.Names, ToolUse: b.block.ID, MaxTurns: c.maxTurns, Name: b.in.Name, Context: c.facts("empty"),
	}
	if ev.PoolMode == "" {
		ev.PoolMode = "acceptEdits"
	}
	if b.fork {
		ev.Structure, ev.Context.FileCache = "fork", "cloned"
	}
	w.rec.emit(c.ref, ev)
	c.announce()
}

// facts describes the context an agent starts with.
func (a *Agent) facts(files string) transcript.ContextFacts {
	f := transcript.ContextFacts{
		FileCache: files, FilesKnown: a.ctx.Files.Len(), Abort: "unlinked", SetAppState: a.ctx.SetAppState.String(),
		AvoidPrompts: a.ctx.AppState.AvoidPrompts, Replacements: a.ctx.Replacements.Len(), Thinking: a.ctx.Thinking,
		UserContext: a.front.userParts, SystemContext: a.front.systemParts,
	}
	switch {
	case a.parent == nil:
		f.Abort, f.SetAppState = "root", "root"
	case a.ctx.Abort.Linked():
		f.Abort = "linked"
	}
	return f
}

// holdSiblings makes all but the first of the agent's children among the newest
// agents wait for the first one's response, where their prefixes match (CACHE-29).
func (a *Agent) holdSiblings(newest []*Agent) {
	if !a.w.cfg.FanOut.HoldUntilFirst {
		return
	}
	for i, c := range newest {
		if c.parent != a || c.ended {
			continue
		}
		if first := firstLike(newest[:i], c); first != nil {
			first.openGate()
			c.hold = first.firstOpened
		}
	}
}

// firstLike is the first sibling that lives and whose prefix is the same as c's, or nil.
// Model, effort, tools and the working directory stand in the bytes and salts
// before the messages; the agent type does not have to. There is no output schema
// in this stack, so none can differ.
func firstLike(newest []*Agent, c *Agent) *Agent {
	for _, s := range newest {
		if s.parent == c.parent && !s.ended && s.conv.Border.Hash == c.conv.Border.Hash && s.def.Type == c.def.Type {
			return s
		}
	}
	return nil
}

// openGate makes a signal that fires when the agent's first response begins.
func (a *Agent) openGate() {
	if a.firstOpened == nil {
		a.firstOpened = kernel.NewSignal(a.w.cfg.Kernel, "first response of "+a.lineage)
		a.req.OnBegin = (*gate)(a)
	}
}

// gate is an agent as the model's server sees it: something to tell that a
// response has begun.
type gate Agent

// Began lets the held siblings go.
func (g *gate) Began(instant) {
	g.firstOpened.Fire()
	g.req.OnBegin = nil
}
