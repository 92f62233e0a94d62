package audit_test

import (
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// becomes puts another body in the place of the first event of an agent that fits.
func becomes(agent int32, fits func(b transcript.Body) bool, body transcript.Body) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		if e.Agent != agent || !fits(e.Body) {
			return false, false
		}
		e.Body = body
		return true, false
	}
}

type conductSurgery struct {
	name, scenario, check, want string
	cut                         func(*transcript.Event) (bool, bool)
}

// conductSurgeries are changes as surgeries are. wrong-calls: 1 main/2.1, which looks
// and writes, 2 main/2.2, which fails.
var conductSurgeries = []conductSurgery{
	{"AUD-05 DEF-07 an agent that looks and can edit", "wrong-calls", "DEF-07", "an agent of type Explore without Edit", holds("main/2.1", "Edit")},
	{"AUD-05 SUB-05 an agent of a type that is denied", "wrong-calls", "SUB-05", "no agent of type Plan", started("main/2.1", func(b *transcript.AgentStart) { b.Type = "Plan" })},
	{"AUD-05 DEF-11 a change that nobody finds", "wrong-calls", "DEF-11", "a finding", missing(func(b *transcript.Finding) bool { return b.Rule == "readonly_breach" })},
	{"AUD-05 DEF-12 a mark of another lifetime", "wrong-calls", "DEF-12", "marks with lifetime 1h", asks(0, 0, func(b *transcript.Request) { b.Breakpoints[0].TTL = llm.TTL5m })},
	{"AUD-05 BTW-01 a side question with another history", "wrong-questions", "BTW-01", "the request of main up to", asks(1, 0, func(b *transcript.Request) { b.Head = b.Head.Parent.Parent })},
	{"AUD-05 BTW-01 a tool of a side question that runs", "wrong-questions", "BTW-01", "a call of Read refused", changed(func(b *transcript.ToolResult) bool { return b.IsError }, func(_ *transcript.Event, b *transcript.ToolResult) { b.IsError = false })},
	{"AUD-05 BTW-01 a side question of one turn too many", "wrong-questions", "BTW-01", "no more than 1 requests", started("main/aside-2", func(b *transcript.AgentStart) { b.MaxTurns = 1 })},
	{"AUD-05 BTW-02 a side question that is cached", "wrong-questions", "BTW-02", "no mark behind", asks(1, 0, func(b *transcript.Request) {
		b.Breakpoints = append(slices.Clone(b.Breakpoints), llm.Breakpoint{Node: b.Head})
	})},
	{"AUD-05 DEF-02 a definition that gives way to a weaker one", "guests", "DEF-02", "type guest as the strongest", changed(func(b *transcript.Definition) bool { return b.Outcome == "overridden" },
		func(_ *transcript.Event, b *transcript.Definition) { b.Source = "policySettings" })},
	{"AUD-05 VER-01 a verification without a verdict that completes", "wrong-verdicts", "VER-01", "status failed", changed(func(b *transcript.AgentEnd) bool { return b.Status == "failed" },
		func(_ *transcript.Event, b *transcript.AgentEnd) { b.Status = "completed" })},
	{"AUD-05 FRK-09 a fork that is none of the session's", "kin", "SUB-04", "type fork", started("main/2.1", func(b *transcript.AgentStart) { b.Type = "general-purpose" })},
	{"AUD-05 ISO-07 a chain of a sibling", "kin", "ISO-07", "a query chain that no", func() func(*transcript.Event) (bool, bool) {
		var first uint64
		return changed(func(b *transcript.AgentStart) bool {
			if b.Lineage == "main/2.1" {
				first = b.Chain
			}
			return b.Lineage == "main/2.2"
		}, func(_ *transcript.Event, b *transcript.AgentStart) { b.Chain = first })
	}()},
	{"AUD-05 ISO-03 a request after an abort", "family", "ISO-03", "no request after", becomes(1,
		func(b transcript.Body) bool { _, ok := b.(*transcript.Permission); return ok }, &transcript.Abort{Target: 1, Why: "crash"})},
	{"AUD-05 LOOP-03 a call that waits for a neighbour beside which it may run", "wrong-calls", "LOOP-03", "Read begun with Agent", changed(
		func(b *transcript.Permission) bool { return b.Tool == "Read" }, func(e *transcript.Event, _ *transcript.Permission) { e.At = e.At.Add(vtime.Second) })},
	{"AUD-05 PRM-01 a command of which a part is not allowed", "wrong-calls", "PRM-01", "no command of which", decides(func(b *transcript.Permission) bool { return b.Decision == "ask" },
		func(b *transcript.Permission) { b.Decision, b.Why = "allow", "allow rule Bash(mkdir:*)" })},
	{"AUD-05 CRD-08 nobody asked because of a scratchpad that is none", "wrong-calls", "CRD-08", "nobody asked", decides(func(b *transcript.Permission) bool { return b.Tool == "Bash" },
		func(b *transcript.Permission) { b.Decision, b.Why = "allow", "scratchpad" })},
	{"AUD-05 PRM-01 nobody asked because of temporary files that are none", "wrong-calls", "PRM-01", "nobody asked", decides(func(b *transcript.Permission) bool { return b.Tool == "Bash" },
		func(b *transcript.Permission) { b.Decision, b.Why = "allow", "temporary files" })},
	{"AUD-05 TSK-02 a command that failed without an exit code", "wrong-calls", "TSK-02", "task ", changed(
		func(b *transcript.Task) bool { return b.Exit > 0 }, func(_ *transcript.Event, b *transcript.Task) { b.Exit = 0 })},
	{"AUD-05 TSK-03 a command that ran for another time", "wrong-calls", "TSK-03", "a duration of", changed(
		func(b *transcript.Task) bool { return b.Exit > 0 }, func(e *transcript.Event, _ *transcript.Task) { e.At = e.At.Add(vtime.Second) })},
	{"AUD-05 TSK-03 a notification of another file", "failing", "TSK-03", "the output file of", reworded(0, 2, llm.Messages, ".output</output-file>", ".out</output-file>")},
	{"AUD-05 TSK-03 a notification about another task", "failing", "TSK-03", "a summary about", reworded(0, 2, llm.Messages, "<summary>Agent \"", "<summary>Agent \"not ")},
	{"AUD-05 ISO-10 a command that outlives its agent", "family", "ISO-10", "command ", changed(
		func(b *transcript.Task) bool { return b.Type == "local_bash" && b.To == "killed" }, func(e *transcript.Event, _ *transcript.Task) { e.At = e.At.Add(vtime.Second) })},
	{"AUD-05 TSK-10 a resumed agent in another mode", "letters", "TSK-10", "it runs in the background, in mode", changed(
		func(b *transcript.AgentStart) bool { return b.Activation > 0 }, func(_ *transcript.Event, b *transcript.AgentStart) { b.RunMode = "plan" })},
	{"AUD-05 TSK-01 a task that is not its agent's", "family", "TSK-01", "task ", changed(
		func(b *transcript.Task) bool { return b.Type == "local_agent" }, func(_ *transcript.Event, b *transcript.Task) { b.ID = "a0000000000000001" })},
	{"AUD-05 ISO-04 a prompt of one in the background", "letters", "ISO-04", "no prompt for Read", decides(func(b *transcript.Permission) bool { return b.Tool == "Read" },
		func(b *transcript.Permission) { b.Decision, b.Terminal = "ask", "main" })},
	{"AUD-05 SWM-04 a mail that comes twice", "wrong-written-mail", "SWM-04", "mail 2 of alice", changed(
		func(b *transcript.Mail) bool { return b.Op == "delivered" && b.From == "alice" && b.N == 2 }, func(_ *transcript.Event, b *transcript.Mail) { b.N = 1 })},
	{"AUD-05 SWM-04 a mail that nobody has sent", "wrong-written-mail", "SWM-04", "no mail but", reworded(0, 3, llm.Messages, `from="alice"`, `from="carol"`)},
	{"AUD-05 SWM-06 an end that was not asked for", "wrong-written-mail", "SWM-06", "an end by a shutdown", ends(1, func(b *transcript.AgentEnd) { b.Why = "" })},
	{"AUD-05 SWM-06 an approval by somebody else than the lead", "wrong-written-mail", "SWM-06", "a plan_approval_response", changed(
		func(b *transcript.Mail) bool { return b.Type == "plan_approval_response" && b.Op == "sent" }, func(_ *transcript.Event, b *transcript.Mail) { b.From, b.N = "bob", 2 })},
	{"AUD-05 SWM-07 a member whose prompt does not speak of teams", "wrong-written-mail", "SWM-07", "a prompt that speaks of its team", reworded(1, 0, llm.System, "\n# Team\n", "\n# Crew\n")},
	{"AUD-05 SWM-07 a team that is deleted while somebody in it lives", "wrong-written-mail", "SWM-07", "no member of team", becomes(0,
		func(b transcript.Body) bool { x, ok := b.(*transcript.ToolCall); return ok && x.Call == 3 }, &transcript.Team{Team: "web", Op: "deleted"})},
	{"AUD-05 SWM-08 two who have one task", "wrong-written-mail", "SWM-08", "task 1 of alice", changed(
		func(b *transcript.TeamTask) bool { return b.Status == "completed" }, func(_ *transcript.Event, b *transcript.TeamTask) { b.By, b.Owner = "bob", "bob" })},
	{"AUD-05 SWM-09 a question past a lead who is in a call", "wrong-written-mail", "SWM-09", "a question by the mailbox", decides(
		func(b *transcript.Permission) bool { return b.Via == "mailbox" }, func(b *transcript.Permission) { b.Via = "bridge" })},
	{"AUD-05 SWM-11 a teammate that ends with a lead who lives", "wrong-written-mail", "SWM-11", "no end while its lead lives", ends(1, func(b *transcript.AgentEnd) { b.Why = "lead-ended" })},
	{"AUD-05 SWM-11 a teammate that ends with its lead's turn", "wrong-written-mail", "SWM-11", "a controller of its own", ends(2, func(b *transcript.AgentEnd) { b.Status, b.Why = "killed", "parent" })},
	{"AUD-05 WKT-04 a worktree kept in which nothing was written", "wrong-yonder", "WKT-04", "a worktree removed in which", changed(
		func(b *transcript.Worktree) bool { return b.Op == "removed" }, func(_ *transcript.Event, b *transcript.Worktree) { b.Op = "kept" })},
	{"AUD-05 WKT-04 a worktree removed in which a file was edited", "wrong-yonder", "WKT-04", "a worktree kept in which", changed(
		func(b *transcript.Worktree) bool { return b.Op == "kept" }, func(_ *transcript.Event, b *transcript.Worktree) { b.Op = "removed" })},
	{"AUD-05 WKT-04 the end of a worktree that there is not", "wrong-yonder", "WKT-04", "a worktree of its own to end", changed(
		func(b *transcript.Worktree) bool { return b.Op == "made" }, func(_ *transcript.Event, b *transcript.Worktree) { b.Op = "kept" })},
	{"AUD-05 WKT-04 a result that does not name the worktree", "wrong-yonder", "WKT-04", "a result that names", reworded(0, 1, llm.Messages, "worktreePath", "path")},
	{"AUD-05 WKT-04 a notification that does not name the worktree", "wrong-yonder", "WKT-04", "a result that names", reworded(0, 5, llm.Messages, "worktreeBranch>worktree-", "worktreeBranch>")},
	{"AUD-05 WKT-05 a file of another's worktree", "wrong-yonder", "WKT-05", "no version of a.go", shownElsewhere()},
	{"AUD-05 CON-09 an answer that was cut short and is billed for more than came of it", "family", "CON-09", "no more than the", changed(
		func(b *transcript.APIError) bool { return b.Err.Type == "aborted" }, func(_ *transcript.Event, b *transcript.APIError) {
			e := *b.Err
			e.Usage.Output += 1_000_000
			b.Err = &e
		})},
	{"AUD-05 WKT-07 a frame that arrives twice", "wrong-zone", "WKT-07", "the arrival of number", changed(
		func(b *transcript.Link) bool { return b.Op == "discarded" }, func(_ *transcript.Event, b *transcript.Link) { b.Op = "arrived" })},
	{"AUD-05 WKT-07 a frame that is discarded though it is new", "wrong-zone", "WKT-07", "nothing discarded that", changed(
		func(b *transcript.Link) bool { return b.Op == "arrived" && b.What == "message" }, func(_ *transcript.Event, b *transcript.Link) { b.Op = "discarded" })},
	{"AUD-05 WKT-07 an arrival that nobody sent", "wrong-zone", "WKT-07", "an arrival 200ms after", changed(
		func(b *transcript.Link) bool { return b.Op == "lost" }, func(_ *transcript.Event, b *transcript.Link) { b.Op = "arrived" })},
	{"AUD-05 WKT-07 an agent that begins without its prompt", "wrong-zone", "WKT-07", "no request before its prompt", missing(
		func(b *transcript.Link) bool { return b.Op == "arrived" && b.What == "prompt" })},
	{"AUD-05 WKT-07 a notification before the result is home", "wrong-zone", "WKT-07", "no notification before", missing(
		func(b *transcript.Link) bool { return b.Op == "arrived" && b.What == "result" })},
	{"AUD-05 WKT-07 the link of an agent that is not remote", "wrong-zone", "WKT-07", "no link of an agent", changed(
		func(b *transcript.Link) bool { return b.Op == "sent" }, func(e *transcript.Event, _ *transcript.Link) { e.Agent = 0 })},
	{"AUD-05 WKT-09 a worktree whose agent is told of another branch", "wrong-yonder", "WKT-09", "git status of", reworded(1, 0, llm.System, "Current branch: worktree-", "Current branch: ")},
	{"AUD-05 WKT-08 a worktree that nobody makes", "wrong-yonder", "WKT-08", "a worktree of its own: yes", missing(func(b *transcript.Worktree) bool { return b.Op == "made" })},
	{"AUD-05 MCP-07 an agent whose context tells of tools to be found where there are none", "wrong-calls", "MCP-07", "tools that can be found, in its user context: no", started("main/2.1", func(b *transcript.AgentStart) {
		b.Context.UserContext = append(slices.Clone(b.Context.UserContext), "deferredTools")
	})},
	{"AUD-05 MCP-07 an agent with a list of tools to be found, of which it is told none", "laid/attached", "MCP-07", "tools that can be found, attached: no", started("main/1.1", func(b *transcript.AgentStart) {
		b.Context.UserContext = append(slices.Clone(b.Context.UserContext), "deferredTools")
	})},
	{"AUD-05 PLN-03 an agent that does not plan and is told how to", "wrong-calls", "PLN-03", "what plan mode asks for in front of its prompt: no", reworded(1, 0, llm.Messages, "Look into a.go and say what is there.", "<system-reminder>\n# planMode\n")},
	{"AUD-05 DEF-10 a type that is offered and is not there", "wrong-calls", "DEF-10", "listed", reworded(0, 0, llm.Tools, `\n- Explore:`, `\n- Explorer:`)},
	{"AUD-05 TSK-03 a command that has used tokens", "wrong-calls", "TSK-03", "of a command no tokens", reworded(0, 4, llm.Messages, "<total_tokens>0<", "<total_tokens>5<")},
	{"AUD-05 TSK-10 a step of another activation", "family", "TSK-10", "task ", changed(func(b *transcript.Task) bool { return b.To == "completed" }, func(_ *transcript.Event, b *transcript.Task) { b.Activation++ })},
	{"AUD-05 ISO-07 the chain of its parent", "kin", "ISO-07", "a query chain of its own", func() func(*transcript.Event) (bool, bool) {
		var main uint64
		return changed(func(b *transcript.AgentStart) bool {
			if b.Lineage == "main" {
				main = b.Chain
			}
			return b.Lineage == "main/2.1"
		}, func(_ *transcript.Event, b *transcript.AgentStart) { b.Chain = main })
	}()},
	{"AUD-05 CRD-05 a worker of another type than its call names", "worker", "CRD-05", "subagent_type in its call", hears(0, 0, func(b *transcript.Response) {
		b.Head = rebuilt(b.Head, retyped)
	})},
	{"AUD-05 CRD-08 a worker that is not told of the scratchpad", "simple", "CRD-08", "a scratchpad in its system prompt", reworded(1, 0, llm.System, "Scratchpad directory: ", "Directory: ")},
	{"AUD-05 CRD-03 a coordinator that is not told of the scratchpad", "simple", "CRD-03", "a scratchpad in its workers' context: yes", reworded(0, 0, llm.Messages, "Scratchpad directory: ", "Directory: ")},
	{"AUD-05 CRD-01 a coordinator that edits", "worker", "CRD-01", "tools", holds("main", "Edit")},
	{"AUD-05 SUB-22 an agent in a worktree all the same", "worktree", "SUB-22", "a worktree, or an error", changed(
		func(b *transcript.ToolResult) bool { return b.Name == "Agent" && b.IsError }, func(_ *transcript.Event, b *transcript.ToolResult) { b.IsError = false })},
	{"AUD-05 FRK-09 somebody who is taken for a fork", "family", "FRK-09", "no guard against forks", says(0, 2, func(n *llm.Node) *llm.Block {
		b := *rewords("Fork is not available inside a forked worker.")(n)
		b.IsError = true
		return &b
	})},
}

