package agent

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// outputDir is where output files of background agents seem to be.
const outputDir = ".agentsim/tasks/"

// handOver is a text as an agent's activation brings it home: with gate
// TRANSCRIPT_CLASSIFIER on, what the classifier says of its transcript stands in
// front (TSK-06). It is called once for each activation, before the delivery.
func (a *Agent) handOver(text string) string {
	c := a.w.cfg.Classifier
	text = c.Defuse(text)
	if !a.w.gates.TranscriptClassifier {
		return text
	}
	decides(a.w, gateKey+"TRANSCRIPT_CLASSIFIER")
	judged, front := c.Judge(a.transcript())
	if a.task != nil {
		judged.Activation = a.task.Activation()
	}
	a.w.rec.emit(a.ref, judged)
	return front + text
}

// transcript is the agent's, as a classifier reads it.
func (a *Agent) transcript() Transcript { return Transcript{a.ref, a.conv.Head, a.from} }

// launched is the tool result of an asynchronous launch (SUB-13).
func (w *World) launched(c *Agent, description string) tool.Result {
	c.task.OutputFile = outputDir + c.task.ID + ".output"
	s := append(make([]byte, 0, 256), `{"status":"async_launched","agentId":"`...)
	s = append(s, c.ctx.ID.String()...)
	if c.task.Type == task.RemoteAgent {
		s = append(append(s, `","taskId":"`...), c.task.ID...)
	}
	s = append(s, `","description":`...)
	s = llm.AppendQuoted(s, description)
	s = append(s, `,"outputFile":`...)
	s = llm.AppendQuoted(s, c.task.OutputFile)
	s = append(s, `,"canReadOutputFile":`...)
	caller := c.parent.ctx.Pool
	s = strconv.AppendBool(s, caller.Has("Read") || caller.Has("Bash"))
	return tool.Result{Content: llm.NewText(llm.Prose, string(append(s, '}')))}
}

// introduce records an activation that begins. ev has what the agent itself does not
// know, and what its file cache is.
func (a *Agent) introduce(ev transcript.AgentStart) {
	ev.ID, ev.Lineage, ev.Parent, ev.Model, ev.MaxTurns = a.ctx.ID, a.lineage, -1, a.client.req.Model, a.maxTurns
	ev.Depth, ev.Chain, ev.Source, ev.Tools = a.ctx.Query.Depth, a.ctx.Query.Chain, a.ctx.Source, a.ctx.Pool.Names
	ev.RunMode, ev.PoolMode = string(a.Mode()), string(a.Mode())
	if a.parent != nil {
		ev.Parent, ev.Type, ev.PoolMode, ev.Structure = a.parent.ref, a.def.Type, cmp.Or(string(a.def.Mode), "acceptEdits"), "subagent"
	}
	switch {
	case a.IsFork():
		ev.Structure = "fork"
	case a.mate.member():
		ev.Structure = "teammate"
	}
	if a.toolless {
		ev.PoolMode = "refused"
	}
	ev.Context = factsOf(a, ev.Context.FileCache)
	rec := &a.w.rec
	rec.start = ev
	rec.emit(a.ref, &rec.start)
	a.hooks.announce("add")
}

// factsOf describes the context an agent starts with.
func factsOf(a *Agent, files string) transcript.ContextFacts {
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

// holdSiblings makes all but the first of an agent's children among the newest
// agents wait for the first one's response, where their prefixes match (CACHE-29).
func holdSiblings(a *Agent, newest []*Agent) {
	if !a.w.cfg.FanOut.HoldUntilFirst {
		return
	}
	for i, c := range newest {
		if c.parent != a || c.ended {
			continue
		}
		if first := firstLike(newest[:i], c); first != nil {
			openGate(first)
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

// openGate makes a signal that fires when an agent's first response begins.
func openGate(a *Agent) {
	if a.firstOpened == nil {
		a.firstOpened = kernel.NewSignal(a.w.cfg.Kernel, "first response of "+a.lineage)
		a.client.req.OnBegin = (*firstByte)(a)
	}
}

// firstByte is an agent as the model's server sees it: something to tell that a
// response has begun.
type firstByte Agent

// Began lets the held siblings go.
func (g *firstByte) Began(instant) {
	g.firstOpened.Fire()
	g.client.req.OnBegin = nil
}

// What stands before a verdict: the output that shows a defect, the steps that lead to
// it, and what of the environment did not let the agent check.
var (
	verdictLine  = regexp.MustCompile(`(?m)^VERDICT:`)
	shownOutput  = regexp.MustCompile("(?mi)^(output:|\\$ |```)")
	reproduced   = regexp.MustCompile(`(?mi)^(steps:|[ \t]*[0-9]+[.)] )`)
	notCheckable = regexp.MustCompile(`(?i)no test framework|not available|unavailable|(will|does|did) not start|cannot start`)
)

const errUnverified = "no verdict: "

// unverified is why the last text of a verification is no verdict (VER-01); "" where it
// is one.
func unverified(text string) string {
	text = strings.TrimRight(text, " \t\n")
	i := strings.LastIndexByte(text, '\n') + 1
	before, last := text[:i], text[i:]
	switch verdict, is := strings.CutPrefix(last, "VERDICT: "); {
	case !is:
		return "the report does not end with one"
	case verdictLine.MatchString(before):
		return "the report gives two"
	case verdict == "PASS":
	case verdict == "FAIL" && !shownOutput.MatchString(before):
		return "FAIL without the output that shows it"
	case verdict == "FAIL" && !reproduced.MatchString(before):
		return "FAIL without the steps that lead to it"
	case verdict == "PARTIAL" && !notCheckable.MatchString(before):
		return "PARTIAL, and nothing of the environment is why"
	case verdict != "FAIL" && verdict != "PARTIAL":
		return "it is PASS, FAIL or PARTIAL, not " + verdict
	}
	return ""
}

// verifies reports whether the agent is of the built-in type that ends with a verdict.
func (d *Definition) verifies() bool {
	return d != nil && d.Type == TypeVerification && d.BuiltIn()
}

// lastText is the text of the last message that has any.
func lastText(a *Agent) string {
	var out []string
	if a.said != nil {
		for i := range a.said.Blocks {
			if b := &a.said.Blocks[i]; b.Kind == llm.Text {
				out = append(out, b.Content.Raw())
			}
		}
	}
	return strings.Join(out, "\n")
}
