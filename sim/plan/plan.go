// Package plan is plan mode: what entering it remembers and takes away, where the
// plan stands, and what an agent is told.
//
// Rules:
//   - Every function is pure; whose mode changes, and who approves, is the agent
//     layer's business.
//   - What a session may not do while it plans is the table's of package permission;
//     the plan file alone is let through (Open).
package plan

import (
	"slices"
	"strings"

	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/workspace"
)

// The tools by which an agent enters and leaves plan mode.
const (
	EnterName = "EnterPlanMode"
	ExitName  = "ExitPlanMode"
)

// Memory is what leaving plan mode gives back.
type Memory struct {
	Mode     permission.Mode
	Rules    *permission.Rules // of the agent's own; nil are the session's
	Stripped []permission.Rule // of the rules in force before, those that do not hold meanwhile
}

// Enter is what is remembered of a mode and an agent's own rules, and the rules in
// force that it has until it leaves: own again where nothing is taken away. From mode
// auto dangerous rules are stripped: what they allow nobody looks at there.
func Enter(mode permission.Mode, own, inForce *permission.Rules) (Memory, *permission.Rules) {
	m := Memory{Mode: mode, Rules: own}
	if mode != permission.Auto || inForce.Empty() {
		return m, own
	}
	left := &permission.Rules{Deny: inForce.Deny, Ask: inForce.Ask}
	for _, r := range inForce.Allow {
		if Dangerous(r) {
			m.Stripped = append(m.Stripped, r)
		} else {
			left.Allow = append(left.Allow, r)
		}
	}
	if m.Stripped == nil {
		return m, own
	}
	return m, left
}

// interpreters run whatever they are given.
var interpreters = []string{"python", "python3", "node", "deno", "bun", "tsx", "ruby", "perl", "php", "lua", "bash", "sh", "zsh", "ssh",
	"npx", "bunx", "npm run", "yarn run", "pnpm run", "bun run", "env", "xargs", "eval", "exec", "sudo"}

// Dangerous reports whether a rule to allow leaves open what is done under it: every
// command, whatever an interpreter is given, or every type of agent.
func Dangerous(r permission.Rule) bool {
	switch r.Tool {
	case "Agent", "Task":
		return r.Spec == ""
	case "Bash":
		prefix := strings.TrimRight(strings.TrimSuffix(r.Spec, ":*"), " *")
		return prefix == "" || slices.Contains(interpreters, prefix)
	}
	return false
}

// Words of which a slug is drawn.
var (
	manners = strings.Fields("brisk calm clear even firm fresh keen level light mild neat plain quick quiet sharp steady")
	shades  = strings.Fields("amber ashen azure coral green hazel ivory jade lilac ochre olive pearl rusty sandy teal violet")
	things  = strings.Fields("anchor beacon bridge compass copper delta ember harbor lantern ledger meadow otter pebble river sparrow willow")
)

// File is the plan file of whom a key is of. Its name is drawn once and lasts as long
// as the agent.
func File(key rng.Key) string {
	word := func(list []string) string { return list[key.Sub(list[0]).Between(0, int64(len(list)-1))] }
	return workspace.PlansDir + word(manners) + "-" + word(shades) + "-" + word(things) + ".md"
}

// Open reports whether a call may change the plan file although its agent plans:
// Write and Edit may, of that file alone. name is a clean path, relative where it lies
// in the project.
func Open(tool, name, file string) bool {
	return (tool == "Write" || tool == "Edit") && (name == file || name == workspace.HomeDir+strings.TrimPrefix(file, "~"))
}

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

// Approved is the result of ExitPlanMode that was approved by whom it says.
func Approved(by, file, text string) string {
	return by + " has approved the plan. Plan mode is off: you can make changes now. The plan stands in " + file +
		".\n\n## Approved Plan\n" + strings.TrimRight(text, "\n") + "\n"
}

// Submitted is the result of ExitPlanMode of a teammate, whose lead is asked by a request.
func Submitted(request string) string {
	return "Your plan is in the mailbox of your lead, as " + request + ". Plan mode stays on until it is approved. Change nothing before; with nothing left to do just stop: the answer wakes you."
}

// Rejected is the result of ExitPlanMode that was not approved by whom it says; said is
// what that one said.
func Rejected(by, said string) string {
	if said = strings.TrimSpace(said); said == "" {
		said = "nothing"
	}
	return by + " has not approved the plan. Plan mode stays on. " + by + " said: " + said
}