// planted is where the scenarios beside the planted bugs are. planning: main of the
// minimal stack, whose sub-agent is 1. woken: 1 main/1.1, which is resumed nearly full.
// kept: 1 main/1.1, whose Stop hook keeps it.
const planted = "../../../cmd/internal/mutants/planted/"

// conductSurgeriesBeside are changes of the runs of those scenarios.
var conductSurgeriesBeside = []conductSurgery{
	{"AUD-05 MIN-02 a banner that is not opened", "planning", "MIN-02", "no end of a banner", missing(func(b *transcript.Terminal) bool { return strings.Contains(b.Line, "┌─") })},
	{"AUD-05 MIN-02 a banner that is not closed", "planning", "MIN-02", "the banner of", missing(func(b *transcript.Terminal) bool { return strings.Contains(b.Line, "└─") })},
	{"AUD-05 MIN-04 a sub-agent that failed, and says so to nobody", "planning", "MIN-04", "Sub-agent error: ", ends(1, func(b *transcript.AgentEnd) { b.Status = "failed" })},
	{"AUD-05 LOOP-07 a full history that goes on", "woken", "LOOP-07", "a summary before", hears(0, 0, func(b *transcript.Response) { b.Resp.Usage.Input += 1_000_000 })},
	{"AUD-05 LOOP-07 a summary of a history that is not full", "woken", "LOOP-07", "a history of", changed(
		func(b *transcript.Compact) bool { return true }, func(_ *transcript.Event, b *transcript.Compact) { b.FullAt = b.Tokens + 1 })},
	{"AUD-05 LOOP-12 a system prompt with one mark", "woken", "LOOP-12", "2 marks", asks(0, 0, func(b *transcript.Request) { b.Breakpoints = b.Breakpoints[1:] })},
	{"AUD-05 SUB-03 a background that the gates have closed", "flipped", "SUB-03", "an Agent tool", becomes(0,
		func(b transcript.Body) bool { _, ok := b.(*transcript.UserMessage); return ok }, &transcript.Gate{Name: "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", Value: "true"})},
	{"AUD-05 CON-09 an abort that bills what was not streamed", "killed", "CON-09", "no more than the", changed(
		func(b *transcript.APIError) bool { return b.Err.Type == "aborted" }, func(_ *transcript.Event, b *transcript.APIError) {
			cut := *b.Err
			cut.Usage.Output += 1_000_000
			b.Err = &cut
		})},
	{"AUD-05 PRM-05 an interrupt that nothing hears", "again", "PRM-05", "nothing but", deaf()},
	{"AUD-05 DEF-06 a Stop hook that is asked before the tools have run", "kept", "DEF-06", "no Stop", early()},
	{"AUD-05 SUB-09 a sub-agent of the minimal stack with another model", "planning", "SUB-09", "model", started("main/1.1", func(b *transcript.AgentStart) { b.Model = "another" })},
	{"AUD-05 SUB-23 a message to a name that is refused", "helpers", "SUB-23", "a message to", refuses(0, "No such agent.")},
	{"AUD-05 SUB-13 an output that its agent has not said", "followed", "SUB-13", "in the output of", reworded(0, 2, llm.Messages, "I begin with", "I ended with")},
	{"AUD-05 DEF-06 a hook that keeps an agent and is not told of", "kept", "DEF-06", "why a hook does not let it stop", reworded(1, 2, llm.Messages, "A hook does not let you stop yet.", "Go on.")},
	{"AUD-05 DEF-06 an objection that does not stand behind its result", "hooks", "DEF-06", "a result to which a hook objects: yes", reworded(1, 1, llm.Messages, "A hook objects to this result.", "A hook has heard of this result.")},
	{"AUD-05 DEF-12 an effort without effect of which no finding tells", "hooks", "DEF-12", "a finding that its effort", missing(func(b *transcript.Finding) bool { return b.Rule == "effort-ignored" })},
	{"AUD-05 LOOP-07 another summary than was asked for", "woken", "LOOP-07", "the summary that was asked for", reworded(1, 3, llm.Messages, "<conversation-summary>\n", "<conversation-summary>\nNot so: ")},
	{"AUD-05 LOOP-07 a summary in front of which another task is", "woken", "LOOP-07", "in front of the summary", reworded(1, 3, llm.Messages, "Look into log.txt.", "Look into a.go.")},
	{"AUD-05 LOOP-07 a summary of more than there was", "woken", "LOOP-07", "6 blocks gone", changed(func(b *transcript.Compact) bool { return true }, func(_ *transcript.Event, b *transcript.Compact) { b.Blocks++ })},
	{"AUD-05 ISO-02 an edit that is refused of a file that was read", "woken", "ISO-02", "an edit of a.go, which it has read", says(1, 5, fails("file a.go has not been read yet: read it, then edit it"))},
	{"AUD-05 SUB-12 a sub-agent of the minimal stack whose last word is lost", "planning", "SUB-12", "its last text", reworded(0, 1, llm.Messages, "Tried.", "")},
	{"AUD-05 MIN-01 a sub-agent of the minimal stack that brings more than it said", "planning", "MIN-01", "all that it said", reworded(0, 1, llm.Messages, "Tried.", "Tried. And more.")},
	{"AUD-05 MIN-02 a sub-agent that saves a session", "planning", "MIN-02", "no session saved", becomes(1,
		func(b transcript.Body) bool { _, ok := b.(*transcript.ToolCall); return ok }, &transcript.StateWrite{Field: "session", Effect: "no-op"})},
	{"AUD-05 DEF-06 a prompt that says nothing of its memory", "musing", "DEF-06", "its memory in", reworded(1, 0, llm.System, "# Memory", "# Memories")},
	{"AUD-05 MIN-02 a turn that does not say what it has cost", "planning", "MIN-02", "what its last turn has cost", missing(func(b *transcript.Terminal) bool { return strings.HasPrefix(b.Line, "Tokens: ") })},
	{"AUD-05 MIN-02 a sub-agent that says what it has cost", "planning", "MIN-02", "no line of its own", becomes(1,
		func(b transcript.Body) bool { _, ok := b.(*transcript.ToolCall); return ok }, &transcript.Terminal{Line: "Tokens: 1 in / 1 out"})},
	{"AUD-05 MIN-06 a sub-agent of the minimal stack beside another", "bare", "MIN-06", "the end of main/1.1", missing(func(b *transcript.AgentEnd) bool { return true })},
	{"AUD-05 SUB-08 a sub-agent of the minimal stack with another prompt", "planning", "SUB-08", "system prompt", reworded(1, 0, llm.System, "a", "o")},
	{"AUD-05 FRK-08 a report without its first word of which no finding tells", "rambling", "FRK-08", "a finding that its report", missing(func(b *transcript.Finding) bool { return b.Rule == "fork-report" })},
	{"AUD-05 LOOP-08 an answer that was cut off and is not gone on with", "cuts", "LOOP-08", "a word that its answer", reworded(1, 1, llm.Messages, "Your answer reached the limit of output tokens", "Go on")},
	{"AUD-05 CRD-11 a message to who was stopped that is refused", "resumed", "CRD-11", "a resume of", refuses(0, "No such agent.")},
}

