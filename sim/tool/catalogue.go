package tool

import (
	"agentsim/sim/permission"
	"agentsim/sim/vtime"
	"slices"
)

// Wire names that the agent layer asks for.
const (
	AgentName = "Agent"
	StopName  = "TaskStop"
	SkillName = "Skill"
)

// How long one call takes unless a scenario says otherwise: our own assumption
// for a warm local disk, small beside any model call.
const (
	readTook = 10 * vtime.Millisecond
	editTook = 20 * vtime.Millisecond
	globTook = 30 * vtime.Millisecond
	grepTook = 60 * vtime.Millisecond
	stopTook = 5 * vtime.Millisecond
	todoTook = 5 * vtime.Millisecond
)

// Catalogue is every named tool in the fixed order in which they are offered.
// Each call makes new Tools, so a run may set their times and the Agent tool's
// text.
func Catalogue() []*Tool {
	all := slices.Clone(catalogue)
	out := make([]*Tool, len(all))
	for i := range all {
		out[i] = &all[i]
	}
	return out
}

// catalogue is what Catalogue copies: the texts of schemas are made once.
var catalogue = func() []Tool {
	all := slices.Concat(sessionTools(), fileTools(), otherTools(), teamTools())
	for i := range all {
		t := &all[i]
		if t.Name == AgentName {
			t.Description, t.Schema = AgentSchema(AgentOptions{AgentGates: AgentGates{Background: true}})
		} else {
			t.Schema = t.fields.schema()
		}
		t.made = &made{t.Name, t.Description, t.Schema, defined(t)}
	}
	return all
}()

// sessionTools start, watch and steer: agents, background tasks, plans,
// questions.
func sessionTools() []Tool {
	return []Tool{
		{Name: AgentName, Aliases: []string{"Task"}, Handled: true, Safe: true, Class: permission.Agent},
		{Name: "TaskOutput", Class: permission.Meta, Description: taskOutputText, fields: fields{
			{name: "task_id", required: true, about: "Id of the background task, as its start reported it."},
			{name: "block", typ: booleanType, about: "Wait until the task has ended (the default), or look once and return."},
			{name: "timeout", typ: integerType, about: "Longest wait in milliseconds; 30000 when left out."},
		}},
		{Name: "EnterPlanMode", Handled: true, OptIn: true, Class: permission.Approval, Took: stopTook, Description: enterPlanText},
		{Name: "ExitPlanMode", Handled: true, OptIn: true, Class: permission.Approval, Took: stopTook, Description: exitPlanText},
		{Name: "AskUserQuestion", Class: permission.Meta, Description: askText, fields: fields{
			{name: "questions", typ: arrayType, required: true, about: "One to four questions, shown together.", inner: questionItems},
		}},
		{Name: StopName, Handled: true, Class: permission.Meta, Took: stopTook, Description: taskStopText, fields: stopFields},
	}
}

var skillFields = fields{
	{name: "skill", required: true, about: "Name of the skill."},
	{name: "args", about: "Arguments for the skill, as one text."},
}

var stopFields = fields{{name: "task_id", required: true, about: "Id of the background task to stop."}}

// fileTools look at the project and change it.
func fileTools() []Tool {
	return []Tool{
		{Name: "Read", Safe: true, Class: permission.Read, Run: runRead, Took: readTook, Description: readText, fields: readFields},
		{Name: "Grep", Safe: true, Class: permission.Read, Run: runGrep, Took: grepTook, Description: grepText, fields: grepFields},
		{Name: "Glob", Safe: true, Class: permission.Read, Run: runGlob, Took: globTook, Description: globText, fields: globFields},
		{Name: "Edit", Class: permission.Write, Run: runEdit, Took: editTook, Description: editText, fields: editFields},
		{Name: "Write", Class: permission.Write, Run: runWrite, Took: editTook, OptIn: true, Description: writeText, fields: writeFields},
		{Name: "NotebookEdit", Class: permission.Write, Run: runNotebook, Took: editTook, OptIn: true, Description: notebookText, fields: notebookFields},
	}
}

// otherTools run commands, skills and web requests, and keep the agent's list.
func otherTools() []Tool {
	return []Tool{
		{Name: "Bash", Class: permission.Exec, Run: runBash, Reads: bashReads, OptIn: true, Stateful: true, Description: bashText, fields: bashFields},
		{Name: SkillName, Handled: true, Class: permission.Meta, Took: todoTook, OptIn: true, Description: skillText, fields: skillFields},
		{Name: "WebFetch", Safe: true, Class: permission.Read, Description: webFetchText, fields: fields{
			{name: "url", required: true, about: "Full address of the page."},
			{name: "prompt", required: true, about: "What to find out from the page."},
		}},
		{Name: "WebSearch", Safe: true, Class: permission.Read, Description: webSearchText, fields: fields{
			{name: "query", required: true, about: "What to search for."},
			{name: "allowed_domains", typ: arrayType, about: "Only results from these domains.", inner: stringItems},
			{name: "blocked_domains", typ: arrayType, about: "No results from these domains.", inner: stringItems},
		}},
		{Name: "TodoWrite", Class: permission.Meta, Run: runTodo, Took: todoTook, OptIn: true, Stateful: true, Description: todoText, fields: todoFields},
		{Name: SubscribeName, Class: permission.Meta, Run: runSubscribe, Took: todoTook, OptIn: true, Description: subscribeText, fields: subscribeFields},
		{Name: "SyntheticOutput", Internal: true, Class: permission.Meta, Description: syntheticText, fields: fields{
			{name: "output", typ: objectType, required: true, about: "The answer, in the shape that was asked for."},
		}},
	}
}

const stringItems = `,"items":{"type":"string"}`

const todoItems = `,"items":{"type":"object","properties":{` +
	`"content":{"type":"string","description":"The step, as an order."},` +
	`"status":{"type":"string","enum":["pending","in_progress","completed"]},` +
	`"activeForm":{"type":"string","description":"The step as an activity, shown while it is in progress."}},` +
	`"required":["content","status","activeForm"],"additionalProperties":false}`

const questionItems = `,"minItems":1,"maxItems":4,"items":{"type":"object","properties":{` +
	`"question":{"type":"string","description":"The whole question, ending with a question mark."},` +
	`"header":{"type":"string","description":"A label of at most 12 characters."},` +
	`"options":{"type":"array","minItems":2,"maxItems":4,"items":{"type":"object","properties":{` +
	`"label":{"type":"string","description":"The choice in one to five words."},` +
	`"description":{"type":"string","description":"What choosing it means."}},` +
	`"required":["label","description"],"additionalProperties":false}},` +
	`"multiSelect":{"type":"boolean","description":"Whether several options may be chosen."}},` +
	`"required":["question","header","options","multiSelect"],"additionalProperties":false}`
