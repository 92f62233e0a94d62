package audit_test

import (
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// turns changes the first time that plan mode is entered or left.
func turns(op string, change func(b *transcript.Plan)) func(*transcript.Event) (bool, bool) {
	return changed(func(b *transcript.Plan) bool { return b.Op == op }, func(_ *transcript.Event, b *transcript.Plan) { change(b) })
}

// planSurgeries are changes of wrong-writes, whose root plans with its requests 1 to 6,
// and of wrong-moments, whose agents run on as plan mode begins and ends.
var planSurgeries = []conductSurgery{
	{"AUD-05 PLN-01 a mode that it was not in", "wrong-writes", "PLN-01", "a root that goes from auto", turns("enter", func(b *transcript.Plan) { b.From = "default" })},
	{"AUD-05 PLN-01 a dangerous rule that stays", "wrong-writes", "PLN-01", "taken away: Agent, Bash", turns("enter", func(b *transcript.Plan) { b.Stripped = b.Stripped[:1] })},
	{"AUD-05 PLN-01 a rule that was taken away and allows", "wrong-writes", "PLN-01", "no rule that was", decides(
		func(b *transcript.Permission) bool {
			return b.Mode == "plan" && b.Tool == "Bash" && b.Decision == "allow"
		}, func(b *transcript.Permission) { b.Why = "allow rule Bash" })},
	{"AUD-05 PLN-02 a file changed while it plans", "wrong-writes", "PLN-02", "no file changed", changed(
		func(b *transcript.ToolResult) bool { return b.Name == "Edit" && b.IsError }, func(_ *transcript.Event, b *transcript.ToolResult) { b.Wrote = 1 })},
	{"AUD-05 PLN-03 a step that is called otherwise", "wrong-writes", "PLN-03", "the steps of plan mode", reworded(0, 1, llm.Messages, "## Write Plan", "## Plan")},
	{"AUD-05 PLN-03 another file", "wrong-writes", "PLN-03", "the plan file", reworded(0, 1, llm.Messages, "/plans/", "/notes/")},
	{"AUD-05 PLN-03 nothing told", "wrong-writes", "PLN-03", "what plan mode asks for", reworded(0, 1, llm.Messages, "# planMode", "# mode")},
	{"AUD-05 PLN-04 a plan that nobody approved", "wrong-writes", "PLN-04", "an approved call of ExitPlanMode", missing(
		func(b *transcript.Permission) bool { return b.Tool == "ExitPlanMode" && b.Decision == "allow" })},
	{"AUD-05 PLN-04 a plan that its worker's coordinator refused, and that holds", "wrong-approval", "PLN-04", "the word of its lead on its plan: deny", decides(
		func(b *transcript.Permission) bool { return b.Why == "lead" && b.Decision == "deny" }, func(b *transcript.Permission) { b.Decision = "allow" })},
	{"AUD-05 PLN-04 a worker's plan of which its user decides", "wrong-approval", "PLN-04", "the word of its lead on its plan: allow", decides(
		func(b *transcript.Permission) bool { return b.Why == "lead" && b.Decision == "allow" }, func(b *transcript.Permission) { b.Why = "user" })},
	{"AUD-05 PLN-05 a worker's mode that is not its coordinator's word", "wrong-approval", "PLN-05", "from plan to acceptEdits", turns("leave", func(b *transcript.Plan) { b.To = "default" })},
	{"AUD-05 PLN-05 another mode than remembered", "wrong-writes", "PLN-05", "from plan to auto", turns("leave", func(b *transcript.Plan) { b.To = "default" })},
	{"AUD-05 PLN-05 rules that stay away", "wrong-writes", "PLN-05", "the plan file and the rules", turns("leave", func(b *transcript.Plan) { b.Stripped = nil })},
	{"AUD-05 PLN-05 another plan than was written", "wrong-writes", "PLN-05", "the plan in the result", reworded(0, 7, llm.Messages, "Raise it to 20.", "Raise it to 30.")},
	{"AUD-05 PLN-06 a child that does not plan", "wrong-writes", "PLN-06", "run mode", started("main/2.2", func(b *transcript.AgentStart) { b.RunMode = "auto" })},
	{"AUD-05 PLN-06 a call in the mode in which its agent started, while the session plans", "wrong-moments", "PLN-06", "a decision in mode plan", decides(
		func(b *transcript.Permission) bool { return b.Tool == "Edit" }, func(b *transcript.Permission) { b.Mode = "bubble" })},
	{"AUD-05 SUB-10 a call in plan mode, of an agent that started in it, once the session has left it", "wrong-moments", "SUB-10", "a decision in mode default", decides(
		func(b *transcript.Permission) bool { return b.Tool == "Write" && b.Mode == "default" }, func(b *transcript.Permission) { b.Mode = "plan" })},
	{"AUD-05 MCP-03 an error that does not name the server", "wrong-needs", "MCP-03", "an error that names tracker", reworded(0, 1, llm.Messages, "tracker", "it")},
	{"AUD-05 LOOP-06 another try before its time", "wrong-needs", "LOOP-06", "another try in", func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(*transcript.APIError)
		if ok {
			b.RetryIn = 0
		}
		return ok, false
	}},
}
