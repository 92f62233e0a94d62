package plan

import "strings"

// Part names the reminder of plan mode among what an agent is told.
const Part = "planMode"

// Headings are those of the instructions, in order.
var Headings = [...]string{"Initial Understanding", "Solution Design", "Solution Review", "Write Plan", "Exit Plan"}

// steps say what is to be done under each heading.
var steps = [...]string{
	`Find out what the request is about and what code it touches. Read, search, and send out agents of type Explore for what takes
several searches; several of them side by side where the places are apart. Ask the user what the code cannot answer.`,
	`Work out how the change is to be made. An agent of type Plan designs it from what you found: give it the files, what you know
of them and what is required; more than one where there are several sound ways.`,
	`Read the files on which the design rests, and make sure that it holds and that it is what the user asked for.`,
	`Write the plan to the plan file: the way that you recommend and no other, short enough to be read at once, with the paths of
the files that change, what already exists that is used, and how the change will be checked.`,
	`Call ExitPlanMode. It asks the user to approve the plan; do not ask by text or in any other way. If the plan is rejected,
go back with what the user says, change the plan file, and call it again.`,
}

// Prompt is what an agent is told that has entered plan mode; there says that the plan
// file is.
func Prompt(file string, there bool) string {
	var b strings.Builder
	how := ": make it with Write, and change it with Write or Edit."
	if there {
		how = ". It holds a plan already: read it, and change it with Write or Edit."
	}
	b.WriteString(`Plan mode is active. The user indicated that they do not want you to execute yet -- you MUST NOT make any edits, run any
non-readonly tools, or otherwise make any changes to the system. This supersedes any other instructions. What you may change is
one file, the plan file ` + file + how + "\n")
	for i, h := range Headings {
		b.WriteString("\n## " + h + "\n" + steps[i] + "\n")
	}
	return b.String()
}

// Entered is the result of EnterPlanMode; what the mode asks for stands behind it.
const Entered = "Plan mode is on. Explore the project and design an approach; change nothing but the plan file."

// Approved is the result of ExitPlanMode that was approved.
func Approved(file, text string) string {
	return "The user has approved the plan. Plan mode is off: you can make changes now. The plan stands in " + file +
		".\n\n## Approved Plan\n" + strings.TrimRight(text, "\n") + "\n"
}

// Rejected is the result of ExitPlanMode that was not approved, said is what the user
// said.
func Rejected(said string) string {
	if said = strings.TrimSpace(said); said == "" {
		said = "nothing"
	}
	return "The user has not approved the plan. Plan mode stays on. The user said: " + said
}