// conductSurgeriesOf are both.
func conductSurgeriesOf() []conductSurgery {
	all := slices.Concat(conductSurgeries, planSurgeries)
	for _, c := range conductSurgeriesBeside {
		c.scenario = planted + c.scenario
		all = append(all, c)
	}
	return all
}

// retyped has a call of the Agent tool name another type than worker.
func retyped(n *llm.Node) *llm.Block {
	b := *n.Block
	if b.Kind == llm.ToolUse {
		b.Content = llm.NewText(llm.JSON, strings.ReplaceAll(b.Content.Raw(), `"worker"`, `"Explore"`))
	}
	return &b
}

// refuses makes the results that a request ends with errors, in an agent's first request
// behind one by which it sends a message.
func refuses(agent int32, why string) func(*transcript.Event) (bool, bool) {
	sends := false
	return func(e *transcript.Event) (bool, bool) {
		if _, begins := e.Body.(*transcript.RunStart); begins {
			sends = false
		}
		if e.Agent != agent {
			return false, false
		}
		switch b := e.Body.(type) {
		case *transcript.ToolCall:
			sends = sends || b.Name == "SendMessage"
		case *transcript.Request:
			if sends {
				b.Head = rebuilt(b.Head, fails(why))
			}
			return sends, false
		}
		return false, false
	}
}

// deaf has a result of main come a second later in the place of its user's interrupt.
func deaf() func(*transcript.Event) (bool, bool) {
	var call transcript.ToolCall
	return func(e *transcript.Event) (bool, bool) {
		switch b := e.Body.(type) {
		case *transcript.ToolCall:
			call = *b
		case *transcript.Abort:
			e.At = e.At.Add(vtime.Second)
			e.Body = &transcript.ToolResult{ID: call.ID, Name: call.Name}
			return true, false
		}
		return false, false
	}
}

// early has the Stop hooks of an agent asked at the end of each answer that calls tools.
func early() func(*transcript.Event) (bool, bool) {
	var added *transcript.Hook
	return func(e *transcript.Event) (bool, bool) {
		switch b := e.Body.(type) {
		case *transcript.Hook:
			if b.Op == "add" && b.Event == "Stop" {
				c := *b
				added = &c
			}
		case *transcript.ToolCall:
			if added != nil && e.Agent == 1 {
				added.Op = "run"
				e.Body = added
				return true, false
			}
		}
		return false, false
	}
}

// shownElsewhere shows the root, of a.go, the version that an edit in a worktree has made.
func shownElsewhere() func(*transcript.Event) (bool, bool) {
	made := ""
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(*transcript.Request)
		if !ok {
			return false, false
		}
		for n := b.Head; n != nil && made == ""; n = n.Parent {
			if n.Block != nil && n.Block.Kind == llm.ToolResult && strings.HasPrefix(n.Block.Content.Raw(), "Edited a.go") {
				_, rest, _ := strings.Cut(n.Block.Content.Raw(), "[[file a.go ")
				made, _, _ = strings.Cut(rest, " ")
			}
		}
		if e.Agent != 0 || b.Call != 3 {
			return false, false
		}
		was := ""
		for n := b.Head; n != nil && was == ""; n = n.Parent {
			if n.Block != nil && n.Block.Kind == llm.ToolResult {
				_, rest, _ := strings.Cut(n.Block.Content.Raw(), "[[file a.go ")
				was, _, _ = strings.Cut(rest, " ")
			}
		}
		return reworded(0, 3, llm.Messages, was, made)(e)
	}
}

func TestConductSurgeries(t *testing.T) {
	for _, c := range conductSurgeriesOf() {
		t.Run(c.name, func(t *testing.T) {
			whole, _ := operate(t, c.scenario, nil)
			if err := whole.Err(); err != nil {
				t.Fatalf("where nothing was changed: %v", err)
			}
			r, s := operate(t, c.scenario, c.cut)
			if !s.did {
				t.Fatal("no event was changed")
			}
			for _, v := range r.Violations {
				if v.Check == c.check && strings.HasPrefix(v.Want, c.want) {
					return
				}
			}
			t.Errorf("%s does not notice; the report says: %v", c.check, r.Err())
		})
	}
}
